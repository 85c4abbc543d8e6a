package query

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"heavytail/index"
	"heavytail/query/internal/fault"
	"heavytail/query/internal/plan"
	"heavytail/query/internal/session"
	"heavytail/query/internal/where"
	"heavytail/storage"
)

// This file answers a search: in the file (searchFile), so that the first answers after
// opening a file need not wait until the vectors, the index and the graph are loaded, or in
// memory (run); both by an index or by a scan of all vectors.

func (c *call) find(s search) (SearchResult, error) {
	if s.inFile {
		result, err := c.searchFile(s)
		if !errors.Is(err, errMoved) {
			return result, err
		}
	}
	var l loadedSearch
	if err := c.Consistent(func() (err error) { l, err = c.load(s); return err }); err != nil {
		return SearchResult{}, err
	}
	c.noticeZero(s.metric, l.vector)
	hits, err := c.run(&l.searcher, s.scope, l.vector, l.options(c, s.where))
	if err == nil {
		err = c.orderHits(&l, s.question, hits)
	}
	if err == nil {
		hits, err = c.checked(hits, s.limit)
	}
	if err != nil {
		return SearchResult{}, err
	}
	c.noticeFew(s, len(hits))
	return c.searchResult(&l.searcher, hits), nil
}

// orderHits sorts what a search has found as SHOW VERTICES sorts vertices, if it is to be
// sorted.
func (c *call) orderHits(l *loadedSearch, q question, hits []index.Hit) error {
	if q.orderBy == "" {
		return nil
	}
	order, err := c.vertexOrder(l.space.Graph, l.columns, q.orderBy, q.descending)
	if err == nil {
		slices.SortFunc(hits, func(a, b index.Hit) int { return order(a.Vertex, b.Vertex) })
	}
	return err
}

// vertexOrder returns the order of SHOW VERTICES by a column, and notices a measure that is
// behind the graph.
func (c *call) vertexOrder(g *session.Graph, columns *session.ColumnSet, by string, descending bool) (func(a, b uint32) int, error) {
	s := vertexScan{graph: g, columns: columns}
	return s.compare(s.column(by), descending), c.noteMeasures(g.Info, []string{by})
}

// loadedSearch is a search with its vectors, graph and attributes in memory.
type loadedSearch struct {
	searcher
	columns  *session.ColumnSet // that the condition reads
	vector   []float32
	vertices []uint32 // the query vertices
}

// load loads the input of a search. If the embedding was replaced since the search
// was resolved, the answer comes from the new generation.
func (c *call) load(s search) (l loadedSearch, err error) {
	l.metric = s.metric
	if len(s.attributes) > 0 {
		if _, l.columns, err = c.Columns(s.entry.Info.Graph, s.attributes, fault.Where); err != nil {
			return l, err
		}
	}
	if l.space, err = c.Space(s.embedding, fault.Embedding); err != nil {
		return l, err
	}
	if l.index = s.index; !s.exact && session.EmbeddingKey(l.space.Info) != session.EmbeddingKey(s.entry.Info) {
		if l.index, _, err = c.indexFor(l.space.Info, s.metric); err != nil {
			return l, err
		}
	}
	if len(s.vertices) == 0 {
		if l.vector = s.vector; l.vector == nil {
			return l, nil // NEAREST FOR sets its many queries later
		}
		return l, session.CheckVector(l.space.Info, s.vector, fault.Vector)
	}
	rows := make([][]float32, len(s.vertices))
	l.vertices = make([]uint32, len(s.vertices))
	for i, key := range s.vertices {
		at := partExample(i)
		if l.vertices[i], err = c.Vertex(l.space.Graph, key, at); err != nil {
			return l, err
		}
		if rows[i], err = l.space.Row(l.vertices[i], key, at); err != nil {
			return l, err
		}
	}
	if l.vector = rows[0]; s.centroid {
		l.vector = centroid(rows, s.metric)
	}
	return l, nil
}

