package query

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"heavytail/index"
	"heavytail/storage"
)

// Candidate is a vertex that a search considers as an answer.
type Candidate struct {
	Degree int  // number of its neighbours in the graph as it is now
	Linked bool // it is a neighbour of the query vertex, or of one of several; false where a vector is sought

	graph   *graphView
	vertex  uint32
	columns *columnSet // of the attributes that the request names; nil for none
}

// Key returns the key of the vertex.
func (c Candidate) Key() string { return c.graph.Key(c.vertex) }

// Value returns the value of an attribute. It is missing where the vertex has
// none, and where the request does not name the attribute among those that its
// condition reads.
func (c Candidate) Value(attribute string) storage.Value { return c.columns.value(attribute, c.vertex) }

// NearestRequest asks for the vertices nearest to a vertex or a vector.
type NearestRequest struct {
	K         int    // how many; at least 1
	Embedding string // where to search
	// Vertex is the key of the query vertex. The vertex itself is no answer.
	Vertex string
	// Vector is sought instead of a vertex if it is not nil. It has as many
	// elements as the embedding has dimensions.
	Vector []float32
	// Examples are the keys of several vertices, in place of Vertex: what is near to
	// all of them is sought by the mean of their vectors, under index.Cosine of their
	// vectors at length 1. None of them is an answer. One that is named twice counts
	// twice.
	Examples []string
	Metric   index.Metric // index.L2 by default
	Exact    bool         // do not use an index
	// Where tells which vertices may be answers; nil admits all. It is asked
	// during the search, so there are K answers if K vertices are admitted. It
	// is called from several goroutines at a time.
	Where func(Candidate) bool
	// Attributes are those that Where reads; each is loaded.
	Attributes []string
	// Fresh brings the embedding up to date first, as Refresh does, unless it is. It
	// waits for another job that has the embedding.
	Fresh bool
}

// WithinRequest asks for all vertices within a distance of a vertex or a
// vector.
type WithinRequest struct {
	Embedding string // where to search
	Vertex    string // key of the query vertex, as in NearestRequest
	Vector    []float32
	Metric    index.Metric
	Exact     bool // do not use an index
	// Radius is the largest distance, or the least similarity under
	// index.Cosine and index.Dot.
	Radius float64
	// Epsilon, if not 0, says it instead by the least edge probability
	// 1/(1+e^distance): above 0, at most 0.5, and only with index.L2.
	Epsilon float64
	Where   func(Candidate) bool // as in NearestRequest
	// Attributes are those that Where reads, as in NearestRequest.
	Attributes []string
	Limit      int // most answers, the nearest ones; 0 is all
}

// Neighbor is one answer of a search.
type Neighbor struct {
	Vertex string
	// Distance is the Euclidean distance, or the similarity under
	// index.Cosine and index.Dot.
	Distance float64
}

// SearchResult is the answer of Nearest and Within: the nearest vertex first,
// ties in the order in which the vertices came into the graph.
type SearchResult struct {
	Neighbors []Neighbor
	Metric    index.Metric
	Embedding EmbeddingState // what the answer rests on
	// Index is the index that was searched; nil where the answer comes from a
	// scan of all vectors and is exact.
	Index   *IndexInfo
	Notices []Notice
}

// EmbeddingState says which vectors an answer rests on, and how old they are.
type EmbeddingState struct {
	Name         string
	Generation   uint64 // of the embedding
	GraphVersion uint64 // version of the graph that was embedded
	Behind       uint64 // versions of the graph since, without those that changed attributes only
	Changed      int    // vertices of the answer whose edges changed since
}

// state describes the vectors of a space.
func (s *space) state() EmbeddingState {
	return EmbeddingState{
		Name: s.info.Name, Generation: s.info.Generation,
		GraphVersion: s.info.GraphVersion, Behind: s.behind,
	}
}

// Nearest returns the K vertices nearest to a vertex or a vector. It scans all
// vectors, once, and is exact, unless the embedding is large and has an index of
// the metric: that may miss some, as its Recall tells.
func (db *DB) Nearest(ctx context.Context, req NearestRequest) (SearchResult, error) {
	c, err := db.begin(ctx, "NEAREST")
	if err != nil {
		return SearchResult{}, err
	}
	defer c.end()
	result, err := c.nearest(req)
	return result, c.wrap(err)
}

