package query

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"heavytail/index"
	"heavytail/query/internal/bind"
	"heavytail/query/internal/fault"
	"heavytail/query/internal/plan"
	"heavytail/query/internal/session"
	"heavytail/query/internal/where"
	"heavytail/query/parser"
	"heavytail/storage"
)

// This file has the common part of NEAREST and WITHIN: a question is resolved to a
// search by the catalogue alone. The search is then answered by a scan of the
// vectors in the file, by a scan in memory, or by an index.

// Neighbor is one answer of a search. The metric of the search decides which of
// the two numbers is set and orders the answers; the other one is 0.
type Neighbor struct {
	Vertex     string  `json:"vertex"`
	Distance   float64 `json:"distance"`   // the Euclidean distance, under index.L2
	Similarity float64 `json:"similarity"` // the cosine or the dot product, under index.Cosine and index.Dot
}

// SearchResult is the answer of Nearest and Within: the nearest vertex first,
// ties in the order in which the vertices came into the graph.
type SearchResult struct {
	Neighbors []Neighbor     `json:"neighbors"`
	Metric    index.Metric   `json:"metric"`
	Embedding EmbeddingState `json:"embedding"` // the vectors that were searched
	// Index is the index that was searched; nil if all vectors were scanned,
	// so that the answer is exact.
	Index   *IndexInfo `json:"index,omitempty"`
	Notices []Notice   `json:"notices,omitempty"`
}

// EmbeddingState identifies the vectors from which an answer was computed, and
// reports how much the graph has changed since.
type EmbeddingState struct {
	Name         string `json:"name"`
	Generation   uint64 `json:"generation"`    // of the embedding
	GraphVersion uint64 `json:"graph_version"` // version of the graph that was embedded
	Behind       uint64 `json:"behind"`        // number of newer versions of the graph, except versions that changed only attributes
	Changed      int    `json:"changed"`       // vertices of the answer whose edges changed since
}

func (r SearchResult) rows() *Rows {
	return rowsOf([]string{"vertex", measureName(r.Metric)}, ofEach(r.Neighbors, func(n Neighbor) []Value {
		return []Value{n.Vertex, n.by(r.Metric)}
	}))
}

// measureName is the column of the number that a search under a metric is ordered by.
func measureName(m index.Metric) string {
	if m.Similarity() {
		return "similarity"
	}
	return "distance"
}

// by is the number that a search under a metric is ordered by.
func (n Neighbor) by(m index.Metric) float64 {
	if m.Similarity() {
		return n.Similarity
	}
	return n.Distance
}

func neighbor(metric index.Metric, vertex string, h index.Hit) Neighbor {
	if metric.Similarity() {
		return Neighbor{Vertex: vertex, Similarity: float64(h.Distance)}
	}
	return Neighbor{Vertex: vertex, Distance: float64(h.Distance)}
}

func (b *binder) target(v parser.Value) (vertex string, vector []float32) {
	value := b.Untyped(fault.Vertex, v)
	b.Mark(fault.Vector, v)
	switch value := value.(type) {
	case []float32:
		return "", append(make([]float32, 0, len(value)), value...)
	case string, Untyped, int64:
		return b.vertexKey(fault.Vertex, v), nil
	}
	b.Fail(bind.Unexpected(fault.Vertex, value, "the key of a vertex", "a vector"))
	return "", nil
}

func (b *binder) space(s parser.Space) (string, index.Metric) {
	embedding := b.name(fault.Embedding, s.Embedding)
	if s.Metric == nil {
		return embedding, index.L2
	}
	metric, err := index.ParseMetric(b.name(fault.Metric, *s.Metric))
	if err != nil {
		b.Fail(fault.New(fault.Metric, "unknown metric %s", fault.Quote(s.Metric.Name)).
			WithErr(err).WithNearest(s.Metric.Name, ofEach(index.Metrics(), index.Metric.String), nil))
	}
	return embedding, metric
}