// options returns the filter of the search, which leaves out the query vertices
// and calls admits for the others.
func (l *loadedSearch) options(c *call, admits func(Candidate) bool) index.SearchOptions {
	g := l.space.Graph
	n := g.Graph.Vertices()
	filter := func(v uint32) bool {
		if slices.Contains(l.vertices, v) || int(v) >= n {
			return false
		}
		return admits == nil || admits(where.NewCandidate(g, l.columns, v, l.linked(v)))
	}
	if admits == nil && len(l.vertices) == 0 && l.space.Matrix.Rows <= n {
		filter = nil
	}
	return index.SearchOptions{Filter: filter, Workers: c.db.opts.Workers, GraphOnly: c.db.opts.graphOnly}
}

// linked reports whether a vertex is a neighbour of a query vertex.
func (l *loadedSearch) linked(v uint32) bool {
	return slices.ContainsFunc(l.vertices, func(u uint32) bool { return l.space.Graph.Graph.HasEdge(u, v) })
}

// searcher finds vectors in memory, by an index or by a scan.
type searcher struct {
	space  *session.Space
	metric index.Metric
	index  *storage.IndexInfo // nil for a scan
}

// run answers a search by the index of its space, or by a scan if there is none,
// and records its cost for PROFILE. Afterwards s.index is the index that was
// used.
func (c *call) run(s *searcher, which scope, vector []float32, opts index.SearchOptions) ([]index.Hit, error) {
	if s.index != nil {
		h, err := c.hnsw(s.space, s.metric, s.index)
		if err != nil {
			return nil, err
		}
		if h != nil {
			stop := c.Watch.Start(plan.Scan)
			a, err := which.walk(c.Ctx, h, vector, s.space.InRows(opts))
			s.space.ToVertices(a.Hits)
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
	exact, err := s.space.Searcher(s.metric)
	if err != nil {
		return nil, err
	}
	stop := c.Watch.Start(plan.Scan)
	var hits []index.Hit
	if which.k > 0 {
		hits, err = exact.Search(c.Ctx, vector, which.k, opts)
	} else {
		hits, err = exact.Within(c.Ctx, vector, which.radius, opts)
	}
	stop(int64(len(hits)), scanned(s.space.Matrix.Rows))
	return hits, err
}

// walked describes for PROFILE how many vectors a search of an index compared.
func (s *searcher) walked(h *index.HNSW, a index.Answer) string {
	if a.Exact != "" {
		return scanned(h.Len()) + ", as " + a.Exact
	}
	text := fmt.Sprintf("%d of %s compared at ef %d, %s, index %s", a.Scored, fault.Count(int64(h.Live()), "vector"), a.Ef,
		recallText(s.index.Recall, s.index.Lowest, s.index.Poor), session.LoadedFrom(s.space.IndexHit))
	if deleted := s.space.Deleted(); deleted > 0 {
		text += fmt.Sprintf(", %d of deleted vertices left out", deleted)
	}
	return text
}

// searchResult converts the vertices of hits to keys.
func (c *call) searchResult(s *searcher, hits []index.Hit) SearchResult {
	neighbors := ofEach(hits, func(h index.Hit) Neighbor { return neighbor(s.metric, s.space.Graph.Key(h.Vertex), h) })
	state := stateOf(s.space)
	for _, h := range hits {
		if s.space.Behind > 0 && s.space.Changed(h.Vertex) {
			state.Changed++
		}
	}
	if state.Changed > 0 {
		c.Notice("%d of the %s shown changed since", state.Changed, fault.Count(int64(len(hits)), "vertex"))
	}
	return SearchResult{Neighbors: neighbors, Metric: s.metric, Embedding: state, Index: s.index, Notices: c.Notices}
}

func stateOf(s *session.Space) EmbeddingState {
	return EmbeddingState{
		Name: s.Info.Name, Generation: s.Info.Generation,
		GraphVersion: s.Info.GraphVersion, Behind: s.Behind,
	}
}

// errMoved ends a search in the file if the file by now has a different version
// of the graph or generation of the embedding.
var errMoved = errors.New("the embedding or its graph was replaced")

// searchFile answers a search in the file. It returns errMoved if the graph
// or the embedding has changed since the search was resolved.
func (c *call) searchFile(s search) (SearchResult, error) {
	info, graph := s.entry.Info, s.entry.Graph
	result := SearchResult{Metric: s.metric, Embedding: EmbeddingState{Name: info.Name, Generation: info.Generation, GraphVersion: info.GraphVersion}}
	stop := c.Watch.Start(plan.Scan)
	var vector []float32
	how, cost := "", 0
	err := c.db.store.ViewRows(c.Ctx, info.Name, func(v *storage.RowView) (err error) {
		if session.EmbeddingKey(v.Info) != session.EmbeddingKey(info) || v.Graph.ID != graph.ID || v.Graph.Version != graph.Version {
			return errMoved
		}
		var hits []index.Hit
		if hits, vector, how, cost, err = c.hitsInFile(v, &s); err != nil {
			return err
		}
		result.Index = s.index
		if hits, err = c.checked(hits, s.limit); err != nil {
			return err
		}
		keys, err := v.Keys(index.Vertices(hits))
		for i, key := range keys {
			result.Neighbors = append(result.Neighbors, neighbor(s.metric, key, hits[i]))
		}
		return err
	})
	if err != nil {
		return SearchResult{}, err
	}
	c.noticeZero(s.metric, vector)
	c.noticeFew(s, len(result.Neighbors))
	c.db.cache.CountScan(session.EmbeddingKey(info), cost)
	stop(int64(len(result.Neighbors)), how)
	result.Notices = c.Notices
	return result, nil
}

// hitsInFile finds the vectors of a search in the file. It describes the search for PROFILE,
// with its cost for Cache.CountScan, and sets s.index to nil if it scanned the vectors.
func (c *call) hitsInFile(v *storage.RowView, s *search) (hits []index.Hit, vector []float32, how string, cost int, err error) {
	info, graph := s.entry.Info, s.entry.Graph
	opts := index.SearchOptions{Workers: c.fileWorkers(info)}
	degrees := fileDegrees{view: v, most: math.MaxInt64}
	if s.index == nil {
		degrees.most = session.PartLimit(graph)
	}
	if vector, opts.Filter, err = s.queryInFile(v, &degrees); err != nil {
		return nil, nil, "", 0, err
	}
	if s.index != nil {
		if hits, how, err = c.searchPlace(v, s, vector, opts); err == nil {
			err = degrees.err
		}
		if err != nil || s.index != nil {
			return hits, vector, how, 1, err
		}
		degrees.most = degrees.cost + session.PartLimit(graph)
	}
	x, err := s.fileScan(s.metric, info.Dim, info.Vertices, vector, opts)
	if err != nil {
		return nil, nil, "", 0, err
	}
	err = v.Scan(opts.Workers, func(worker int, first uint32, rows []float32) {
		if !degrees.failed() {
			x.Add(worker, first, rows)
		}
	})
	if s.readsDegrees() {
		c.db.cache.CountScan(session.GraphKey(graph), int(degrees.cost))
	}
	return x.Hits(), vector, scanned(info.Vertices) + " in the file" + how, scanCost, errors.Join(err, degrees.err)
}

// searchPlace answers a search by its index in the file, and describes it for PROFILE. It
// sets s.index to nil if the vectors must be scanned instead; then it describes why.
func (c *call) searchPlace(v *storage.RowView, s *search, vector []float32, opts index.SearchOptions) (hits []index.Hit, how string, err error) {
	info := s.index
	s.index = nil
	opts.GraphOnly = c.db.opts.graphOnly
	stream, err := v.Index(s.metric.String())
	if errors.Is(err, storage.ErrNotFound) {
		return nil, "", nil // dropped since the search was resolved
	}
	var a index.Answer
	if err == nil {
		var x *index.View
		if x, err = index.NewView(index.Source{Stream: stream, Raw: stream.Raw(), Size: stream.Info.Bytes, Compared: stream.Info.Compared}, v.Info.Dim, v.Info.Vertices, v.ReadRow); err == nil {
			a, err = s.walk(c.Ctx, x, vector, opts)
		}
	}
	switch {
	case errors.Is(err, index.ErrFormat), errors.Is(err, index.ErrMismatch), errors.Is(err, storage.ErrCorrupt):
		c.noticeDamage(v.Info, err)
		return nil, "", nil
	case err != nil:
		return nil, "", err
	case a.Exact != "":
		return nil, ", as " + a.Exact, nil
	}
	s.index = info
	how = fmt.Sprintf("%d of %s compared at ef %d, %s, index in the file", a.Scored, fault.Count(int64(stream.Info.Vectors), "vector"), a.Ef,
		recallText(info.Recall, info.Lowest, info.Poor))
	return a.Hits, how, nil
}

// queryInFile returns the query vector of a search in the file, and the filter of its
// vertices; nil admits all. A condition of such a search reads only linked, which the
// neighbours of the query vertex decide, and degrees, so that the graph is not loaded.
func (s search) queryInFile(v *storage.RowView, degrees *fileDegrees) (vector []float32, filter func(uint32) bool, err error) {
	admits := func(linked bool) bool { return s.where == nil || s.where(Candidate{Linked: linked}) }
	linked, others := admits(true), admits(false)
	if len(s.vertices) == 0 {
		if s.readsDegrees() {
			filter = func(u uint32) bool { return s.where(Candidate{Degree: degrees.of(u)}) }
		} else if !others {
			filter = func(uint32) bool { return false }
		}
		return s.vector, filter, nil
	}
	vertex, err := v.Vertex(s.vertices[0])
	if err != nil {
		return nil, nil, err
	}
	if vector, err = v.Row(vertex); err != nil {
		return nil, nil, err
	}
	var neighbors []uint32 // not needed if they are treated as all others
	if linked != others || s.readsDegrees() {
		if neighbors, err = v.Neighbors(vertex); err != nil {
			return nil, nil, err
		}
	}
	return vector, func(u uint32) bool {
		if u == vertex {
			return false
		}
		_, found := slices.BinarySearch(neighbors, u)
		switch {
		case s.readsDegrees():
			return s.where(Candidate{Degree: degrees.of(u), Linked: found})
		case found:
			return linked
		}
		return others
	}, nil
}

// fileDegrees reads degrees in the file, for several goroutines.
type fileDegrees struct {
	view *storage.RowView
	most int64 // largest cost, as in storage.GraphPart; beyond it the error is errMoved, since loading the graph takes less

	mu   sync.Mutex
	cost int64
	err  error // the first error; after it nothing more is read
}

// of returns the degree of a vertex, or 0 after an error.
func (d *fileDegrees) of(u uint32) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil {
		return 0
	}
	var neighbors []uint32
	neighbors, d.err = d.view.Neighbors(u)
	if d.cost += storage.RowCost + int64(len(neighbors)); d.cost > d.most && d.err == nil {
		d.err = errMoved
	}
	return len(neighbors)
}

func (d *fileDegrees) failed() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err != nil
}

