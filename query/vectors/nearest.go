package vectors

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"heavytail/embedding/option"
	"heavytail/index"
	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/bind"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/conditions"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/lists"
	"heavytail/query/internal/scan"
	"heavytail/query/internal/search"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/query/where"
	"heavytail/storage"
	"heavytail/storage/vec"
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
// by an index of the embedding, whichever takes less (index.BatchIsFaster); the memory does not depend on the number of queries. An
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
		Embedding: req.Embedding, Vector: req.Vector, Metric: req.Metric, Exact: req.Exact, Many: req.Each, Scope: search.Scope{K: req.K},
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

// WithinRequest asks for all vertices within a distance of a vertex or a
// vector.
type WithinRequest struct {
	Embedding string // name of the embedding to search
	Vertex    string // key of the query vertex, as in NearestRequest
	Vector    []float32
	Metric    index.Metric
	Exact     bool // do not use an index
	// Radius is the largest distance, or the lowest similarity under
	// index.Cosine and index.Dot.
	Radius float64
	// Epsilon, if not 0, is used instead of Radius: the lowest edge
	// probability 1/(1+e^distance), above 0 and at most 0.5, and only with
	// index.L2.
	Epsilon float64
	Where   func(where.Candidate) bool // as in NearestRequest
	// Attributes are the attributes that Where reads, as in NearestRequest.
	Attributes []string
	Limit      int // largest number of vertices to return, the first in the order; 0 for all
	// OrderBy is an attribute, or degree or key, by which the vertices are sorted, as in
	// NearestRequest. Empty for the nearest first.
	OrderBy    string
	Descending bool

	// The texts of Where and of the threshold, for the plan.
	condition, threshold string
	reads                conditions.Reads // what Where reads
}

var withinRadius = &engine.Statement[*parser.Within, WithinRequest, search.Search, SearchResult]{
	Help: help.Statement{
		Statement: "WITHIN",
		Summary:   "finds all vertices within a distance, or with an edge probability of at least a given one",
		Detail:    "The probability is 1/(1+e^distance). The nearest is first, or the order that of ORDER BY, with vertices without a value last; LIMIT keeps the first n",
		Words:     "radius range search similarity threshold ball",
		Columns:   "vertex, distance (l2) or similarity (cosine and dot)",
	},
	Bind:    bindWithin,
	Resolve: resolveWithin,
	Plan:    planWithin,
	Run:     func(c *engine.Call, _ WithinRequest, s search.Search) (SearchResult, error) { return find(c, s) },
	Empty:   func(_ WithinRequest, s search.Search) SearchResult { return SearchResult{Metric: s.Metric} },
	Rows:    func(_ WithinRequest, r SearchResult) *rows.Rows { return r.rows() },
	Reads:   true,
}

// Within returns all vertices within a distance of a vertex or a vector. It scans
// all vectors once and is exact, unless the embedding is large and has an index
// for the metric; a search by an index finds about the fraction IndexInfo.Recall
// of them.
func (s *Service) Within(ctx context.Context, req WithinRequest) (SearchResult, error) {
	return withinRadius.Answer(ctx, s.db, req)
}

func bindWithin(b *engine.Binder, s *parser.Within) (req WithinRequest) {
	req.Exact, req.threshold = s.Exact, fmt.Sprint(s.Threshold)
	req.Radius, req.Epsilon = threshold(b, s.Threshold)
	req.Vertex, req.Vector = search.Target(b, s.Of)
	req.Embedding, req.Metric = search.Space(b, s.Using)
	var condition conditions.Condition
	condition, req.condition = search.TakeWhere(b, req.Embedding, req.Vector == nil)
	req.Where, req.Attributes, req.reads = condition.Admits, condition.Attributes, condition.Reads
	req.OrderBy, req.Descending = search.TakeOrder(b, req.Embedding)
	req.Limit = b.TakeLimit()
	return req
}

func resolveWithin(c *engine.Call, req WithinRequest) (s search.Search, err error) {
	q := search.Question{
		Embedding: req.Embedding, Vector: req.Vector, Metric: req.Metric, Exact: req.Exact,
		Where: req.Where, Attributes: req.Attributes, Condition: req.condition, Reads: req.reads, Limit: req.Limit, OrderBy: req.OrderBy, Descending: req.Descending,
	}
	if q.Vertices, err = search.QueryVertex(req.Vertex, req.Vector); err != nil {
		return s, err
	}
	if s, err = search.ResolveSearch(c, q); err != nil {
		return s, err
	}
	if err := engine.CheckLimit(req.Limit); err != nil {
		return s, err
	}
	if req.Epsilon != 0 && req.Metric != index.L2 {
		return s, fault.New(fault.Threshold, "EPSILON cannot be used with %s", req.Metric).
			WithRemedy("use RADIUS with the lowest similarity")
	}
	s.Radius, err = resolveThreshold(req.Radius, req.Epsilon, req.Metric)
	return s, err
}

