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

// This file answers a search: in the file (searchFile), so that the first answers after
// opening a file need not wait until the vectors, the index and the graph are loaded, or in
// memory (run); both by an index or by a scan of all vectors.

// VertexOrder returns the order of SHOW VERTICES by a column, and notices a measure that is
// behind the graph.
func VertexOrder(c *engine.Call, g *session.Graph, columns *session.ColumnSet, by string, descending bool) (func(a, b uint32) int, error) {
	s := scan.Vertices{Graph: g, Columns: columns}
	return s.Compare(s.Column(by), descending), entries.NoteMeasures(c, g.Info, []string{by})
}

// LoadedSearch is a search with its vectors, graph and attributes in memory.
type LoadedSearch struct {
	Searcher
	Columns  *session.ColumnSet // that the condition reads
	Vector   []float32
	vertices []uint32 // the query vertices
}

// Load loads the input of a search. If the embedding was replaced since the search
// was resolved, the answer comes from the new generation.
func Load(c *engine.Call, s Search) (l LoadedSearch, err error) {
	l.Metric = s.Metric
	if len(s.Attributes) > 0 {
		if _, l.Columns, err = c.Columns(s.Entry.Info.Graph, s.Attributes, fault.Where); err != nil {
			return l, err
		}
	}
	if l.Space, err = c.Space(s.Embedding, fault.Embedding); err != nil {
		return l, err
	}
	if l.Index = s.Index; !s.Exact && session.EmbeddingKey(l.Space.Info) != session.EmbeddingKey(s.Entry.Info) {
		if l.Index, _, err = IndexFor(c, l.Space.Info, s.Metric); err != nil {
			return l, err
		}
	}
	if len(s.Vertices) == 0 {
		if l.Vector = s.Vector; l.Vector == nil {
			return l, nil // NEAREST FOR sets its many queries later
		}
		return l, session.CheckVector(l.Space.Info, s.Vector, fault.Vector)
	}
	rows := make([][]float32, len(s.Vertices))
	l.vertices = make([]uint32, len(s.Vertices))
	for i, key := range s.Vertices {
		at := partExample(i)
		if l.vertices[i], err = c.Vertex(l.Space.Graph, key, at); err != nil {
			return l, err
		}
		if rows[i], err = l.Space.Row(l.vertices[i], key, at); err != nil {
			return l, err
		}
	}
	if l.Vector = rows[0]; s.Centroid {
		l.Vector = centroid(rows, s.Metric)
	}
	return l, nil
}

// Options returns the filter of the search, which leaves out the query vertices
// and calls admits for the others.
func (l *LoadedSearch) Options(c *engine.Call, admits func(where.Candidate) bool) index.SearchOptions {
	g := l.Space.Graph
	n := g.Graph.Vertices()
	filter := func(v uint32) bool {
		if slices.Contains(l.vertices, v) || int(v) >= n {
			return false
		}
		return admits == nil || admits(where.NewCandidate(g, l.Columns, v, l.linked(v)))
	}
	if admits == nil && len(l.vertices) == 0 && l.Space.Matrix.Rows <= n {
		filter = nil
	}
	return index.SearchOptions{Filter: filter, Workers: c.DB.Opts.Workers, GraphOnly: c.DB.Opts.GraphOnly}
}

// linked reports whether a vertex is a neighbour of a query vertex.
func (l *LoadedSearch) linked(v uint32) bool {
	return slices.ContainsFunc(l.vertices, func(u uint32) bool { return l.Space.Graph.Graph.HasEdge(u, v) })
}

// Searcher finds vectors in memory, by an index or by a scan.
type Searcher struct {
	Space  *session.Space
	Metric index.Metric
	Index  *storage.IndexInfo // nil for a scan
}

// SearchIndex answers a search by the index of its space, or by a scan if there is none,
// and records its cost for PROFILE. Afterwards s.Index is the index that was used.
func SearchIndex(c *engine.Call, s *Searcher, which Scope, vector []float32, opts index.SearchOptions) ([]index.Hit, error) {
	if s.Index != nil {
		h, err := Hnsw(c, s.Space, s.Metric, s.Index)
		if err != nil {
			return nil, err
		}
		if h != nil {
			stop := c.Watch.Start(plan.Scan)
			a, err := which.walk(c.Ctx, h, vector, s.Space.InRows(opts))
			s.Space.ToVertices(a.Hits)
			if err == nil {
				stop(int64(len(a.Hits)), s.walked(h, a))
			}
			if a.Exact != "" {
				s.Index = nil
			}
			return a.Hits, err
		}
		s.Index = nil
	}
	exact, err := s.Space.Searcher(s.Metric)
	if err != nil {
		return nil, err
	}
	stop := c.Watch.Start(plan.Scan)
	var hits []index.Hit
	if which.K > 0 {
		hits, err = exact.Search(c.Ctx, vector, which.K, opts)
	} else {
		hits, err = exact.Within(c.Ctx, vector, which.Radius, opts)
	}
	stop(int64(len(hits)), scanned(s.Space.Matrix.Rows))
	return hits, err
}

