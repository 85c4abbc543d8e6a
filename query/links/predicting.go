package links

import (
	"cmp"
	"errors"
	"slices"

	"heavytail/embedding/link"
	"heavytail/index"
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/lists"
	"heavytail/query/internal/scoring"
	"heavytail/query/internal/search"
	"heavytail/query/internal/session"
	"heavytail/query/plan"
	"heavytail/query/where"
	"heavytail/storage"
	"heavytail/storage/vec"
)

// loaded is a prediction whose graph, attributes and scorer are loaded. The graph may be the part of
// it around the vertex whose links are asked for.
type loaded struct {
	*loadedScoring
	PredictRequest
	nearest nearest
	around  around
	columns *session.ColumnSet
	across  link.Sides     // nil without sides
	now     *loadedScoring // with all edges, if graph has only those before a time
	vertex  uint32         // the vertex, if there is one
}

// load loads a prediction, or the part that was read for it.
func load(c *engine.Call, found *prediction, part around) (*loaded, error) {
	p := &loaded{loadedScoring: &loadedScoring{}, PredictRequest: found.PredictRequest, nearest: found.nearest, around: part}
	attributes := engine.WithColumn(slices.Concat(p.Attributes, scoring.SidesAttribute(p.Sides)), p.OrderBy)
	err := c.Consistent(func() (err error) {
		if found.along { // which comes before all else that loads the graph
			if _, _, err := c.Directed(found.graph.Name, fault.Graph); err != nil {
				return err
			}
		}
		if _, p.columns, err = c.Columns(found.graph.Name, attributes, fault.Where); err != nil {
			return err
		}
		return bindScorers(c, p.loadedScoring, found.scorerEntries)
	})
	if err != nil {
		return nil, err
	}
	if p.across, err = scoring.Sides(c, p.graph, p.Sides, p.columns); err != nil {
		return nil, err
	}
	if err := noteModels(c, p.loadedScoring); err != nil || p.Vertex == "" {
		return p, err
	}
	if p.vertex, err = c.Vertex(p.graph, p.Vertex, fault.Vertex); err != nil {
		return nil, err
	}
	for _, s := range p.spaces {
		if _, err := s.Row(p.vertex, p.Vertex, fault.Vertex); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// predictOnce answers a request for the links of one vertex or of the graph.
func predictOnce(c *engine.Call, found *prediction) (r PredictResult, err error) {
	if found.inFile {
		part, err := readAround(c, found)
		if err != nil {
			return r, err
		}
		if r, err = predictFrom(c, found, part); !errors.Is(err, storage.ErrConflict) {
			return r, err
		}
		c.Forget(found.graph.Name) // the graph has changed meanwhile
		clear(c.Spaces)
	}
	return predictFrom(c, found, around{})
}

func predictFrom(c *engine.Call, found *prediction, part around) (r PredictResult, err error) {
	p, err := load(c, found, part)
	if err != nil {
		return r, err
	}
	earlier, err := replay(c, p)
	if err != nil {
		return r, err
	}
	defer earlier()
	predictor, release, err := predictor(c, p, false)
	if err != nil {
		return r, err
	}
	defer release()
	links, scored, err := links(c, p, predictor)
	if err != nil {
		return r, err
	}
	if p.OrderBy != "" {
		order, err := search.VertexOrder(c, p.graph, p.columns, p.OrderBy, p.Descending)
		if err != nil {
			return r, err
		}
		slices.SortStableFunc(links, func(a, b link.PredictedLink) int { return order(a.V, b.V) })
	}
	rows, n := int64(p.Scorers[0].Rows), int64(p.graph.Graph.Vertices())
	switch {
	case p.ofGraph():
		if rows < n {
			c.Notice("%s newer than the embedding left out", fault.Count(n-rows, "vertex"))
		}
		r.Capped = noteCapped(c, predictor)
		scoring.NoteBipartite(c, p.graph, p.Sides, p.With)
	case p.along != nil && p.along.Out.Degree(p.vertex) == 0 && len(p.spaces) == 0:
		c.Notice("no edge leads from vertex %s, so %s cannot rank candidates; use an embedding scorer such as cosine(e), or direction := 'both'", fault.QuoteKey(p.Vertex), p.With)
	case p.graph.Graph.Degree(p.vertex) == 0 && len(p.spaces) == 0:
		c.Notice("vertex %s is isolated, so %s cannot rank candidates; use an embedding scorer such as cosine(e)", fault.QuoteKey(p.Vertex), p.With)
	}
	shown := linksShown{loaded: p}
	for _, l := range links {
		shown.count(l.U, l.V)
	}
	noteShown(c, shown)
	r.Candidates, r.Index, r.Became = scored, p.nearest.index, int(shown.became)
	if len(p.spaces) > 0 {
		state := (&search.Loaded{Space: p.spaces[0]}).State(nil)
		state.Changed = int(shown.changed)
		r.Embedding = &state
	}
	sources, err := c.Keys(p.graph, lists.Map(links, func(l link.PredictedLink) uint32 { return l.U }))
	if err != nil {
		return r, err
	}
	targets, err := c.Keys(p.graph, lists.Map(links, func(l link.PredictedLink) uint32 { return l.V }))
	r.Links = make([]PredictedLink, len(links))
	for i, l := range links {
		r.Links[i] = PredictedLink{Pair{sources[i], targets[i]}, i + 1, l.Score}
	}
	r.Notices = c.Notices
	return r, err
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
func (p *loaded) admits(v uint32) bool {
	return v < p.Scorers[0].Rows && (p.Where == nil ||
		p.Where(where.NewCandidate(p.graph, p.columns, v, false)))
}

// predictor returns the link.Predictor of a request, for the links of each of many vertices if each
// is set; release frees its memory.
func predictor(c *engine.Call, p *loaded, each bool) (_ *link.Predictor, release func(), err error) {
	const perLink, perNear = 24, 8
	const perSteps = 24 // of each vertex: its steps, its place by degree, and a sorted copy
	n, workers, perVertex := int64(p.graph.Graph.Vertices()), int64(1), int64(24)
	scoring := p.Scorers[0].links()
	if scoring.Heuristic == "" || scoring.Heuristic == "l3" || p.across != nil {
		perVertex = 32 // also the ends of paths of three edges
	}
	near, kept, batch := int64(0), int64(0), int64(0)
	if p.Vertex == "" {
		kept = perSteps + perLink*min(int64(p.Top), n)
		workers, near = int64(c.Workers()), min(int64(p.nearest.n), n)
		if near > 0 {
			m := p.spaces[0].Matrix
			batch = index.BatchBytes(link.NearBlock, int(near), m.Dim, c.Workers()) + index.BatchesBytes(m.Rows, m.Dim)
		}
	}
	release, err = c.DB.Cache.Reserve(workers*(perVertex*n+perLink*int64(p.K))+(perNear*near+kept)*n+batch, "predicting links of graph "+fault.Name(p.graph.Info.Name))
	if err != nil {
		return nil, nil, err
	}
	opts := link.PredictOptions{
		Admit: p.admits, Each: each, Threshold: p.Threshold, Top: p.Top, Sides: p.across, Degree: p.around.degree(p.graph),
		Workers: c.DB.Opts.Workers, Progress: c.Meter.Update,
	}
	if p.along != nil {
		return link.NewPredictorAlong(p.along, scoring, opts), release, nil
	}
	return link.NewPredictor(p.graph.Graph, scoring, opts), release, nil
}

// links finds the links, and returns the number of scored pairs.
func links(c *engine.Call, p *loaded, predictor *link.Predictor) (links []link.PredictedLink, scored int64, err error) {
	if p.Vertex != "" {
		near, err := nearOf(c, p)
		if err != nil {
			return nil, 0, err
		}
		stop := c.Watch.Start(plan.Score)
		links, scored, err = predictor.For(c.Ctx, p.vertex, near, p.K)
		stop(int64(len(links)), fault.Count(scored, "pair")+" scored"+p.around.how())
		return links, scored, err
	}
	near, err := nearAll(c, p)
	if err != nil {
		return nil, 0, err
	}
	stop := c.Watch.Start(plan.Score)
	links, scored, err = predictor.All(c.Ctx, near, p.K)
	stop(int64(len(links)), fault.Count(scored, "pair")+" scored")
	return links, scored, err
}

// nearOf returns the vertices nearest to the vertex of a request.
func nearOf(c *engine.Call, p *loaded) ([]uint32, error) {
	if p.nearest.n == 0 || p.around.read {
		return p.around.near, nil
	}
	s := p.nearest.search(session.Entry{Info: p.spaces[0].Info}, p.Vertex)
	s.Only = func(v uint32) bool { return p.missing(p.vertex, v) }
	hits, _, err := search.Hits(c, &search.Loaded{Search: s, Call: c, Space: p.spaces[0]}, &s)
	p.nearest.index = s.Index
	return index.Vertices(hits), err
}

// missing reports whether an edge between u and v may be in the answer, because the graph does
// not have it.
func (p *loaded) missing(u, v uint32) bool {
	return v != u && p.across.Across(u, v) && p.admits(v) && !p.hasEdge(u, v)
}

// nearAll returns the function that finds the nearest vertices, nil if the request asks for
// none.
func nearAll(c *engine.Call, p *loaded) (link.Near, error) {
	if p.nearest.n == 0 {
		return nil, nil
	}
	m := &search.Many{Loaded: search.Loaded{Search: p.nearest.search(session.Entry{}, ""), Call: c, Space: p.spaces[0]}}
	err := m.Open()
	p.nearest.index = m.Index
	return func(us []uint32) ([][]uint32, error) {
		hits, err := m.Nearest(us, p.nearest.n, p.missing)
		return index.VertexLists(hits), err
	}, err
}

// linksShown counts links that were predicted.
type linksShown struct {
	*loaded
	all     int64
	changed int64 // those whose other end, or one of whose ends, has changed since the vectors were made
	became  int64 // those that the graph has by now, where they were predicted for an earlier time
}

func (s *linksShown) count(u, v uint32) {
	s.all++
	if len(s.spaces) > 0 {
		if at := s.spaces[0]; at.Behind > 0 && (at.Changed(v) || s.ofGraph() && at.Changed(u)) {
			s.changed++
		}
	}
	if s.now != nil && s.now.hasEdge(u, v) {
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
			fault.Count(s.edges(), "edge"), s.now.edges(), fault.Count(s.all, "link"), s.became)
	}
}

// replay makes a prediction see only the edges before its time; release frees the memory.
func replay(c *engine.Call, p *loaded) (release func(), err error) {
	if p.AsOf == nil {
		return func() {}, nil
	}
	bytes := session.GraphBytes(p.graph.Info)
	if p.along != nil {
		bytes += session.DirectedBytes(p.graph.Info)
	}
	release, err = c.DB.Cache.Reserve(bytes, "an earlier state of graph "+fault.Name(p.graph.Info.Name))
	if err != nil {
		return nil, err
	}
	p.now = &loadedScoring{graph: p.graph, along: p.along}
	if p.along != nil {
		p.along = p.along.Before(*p.AsOf)
	}
	p.graph = &session.Graph{Snapshot: p.graph.Before(*p.AsOf)}
	scorer := p.Scorers[0].Scorer
	p.Scorers = nil
	bound, err := bindScorer(c, p.loadedScoring, scorer, p.BaseRate, fault.Scorer(0))
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

// around is what was read for the links of one vertex in addition to the part of the graph around
// it, and the vectors of that part.
type around struct {
	read    bool               // the graph is a part
	linked  []uint32           // to which the vertex has edges, in the whole graph, ascending
	degrees []uint32           // of all vertices of the graph; nil if the part has those of the candidates
	near    []uint32           // the nearest vertices, in the part
	index   *storage.IndexInfo // that found them; nil if all vectors were scanned
}

// degree returns the degrees of the vertices of a part that lacks those of the candidates; nil for
// any other graph.
func (a *around) degree(part *session.Graph) func(uint32) int {
	if a.degrees == nil {
		return nil
	}
	return func(u uint32) int { return int(a.degrees[part.Vertices[u]]) }
}

// how describes for PROFILE where the edges were read.
func (a *around) how() string {
	if a.read {
		return ", edges read in the file"
	}
	return ""
}

// readAround makes the call see the part of the graph that the links of the vertex depend on. It
// changes nothing if the vertex has too many edges, or if the graph or the embedding has changed since the request was
// resolved.
func readAround(c *engine.Call, p *prediction) (a around, err error) {
	e := p.scorers[0].embedding()
	if e == nil {
		err = c.ReadPart(p.graph, nil, func(v *storage.GraphView, part *storage.GraphPart) error { return a.readEdges(c, v, part, p) })
	} else {
		err = c.ReadVectors(*e, func(v *storage.RowView, part *storage.GraphPart) error {
			if err := a.readEdges(c, &v.GraphView, part, p); err != nil {
				return err
			}
			return a.readNear(c, v, part, p)
		})
	}
	g := c.Graphs[p.graph.Name]
	if err != nil || g == nil || g.Vertices == nil {
		return around{}, err
	}
	a.read = true
	for i, u := range a.near {
		at, _ := slices.BinarySearch(g.Vertices, u)
		a.near[i] = uint32(at)
	}
	p.nearest.index = a.index
	return a, nil
}

// readEdges reads the edges that the scorer reads. If those of the candidates are too many, it reads
// the degrees of all vertices in their place.
func (a *around) readEdges(c *engine.Call, v *storage.GraphView, part *storage.GraphPart, p *prediction) error {
	vertex, err := v.Vertex(p.Vertex)
	if err != nil {
		return err
	}
	part.NamedOnly = true // the answers are few of the candidates
	part.Name(vertex)
	steps := link.RowSteps(p.With.Name)
	if p.With.Embedding != "" { // whose candidates are two edges apart as well
		steps = 1
	}
	row := rowsOf(part, p.along).Out
	if err := part.ReadAround(vertex, min(steps, 1), row); err != nil {
		return err
	}
	a.linked = row(vertex)
	if steps == 2 {
		if err = part.ReadAround(vertex, 2, row); !errors.Is(err, session.ErrWhole) {
			return err
		}
	}
	if steps == 1 {
		return nil
	}
	c.DB.Cache.CountScan(session.GraphKey(p.graph), int(2*p.graph.Edges/degreesFraction))
	degrees := v.Degrees
	if p.along {
		degrees = v.InDegrees
	}
	if a.degrees, err = degrees(); err != nil || steps == 2 {
		return err
	}
	// The likeliest are among as many vertices of the highest degrees, besides itself and its
	// neighbours.
	return part.Read(highest(a.degrees, p.K+len(a.linked)+1)...)
}

// readNear finds the vertices nearest to the vertex that it has no edge to, unless the vectors of the other candidates are
// too many.
func (a *around) readNear(c *engine.Call, v *storage.RowView, part *storage.GraphPart, p *prediction) error {
	if len(part.Vertices()) > v.Info.Vertices/vectorsFraction {
		return session.ErrWhole
	}
	if p.nearest.n == 0 {
		return nil
	}
	s := p.nearest.search(*p.scorers[0].embedding(), p.Vertex)
	s.Only = func(u uint32) bool { _, linked := slices.BinarySearch(a.linked, u); return !linked }
	hits, _, err := search.Hits(c, search.NewInFile(c, v, s), &s)
	a.near, a.index = index.Vertices(hits), s.Index
	part.Name(a.near...)
	return err
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
			list = lists.FirstOf(list, n, order)
			lowest = int64(degrees[list[n-1]])
		}
	}
	return lists.FirstOf(list, n, order)
}

// predictBlock is the number of vertices computed between two writes: enough to
// keep all workers busy, and few enough that their links are small compared with
// the graph. Two blocks are in memory at a time.
const predictBlock = 1024

// likeliest returns the links of each of some vertices, the likeliest first.
func likeliest(c *engine.Call, p *loaded, predictor *link.Predictor, near link.Near, vertices []uint32) ([][]storage.PredictedLink, error) {
	lists, also, faults := make([][]storage.PredictedLink, len(vertices)), make([][]uint32, len(vertices)), make([]error, len(vertices))
	if near != nil && len(vertices) > 0 {
		var err error
		if also, err = near(vertices); err != nil {
			return lists, err
		}
	}
	vec.Parallel(len(vertices), 8, c.Workers(), func(_, from, to int) {
		for i := from; i < to; i++ {
			links, _, err := predictor.Limited(c.Ctx, vertices[i], also[i], p.K)
			lists[i], faults[i] = make([]storage.PredictedLink, len(links)), err
			for j, l := range links {
				lists[i][j] = storage.PredictedLink{Vertex: l.V, Score: l.Score}
			}
		}
	})
	return lists, cmp.Or(c.Ctx.Err(), errors.Join(faults...))
}
