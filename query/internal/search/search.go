package search

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"heavytail/index"
	"heavytail/query/fault"
	"heavytail/query/internal/bind"
	"heavytail/query/internal/conditions"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/query/internal/lists"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/query/where"
	"heavytail/storage"
)

// This file has the common part of NEAREST and WITHIN: a question is resolved to a
// search by the catalogue alone. The search is then answered by a scan of the
// vectors in the file, by a scan in memory, or by an index.

// Target reads what a search is near to: a key or a vector.
func Target(b *engine.Binder, v parser.Value) (vertex string, vector []float32) {
	value := b.Untyped(fault.Vertex, v)
	b.Mark(fault.Vector, v)
	switch value := value.(type) {
	case []float32:
		return "", append(make([]float32, 0, len(value)), value...)
	case string, rows.Untyped, int64:
		return b.VertexKey(fault.Vertex, v), nil
	}
	b.Fail(bind.Unexpected(fault.Vertex, value, "the key of a vertex", "a vector"))
	return "", nil
}

// Space reads the embedding of a search and its metric.
func Space(b *engine.Binder, s parser.Space) (string, index.Metric) {
	embedding := b.Name(fault.Embedding, s.Embedding)
	if s.Metric == nil {
		return embedding, index.L2
	}
	metric, err := index.ParseMetric(b.Name(fault.Metric, *s.Metric))
	if err != nil {
		b.Fail(fault.New(fault.Metric, "unknown metric %s", fault.Quote(s.Metric.Name)).
			WithErr(err).WithNearest(s.Metric.Name, lists.Map(index.Metrics(), index.Metric.String), nil))
	}
	return embedding, metric
}

// ofAnswers are the columns of the answers of searches.
var ofAnswers = []string{"vertex", "distance", "similarity", "source", "rank", "target"}

// TakeWhere takes the condition of a search in an embedding, and compiles it; its text is for plans.
func TakeWhere(b *engine.Binder, embedding string, byVertex bool) (condition conditions.Condition, text string) {
	if b.Tail.Where == nil {
		return condition, ""
	}
	entry, err := b.Entry(embedding, fault.Embedding)
	b.Fail(err)
	e := b.TakeWhere(entry.Graph, ofAnswers...)
	if e == nil {
		return condition, ""
	}
	linked := ""
	if !byVertex {
		linked = conditions.ToVector
	}
	return conditions.Compile(b.Values, e, entry.Graph, linked), e.String()
}

// TakeOrder takes the order of a search in an embedding.
func TakeOrder(b *engine.Binder, embedding string) (by string, descending bool) {
	if b.Tail.Order == nil {
		return "", false
	}
	entry, err := b.Entry(embedding, fault.Embedding)
	b.Fail(err)
	return b.TakeOrder(entry.Graph, ofAnswers...)
}

// Question is what the requests of NEAREST and WITHIN have in common.
type Question struct {
	Embedding  string
	Vertices   []string // keys of the query vertices; none for a vector
	Centroid   bool     // the query is the centroid of their vectors, not the vector of a single vertex
	Vector     []float32
	Metric     index.Metric
	Exact      bool // do not use an index
	Many       bool // each of many vertices is a query of its own
	Where      func(where.Candidate) bool
	Attributes []string         // that where reads
	Condition  string           // the text of where
	Reads      conditions.Reads // what where reads
	OrderBy    string           // a column by which the answers are sorted after they are found; empty for the nearest first
	Descending bool
	Limit      int // largest number of answers of WITHIN; 0 is all
	Scope          // the radius of WITHIN is set when the question is resolved
}

// Scope is which vectors a search finds: the k nearest, or if k is 0 all within the radius.
type Scope struct {
	K      int
	Radius float64
}

// fileScan is a scan that finds the vectors in the file, a block of rows at a time.
func (s Scope) fileScan(metric index.Metric, dim, rows int, vector []float32, opts index.SearchOptions) (*index.Scan, error) {
	if s.K > 0 {
		return index.NewScan(metric, dim, vector, min(s.K, rows), opts)
	}
	return index.NewScanWithin(metric, dim, vector, s.Radius, opts)
}

