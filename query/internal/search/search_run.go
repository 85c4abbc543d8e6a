package search

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"heavytail/index"
	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/query/internal/scan"
	"heavytail/query/internal/session"
	"heavytail/query/plan"
	"heavytail/query/where"
	"heavytail/storage"
)

// This file answers a search. It reads the vectors and the graph through a View, which is in the
// file where that is possible, so that the first answers after opening a file need not wait until
// the vectors, the index and the graph are loaded.

// View is an embedding with its graph, as a search reads them: in memory (Loaded), or in the file
// (InFile), of which it reads only what the search needs.
type View interface {
	// Query returns the i-th query vertex and its vector.
	Query(i int, key string) (vertex uint32, vector []float32, err error)
	// Neighbors returns the neighbours of a vertex, ascending.
	Neighbors(vertex uint32) ([]uint32, error)
	// Candidate is a vertex about which a condition decides.
	Candidate(vertex uint32, linked bool) where.Candidate
	// Keys returns the keys of vertices.
	Keys(vertices []uint32) ([]string, error)
	// State identifies the vectors, with the number of answers that have changed since.
	State(hits []index.Hit) catalogue.EmbeddingState
	// find finds the vectors near a vector, among those of the vertices that filter admits, by the
	// index of the search or by a scan of all vectors, and describes how for PROFILE. Afterwards
	// the index of the search is the one that was used.
	find(s *Search, vector []float32, filter func(uint32) bool) (hits []index.Hit, how string, err error)
}

// Found is the answer of a search, the nearest vertex first or in the order of the question.
type Found struct {
	Hits  []index.Hit
	Keys  []string // of the hits
	State catalogue.EmbeddingState
	Index *storage.IndexInfo // that was used; nil for a scan
}

// Run answers a search.
func Run(c *engine.Call, s Search) (f Found, err error) {
	err = s.Open(c, func(v View) error {
		resolved := s
		if l, ok := v.(*Loaded); ok {
			resolved = l.Search
		}
		f, err = answer(c, v, resolved)
		return err
	})
	return f, err
}

// Open calls f with the vectors and the graph of a search in the file, where it can be answered there
// and nothing has changed since it was resolved, and otherwise in memory.
func (s Search) Open(c *engine.Call, f func(View) error) error {
	if s.InFile {
		info, graph := s.Entry.Info, s.Entry.Graph
		err := c.DB.Store.ViewRows(c.Ctx, info.Name, func(v *storage.RowView) error {
			if session.EmbeddingKey(v.Info) != session.EmbeddingKey(info) || v.Graph.ID != graph.ID || v.Graph.Version != graph.Version {
				return ErrMoved
			}
			return f(NewInFile(c, v, s))
		})
		if !errors.Is(err, ErrMoved) {
			return err
		}
	}
	l := &Loaded{Call: c}
	if err := c.Consistent(func() error { return l.load(s) }); err != nil {
		return err
	}
	return f(l)
}

func answer(c *engine.Call, v View, s Search) (f Found, err error) {
	stop := c.Watch.Start(plan.Scan)
	hits, how, err := Hits(c, v, &s)
	if err != nil {
		return f, err
	}
	stop(int64(len(hits)), how)
	if l, ok := v.(*Loaded); ok && s.OrderBy != "" {
		order, err := VertexOrder(c, l.Space.Graph, l.Columns, s.OrderBy, s.Descending)
		if err != nil {
			return f, err
		}
		slices.SortStableFunc(hits, func(a, b index.Hit) int { return order(a.Vertex, b.Vertex) })
	}
	if s.Limit > 0 && len(hits) > s.Limit {
		hits = hits[:s.Limit]
	}
	if err := c.CheckRows(len(hits)); err != nil {
		return f, err
	}
	if len(hits) < s.K && s.Where == nil {
		c.Notice("%d of %d found: embedding %s has no more vectors", len(hits), s.K, fault.Name(s.Embedding))
	}
	f = Found{Hits: hits, State: v.State(hits), Index: s.Index}
	if f.State.Changed > 0 {
		c.Notice("%d of the %s shown changed since", f.State.Changed, fault.Count(int64(len(hits)), "vertex"))
	}
	f.Keys, err = v.Keys(index.Vertices(hits))
	return f, err
}

