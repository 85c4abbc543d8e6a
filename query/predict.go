package query

import (
	"context"
	"fmt"

	"heavytail/embedding/link"
	"heavytail/index"
	"heavytail/storage"
)

// This file is PREDICT.

// DefaultNear is how many of the vertices nearest to one are candidates for its
// links, beside those that are two edges away. On ego-facebook, ca-GrQc and
// CollegeMsg most links that were held out lie two edges apart; the others are for
// vertices with few edges or none, whose nearest are all that there is.
const DefaultNear = 50

// PredictForRequest asks for the likeliest links of one vertex.
type PredictForRequest struct {
	Vertex string // by its key
	K      int    // how many links; at least 1
	Graph  string // as in ScoreRequest
	With   Scorer
	// Where tells which vertices may be answers, as in NearestRequest; nil admits
	// all. It is called from several goroutines at a time.
	Where      func(Candidate) bool
	Attributes []string // that Where reads
	// Near is how many of the nearest vertices that have no edge to this one are
	// candidates too, where With reads vectors; 0 is DefaultNear or K, whichever is
	// more, and a negative number is none.
	Near int
}

// PredictRequest asks for the likeliest links of a whole graph.
type PredictRequest struct {
	N     int    // how many links; at least 1
	Graph string // as in ScoreRequest
	With  Scorer
	// Where is as in PredictForRequest, and must hold for both ends of a link.
	Where      func(Candidate) bool
	Attributes []string
	// Near is as in PredictForRequest, of each vertex; 0 is DefaultNear. Without an
	// index each takes a scan of all vectors.
	Near int
}

// PredictedVertex is a vertex with the score of a link to it.
type PredictedVertex struct {
	Vertex string
	Score  float64
}

// PredictedPair is a link that is not there, with its score. Source came into the
// graph before Target.
type PredictedPair struct {
	Pair
	Score float64
}

// PredictForResult is the answer of PredictFor: the likeliest vertex first, ties in
// the order in which the vertices came into the graph.
type PredictForResult struct {
	Vertices []PredictedVertex
	Prediction
}

// PredictResult is the answer of Predict: the likeliest link first, ties by the
// order in which Source, then Target came into the graph.
type PredictResult struct {
	Links []PredictedPair
	Prediction
}

// Prediction says what predicted links rest on.
type Prediction struct {
	Candidates int64 // pairs that were scored
	// Embedding is what the scores rest on, and Index what its nearest vertices were
	// found by; nil where there is none.
	Embedding *EmbeddingState
	Index     *IndexInfo
	Notices   []Notice
}

// PredictFor finds the likeliest links of a vertex that the graph does not have. The
// candidates are all vertices two edges away and, where the scorer reads vectors,
// the nearest ones. By preferential_attachment they are all vertices with edges. A
// pair that a heuristic scores 0 is none, so that a vertex without edges has links
// by its vector only.
func (db *DB) PredictFor(ctx context.Context, req PredictForRequest) (PredictForResult, error) {
	c, err := db.begin(ctx, "PREDICT")
	if err != nil {
		return PredictForResult{}, err
	}
	defer c.end()
	result, err := c.predictFor(req)
	return result, c.wrap(err)
}

// Predict finds the likeliest links that a graph does not have, of all candidates
// that PredictFor has for any vertex.
func (db *DB) Predict(ctx context.Context, req PredictRequest) (PredictResult, error) {
	c, err := db.begin(ctx, "PREDICT")
	if err != nil {
		return PredictResult{}, err
	}
	defer c.end()
	result, err := c.predict(req)
	return result, c.wrap(err)
}

// prediction is a request whose names are resolved.
type prediction struct {
	*scoring
	columns *columnSet
	where   func(Candidate) bool
	rule    link.Scoring
	count   int // links that are asked for
	near    int // of the nearest; 0 for none

	of     bool   // links of one vertex only
	vertex uint32 // whose

	metric index.Metric
	index  *storage.IndexInfo // that finds the nearest; nil for a scan
}

func (r PredictForRequest) request() PredictRequest {
	return PredictRequest{N: r.K, Graph: r.Graph, With: r.With, Where: r.Where, Attributes: r.Attributes, Near: r.Near}
}

