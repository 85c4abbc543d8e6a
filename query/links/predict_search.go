package links

import (
	"cmp"
	"errors"
	"slices"

	"heavytail/embedding/link"
	"heavytail/index"
	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/internal/conditions"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/lists"
	"heavytail/query/internal/scan"
	"heavytail/query/internal/scoring"
	"heavytail/query/internal/search"
	"heavytail/query/internal/session"
	"heavytail/query/plan"
	"heavytail/query/where"
	"heavytail/storage"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// prediction is a linksRequest whose graph, attributes and scorer are loaded.
type prediction struct {
	*loadedScoring
	linkSearch
	columns *session.ColumnSet
	where   func(where.Candidate) bool
	across  link.Sides // nil without sides
	now     *csr.Graph // with all edges, if graph has only those before a time
	one     bool       // only the links of one vertex
	each    bool       // the links of each of many vertices
	vertex  uint32     // the vertex, with one
}

func loadPrediction(c *engine.Call, req linksRequest, found *linksEntry) (*prediction, error) {
	p := &prediction{loadedScoring: &loadedScoring{}, linkSearch: found.linkSearch, where: req.Where, one: req.one}
	attributes := engine.WithColumn(slices.Concat(req.Attributes, scoring.SidesAttribute(p.linkSearch.sides)), req.orderBy)
	err := c.Consistent(func() (err error) {
		if _, p.columns, err = c.Columns(found.graph.Name, attributes, fault.Where); err != nil {
			return err
		}
		return bindScorers(c, p.loadedScoring, found.scorerEntries)
	})
	if err != nil {
		return nil, err
	}
	if p.across, err = scoring.Sides(c, p.graph, p.linkSearch.sides, p.columns); err != nil {
		return nil, err
	}
	if err := noteModels(c, p.loadedScoring); err != nil || !req.one {
		return p, err
	}
	if p.vertex, err = c.Vertex(p.graph, req.vertex, fault.Vertex); err != nil {
		return nil, err
	}
	for _, s := range p.spaces {
		if _, err := s.Row(p.vertex, req.vertex, fault.Vertex); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func runPredict(c *engine.Call, req linksRequest, found *linksEntry) (PredictResult, error) {
	if found.inFile {
		r, err := predictFile(c, req, found)
		if !errors.Is(err, errLoad) {
			return r, err
		}
	}
	p, err := loadPrediction(c, req, found)
	if err != nil {
		return PredictResult{}, err
	}
	earlier, err := replay(c, p)
	if err != nil {
		return PredictResult{}, err
	}
	defer earlier()
	predictor, release, err := predictor(c, p)
	if err != nil {
		return PredictResult{}, err
	}
	defer release()
	links, scored, err := links(c, p, predictor)
	if err != nil {
		return PredictResult{}, err
	}
	if req.orderBy != "" {
		order, err := search.VertexOrder(c, p.graph, p.columns, req.orderBy, req.descending)
		if err != nil {
			return PredictResult{}, err
		}
		slices.SortFunc(links, func(a, b link.PredictedLink) int { return order(a.V, b.V) })
	}
	rows, n := int64(p.Scorers[0].Rows), int64(p.graph.Graph.Vertices())
	switch {
	case req.one && p.graph.Graph.Degree(p.vertex) == 0 && len(p.spaces) == 0:
		noticeIsolated(c, req)
	case !req.one && rows < n:
		c.Notice("%s newer than the embedding left out", fault.Count(n-rows, "vertex"))
	}
	capped := int64(0)
	if !req.one {
		capped = noteCapped(c, predictor)
		scoring.NoteBipartite(c, p.graph, p.linkSearch.sides, req.With)
	}
	r := PredictResult{Prediction: predictionOf(c, p, links, scored)}
	r.Links = lists.Map(links, func(l link.PredictedLink) PredictedPair {
		return PredictedPair{Pair{p.graph.Key(l.U), p.graph.Key(l.V)}, l.Score}
	})
	r.Capped, r.Notices = capped, c.Notices
	return r, nil
}

// noticeIsolated gives the reason why a vertex has no likely links.
func noticeIsolated(c *engine.Call, req linksRequest) {
	c.Notice("vertex %s is isolated, so %s cannot rank candidates; use an embedding scorer such as cosine(e)", fault.QuoteKey(req.vertex), req.With)
}

// noteCapped counts the vertices whose paths were cut short, and says so.
func noteCapped(c *engine.Call, predictor *link.Predictor) int64 {
	capped := predictor.CountMany()
	noteMany(c, capped, predictor)
	return capped
}

// noteMany says that the paths of some vertices were cut short.
func noteMany(c *engine.Call, capped int64, predictor *link.Predictor) {
	if capped > 0 {
		c.Notice("from %s with very many paths only %d paths each were followed, those over the neighbours with fewest edges first; likelier links may be missing",
			fault.Count(capped, "vertex"), predictor.Few())
	}
}

// admits reports whether a vertex may be in the result.
func (p *prediction) admits(v uint32) bool {
	return v < p.Scorers[0].Rows && (p.where == nil ||
		p.where(where.NewCandidate(p.graph, p.columns, v, false)))
}

// predictor returns the link.Predictor of a request; release frees its memory.
func predictor(c *engine.Call, p *prediction) (_ *link.Predictor, release func(), err error) {
	const perLink, perNear = 24, 8
	const perSteps = 24 // of each vertex: its steps, its place by degree, and a sorted copy
	n, workers, perVertex := int64(p.graph.Graph.Vertices()), int64(1), int64(24)
	scoring := p.Scorers[0].links()
	if scoring.Heuristic == "" || scoring.Heuristic == "l3" || p.across != nil {
		perVertex = 32 // also the ends of paths of three edges
	}
	near, kept, batch := int64(0), int64(0), int64(0)
	if !p.one {
		kept = perSteps + perLink*min(int64(p.top), n)
		workers, near = int64(c.Workers()), min(int64(p.near), n)
		if near > 0 {
			m := p.spaces[0].Matrix
			batch = index.BatchBytes(link.NearBlock, int(near), m.Dim, c.Workers()) + index.BatchesBytes(m.Rows, m.Dim)
		}
	}
	release, err = c.DB.Cache.Reserve(workers*(perVertex*n+perLink*int64(p.k))+(perNear*near+kept)*n+batch, "predicting links of graph "+fault.Name(p.graph.Info.Name))
	if err != nil {
		return nil, nil, err
	}
	return link.NewPredictor(p.graph.Graph, scoring, link.PredictOptions{
		Admit: p.admits, Each: p.each, Threshold: p.threshold, Top: p.top, Sides: p.across, Workers: c.DB.Opts.Workers, Progress: c.Meter.Update,
	}), release, nil
}

// links finds the links, and returns the number of scored pairs.
func links(c *engine.Call, p *prediction, predictor *link.Predictor) (links []link.PredictedLink, scored int64, err error) {
	if p.one {
		near, err := nearOf(c, p)
		if err != nil {
			return nil, 0, err
		}
		stop := c.Watch.Start(plan.Score)
		links, scored, err = predictor.For(c.Ctx, p.vertex, near, p.k)
		stop(int64(len(links)), fault.Count(scored, "pair")+" scored")
		return links, scored, err
	}
	near, err := nearAll(c, p)
	if err != nil {
		return nil, 0, err
	}
	stop := c.Watch.Start(plan.Score)
	links, scored, err = predictor.All(c.Ctx, near, p.k)
	stop(int64(len(links)), fault.Count(scored, "pair")+" scored")
	return links, scored, err
}

// nearOf returns the vertices nearest to the vertex of a request.
func nearOf(c *engine.Call, p *prediction) ([]uint32, error) {
	if p.near == 0 {
		return nil, nil
	}
	s := &search.Searcher{Space: p.spaces[0], Metric: p.metric, Index: p.index}
	vector := s.Space.Matrix.Row(int(p.vertex))
	opts := index.SearchOptions{Filter: func(v uint32) bool { return p.missing(p.vertex, v) }, Workers: c.DB.Opts.Workers, GraphOnly: c.DB.Opts.GraphOnly}
	hits, err := search.SearchIndex(c, s, search.Scope{K: p.near}, vector, opts)
	p.index = s.Index
	return index.Vertices(hits), err
}

// missing reports whether an edge between u and v may be in the answer, because the graph does
// not have it.
func (p *prediction) missing(u, v uint32) bool {
	return v != u && p.across.Across(u, v) && p.admits(v) && !p.graph.Graph.HasEdge(u, v)
}

// nearAll returns the function that finds the nearest vertices, nil if the request asks for
// none.
func nearAll(c *engine.Call, p *prediction) (link.Near, error) {
	if p.near == 0 {
		return nil, nil
	}
	space := p.spaces[0]
	if p.index != nil {
		h, err := search.Hnsw(c, space, p.metric, p.index)
		if err != nil {
			return nil, err
		}
		if h != nil {
			return func(us []uint32) ([][]uint32, error) {
				hits, err := search.Walk(c, h, space, us, p.near, p.missing)
				return index.VertexLists(hits), err
			}, nil
		}
		p.index = nil
	}
	exact, err := space.Searcher(p.metric)
	if err != nil {
		return nil, err
	}
	batches := exact.Batches()
	return func(us []uint32) ([][]uint32, error) {
		hits, err := batches.Nearest(c.Ctx, us, p.near, c.Workers(), p.missing)
		return index.VertexLists(hits), err
	}, nil
}

func predictionOf(c *engine.Call, p *prediction, links []link.PredictedLink, scored int64) Prediction {
	shown := linksShown{prediction: p}
	for _, l := range links {
		shown.count(l)
	}
	noteShown(c, shown)
	r := Prediction{Candidates: scored, Index: p.index, Became: int(shown.became)}
	if len(p.spaces) > 0 {
		state := search.StateOf(p.spaces[0])
		state.Changed = int(shown.changed)
		r.Embedding = &state
	}
	return r
}

// linksShown counts links that were predicted.
type linksShown struct {
	*prediction
	all     int64
	changed int64 // those whose other end, or one of whose ends, has changed since the vectors were made
	became  int64 // those that the graph has by now, where they were predicted for an earlier time
}

func (s *linksShown) count(l link.PredictedLink) {
	s.all++
	if len(s.spaces) > 0 {
		if v := s.spaces[0]; v.Behind > 0 && (v.Changed(l.V) || !s.one && v.Changed(l.U)) {
			s.changed++
		}
	}
	if s.now != nil && s.now.HasEdge(l.U, l.V) {
		s.became++
	}
}

// noteShown gives notices of the links that were predicted.
func noteShown(c *engine.Call, s linksShown) {
	if s.changed > 0 {
		c.Notice("%d of the %s shown changed since", s.changed, fault.Count(s.all, "link"))
	}
	if s.now != nil {
		c.Notice("from %s before that time, of %d in all; of %s shown the graph has %d by now",
			fault.Count(s.graph.Graph.Edges(), "edge"), s.now.Edges(), fault.Count(s.all, "link"), s.became)
	}
}

// replay makes a prediction see only the edges before its time; release frees the memory.
func replay(c *engine.Call, p *prediction) (release func(), err error) {
	if p.asOf == nil {
		return func() {}, nil
	}
	release, err = c.DB.Cache.Reserve(session.GraphBytes(p.graph.Info), "an earlier state of graph "+fault.Name(p.graph.Info.Name))
	if err != nil {
		return nil, err
	}
	p.now = p.graph.Graph
	p.graph = &session.Graph{Snapshot: p.graph.Before(*p.asOf)}
	scorer := p.Scorers[0].Scorer
	p.Scorers = nil
	bound, err := bindScorer(c, p.loadedScoring, scorer, fault.Scorer(0))
	if err != nil {
		release()
		return nil, err
	}
	p.Scorers = []boundScorer{bound}
	if bound.model != nil {
		c.Notice("model %s may have learned from edges after that time", fault.Name(scorer.Model))
	}
	return release, nil
}

// The links of one vertex are predicted from the edges in the file where this is possible, so
// that the first answers after opening a file need not wait until the graph is loaded.

// vectorsFraction bounds the vectors that are read for an answer from the file.
const vectorsFraction = 8

// degreesFraction is the time of reading all degrees as a fraction of that of loading the graph.
const degreesFraction = 4

// errLoad ends an answer from the file that takes too long there.
var errLoad = errors.New("the graph must be loaded")

// canPredictFile reports whether links can be predicted from the file: those of one vertex
// by a scorer that reads only degrees and the edges within two steps of it, or vectors, without a
// condition, in a graph that is not in memory.
func canPredictFile(c *engine.Call, req linksRequest, p *linksEntry) bool {
	with := p.scorers[0]
	switch {
	case !req.one, with.Model != "", req.Where != nil, req.orderBy != "", p.sides != "", p.asOf != nil, !c.PartsPay(p.graph):
		return false
	case with.embedding != nil:
		return search.CanScanFile(c, p.nearest(req))
	}
	return link.RowSteps(with.Name) > 0 || with.Name == byDegrees
}

// nearest is the search for the vertices nearest to the vertex that it has no edge to.
func (p *linksEntry) nearest(req linksRequest) search.Search {
	e := p.scorers[0].embedding
	return search.Search{Entry: *e, Index: p.index, Question: search.Question{
		Embedding: e.Info.Name, Vertices: []string{req.vertex}, Metric: p.metric, Scope: search.Scope{K: p.near},
		Where: func(c where.Candidate) bool { return !c.Linked }, Reads: conditions.ReadsLinks,
	}}
}

// byDegrees is the scorer whose candidates are all vertices.
const byDegrees = "preferential_attachment"

// predictFile predicts links from the file. The error is errLoad if the vertex has too many
// edges, or if the graph has changed since the request was resolved.
func predictFile(c *engine.Call, req linksRequest, p *linksEntry) (PredictResult, error) {
	var r PredictResult
	stop := c.Watch.Start(plan.Score)
	err := viewLinks(c, p, func(v *storage.GraphView, rows *storage.RowView) error {
		if session.GraphKey(v.Graph) != session.GraphKey(p.graph) {
			return errLoad
		}
		a := around{part: v.NewPart(session.PartLimit(p.graph), errLoad)}
		err := a.read(v, req, p)
		if err == nil && rows != nil {
			err = readNear(c, rows, &a, req, p)
		}
		c.DB.Cache.CountScan(session.GraphKey(p.graph), int(a.part.Cost+a.cost))
		if err != nil {
			return err
		}
		r, err = linksAround(c, req, p, v, a)
		return err
	})
	if err != nil {
		return PredictResult{}, err
	}
	stop(int64(len(r.Links)), fault.Count(r.Candidates, "pair")+" scored, edges read in the file")
	return r, nil
}

// viewLinks calls f with the graph and, if the scorer reads vectors, with these. The error is
// errLoad if they were replaced since they were resolved.
func viewLinks(c *engine.Call, p *linksEntry, f func(*storage.GraphView, *storage.RowView) error) error {
	e := p.scorers[0].embedding
	if e == nil {
		return c.DB.Store.ViewGraph(c.Ctx, p.graph.Name, func(v *storage.GraphView) error { return f(v, nil) })
	}
	return c.DB.Store.ViewRows(c.Ctx, e.Info.Name, func(v *storage.RowView) error {
		if session.EmbeddingKey(v.Info) != session.EmbeddingKey(e.Info) {
			return errLoad
		}
		return f(&v.GraphView, v)
	})
}

// around is what the links of one vertex are predicted from.
type around struct {
	part    *storage.GraphPart
	vertex  uint32
	degrees []uint32 // of all vertices; nil if the part has those of the candidates
	cost    int64    // of degrees, in the unit of GraphPart.Cost

	// If the scorer reads vectors:
	near   []uint32           // the nearest vertices
	index  *storage.IndexInfo // that found them; nil if all vectors were scanned
	matrix *vec.Matrix        // the vectors of all vertices of the part
}

// readNear finds the vertices nearest to the vertex, and reads the vectors of all candidates. The
// error is errLoad if these are too many.
func readNear(c *engine.Call, v *storage.RowView, a *around, req linksRequest, p *linksEntry) error {
	if len(a.part.Vertices()) > v.Info.Vertices/vectorsFraction {
		return errLoad
	}
	if p.near > 0 {
		s := p.nearest(req)
		hits, _, _, cost, err := search.HitsInFile(c, v, &s)
		c.DB.Cache.CountScan(session.EmbeddingKey(v.Info), cost)
		if err != nil {
			return err
		}
		a.near, a.index = index.Vertices(hits), s.Index
		a.part.Name(a.near...)
	}
	vertices := a.part.Vertices()
	a.matrix = vec.NewMatrix(len(vertices), v.Info.Dim)
	return v.Rows(vertices, a.matrix)
}

// read reads the edges that the scorer reads. If those of the candidates are too many, it reads
// the degrees of all vertices in their place.
func (a *around) read(v *storage.GraphView, req linksRequest, p *linksEntry) (err error) {
	if a.vertex, err = v.Vertex(req.vertex); err != nil {
		return err
	}
	steps := link.RowSteps(req.With.Name)
	if req.With.Embedding != "" { // whose candidates are two edges apart as well
		steps = 1
	}
	if err := a.part.ReadAround(a.vertex, min(steps, 1)); err != nil {
		return err
	}
	if steps == 2 {
		if err = a.part.ReadAround(a.vertex, 2); !errors.Is(err, errLoad) {
			return err
		}
	}
	if steps == 1 {
		return nil
	}
	a.cost = 2 * p.graph.Edges / degreesFraction
	if a.degrees, err = v.Degrees(); err != nil || steps == 2 {
		return err
	}
	// The likeliest are among as many vertices of the highest degrees, besides itself and its
	// neighbours.
	return a.part.Read(highest(a.degrees, p.k+len(a.part.Neighbors(a.vertex))+1)...)
}

// highest returns the n vertices of the highest degrees, of equal ones those with the lowest
// numbers.
func highest(degrees []uint32, n int) []uint32 {
	order := func(a, b uint32) int { return cmp.Or(cmp.Compare(degrees[b], degrees[a]), cmp.Compare(a, b)) }
	var list []uint32
	lowest := int64(-1) // degree that is too low for a later vertex
	for u, d := range degrees {
		if int64(d) <= lowest {
			continue
		}
		if list = append(list, uint32(u)); len(list) >= 2*n+1024 {
			list = scan.FirstOf(list, n, order)
			lowest = int64(degrees[list[n-1]])
		}
	}
	return scan.FirstOf(list, n, order)
}

// linksAround finds the likeliest links of a vertex in the part of the graph around it.
func linksAround(c *engine.Call, req linksRequest, p *linksEntry, v *storage.GraphView, a around) (PredictResult, error) {
	g, numbers := a.part.Graph()
	number := func(u uint32) uint32 { at, _ := slices.BinarySearch(numbers, u); return uint32(at) }
	vertex, near := number(a.vertex), lists.Map(a.near, number)
	score, err := link.New(req.With.Name, g, a.matrix)
	if err != nil {
		return PredictResult{}, err
	}
	opts := link.PredictOptions{Threshold: p.threshold}
	if a.degrees != nil {
		opts.Degree = func(u uint32) int { return int(a.degrees[numbers[u]]) }
	}
	links, scored, err := link.NewPredictor(g, link.NewScoring(req.With.Name, score), opts).For(c.Ctx, vertex, near, p.k)
	if err != nil {
		return PredictResult{}, err
	}
	keys, err := v.Keys(lists.Map(links, func(l link.PredictedLink) uint32 { return numbers[l.V] }))
	if err != nil {
		return PredictResult{}, err
	}
	r := PredictResult{Links: make([]PredictedPair, len(links)), Prediction: Prediction{Candidates: scored, Index: a.index}}
	if e := p.scorers[0].embedding; e != nil {
		r.Embedding = &catalogue.EmbeddingState{Name: e.Info.Name, Generation: e.Info.Generation, GraphVersion: e.Info.GraphVersion}
	} else if g.Degree(vertex) == 0 {
		noticeIsolated(c, req)
	}
	r.Notices = c.Notices
	for i, l := range links {
		r.Links[i] = PredictedPair{Pair{req.vertex, keys[i]}, l.Score}
	}
	return r, nil
}