// walker is an index in memory or in the file.
type walker interface {
	Find(ctx context.Context, query []float32, k int, opts index.SearchOptions) (index.Answer, error)
	Within(ctx context.Context, query []float32, radius float64, opts index.SearchOptions) (index.Answer, error)
}

// walk finds the vectors by an index.
func (s Scope) walk(ctx context.Context, h walker, vector []float32, opts index.SearchOptions) (index.Answer, error) {
	if s.K > 0 {
		return h.Find(ctx, vector, s.K, opts)
	}
	return h.Within(ctx, vector, s.Radius, opts)
}

// QueryVertex returns the key of the one vertex that a search starts from; nil if it starts
// from a vector.
func QueryVertex(vertex string, vector []float32) ([]string, error) {
	switch {
	case vector != nil && vertex != "":
		return nil, fault.New(fault.Vector, "both a query vertex and a query vector are given")
	case vector == nil && vertex == "":
		return nil, fault.New(fault.Vertex, "neither a query vertex nor a query vector is given")
	case vertex == "":
		return nil, nil
	}
	return []string{vertex}, nil
}

// from describes the query in a plan.
func (q Question) from() string {
	switch {
	case len(q.Vertices) == 0:
		return "a vector"
	case len(q.Vertices) == 1:
		return "vertex " + fault.QuoteKey(q.Vertices[0]) + ", itself left out"
	}
	return "the centroid of " + fault.Count(int64(len(q.Vertices)), "vertex") + ", themselves left out"
}

// Search is a question whose names are resolved.
type Search struct {
	Question
	Entry  session.Entry
	Index  *storage.IndexInfo // index to use; nil for a scan
	InFile bool               // the vectors are scanned, or the index is searched, in the file
	Only   func(uint32) bool  // admits vertices by their numbers, in addition to the condition; nil admits all
	scans  string             // why the vectors are scanned although there is an index, for a plan
}

// CheckQuestion checks a question, and finds its embedding in the catalogue. A graph is
// loaded only if a vertex is unknown, to find the most similar key for the error.
func CheckQuestion(c *engine.Call, q Question) (entry session.Entry, err error) {
	if q.Metric > index.Dot {
		return entry, fault.New(fault.Metric, "unknown metric %d", q.Metric)
	}
	if entry, err = c.Entry(q.Embedding, fault.Embedding); err != nil {
		return entry, err
	}
	err = cmp.Or(c.CheckReads(entry.Graph, fault.Where, q.Attributes...), engine.CheckColumn(entry.Graph, q.OrderBy, engine.PartOrder))
	if err == nil && q.Vector != nil {
		err = session.CheckVector(entry.Info, q.Vector, fault.Vector)
	}
	for i, key := range q.Vertices {
		if err == nil {
			err = c.CheckVertex(entry.Graph, key, partExample(i))
		}
	}
	return entry, err
}

// ResolveSearch checks a question, and finds its embedding and index in the catalogue.
func ResolveSearch(c *engine.Call, q Question) (s Search, err error) {
	s.Question = q
	if s.Entry, err = CheckQuestion(c, q); err != nil {
		return s, err
	}
	// What the condition reads comes first, because it reads by number.
	s.Attributes = engine.WithColumn(q.Attributes, q.OrderBy)
	if !q.Exact {
		var slow bool
		if s.Index, slow, err = IndexFor(c, s.Entry.Info, q.Metric, q.Many); slow {
			s.scans = "; this takes less than searching the index, which compares very many vectors"
		}
	}
	if s.InFile = CanScanFile(c, s); s.InFile && s.Index != nil && scansFaster(c, s) {
		s.Index, s.scans = nil, fmt.Sprintf("; this takes less than searching the index in the file, and the index is loaded after %d searches", FileScans)
	}
	return s, err
}

// Plan of a search: a scan of all vectors or a search by an index, with its filter.
func (s Search) Plan() *plan.Plan { return s.PlanFrom(s.from()) }