// Hits finds the vectors of a search in a view, and describes how for PROFILE. The query vertices are
// left out. Afterwards s.Index is the index that was used.
func Hits(c *engine.Call, v View, s *Search) (hits []index.Hit, how string, err error) {
	vector := s.Vector
	vertices, rows, linked := make([]uint32, len(s.Vertices)), make([][]float32, len(s.Vertices)), make([][]uint32, len(s.Vertices))
	for i, key := range s.Vertices {
		if vertices[i], rows[i], err = v.Query(i, key); err != nil {
			return nil, "", err
		}
		if s.Where != nil {
			if linked[i], err = v.Neighbors(vertices[i]); err != nil {
				return nil, "", err
			}
		}
	}
	switch {
	case s.Centroid:
		vector = centroid(rows, s.Metric)
	case len(rows) > 0:
		vector = rows[0]
	}
	if s.Metric == index.Cosine && !slices.ContainsFunc(vector, func(x float32) bool { return x != 0 }) {
		c.Notice("the query vector is zero, and its cosine with every other one is 0")
	}
	return v.find(s, vector, func(u uint32) bool {
		switch {
		case slices.Contains(vertices, u), s.Only != nil && !s.Only(u):
			return false
		case s.Where == nil:
			return true
		}
		isLinked := slices.ContainsFunc(linked, func(row []uint32) bool { _, found := slices.BinarySearch(row, u); return found })
		return s.Where(v.Candidate(u, isLinked))
	})
}

// VertexOrder returns the order of SHOW VERTICES by a column, and notices a measure that is
// behind the graph.
func VertexOrder(c *engine.Call, g *session.Graph, columns *session.ColumnSet, by string, descending bool) (func(a, b uint32) int, error) {
	s := scan.Vertices{Graph: g, Columns: columns}
	return s.Compare(s.Column(by), descending), entries.NoteMeasures(c, g.Info, []string{by})
}

// Loaded is a search with its vectors, graph and attributes in memory.
type Loaded struct {
	Search
	Call    *engine.Call
	Space   *session.Space
	Columns *session.ColumnSet // that the condition reads
}

// load loads the input of a search. If the embedding was replaced since the search
// was resolved, the answer comes from the new generation.
func (l *Loaded) load(s Search) (err error) {
	c := l.Call
	if l.Search = s; len(s.Attributes) > 0 {
		if _, l.Columns, err = c.Columns(s.Entry.Info.Graph, s.Attributes, fault.Where); err != nil {
			return err
		}
	}
	if l.Space, err = c.Space(s.Embedding, fault.Embedding); err != nil {
		return err
	}
	if !s.Exact && session.EmbeddingKey(l.Space.Info) != session.EmbeddingKey(s.Entry.Info) {
		if l.Index, _, err = IndexFor(c, l.Space.Info, s.Metric, s.Many); err != nil {
			return err
		}
	}
	if s.Vector == nil {
		return nil
	}
	return session.CheckVector(l.Space.Info, s.Vector, fault.Vector)
}

// Query implements View.
func (l *Loaded) Query(i int, key string) (vertex uint32, vector []float32, err error) {
	at := partExample(i)
	if vertex, err = l.Call.Vertex(l.Space.Graph, key, at); err == nil {
		vector, err = l.Space.Row(vertex, key, at)
	}
	return vertex, vector, err
}

// Neighbors implements View.
func (l *Loaded) Neighbors(vertex uint32) ([]uint32, error) {
	return l.Space.Graph.Graph.Neighbors(vertex), nil
}

// Candidate implements View.
func (l *Loaded) Candidate(vertex uint32, linked bool) where.Candidate {
	return where.NewCandidate(l.Space.Graph, l.Columns, vertex, linked)
}

// Keys implements View.
func (l *Loaded) Keys(vertices []uint32) ([]string, error) {
	return l.Call.Keys(l.Space.Graph, vertices)
}