// Within returns all vertices within a distance of a vertex or a vector. It scans
// all vectors, once, and is exact, unless the embedding is large and has an index
// of the metric: that finds about the share of them that its Recall tells.
func (db *DB) Within(ctx context.Context, req WithinRequest) (SearchResult, error) {
	c, err := db.begin(ctx, "WITHIN")
	if err != nil {
		return SearchResult{}, err
	}
	defer c.end()
	result, err := c.within(req)
	return result, c.wrap(err)
}

func (c *call) nearest(req NearestRequest) (SearchResult, error) {
	if req.Fresh {
		if err := c.freshen(req.Embedding); err != nil {
			return SearchResult{}, err
		}
	}
	s, err := c.resolveNearest(req)
	if err != nil {
		return SearchResult{}, err
	}
	if s.placed {
		result, err := c.runPlaced(s, func(vector []float32, opts index.SearchOptions) (*index.Scan, error) {
			return index.NewScan(s.metric, s.space.info.Dim, vector, min(req.K, s.space.rows()), opts)
		})
		if !errors.Is(err, errMoved) {
			c.noticeFew(req, len(result.Neighbors), err)
			result.Notices = c.notices
			return result, err
		}
		if s, err = c.resolveNearestIn(req, false); err != nil {
			return SearchResult{}, err
		}
	}
	c.noticeZero(s)
	opts := s.options(c, req.Where)
	hits, err := c.run(s,
		func(x *index.Exact) ([]index.Hit, error) { return x.Search(c.ctx, s.vector, req.K, opts) },
		func(h *index.HNSW) (index.Answer, error) { return h.Find(c.ctx, s.vector, req.K, s.space.inRows(opts)) })
	c.noticeFew(req, len(hits), err)
	if err != nil {
		return SearchResult{}, err
	}
	return c.searchResult(s, hits), nil
}

// run answers a search by the index of its space, or by a scan where there is
// none, and notes for PROFILE what it took.
func (c *call) run(s *search, scan func(*index.Exact) ([]index.Hit, error), walk func(*index.HNSW) (index.Answer, error)) ([]index.Hit, error) {
	if s.index != nil {
		h, err := c.hnsw(s.space, s.metric, s.index)
		if err != nil {
			return nil, err
		}
		if h != nil {
			stop := c.watch.start(stepScan)
			a, err := walk(h)
			s.space.toVertices(a.Hits)
			if err == nil {
				stop(int64(len(a.Hits)), s.walked(h, a))
			}
			if a.Exact != "" {
				s.index = nil
			}
			return a.Hits, err
		}
		s.index = nil
	}
	exact, err := s.space.searcher(s.metric)
	if err != nil {
		return nil, err
	}
	stop := c.watch.start(stepScan)
	hits, err := scan(exact)
	stop(int64(len(hits)), s.scanned())
	return hits, err
}

// walked says in PROFILE what a search of an index looked at.
func (s *search) walked(h *index.HNSW, a index.Answer) string {
	if a.Exact != "" {
		return count(int64(h.Len()), "vector") + " scanned, as " + a.Exact
	}
	text := fmt.Sprintf("%d of %s looked at with ef %d, recall %.4g, index %s", a.Scored,
		count(int64(h.Live()), "vector"), a.Ef, s.index.Recall, loadedFrom(s.space.indexHit))
	if deleted := s.space.deleted(); deleted > 0 {
		text += fmt.Sprintf(", %d of deleted vertices left out", deleted)
	}
	return text
}

func (c *call) within(req WithinRequest) (SearchResult, error) {
	s, err := c.resolveWithin(req)
	if err != nil {
		return SearchResult{}, err
	}
	if s.placed {
		result, err := c.runPlaced(s, func(vector []float32, opts index.SearchOptions) (*index.Scan, error) {
			return index.NewScanWithin(s.metric, s.space.info.Dim, vector, s.radius, opts)
		})
		if !errors.Is(err, errMoved) {
			result.Notices = c.notices
			return result, err
		}
		if s, err = c.resolveWithinIn(req, false); err != nil {
			return SearchResult{}, err
		}
	}
	c.noticeZero(s)
	opts := s.options(c, req.Where)
	hits, err := c.run(s,
		func(x *index.Exact) ([]index.Hit, error) { return x.Within(c.ctx, s.vector, s.radius, opts) },
		func(h *index.HNSW) (index.Answer, error) {
			return h.Within(c.ctx, s.vector, s.radius, s.space.inRows(opts))
		})
	if err == nil {
		hits, err = c.checked(hits, s.limit)
	}
	if err != nil {
		return SearchResult{}, err
	}
	return c.searchResult(s, hits), nil
}