// walked describes for PROFILE how many vectors a search of an index compared.
func (s *Searcher) walked(h *index.HNSW, a index.Answer) string {
	if a.Exact != "" {
		return scanned(h.Len()) + ", as " + a.Exact
	}
	text := fmt.Sprintf("%d of %s compared at ef %d, %s, index %s", a.Scored, fault.Count(int64(h.Live()), "vector"), a.Ef,
		RecallText(s.Index.Recall, s.Index.Lowest, s.Index.Poor), session.LoadedFrom(s.Space.IndexHit))
	if deleted := s.Space.Deleted(); deleted > 0 {
		text += fmt.Sprintf(", %d of deleted vertices left out", deleted)
	}
	return text
}

// StateOf identifies the vectors of a space in an answer.
func StateOf(s *session.Space) catalogue.EmbeddingState {
	return catalogue.EmbeddingState{
		Name: s.Info.Name, Generation: s.Info.Generation,
		GraphVersion: s.Info.GraphVersion, Behind: s.Behind,
	}
}

// ErrMoved ends a search in the file if the file by now has a different version
// of the graph or generation of the embedding.
var ErrMoved = errors.New("the embedding or its graph was replaced")

// HitsInFile finds the vectors of a search in the file. It describes the search for PROFILE,
// with its cost for Cache.CountScan, and sets s.index to nil if it scanned the vectors.
func HitsInFile(c *engine.Call, v *storage.RowView, s *Search) (hits []index.Hit, vector []float32, how string, cost int, err error) {
	info, graph := s.Entry.Info, s.Entry.Graph
	opts := index.SearchOptions{Workers: fileWorkers(c, info)}
	degrees := fileDegrees{view: v, most: math.MaxInt64}
	if s.Index == nil {
		degrees.most = session.PartLimit(graph)
	}
	if vector, opts.Filter, err = s.queryInFile(v, &degrees); err != nil {
		return nil, nil, "", 0, err
	}
	if s.Index != nil {
		if hits, how, err = searchPlace(c, v, s, vector, opts); err == nil {
			err = degrees.err
		}
		if err != nil || s.Index != nil {
			return hits, vector, how, 1, err
		}
		degrees.most = degrees.cost + session.PartLimit(graph)
	}
	x, err := s.fileScan(s.Metric, info.Dim, info.Vertices, vector, opts)
	if err != nil {
		return nil, nil, "", 0, err
	}
	err = v.Scan(opts.Workers, func(worker int, first uint32, rows []float32) {
		if !degrees.failed() {
			x.Add(worker, first, rows)
		}
	})
	if s.readsDegrees() {
		c.DB.Cache.CountScan(session.GraphKey(graph), int(degrees.cost))
	}
	return x.Hits(), vector, scanned(info.Vertices) + " in the file" + how, ScanCost, errors.Join(err, degrees.err)
}

// searchPlace answers a search by its index in the file, and describes it for PROFILE. It
// sets s.index to nil if the vectors must be scanned instead; then it describes why.
func searchPlace(c *engine.Call, v *storage.RowView, s *Search, vector []float32, opts index.SearchOptions) (hits []index.Hit, how string, err error) {
	info := s.Index
	s.Index = nil
	opts.GraphOnly = c.DB.Opts.GraphOnly
	stream, err := v.Index(s.Metric.String())
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
		noticeDamage(c, v.Info, err)
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

// queryInFile returns the query vector of a search in the file, and the filter of its
// vertices; nil admits all. A condition of such a search reads only linked, which the
// neighbours of the query vertex decide, and degrees, so that the graph is not loaded.
func (s Search) queryInFile(v *storage.RowView, degrees *fileDegrees) (vector []float32, filter func(uint32) bool, err error) {
	admits := func(linked bool) bool { return s.Where == nil || s.Where(where.Candidate{Linked: linked}) }
	linked, others := admits(true), admits(false)
	if len(s.Vertices) == 0 {
		if s.readsDegrees() {
			filter = func(u uint32) bool { return s.Where(where.Candidate{Degree: degrees.of(u)}) }
		} else if !others {
			filter = func(uint32) bool { return false }
		}
		return s.Vector, filter, nil
	}
	vertex, err := v.Vertex(s.Vertices[0])
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
			return s.Where(where.Candidate{Degree: degrees.of(u), Linked: found})
		case found:
			return linked
		}
		return others
	}, nil
}

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

// Checked cuts the hits after the limit of the request (0 for none), and returns
// an error if they are more than Options.MaxRows.
func Checked(c *engine.Call, hits []index.Hit, limit int) ([]index.Hit, error) {
	if limit > 0 && len(hits) > limit {
		hits = hits[:limit]
	}
	return hits, c.CheckRows(len(hits))
}

// NoticeFew gives a notice of the reason for fewer answers than requested, if
// it is not a condition.
func NoticeFew(c *engine.Call, s Search, found int) {
	if found < s.K && s.Where == nil {
		c.Notice("%d of %d found: embedding %s has no more vectors", found, s.K, fault.Name(s.Embedding))
	}
}

// NoticeZero gives a notice about a search by cosine for a vector of zeros.
func NoticeZero(c *engine.Call, metric index.Metric, vector []float32) {
	if metric != index.Cosine || slices.ContainsFunc(vector, func(x float32) bool { return x != 0 }) {
		return
	}
	c.Notice("the query vector is zero, and its cosine with every other one is 0")
}

// SettledSpace loads an embedding and its graph, in versions that belong together.
func SettledSpace(c *engine.Call, embedding string) (s *session.Space, err error) {
	err = c.Consistent(func() error {
		s, err = c.Space(embedding, fault.Embedding)
		return err
	})
	return s, err
}