// State implements View.
func (l *Loaded) State(hits []index.Hit) catalogue.EmbeddingState {
	s := l.Space
	state := catalogue.EmbeddingState{Name: s.Info.Name, Generation: s.Info.Generation, GraphVersion: s.Info.GraphVersion, Behind: s.Behind}
	for _, h := range hits {
		if s.Behind > 0 && s.Changed(h.Vertex) {
			state.Changed++
		}
	}
	return state
}

func (l *Loaded) find(s *Search, vector []float32, filter func(uint32) bool) (hits []index.Hit, how string, err error) {
	c, n := l.Call, l.Space.Graph.Graph.Vertices()
	opts := index.SearchOptions{Filter: func(v uint32) bool { return int(v) < n && filter(v) }, Workers: c.DB.Opts.Workers, GraphOnly: c.DB.Opts.GraphOnly}
	if s.Where == nil && s.Only == nil && len(s.Vertices) == 0 && l.Space.Matrix.Rows <= n {
		opts.Filter = nil
	}
	if s.Index != nil {
		h, err := Hnsw(c, l.Space, s.Metric, s.Index)
		if err != nil {
			return nil, "", err
		}
		if h != nil {
			a, err := s.walk(c.Ctx, h, vector, l.Space.InRows(opts))
			l.Space.ToVertices(a.Hits)
			if err != nil {
				return nil, "", err
			}
			how := l.walked(h, a)
			if a.Exact != "" {
				s.Index = nil
			}
			return a.Hits, how, nil
		}
		s.Index = nil
	}
	exact, err := l.Space.Searcher(s.Metric)
	if err != nil {
		return nil, "", err
	}
	if s.K > 0 {
		hits, err = exact.Search(c.Ctx, vector, s.K, opts)
	} else {
		hits, err = exact.Within(c.Ctx, vector, s.Radius, opts)
	}
	return hits, scanned(l.Space.Matrix.Rows), err
}

// walked describes for PROFILE how many vectors a search of an index compared.
func (l *Loaded) walked(h *index.HNSW, a index.Answer) string {
	if a.Exact != "" {
		return scanned(h.Len()) + ", as " + a.Exact
	}
	text := fmt.Sprintf("%d of %s compared at ef %d, %s, index %s", a.Scored, fault.Count(int64(h.Live()), "vector"), a.Ef,
		RecallText(l.Index.Recall, l.Index.Lowest, l.Index.Poor), session.LoadedFrom(l.Space.IndexHit))
	if deleted := l.Space.Deleted(); deleted > 0 {
		text += fmt.Sprintf(", %d of deleted vertices left out", deleted)
	}
	return text
}

// InFile is a search whose vectors and graph are read in the file, of the version for which it was
// resolved.
type InFile struct {
	*storage.RowView
	call    *engine.Call
	search  Search
	degrees fileDegrees
}

// NewInFile returns the view of a search in a transaction.
func NewInFile(c *engine.Call, v *storage.RowView, s Search) *InFile {
	f := &InFile{RowView: v, call: c, search: s, degrees: fileDegrees{view: v, most: math.MaxInt64}}
	if s.Index == nil {
		f.degrees.most = session.PartLimit(s.Entry.Graph)
	}
	return f
}

// Query implements View.
func (f *InFile) Query(_ int, key string) (vertex uint32, vector []float32, err error) {
	if vertex, err = f.Vertex(key); err == nil {
		vector, err = f.Row(vertex)
	}
	return vertex, vector, err
}

// Candidate implements View, for a condition that reads only linked and degree.
func (f *InFile) Candidate(vertex uint32, linked bool) where.Candidate {
	v := where.Candidate{Linked: linked}
	if f.search.readsDegrees() {
		v.Degree = f.degrees.of(vertex)
	}
	return v
}

// State implements View.
func (f *InFile) State([]index.Hit) catalogue.EmbeddingState {
	return catalogue.EmbeddingState{Name: f.Info.Name, Generation: f.Info.Generation, GraphVersion: f.Info.GraphVersion}
}

