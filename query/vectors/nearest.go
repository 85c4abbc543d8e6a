package vectors

import (
	"cmp"
	"context"
	"fmt"
	"iter"

	"heavytail/embedding/option"
	"heavytail/index"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/conditions"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/search"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/query/where"
)

// NearestRequest asks for the vertices nearest to a vertex, a vector, or each of many vertices.
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
	// Each asks for the K vertices nearest to each of many vertices: those of the file Path, which has
	// the key of a vertex on each line, or CSV under the header vertex, plain or compressed, and
	// whose name is "-" for Options.Input; or every vertex that has a vector, if Path is empty.
	Each bool
	Path string
	// First is the number of the first query vertex in the graph, or key in the file, from 0.
	// Count is the largest number of query vertices or keys, nil for all that follow.
	First int64
	Count *int64

	Metric index.Metric // index.L2 by default
	Exact  bool         // do not use an index
	// Where decides which vertices may be in the result; nil admits all. It is
	// called during the search, so the result has K vertices if at least K are
	// admitted. It is called from several goroutines at a time. With Each it is called from one
	// goroutine, before the first search, twice for each vertex: once as linked to the query vertex
	// and once as not linked.
	Where func(where.Candidate) bool
	// Attributes are the attributes that Where reads; they are loaded.
	Attributes []string
	// Fresh first brings the embedding up to date, as Refresh does. It waits for any
	// other job that writes the embedding.
	Fresh bool
	// OrderBy is an attribute, or degree or key, by which the vertices that were found are
	// sorted, as in graphs.VerticesRequest, but equal ones the nearest first; it does not change which
	// ones are found. Empty for the nearest first.
	OrderBy    string
	Descending bool

	condition string           // the text of Where, for the plan
	reads     conditions.Reads // what Where reads
}

var nearest = &engine.Statement[*parser.Nearest, NearestRequest, search.Search, SearchResult]{
	Help: help.Statement{
		Statement: "NEAREST",
		Summary:   "finds the vertices whose vectors are nearest to those of a vertex, of several, or of every vertex",
		Detail:    "Nearest is first; metrics are l2, cosine and dot; with several query vertices the centroid is used (of unit vectors under cosine); query vertices are excluded from the result. FRESH brings the embedding up to date first, as REFRESH does. EXACT searches without an index, because an index may miss some vertices. FOR ALL finds the k nearest of every vertex that has a vector, in the order of the graph; FOR FILE finds those of the vertices whose keys a file lists, one per line, in the order of the file, and leaves out keys that the graph does not have. WHERE decides during the search which vertices are found, and ORDER BY sorts the k that were found. FOR cannot be combined with FRESH, and the options first and count choose some of its vertices",
		Words:     "similarity knn similar closest most_similar search recommend ann neighbours vector hnsw top",
		Columns:   "vertex, distance (l2) or similarity (cosine and dot); with FOR: source, rank, target, distance or similarity",
	},
	Schema:  nearestSchema,
	Bind:    bindNearest,
	Resolve: resolveNearest,
	Plan:    planNearest,
	Run:     runNearest,
	Empty:   noNearest,
	Rows:    nearestRows,
	Reads:   true, // except with FRESH if the embedding is behind its graph
}

func nearestSchema() option.Schema[NearestRequest] {
	return search.EachFields(func(r NearestRequest) bool { return r.Each }, func(r *NearestRequest) *int64 { return &r.First }, func(r *NearestRequest) **int64 { return &r.Count })
}

func (req NearestRequest) some() engine.RowRange {
	return engine.RowRange{First: req.First, Count: req.Count}
}

// Nearest returns the K vertices nearest to a vertex or a vector. It scans all
// vectors once and is exact, unless the embedding is large and has an index for
// the metric; a search by an index may miss some vertices, see IndexInfo.Recall.
//
// The answers to Each, which are of many vertices, are those of EachNearest; Nearest refuses them.
func (s *Service) Nearest(ctx context.Context, req NearestRequest) (SearchResult, error) {
	r, err := nearest.Answer(ctx, s.db, req)
	if r.stream != nil {
		r.stream.Close()
		return SearchResult{}, fault.New(fault.Vertex, "EachNearest iterates over the vertices nearest to each of many")
	}
	return r, err
}

