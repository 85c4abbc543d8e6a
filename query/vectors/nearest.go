package vectors

import (
	"context"
	"fmt"

	"heavytail/index"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/conditions"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/search"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/query/where"
)

// NearestRequest asks for the vertices nearest to a vertex or a vector.
type NearestRequest struct {
	K         int    // number of vertices to find; at least 1
	Embedding string // name of the embedding to search
	// Vertex is the key of the query vertex, which is excluded from the result.
	Vertex string
	// Vector, if not nil, is the query vector, used instead of Vertex. Its length
	// is the dimension of the embedding.
	Vector []float32
	// Examples are the keys of several query vertices, in place of Vertex: the query
	// is the centroid of their vectors, under index.Cosine of their vectors at length
	// 1. None of them is an answer. One that is named twice counts twice.
	Examples []string
	Metric   index.Metric // index.L2 by default
	Exact    bool         // do not use an index
	// Where decides which vertices may be in the result; nil admits all. It is
	// called during the search, so the result has K vertices if at least K are
	// admitted. It is called from several goroutines at a time.
	Where func(where.Candidate) bool
	// Attributes are the attributes that Where reads; they are loaded.
	Attributes []string
	// Fresh first brings the embedding up to date, as Refresh does. It waits for any
	// other job that writes the embedding.
	Fresh bool
	// OrderBy is an attribute, or degree or key, by which the vertices that were found are
	// sorted, as in graphs.VerticesRequest; it does not change which ones are found. Empty for the
	// nearest first.
	OrderBy    string
	Descending bool

	condition string           // the text of Where, for the plan
	reads     conditions.Reads // what Where reads
}

var nearest = &engine.Statement[*parser.Nearest, NearestRequest, search.Search, SearchResult]{
	Help:    nearestHelp(),
	Bind:    bindNearest,
	Resolve: resolveNearest,
	Plan:    planNearest,
	Run:     runNearest,
	Empty:   func(_ NearestRequest, s search.Search) SearchResult { return SearchResult{Metric: s.Metric} },
	Rows:    func(_ NearestRequest, r SearchResult) *rows.Rows { return r.rows() },
	Reads:   true, // except with FRESH if the embedding is behind its graph
}

func nearestHelp() help.Statement {
	return help.Statement{
		Statement: "NEAREST",
		Summary:   "finds the k nearest vertices, nearest first; metrics are l2, cosine and dot; with several query vertices the centroid is used (of unit vectors under cosine); query vertices are excluded from the result. FRESH brings the embedding up to date first, as REFRESH does. EXACT searches without an index, because an index may miss some vertices. FOR ALL finds the k nearest of every vertex that has a vector, in the order of the graph; FOR FILE finds those of the vertices whose keys a file lists, one per line, in the order of the file, and leaves out keys that the graph does not have. ORDER BY sorts the k vertices that were found, with vertices without a value last. FOR cannot be combined with FRESH and ORDER BY",
		Columns:   "vertex, distance (l2) or similarity (cosine and dot); with FOR: source, rank, target, distance or similarity",
		Example:   "NEAREST 10 TO 'alice' USING cosine(spec) WHERE NOT linked AND degree >= 3",
	}
}

// Nearest returns the K vertices nearest to a vertex or a vector. It scans all
// vectors once and is exact, unless the embedding is large and has an index for
// the metric; a search by an index may miss some vertices, see IndexInfo.Recall.
func (s *Service) Nearest(ctx context.Context, req NearestRequest) (SearchResult, error) {
	return nearest.Answer(ctx, s.db, req)
}

func bindNearest(b *engine.Binder, s *parser.Nearest) (req NearestRequest) {
	req.Exact, req.Fresh = s.Exact, s.Fresh
	req.K = b.Size(fault.Number, s.Count)
	if s.To == nil {
		req.Examples = search.Examples(b, s.Examples)
	} else {
		req.Vertex, req.Vector = search.Target(b, s.To)
	}
	req.Embedding, req.Metric = search.Space(b, s.Using)
	condition := search.SearchWhere(b, s.Where, req.Embedding, req.Vector == nil)
	req.Where, req.Attributes, req.condition = condition.Admits, condition.Attributes, search.ExprText(s.Where)
	req.reads = condition.Reads
	req.OrderBy, req.Descending = engine.Order(b, s.Order)
	return req
}

func resolveNearest(c *engine.Call, req NearestRequest) (search.Search, error) {
	if err := search.CheckCount(req.K); err != nil {
		return search.Search{}, err
	}
	q := search.Question{
		Embedding: req.Embedding, Vector: req.Vector, Metric: req.Metric, Exact: req.Exact, Scope: search.Scope{K: req.K},
		Where: req.Where, Attributes: req.Attributes, Condition: req.condition, Reads: req.reads, OrderBy: req.OrderBy, Descending: req.Descending,
	}
	var err error
	switch {
	case len(req.Examples) == 0:
		q.Vertices, err = search.QueryVertex(req.Vertex, req.Vector)
	case req.Vertex != "" || req.Vector != nil:
		err = fault.New(fault.Vector, "several query vertices are given together with another query vertex or a query vector")
	default:
		q.Vertices, q.Centroid = req.Examples, true
	}
	if err != nil {
		return search.Search{}, err
	}
	if req.Fresh { // the vectors to search exist only after the refresh
		entry, err := c.Present(req.Embedding, fault.Embedding)
		if err == nil {
			_, err = search.CheckQuestion(c, q) // a mistake must not refresh first
		}
		return search.Search{Question: q, Entry: entry}, err
	}
	s, err := search.ResolveSearch(c, q)
	if err == nil && min(s.Entry.Info.Vertices, s.Entry.Graph.Vertices) > c.DB.Opts.MaxRows {
		err = c.CheckRows(req.K)
	}
	return s, err
}

func planNearest(req NearestRequest, s search.Search) *plan.Plan {
	order := "nearest first"
	if req.Metric.Similarity() {
		order = "most similar first"
	}
	detail := fmt.Sprintf("%d by %s, %s, ties by vertex", req.K, req.Metric, order)
	if req.OrderBy != "" {
		detail += ", then " + engine.OrderText(req.OrderBy, req.Descending)
	}
	if req.Fresh {
		return plan.Result("nearest", detail, plan.Measured(plan.Scan, "exact scan", "of the refreshed embedding",
			plan.Measured(plan.Solve, "refresh", "embedding "+fault.Name(req.Embedding))))
	}
	return plan.Result("nearest", detail, s.Plan())
}

func runNearest(c *engine.Call, req NearestRequest, s search.Search) (SearchResult, error) {
	if req.Fresh {
		req.Embedding = s.Entry.Info.Name // by its number it would be a past generation afterwards
		if err := freshen(c, req.Embedding); err != nil {
			return SearchResult{}, err
		}
		req.Fresh = false
		var err error
		if s, err = resolveNearest(c, req); err != nil {
			return SearchResult{}, err
		}
	}
	return find(c, s)
}