// PlanFrom is Plan with a text for what the search is near to.
func (s Search) PlanFrom(from string) *plan.Plan {
	inputs := append(session.AttributePlans(s.Entry.Graph, s.Attributes), s.Entry.Plan(), session.GraphPlan(s.Entry.Graph))
	if s.Condition != "" {
		inputs = append([]*plan.Plan{plan.Step("filter", "during the scan: "+s.Condition)}, inputs...)
	}
	if s.Index != nil {
		detail := fmt.Sprintf("%s from %s, %s", s.Metric, from, entries.SettingsText(s.Index.Parameters))
		if s.InFile {
			detail += fmt.Sprintf("; the index is searched in the file, and loaded after %d searches", FileScans*ScanCost)
		}
		return plan.Measured(plan.Scan, "index search", detail, inputs...)
	}
	return plan.Measured(plan.Scan, "exact scan", fmt.Sprintf("%s from %s%s", s.Metric, from, s.scans), inputs...)
}

// FileScans is the number of searches that scan an embedding in the file before it
// is loaded, and ScanCost how many searches of an index in the file take as long as
// a scan. For 60,000 vectors of 200 dimensions, loading takes as long as 15
// scans in the file, and a scan in memory is slightly faster. So a single search
// does not wait for loading, and many searches take at most twice the time that
// they would take if the vectors had been loaded first. With an index, loading
// takes longer: as long as 24 scans for 1,000,000 vectors of 64 dimensions.
const (
	FileScans = 16
	ScanCost  = 8
)

// CanScanFile reports whether a resolved search can be answered in the file: a search for one vertex or
// vector, without a condition or with one that reads only linked and degree, in an embedding that is not
// in memory and is up to date with its graph. Degrees that no index bounds are read while parts of the
// graph pay.
func CanScanFile(c *engine.Call, s Search) bool {
	info, graph := s.Entry.Info, s.Entry.Graph
	switch {
	case s.Vector == nil && len(s.Vertices) == 0, s.Centroid, s.OrderBy != "", len(s.Attributes) > 0, s.Where != nil && s.Reads == conditions.ReadsAll:
		return false
	case s.readsDegrees() && s.Index == nil && !c.PartsPay(graph):
		return false
	case c.Spaces[s.Embedding] != nil, info.Vertices == 0 || info.Dim == 0, graph.ID != info.GraphID || graph.Version != info.GraphVersion:
		return false
	}
	return session.VectorBytes(info.Vertices, info.Dim) > c.DB.Cache.Limit || !c.DB.Cache.Keep ||
		c.DB.Cache.FewScans(session.EmbeddingKey(info), FileScans*ScanCost)
}

// scansFaster reports whether a scan in the file is expected to take less than a search of the
// index there.
func scansFaster(c *engine.Call, s Search) bool {
	return !c.DB.Opts.GraphOnly && !s.readsDegrees() && index.ViewBudget(s.Index.Vectors, s.Index.Compared) == 0
}

// readsDegrees reports whether the condition reads the degrees of vertices.
func (q Question) readsDegrees() bool { return q.Where != nil && q.Reads == conditions.ReadsEdges }

// partExample is one of several query vertices; the first has the same part as
// a single query vertex.
func partExample(i int) fault.Part {
	if i == 0 {
		return fault.Vertex
	}
	return engine.PartKey(i)
}

// Examples are the keys of several query vertices.
func Examples(b *engine.Binder, values []parser.Value) (keys []string) {
	for i, v := range values {
		keys = append(keys, b.VertexKey(partExample(i), v))
	}
	return keys
}

// centroid is the mean of vectors; under cosine they are first scaled to
// length 1.
func centroid(rows [][]float32, metric index.Metric) []float32 {
	sum := make([]float64, len(rows[0]))
	for _, row := range rows {
		add(sum, row, metric)
	}
	mean := make([]float32, len(sum))
	for i, x := range sum {
		mean[i] = float32(x / float64(len(rows)))
	}
	return mean
}

// add adds a vector to a sum; under cosine it is first scaled to length 1, and
// a zero vector adds nothing.
func add(sum []float64, row []float32, metric index.Metric) {
	scale := 1.0
	if metric == index.Cosine {
		squares := 0.0
		for _, x := range row {
			squares += float64(x) * float64(x)
		}
		if squares > 0 {
			scale = 1 / math.Sqrt(squares)
		}
	}
	for i, x := range row {
		sum[i] += scale * float64(x)
	}
}