func (f *InFile) find(s *Search, vector []float32, filter func(uint32) bool) (hits []index.Hit, how string, err error) {
	c, graph := f.call, s.Entry.Graph
	opts := index.SearchOptions{Filter: filter, Workers: fileWorkers(c, f.Info)}
	if s.Index != nil {
		if hits, how, err = f.searchIndex(s, vector, opts); err == nil {
			err = f.degrees.err
		}
		if err != nil || s.Index != nil {
			c.DB.Cache.CountScan(session.EmbeddingKey(f.Info), 1)
			return hits, how, err
		}
		f.degrees.most = f.degrees.cost + session.PartLimit(graph)
	}
	x, err := s.fileScan(s.Metric, f.Info.Dim, f.Info.Vertices, vector, opts)
	if err != nil {
		return nil, "", err
	}
	err = f.Scan(opts.Workers, func(worker int, first uint32, rows []float32) {
		if !f.degrees.failed() {
			x.Add(worker, first, rows)
		}
	})
	if s.readsDegrees() {
		c.DB.Cache.CountScan(session.GraphKey(graph), int(f.degrees.cost))
	}
	c.DB.Cache.CountScan(session.EmbeddingKey(f.Info), ScanCost)
	return x.Hits(), scanned(f.Info.Vertices) + " in the file" + how, errors.Join(err, f.degrees.err)
}

// searchIndex answers a search by its index in the file, and describes it for PROFILE. It
// sets s.Index to nil if the vectors must be scanned instead; then it describes why.
func (f *InFile) searchIndex(s *Search, vector []float32, opts index.SearchOptions) (hits []index.Hit, how string, err error) {
	info := s.Index
	s.Index = nil
	opts.GraphOnly = f.call.DB.Opts.GraphOnly
	stream, err := f.Index(s.Metric.String())
	if errors.Is(err, storage.ErrNotFound) {
		return nil, "", nil // dropped since the search was resolved
	}
	var a index.Answer
	if err == nil {
		var x *index.View
		if x, err = index.NewView(index.Source{Stream: stream, Raw: stream.Raw(), Size: stream.Info.Bytes, Compared: stream.Info.Compared}, f.Info.Dim, f.Info.Vertices, f.ReadRow); err == nil {
			a, err = s.walk(f.call.Ctx, x, vector, opts)
		}
	}
	switch {
	case errors.Is(err, index.ErrFormat), errors.Is(err, index.ErrMismatch), errors.Is(err, storage.ErrCorrupt):
		noticeDamage(f.call, f.Info, err)
		return nil, "", nil
	case err != nil:
		return nil, "", err
	case a.Exact != "":
		return nil, ", as " + a.Exact, nil
	}
	s.Index = info
	how = fmt.Sprintf("%d of %s compared at ef %d, %s, index in the file", a.Scored, fault.Count(int64(stream.Info.Vectors), "vector"), a.Ef,
		RecallText(info.Recall, info.Lowest, info.Poor))
	return a.Hits, how, nil
}

// ErrMoved ends a search in the file if the file by now has a different version
// of the graph or generation of the embedding, or if loading takes less.
var ErrMoved = errors.New("the embedding or its graph was replaced")

// fileDegrees reads degrees in the file, for several goroutines.
type fileDegrees struct {
	view *storage.RowView
	most int64 // largest cost, as in storage.GraphPart; beyond it the error is ErrMoved, since loading the graph takes less

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
		d.err = ErrMoved
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
func fileWorkers(c *engine.Call, info storage.EmbeddingInfo) int {
	if session.VectorBytes(info.Vertices, info.Dim) < 1<<19 {
		return 1
	}
	return c.DB.Opts.Workers
}

// scanned describes for PROFILE how many vectors a scan compared.
func scanned(rows int) string { return fault.Count(int64(rows), "vector") + " scanned" }

// SettledSpace loads an embedding and its graph, in versions that belong together.
func SettledSpace(c *engine.Call, embedding string) (s *session.Space, err error) {
	err = c.Consistent(func() error {
		s, err = c.Space(embedding, fault.Embedding)
		return err
	})
	return s, err
}