// resolvePredictFor checks a request and finds what it names.
func (c *call) resolvePredictFor(req PredictForRequest) (*prediction, error) {
	all := req.request()
	if req.Near == 0 {
		all.Near = max(DefaultNear, req.K)
	}
	p, err := c.resolvePredict(all)
	if err != nil {
		return nil, err
	}
	p.of = true
	if p.vertex, err = c.vertex(p.graph, req.Vertex, partVertex); err != nil {
		return nil, err
	}
	for _, s := range p.spaces {
		if _, err := s.row(p.vertex, req.Vertex, partVertex); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// resolvePredict checks a request and finds what it names.
func (c *call) resolvePredict(req PredictRequest) (*prediction, error) {
	if req.N < 1 {
		return nil, mistake(partCount, "the number of links is %d, and must be at least 1", req.N)
	}
	p := &prediction{where: req.Where, count: req.N}
	var err error
	if p.scoring, err = c.resolveScoring(req.Graph, []Scorer{req.With}); err != nil {
		return nil, err
	}
	if _, p.columns, err = c.columns(p.graph.Info.Name, req.Attributes, partWhere); err != nil {
		return nil, err
	}
	p.rule = link.NewScoring(req.With.Name, p.scorers[0].score)
	if len(p.spaces) > 0 && req.Near >= 0 {
		if p.near = req.Near; p.near == 0 {
			p.near = DefaultNear
		}
		p.metric = nearBy(req.With.Name)
		if p.index, err = c.indexFor(p.spaces[0], p.metric); err != nil {
			return nil, err
		}
	}
	return p, c.checkRows(req.N)
}

// nearBy is the metric whose nearest vertices a scorer of vectors scores highest.
func nearBy(scorer string) index.Metric {
	switch scorer {
	case "l2", "probability":
		return index.L2
	case "dot":
		return index.Dot
	}
	return index.Cosine
}

// admits tells whether a vertex may be an answer.
func (p *prediction) admits(v uint32) bool {
	g := p.graph.Graph
	return v < p.scorers[0].rows && (p.where == nil ||
		p.where(Candidate{Degree: g.Degree(v), graph: p.graph, vertex: v, columns: p.columns}))
}

// predictor returns what finds the links, and gives its memory back by release.
func (c *call) predictor(p *prediction) (_ *link.Predictor, release func(), err error) {
	const perVertex, perLink, perNear = 12, 24, 8
	n, workers := int64(p.graph.Graph.Vertices()), int64(1)
	near := int64(0)
	if !p.of {
		workers, near = int64(c.workers()), min(int64(p.near), n)
	}
	release, err = c.db.cache.reserve(workers*(perVertex*n+perLink*int64(p.count))+perNear*near*n, "predicting links of graph "+name(p.graph.Info.Name))
	if err != nil {
		return nil, nil, err
	}
	return link.NewPredictor(p.graph.Graph, p.rule, link.PredictOptions{
		Admit: p.admits, Workers: c.db.opts.Workers, Progress: c.meter.update,
	}), release, nil
}

func (c *call) predictFor(req PredictForRequest) (PredictForResult, error) {
	p, err := c.resolvePredictFor(req)
	if err != nil {
		return PredictForResult{}, err
	}
	predictor, release, err := c.predictor(p)
	if err != nil {
		return PredictForResult{}, err
	}
	defer release()
	near, err := c.nearOf(p)
	if err != nil {
		return PredictForResult{}, err
	}
	stop := c.watch.start(stepScore)
	links, scored, err := predictor.For(c.ctx, p.vertex, near, p.count)
	if err != nil {
		return PredictForResult{}, err
	}
	stop(int64(len(links)), count(scored, "pair")+" scored")
	if p.graph.Graph.Degree(p.vertex) == 0 && len(p.spaces) == 0 {
		c.notice("vertex %s has no edges, by which %s could tell its links; a scorer of an embedding tells them by its vector", quoteKey(req.Vertex), req.With)
	}
	r := PredictForResult{Vertices: make([]PredictedVertex, len(links))}
	for i, l := range links {
		r.Vertices[i] = PredictedVertex{p.graph.Key(l.V), l.Score}
	}
	r.Prediction = c.prediction(p, links, scored)
	return r, nil
}

// nearOf returns the vertices nearest to that of a request.
func (c *call) nearOf(p *prediction) ([]uint32, error) {
	if p.near == 0 {
		return nil, nil
	}
	s := p.search(p.vertex)
	opts := index.SearchOptions{Filter: p.filter(p.vertex), Workers: c.db.opts.Workers, GraphOnly: c.db.opts.graphOnly}
	hits, err := c.run(s,
		func(x *index.Exact) ([]index.Hit, error) { return x.Search(c.ctx, s.vector, p.near, opts) },
		func(h *index.HNSW) (index.Answer, error) {
			return h.Find(c.ctx, s.vector, p.near, s.space.inRows(opts))
		})
	p.index = s.index
	return verticesOf(hits), err
}

// search is the search for the vertices nearest to one.
func (p *prediction) search(v uint32) *search {
	sp := p.spaces[0]
	return &search{space: sp, metric: p.metric, vector: sp.matrix.Row(int(v)), vertex: v, byKey: true, index: p.index}
}

// filter admits what a vertex has no edge to.
func (p *prediction) filter(u uint32) func(v uint32) bool {
	return func(v uint32) bool { return v != u && p.admits(v) && !p.graph.Graph.HasEdge(u, v) }
}

func verticesOf(hits []index.Hit) []uint32 {
	list := make([]uint32, len(hits))
	for i, h := range hits {
		list[i] = h.Vertex
	}
	return list
}

func (c *call) predict(req PredictRequest) (PredictResult, error) {
	p, err := c.resolvePredict(req)
	if err != nil {
		return PredictResult{}, err
	}
	predictor, release, err := c.predictor(p)
	if err != nil {
		return PredictResult{}, err
	}
	defer release()
	near, err := c.nearAll(p)
	if err != nil {
		return PredictResult{}, err
	}
	stop := c.watch.start(stepScore)
	links, scored, err := predictor.All(c.ctx, near, p.count)
	if err != nil {
		return PredictResult{}, err
	}
	stop(int64(len(links)), count(scored, "pair")+" scored")
	if rows, n := int64(p.scorers[0].rows), int64(p.graph.Graph.Vertices()); rows < n {
		c.notice("%s newer than the embedding left out", count(n-rows, "vertex"))
	}
	r := PredictResult{Links: make([]PredictedPair, len(links))}
	for i, l := range links {
		r.Links[i] = PredictedPair{Pair{p.graph.Key(l.U), p.graph.Key(l.V)}, l.Score}
	}
	r.Prediction = c.prediction(p, links, scored)
	return r, nil
}

// nearAll returns the function that finds the vertices nearest to any, nil where
// none are asked for.
func (c *call) nearAll(p *prediction) (func(u uint32) ([]uint32, error), error) {
	if p.near == 0 {
		return nil, nil
	}
	var find index.Index
	byIndex := false // finds rows as stored, and not vertices
	if p.index != nil {
		h, err := c.hnsw(p.spaces[0], p.metric, p.index)
		if err != nil {
			return nil, err
		}
		if h == nil {
			p.index = nil
		} else {
			find, byIndex = h, true
		}
	}
	if find == nil {
		exact, err := p.spaces[0].searcher(p.metric)
		if err != nil {
			return nil, err
		}
		find = exact
	}
	return func(u uint32) ([]uint32, error) {
		opts := index.SearchOptions{Filter: p.filter(u), Workers: 1, GraphOnly: c.db.opts.graphOnly}
		if byIndex {
			opts = p.spaces[0].inRows(opts)
		}
		hits, err := find.Search(c.ctx, p.spaces[0].matrix.Row(int(u)), p.near, opts)
		if byIndex {
			p.spaces[0].toVertices(hits)
		}
		return verticesOf(hits), err
	}, nil
}

// prediction says what an answer rests on.
func (c *call) prediction(p *prediction, links []link.PredictedLink, scored int64) Prediction {
	r := Prediction{Candidates: scored, Index: p.index}
	if len(p.spaces) > 0 {
		s := p.spaces[0]
		state := s.state()
		for _, l := range links {
			if s.behind > 0 && (s.changed(l.V) || !p.of && s.changed(l.U)) {
				state.Changed++
			}
		}
		if state.Changed > 0 {
			c.notice("%d of the %s shown changed since", state.Changed, count(int64(len(links)), "link"))
		}
		r.Embedding = &state
	}
	r.Notices = c.notices
	return r
}

// candidates says which pairs are scored.
func (p *prediction) candidates() string {
	switch {
	case p.rule.Heuristic == "preferential_attachment":
		return "all pairs of vertices with edges, by the product of their degrees"
	case p.near > 0:
		how := "by a scan of all vectors each"
		if p.of {
			how = "by a scan of all vectors"
		}
		if p.index != nil {
			how = "by an index, " + settingsText(p.index.Parameters)
		}
		return fmt.Sprintf("vertices two edges apart and the %d nearest by %s, %s", p.near, p.metric, how)
	}
	return "vertices two edges apart"
}