// EachNearest iterates over the vertices nearest to each of many vertices, with or without Each in the
// request. Query vertices come
// in the order of the graph or of the file, and their answers, which are those of Nearest,
// nearest first, with ties in the order in which the vertices came into the graph. The
// searches are made in batches on all workers, by scans (see index.Exact.SearchBatch) or
// by an index of the embedding; the memory does not depend on the number of queries. An
// error is yielded last, with an empty row. The call begins when the iteration begins.
func (s *Service) EachNearest(ctx context.Context, req NearestRequest) iter.Seq2[NearestRow, error] {
	req.Each = true
	return engine.Iterate(func() (*engine.Stream[NearestRow], error) {
		r, err := nearest.Answer(ctx, s.db, req)
		return r.stream, err
	})
}

func bindNearest(b *engine.Binder, s *parser.Nearest) (req NearestRequest) {
	req.Exact, req.Fresh, req.K = s.Exact, s.Fresh, b.Size(fault.Number, s.Count)
	switch {
	case s.Each != nil:
		req.Each, req.Path = true, search.KeysFile(b, *s.Each)
	case s.To == nil:
		req.Examples = search.Examples(b, s.Examples)
	default:
		req.Vertex, req.Vector = search.Target(b, s.To)
	}
	req.Embedding, req.Metric = search.Space(b, s.Using)
	var condition conditions.Condition
	condition, req.condition = search.TakeWhere(b, req.Embedding, req.Vector == nil)
	req.Where, req.Attributes, req.reads = condition.Admits, condition.Attributes, condition.Reads
	if !req.Each {
		req.OrderBy, req.Descending = search.TakeOrder(b, req.Embedding)
	}
	engine.Bind(b, "NEAREST", nearestSchema(), s.Options, &req)
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
	case req.Each:
		if req.Vertex != "" || req.Vector != nil || req.Examples != nil || req.Fresh || req.OrderBy != "" {
			err = fault.New(fault.Vertex, "the vertices nearest to each of many cannot be combined with a query vertex or vector, FRESH and an order")
		}
		err = cmp.Or(err, search.CheckKeys(c, req.Path))
	case !req.some().All() || req.Path != "":
		err = engine.NotOfMany()
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
	if err == nil && !req.Each && min(s.Entry.Info.Vertices, s.Entry.Graph.Vertices) > c.DB.Opts.MaxRows {
		err = c.CheckRows(req.K)
	}
	return s, err
}

func planNearest(req NearestRequest, s search.Search) *plan.Plan {
	if req.Each {
		from := "every vertex with a vector"
		if req.Path != "" {
			from = "the vertices of " + fault.Quote(session.InputName(req.Path))
		}
		return plan.Result("nearest", fmt.Sprintf("%d by %s of each, streamed in the order of the queries", req.K, req.Metric),
			s.PlanFrom(from+req.some().String()+", itself left out"))
	}
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
	if !req.Each {
		return find(c, s)
	}
	b, err := search.OpenNearestBatches(c, req.Path, req.some(), s)
	if err != nil {
		return SearchResult{}, err
	}
	return SearchResult{stream: engine.StreamOf(c, func(f func(NearestRow) error) error {
		g := b.Space.Graph
		return b.Hits(func(u uint32, hits []index.Hit) error {
			source := g.Key(u)
			for rank, h := range hits {
				if err := f(NearestRow{source, rank + 1, Neighbor{g.Key(h.Vertex), float64(h.Distance)}}); err != nil {
					return err
				}
			}
			return nil
		})
	})}, nil
}

// noNearest is the answer without rows.
func noNearest(req NearestRequest, s search.Search) SearchResult {
	r := SearchResult{Metric: s.Metric}
	if req.Each {
		r.stream = new(engine.Stream[NearestRow])
	}
	return r
}

func nearestRows(req NearestRequest, r SearchResult) *rows.Rows {
	if r.stream == nil {
		return r.rows()
	}
	return r.stream.Rows([]string{"source", "rank", "target", measureName(req.Metric)}, func(r NearestRow) []rows.Value {
		return []rows.Value{r.Source, int64(r.Rank), r.Vertex, r.Value}
	}).Continued(req.First > 0)
}