// checked cuts the hits after the limit of the request, 0 being none, and refuses
// more of them than one result holds.
func (c *call) checked(hits []index.Hit, limit int) ([]index.Hit, error) {
	if limit > 0 && len(hits) > limit {
		hits = hits[:limit]
	}
	if len(hits) > c.db.opts.MaxRows {
		return nil, &LimitError{
			What: "the answer", Need: int64(len(hits)), Limit: int64(c.db.opts.MaxRows), Unit: "rows", Field: "MaxRows",
		}
	}
	return hits, nil
}

// noticeFew says why there are fewer answers than were asked for, where no
// condition says it.
func (c *call) noticeFew(req NearestRequest, found int, err error) {
	if err == nil && found < req.K && req.Where == nil {
		c.notice("%d of %d found: embedding %s has no more vectors", found, req.K, name(req.Embedding))
	}
}

// noticeZero says what a search by cosine for a vector of zeros means.
func (c *call) noticeZero(s *search) {
	if s.metric != index.Cosine || slices.ContainsFunc(s.vector, func(x float32) bool { return x != 0 }) {
		return
	}
	c.notice("the vector that is sought is zero, and its cosine with every other one is 0")
}

// search is a request whose names are resolved.
type search struct {
	space   *space
	columns *columnSet // that the condition reads
	metric  index.Metric
	vector  []float32
	vertex  uint32   // the query vertex
	key     string   // of the query vertex
	others  []uint32 // more query vertices
	byKey   bool     // there is a query vertex
	radius  float64
	limit   int                // most answers of WITHIN; 0 is all
	placed  bool               // the vectors are scanned in the file, and the space has neither them nor the graph
	index   *storage.IndexInfo // that is used; nil for a scan
}

// resolveNearest checks a request and finds what it names.
func (c *call) resolveNearest(req NearestRequest) (*search, error) {
	return c.resolveNearestIn(req, true)
}

// resolveNearestIn is resolveNearest, and tells whether vectors may be left in the
// file.
func (c *call) resolveNearestIn(req NearestRequest, place bool) (*search, error) {
	if req.K < 1 {
		return nil, mistake(partCount, "the number of neighbours is %d, and must be at least 1", req.K)
	}
	var s *search
	err := c.settled(func() (err error) {
		if len(req.Examples) > 0 {
			s, err = c.resolveExamples(req)
			return err
		}
		s, err = c.resolveSearch(req.Embedding, req.Metric, req.Vertex, req.Vector, req.Attributes, req.Exact, place && req.Where == nil)
		return err
	})
	if err != nil {
		return nil, err
	}
	if req.K > c.db.opts.MaxRows && s.space.rows() > c.db.opts.MaxRows {
		return nil, &LimitError{
			What: "the answer", Need: int64(req.K), Limit: int64(c.db.opts.MaxRows), Unit: "rows", Field: "MaxRows",
		}
	}
	return s, nil
}

// resolveWithin checks a request and finds what it names.
func (c *call) resolveWithin(req WithinRequest) (*search, error) {
	return c.resolveWithinIn(req, true)
}