// searchWhere compiles the condition of a search in an embedding.
func (b *binder) searchWhere(e parser.Expr, embedding string, byVertex bool) (condition where.Condition) {
	if e == nil {
		return condition
	}
	entry, err := b.Entry(embedding, fault.Embedding)
	b.Fail(err)
	linked := ""
	if !byVertex {
		linked = where.ToVector
	}
	return where.Compile(b.Values, e, entry.Graph, linked)
}

// exprText is the text of a condition; empty for none.
func exprText(e parser.Expr) string {
	if e == nil {
		return ""
	}
	return e.String()
}

// question is what the requests of NEAREST and WITHIN have in common.
type question struct {
	embedding  string
	vertices   []string // keys of the query vertices; none for a vector
	centroid   bool     // the query is the centroid of their vectors, not the vector of a single vertex
	vector     []float32
	metric     index.Metric
	exact      bool // do not use an index
	where      func(Candidate) bool
	attributes []string    // that where reads
	condition  string      // the text of where
	reads      where.Reads // what where reads
	orderBy    string      // a column by which the answers are sorted after they are found; empty for the nearest first
	descending bool
	limit      int // largest number of answers of WITHIN; 0 is all
	scope          // the radius of WITHIN is set when the question is resolved
}

// scope is which vectors a search finds: the k nearest, or if k is 0 all within the radius.
type scope struct {
	k      int
	radius float64
}

// fileScan is a scan that finds the vectors in the file, a block of rows at a time.
func (s scope) fileScan(metric index.Metric, dim, rows int, vector []float32, opts index.SearchOptions) (*index.Scan, error) {
	if s.k > 0 {
		return index.NewScan(metric, dim, vector, min(s.k, rows), opts)
	}
	return index.NewScanWithin(metric, dim, vector, s.radius, opts)
}

// walker is an index in memory or in the file.
type walker interface {
	Find(ctx context.Context, query []float32, k int, opts index.SearchOptions) (index.Answer, error)
	Within(ctx context.Context, query []float32, radius float64, opts index.SearchOptions) (index.Answer, error)
}

// walk finds the vectors by an index.
func (s scope) walk(ctx context.Context, h walker, vector []float32, opts index.SearchOptions) (index.Answer, error) {
	if s.k > 0 {
		return h.Find(ctx, vector, s.k, opts)
	}
	return h.Within(ctx, vector, s.radius, opts)
}