func planWithin(req WithinRequest, s search.Search) *plan.Plan {
	bound := "distance at most"
	if req.Metric.Similarity() {
		bound = req.Metric.String() + " at least"
	}
	detail := fmt.Sprintf("%s %.6g (%s), ties by vertex", bound, s.Radius, req.threshold)
	if req.OrderBy != "" {
		detail += ", then " + engine.OrderText(req.OrderBy, req.Descending)
	}
	detail = scan.Limited(detail, req.Limit)
	return plan.Result("within", detail, s.Plan())
}

func threshold(b *engine.Binder, t parser.Threshold) (radius, epsilon float64) {
	if t.Kind == parser.Auto {
		b.Mark(fault.Threshold, t)
		return 0, 0
	}
	value := b.Value(fault.Threshold, t.Value)
	x, ok := value.(float64)
	if n, isInt := value.(int64); isInt {
		x, ok = float64(n), true
	}
	switch {
	case !ok:
		b.Fail(bind.Unexpected(fault.Threshold, value, "a number"))
	case t.Kind == parser.Radius:
		return x, 0
	case x == 0: // 0 means no epsilon in a request
		_, err := index.EpsilonToRadius(0)
		b.Fail(fault.New(fault.Threshold, "epsilon is 0, and must be above 0 and at most 0.5").WithErr(err))
	}
	return 0, x
}

// resolveThreshold returns the radius that a radius or an epsilon stands for.
func resolveThreshold(radius, epsilon float64, metric index.Metric) (float64, error) {
	if epsilon != 0 {
		r, err := index.EpsilonToRadius(epsilon)
		if err != nil {
			return 0, fault.New(fault.Threshold, "epsilon is %v, and must be above 0 and at most 0.5", epsilon).WithErr(err)
		}
		return r, nil
	}
	switch {
	case metric == index.L2 && radius < 0:
		return 0, fault.New(fault.Threshold, "the radius is %v, and must be 0 or more", radius).WithErr(index.ErrRadius)
	case math.IsNaN(radius) || math.IsInf(radius, 0):
		return 0, fault.New(fault.Threshold, "the radius is %v, and must be a finite number", radius).WithErr(index.ErrRadius)
	}
	return radius, nil
}

// Neighbor is one answer of a search.
type Neighbor struct {
	Vertex string  `json:"vertex"`
	Value  float64 `json:"value"` // by which the answers are ordered: the Euclidean distance under index.L2, else the cosine or the dot product
}

// SearchResult is the answer of Nearest and Within: the nearest vertex first,
// ties in the order in which the vertices came into the graph.
type SearchResult struct {
	Neighbors []Neighbor               `json:"neighbors"`
	Metric    index.Metric             `json:"metric"`
	Embedding catalogue.EmbeddingState `json:"embedding"` // the vectors that were searched
	// Index is the index that was searched; nil if all vectors were scanned,
	// so that the answer is exact.
	Index   *storage.IndexInfo `json:"index,omitempty"`
	Notices []rows.Notice      `json:"notices,omitempty"`

	stream *engine.Stream[NearestRow] // of many query vertices, in place of the other fields
}

// NearestRow is one of the vertices nearest to a query vertex.
type NearestRow struct {
	Source string `json:"source"` // the query vertex
	Rank   int    `json:"rank"`   // 1 is the nearest
	Neighbor
}

func (r SearchResult) rows() *rows.Rows {
	return cells.RowsOf([]string{"vertex", measureName(r.Metric)}, lists.Map(r.Neighbors, func(n Neighbor) []rows.Value {
		return []rows.Value{n.Vertex, n.Value}
	}))
}

// measureName is the column of the number that a search under a metric is ordered by.
func measureName(m index.Metric) string {
	if m.Similarity() {
		return "similarity"
	}
	return "distance"
}

func find(c *engine.Call, s search.Search) (SearchResult, error) {
	f, err := search.Run(c, s)
	if err != nil {
		return SearchResult{}, err
	}
	neighbors := make([]Neighbor, len(f.Hits))
	for i, h := range f.Hits {
		neighbors[i] = Neighbor{f.Keys[i], float64(h.Distance)}
	}
	return SearchResult{Neighbors: neighbors, Metric: s.Metric, Embedding: f.State, Index: f.Index, Notices: c.Notices}, nil
}

// DiffRequest asks which vertices moved between two generations of an embedding.
type DiffRequest struct {
	Before, After string // such as "spec@3" and "spec"
	Limit         int    // number of vertices to return, those that moved most; 0 is 10
}

// Moved is a vertex that both generations have.
type Moved struct {
	Vertex   string  `json:"vertex"`
	Distance float64 `json:"distance"` // Euclidean distance between the two vectors of the vertex
	Relative float64 `json:"relative"` // Distance divided by the root mean square of all norms before
}