// resolveWithinIn is resolveWithin as resolveNearestIn is resolveNearest.
func (c *call) resolveWithinIn(req WithinRequest, place bool) (*search, error) {
	var s *search
	err := c.settled(func() (err error) {
		s, err = c.resolveSearch(req.Embedding, req.Metric, req.Vertex, req.Vector, req.Attributes, req.Exact, place && req.Where == nil)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.limit = req.Limit
	if req.Limit < 0 {
		return nil, mistake(partLimit, "the limit is %d, and must not be negative", req.Limit)
	}
	if req.Epsilon != 0 && req.Metric != index.L2 {
		e := mistake(partThreshold, "an epsilon has no meaning under %s", req.Metric)
		e.Hint = "say RADIUS and the least similarity"
		return nil, e
	}
	s.radius, err = resolveThreshold(req.Radius, req.Epsilon, req.Metric)
	return s, err
}

// resolveThreshold returns the radius that a radius or an epsilon stands for.
func resolveThreshold(radius, epsilon float64, metric index.Metric) (float64, error) {
	if epsilon != 0 {
		r, err := index.EpsilonToRadius(epsilon)
		if err != nil {
			e := mistake(partThreshold, "epsilon is %v, and must be above 0 and at most 0.5", epsilon)
			e.Err = err
			return 0, e
		}
		return r, nil
	}
	if math.IsNaN(radius) || math.IsInf(radius, 0) || metric == index.L2 && radius < 0 {
		e := mistake(partThreshold, "the radius is %v, and must be a finite number", radius)
		if radius < 0 {
			e.Message = e.Message[:len(e.Message)-len("a finite number")] + "0 or more"
		}
		e.Err = index.ErrRadius
		return 0, e
	}
	return radius, nil
}

// resolveSearch finds the embedding, the attributes of the condition, the query
// vector and the index of a search. Where place is set, vectors that are not in
// memory may be left in the file.
func (c *call) resolveSearch(embedding string, metric index.Metric, vertex string, vector []float32, attributes []string, exact, place bool) (*search, error) {
	if metric > index.Dot {
		return nil, mistake(partMetric, "unknown metric %d", metric)
	}
	if place && len(attributes) == 0 {
		if s, err := c.placed(embedding, metric, vertex, vector, exact); s != nil || err != nil {
			return s, err
		}
	}
	s, err := c.resolveLoaded(embedding, metric, vertex, vector, attributes)
	if err == nil && !exact {
		s.index, err = c.indexFor(s.space, metric)
	}
	return s, err
}

// resolveLoaded is resolveSearch with the vectors and the graph in memory, but for
// the index.
func (c *call) resolveLoaded(embedding string, metric index.Metric, vertex string, vector []float32, attributes []string) (*search, error) {
	s := &search{metric: metric, key: vertex}
	if len(attributes) > 0 {
		info, err := c.embeddingInfo(embedding, partEmbedding)
		if err != nil {
			return nil, err
		}
		if _, s.columns, err = c.columns(info.Graph, attributes, partWhere); err != nil {
			return nil, err
		}
	}
	sp, err := c.space(embedding, partEmbedding)
	if err != nil {
		return nil, err
	}
	s.space = sp
	if vector != nil {
		if vertex != "" {
			return nil, mistake(partVector, "both a vertex and a vector are sought")
		}
		s.vector = vector
		return s, sp.checkVector(vector, partVector)
	}
	if vertex == "" {
		return nil, mistake(partVertex, "neither a vertex nor a vector is sought")
	}
	if s.vertex, err = c.vertex(sp.graph, vertex, partVertex); err != nil {
		return nil, err
	}
	s.byKey = true
	s.vector, err = sp.row(s.vertex, vertex, partVertex)
	return s, err
}

// options returns the filter of the search: it leaves out the query vertex and
// asks where about the others.
func (s *search) options(c *call, where func(Candidate) bool) index.SearchOptions {
	g := s.space.graph
	n := g.Graph.Vertices()
	filter := func(v uint32) bool {
		if s.byKey && (v == s.vertex || slices.Contains(s.others, v)) || int(v) >= n {
			return false
		}
		return where == nil || where(Candidate{
			Degree: g.Graph.Degree(v), Linked: s.linked(v),
			graph: g, vertex: v, columns: s.columns,
		})
	}
	if where == nil && !s.byKey && s.space.matrix.Rows <= n {
		filter = nil
	}
	return index.SearchOptions{Filter: filter, Workers: c.db.opts.Workers, GraphOnly: c.db.opts.graphOnly}
}

// linked reports whether a vertex is a neighbour of a query vertex.
func (s *search) linked(v uint32) bool {
	g := s.space.graph.Graph
	return s.byKey && (g.HasEdge(s.vertex, v) || slices.ContainsFunc(s.others, func(u uint32) bool { return g.HasEdge(u, v) }))
}

// scanned says in PROFILE how much a scan looked at.
func (s *search) scanned() string {
	return count(int64(s.space.rows()), "vector") + " scanned"
}

// searchResult turns vertices back into keys.
func (c *call) searchResult(s *search, hits []index.Hit) SearchResult {
	neighbors := make([]Neighbor, len(hits))
	for i, h := range hits {
		neighbors[i] = Neighbor{Vertex: s.space.graph.Key(h.Vertex), Distance: float64(h.Distance)}
	}
	state := s.space.state()
	for _, h := range hits {
		if s.space.behind > 0 && s.space.changed(h.Vertex) {
			state.Changed++
		}
	}
	if state.Changed > 0 {
		c.notice("%d of the %s shown changed since", state.Changed, count(int64(len(hits)), "vertex"))
	}
	return SearchResult{Neighbors: neighbors, Metric: s.metric, Embedding: state, Index: s.index, Notices: c.notices}
}