// fileWorkers is the number of goroutines that scan an embedding in the file:
// one for less than half a megabyte, because waking a second goroutine would
// take as long as the scan.
func (c *call) fileWorkers(info storage.EmbeddingInfo) int {
	if session.VectorBytes(info.Vertices, info.Dim) < 1<<19 {
		return 1
	}
	return c.db.opts.Workers
}

// scanned describes for PROFILE how many vectors a scan compared.
func scanned(rows int) string { return fault.Count(int64(rows), "vector") + " scanned" }

// checked cuts the hits after the limit of the request (0 for none), and returns
// an error if they are more than Options.MaxRows.
func (c *call) checked(hits []index.Hit, limit int) ([]index.Hit, error) {
	if limit > 0 && len(hits) > limit {
		hits = hits[:limit]
	}
	return hits, c.checkRows(len(hits))
}

// noticeFew gives a notice of the reason for fewer answers than requested, if
// it is not a condition.
func (c *call) noticeFew(s search, found int) {
	if found < s.k && s.where == nil {
		c.Notice("%d of %d found: embedding %s has no more vectors", found, s.k, fault.Name(s.embedding))
	}
}

// noticeZero gives a notice about a search by cosine for a vector of zeros.
func (c *call) noticeZero(metric index.Metric, vector []float32) {
	if metric != index.Cosine || slices.ContainsFunc(vector, func(x float32) bool { return x != 0 }) {
		return
	}
	c.Notice("the query vector is zero, and its cosine with every other one is 0")
}