// DiffResult is the answer of Diff.
type DiffResult struct {
	Moved    []Moved       `json:"moved"`    // the farthest first; ties by vertex
	Vertices int           `json:"vertices"` // number of vertices in both embeddings
	Mean     float64       `json:"mean"`     // mean of Relative over all these vertices
	Notices  []rows.Notice `json:"notices,omitempty"`
}

// diffed are the two embeddings of a DiffRequest.
type diffed struct{ before, after session.Entry }

var diff = &engine.Statement[*parser.Diff, DiffRequest, diffed, DiffResult]{
	Help: help.Statement{
		Statement: "DIFF",
		Summary:   "lists the vertices that moved most between two generations of an embedding; ten without LIMIT, WHERE, ORDER BY and DISTINCT",
		Words:     "compare change drift versions moved",
		Columns:   "vertex, distance, relative",
	},
	Bind: func(b *engine.Binder, s *parser.Diff) DiffRequest {
		req := DiffRequest{Before: b.Name(fault.Before, s.Before), After: b.Name(fault.Embedding, s.After), Limit: b.TakeLimit()}
		if b.Tail.Where != nil || b.Tail.Order != nil || b.Tail.Distinct {
			req.Limit = math.MaxInt // they choose among all
		}
		return req
	},
	Resolve: resolveDiff,
	Plan: func(_ DiffRequest, found diffed) *plan.Plan {
		return plan.Result("vertices", "those that moved most first", found.before.Plan(), found.after.Plan())
	},
	Run: runDiff,
	Table: func(_ DiffRequest, r DiffResult) [][]rows.Value {
		return lists.Map(r.Moved, func(m Moved) []rows.Value { return []rows.Value{m.Vertex, m.Distance, m.Relative} })
	},
	Reads: true,
}

// Diff reports which vertices moved most between two embeddings of the same graph
// and dimension, most often two generations of one. It compares the vectors
// without aligning them. A refresh preserves the vectors of unchanged parts of
// the graph, but two full runs of a spectral method may differ by a rotation, and
// two full runs on random walks differ by chance. Vertices that only one of the
// embeddings has are left out.
func (s *Service) Diff(ctx context.Context, req DiffRequest) (DiffResult, error) {
	return diff.Answer(ctx, s.db, req)
}

func resolveDiff(c *engine.Call, req DiffRequest) (found diffed, err error) {
	if err := engine.CheckLimit(req.Limit); err != nil {
		return found, err
	}
	if found.before, err = c.Entry(req.Before, fault.Before); err != nil {
		return found, err
	}
	if found.after, err = c.Entry(req.After, fault.Embedding); err != nil {
		return found, err
	}
	before, after := found.before.Info, found.after.Info
	switch {
	case before.GraphID != after.GraphID:
		err = fault.New(fault.Embedding, "%s is an embedding of graph %s, and %s of graph %s", fault.Quote(req.After), fault.Name(after.Graph), fault.Quote(req.Before), fault.Name(before.Graph))
	case before.Dim != after.Dim:
		err = fault.New(fault.Embedding, "%s has %s, and %s has %d", fault.Quote(req.After), fault.Count(int64(after.Dim), "coordinate"), fault.Quote(req.Before), before.Dim)
	}
	return found, err
}

func runDiff(c *engine.Call, req DiffRequest, _ diffed) (DiffResult, error) {
	var before, after *session.Space
	err := c.Consistent(func() (err error) {
		if before, err = c.Space(req.Before, fault.Before); err != nil {
			return err
		}
		after, err = c.Space(req.After, fault.Embedding)
		return err
	})
	if err != nil {
		return DiffResult{}, err
	}
	req.Limit = cmp.Or(req.Limit, 10)
	type moved struct {
		vertex   uint32
		distance float64
	}
	both := min(before.Matrix.Rows, after.Matrix.Rows)
	all := make([]moved, both)
	norms, sum := 0.0, 0.0
	for v := range all {
		if v%4096 == 0 && c.Ctx.Err() != nil {
			return DiffResult{}, c.Ctx.Err()
		}
		x, y := before.Matrix.Row(v), after.Matrix.Row(v)
		all[v] = moved{uint32(v), math.Sqrt(float64(vec.L2Squared(x, y)))}
		norms += float64(vec.Dot(x, x))
		sum += all[v].distance
	}
	slices.SortStableFunc(all, func(a, b moved) int { return cmp.Compare(b.distance, a.distance) })
	scale := math.Sqrt(norms / float64(max(both, 1)))
	if scale == 0 {
		scale = 1
	}
	result := DiffResult{Vertices: both, Mean: sum / float64(max(both, 1)) / scale}
	for _, m := range all[:min(req.Limit, both)] {
		result.Moved = append(result.Moved, Moved{after.Graph.Key(m.vertex), m.distance, m.distance / scale})
	}
	result.Notices = c.Notices
	return result, nil
}
