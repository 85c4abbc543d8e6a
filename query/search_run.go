package query

import (
	"errors"
	"fmt"
	"slices"

	"heavytail/index"
	"heavytail/query/internal/fault"
	"heavytail/query/internal/plan"
	"heavytail/query/internal/session"
	"heavytail/query/internal/where"
	"heavytail/storage"
)

// find answers a search.
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
		if l.index, err = c.indexFor(l.space.Info, s.metric); err != nil {
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
	hits, err := which.scan(c.Ctx, exact, vector, opts)
	stop(int64(len(hits)), scanned(s.space.Matrix.Rows))
	return hits, err
}

// walked describes for PROFILE how many vectors a search of an index compared.
func (s *searcher) walked(h *index.HNSW, a index.Answer) string {
	if a.Exact != "" {
		return scanned(h.Len()) + ", as " + a.Exact
	}
	text := fmt.Sprintf("%d of %s compared at ef %d, %s, index %s", a.Scored, fault.Count(int64(h.Live()), "vector"), a.Ef,
		recallText(s.index.Recall, s.index.Spread, s.index.Lowest, s.index.Poor), session.LoadedFrom(s.space.IndexHit))
	if deleted := s.space.Deleted(); deleted > 0 {
		text += fmt.Sprintf(", %d of deleted vertices left out", deleted)
	}
	return text
}

// searchResult converts the vertices of hits to keys.
func (c *call) searchResult(s *searcher, hits []index.Hit) SearchResult {
	neighbors := make([]Neighbor, len(hits))
	for i, h := range hits {
		neighbors[i] = neighbor(s.metric, s.space.Graph.Key(h.Vertex), h)
	}
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

// stateOf describes the vectors of a space.
func stateOf(s *session.Space) EmbeddingState {
	return EmbeddingState{
		Name: s.Info.Name, Generation: s.Info.Generation,
		GraphVersion: s.Info.GraphVersion, Behind: s.Behind,
	}
}