// queryVertex returns the key of the one vertex that a search starts from; nil if it starts
// from a vector.
func queryVertex(vertex string, vector []float32) ([]string, error) {
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
func (q question) from() string {
	switch {
	case len(q.vertices) == 0:
		return "a vector"
	case len(q.vertices) == 1:
		return "vertex " + fault.QuoteKey(q.vertices[0]) + ", itself left out"
	}
	return "the centroid of " + fault.Count(int64(len(q.vertices)), "vertex") + ", themselves left out"
}

// search is a question whose names are resolved.
type search struct {
	question
	entry  session.Entry
	index  *storage.IndexInfo // index to use; nil for a scan
	inFile bool               // the vectors are scanned, or the index is searched, in the file
	scans  string             // why the vectors are scanned although there is an index, for a plan
}

// checkQuestion checks a question, and finds its embedding in the catalogue. A graph is
// loaded only if a vertex is unknown, to find the most similar key for the error.
func (c *call) checkQuestion(q question) (entry session.Entry, err error) {
	if q.metric > index.Dot {
		return entry, fault.New(fault.Metric, "unknown metric %d", q.metric)
	}
	if entry, err = c.Entry(q.embedding, fault.Embedding); err != nil {
		return entry, err
	}
	err = cmp.Or(session.CheckAttributes(entry.Graph, fault.Where, q.attributes...), checkColumn(entry.Graph, q.orderBy, partOrder))
	if err == nil && q.vector != nil {
		err = session.CheckVector(entry.Info, q.vector, fault.Vector)
	}
	for i, key := range q.vertices {
		if err == nil {
			err = c.CheckVertex(entry.Graph, key, partExample(i))
		}
	}
	return entry, err
}

// resolveSearch checks a question, and finds its embedding and index in the catalogue.
func (c *call) resolveSearch(q question) (s search, err error) {
	s.question = q
	if s.entry, err = c.checkQuestion(q); err != nil {
		return s, err
	}
	// What the condition reads comes first, because it reads by number.
	s.attributes = withColumn(q.attributes, q.orderBy)
	if !q.exact {
		var slow bool
		if s.index, slow, err = c.indexFor(s.entry.Info, q.metric); slow {
			s.scans = "; this takes less than searching the index, which compares very many vectors"
		}
	}
	if s.inFile = c.canScanFile(s); s.inFile && s.index != nil && c.scansFaster(s) {
		s.index, s.scans = nil, fmt.Sprintf("; this takes less than searching the index in the file, and the index is loaded after %d searches", fileScans)
	}
	return s, err
}

// plan of a search: a scan of all vectors or a search by an index, with its filter.
func (s search) plan() *plan.Plan { return s.planFrom(s.from()) }

func (s search) planFrom(from string) *plan.Plan {
	inputs := append(session.AttributePlans(s.entry.Graph, s.attributes), s.entry.Plan(), session.GraphPlan(s.entry.Graph))
	if s.condition != "" {
		inputs = append([]*plan.Plan{plan.Step("filter", "during the scan: "+s.condition)}, inputs...)
	}
	if s.index != nil {
		detail := fmt.Sprintf("%s from %s, %s", s.metric, from, settingsText(s.index.Parameters))
		if s.inFile {
			detail += fmt.Sprintf("; the index is searched in the file, and loaded after %d searches", fileScans*scanCost)
		}
		return plan.Measured(plan.Scan, "index search", detail, inputs...)
	}
	return plan.Measured(plan.Scan, "exact scan", fmt.Sprintf("%s from %s%s", s.metric, from, s.scans), inputs...)
}

// fileScans is the number of searches that scan an embedding in the file before it
// is loaded. For 60,000 vectors of 200 dimensions, loading takes as long as 15
// scans in the file, and a scan in memory is slightly faster. So a single search
// does not wait for loading, and many searches take at most twice the time that
// they would take if the vectors had been loaded first. With an index, loading
// takes longer: as long as 24 scans for 1,000,000 vectors of 64 dimensions. scanCost
// is how many searches of an index in the file take as long as a scan.
const (
	fileScans = 16
	scanCost  = 8
)

// canScanFile reports whether a resolved search can be answered in the file: a search for one vertex or
// vector, without a condition or with one that reads only linked and degree, in an embedding that is not
// in memory and is up to date with its graph. Degrees that no index bounds are read while parts of the
// graph pay.
func (c *call) canScanFile(s search) bool {
	info, graph := s.entry.Info, s.entry.Graph
	switch {
	case s.vector == nil && len(s.vertices) == 0, s.centroid, s.orderBy != "", len(s.attributes) > 0, s.where != nil && s.reads == where.ReadsAll:
		return false
	case s.readsDegrees() && s.index == nil && !c.PartsPay(graph):
		return false
	case c.Spaces[s.embedding] != nil, info.Vertices == 0 || info.Dim == 0, graph.ID != info.GraphID || graph.Version != info.GraphVersion:
		return false
	}
	return session.VectorBytes(info.Vertices, info.Dim) > c.db.cache.Limit || !c.db.cache.Keep ||
		c.db.cache.FewScans(session.EmbeddingKey(info), fileScans*scanCost)
}

// scansFaster reports whether a scan in the file is expected to take less than a search of the
// index there.
func (c *call) scansFaster(s search) bool {
	return !c.db.opts.graphOnly && !s.readsDegrees() && index.ViewBudget(s.index.Vectors, s.index.Compared) == 0
}

// readsDegrees reports whether the condition reads the degrees of vertices.
func (q question) readsDegrees() bool { return q.where != nil && q.reads == where.ReadsEdges }

// partExample is one of several query vertices; the first has the same part as
// a single query vertex.
func partExample(i int) fault.Part {
	if i == 0 {
		return fault.Vertex
	}
	return partKey(i)
}

// examples are the keys of several query vertices.
func (b *binder) examples(values []parser.Value) (keys []string) {
	for i, v := range values {
		keys = append(keys, b.vertexKey(partExample(i), v))
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
