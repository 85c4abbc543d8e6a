package query

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"

	"heavytail/index"
	"heavytail/storage"
	"heavytail/storage/vec"
)

// This file has embeddings as calls see them: vectors in memory, matched with the
// vertices that the graph has now.

// vectors are one generation of an embedding in memory, shared between calls.
type vectors struct {
	info   storage.EmbeddingInfo
	matrix *vec.Matrix

	mu    sync.Mutex // guards exact
	exact map[index.Metric]*index.Exact
}

func newVectors(info storage.EmbeddingInfo, matrix *vec.Matrix) *vectors {
	return &vectors{info: info, matrix: matrix, exact: map[index.Metric]*index.Exact{}}
}

// vectorBytes is what vectors take in memory, with their norms.
func vectorBytes(rows, dim int) int64 { return 4*int64(rows)*int64(dim) + 8*int64(rows) }

// searcher returns the exact index of the vectors under a metric. Cosine needs
// the norm of every row, so it is made once and kept.
func (v *vectors) searcher(metric index.Metric) (*index.Exact, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if x := v.exact[metric]; x != nil {
		return x, nil
	}
	x, err := index.NewExact(v.matrix, metric)
	if err == nil {
		v.exact[metric] = x
	}
	return x, err
}

// matched is an embedding for the vertices of one version of its graph.
type matched struct {
	*vectors          // row v belongs to vertex v; later vertices have no row
	behind   uint64   // versions of the graph since the embedding, without those that changed attributes only
	touched  []uint32 // vertices that are new since, or whose edges changed, ascending
	all      bool     // any vertex may have changed

	// Where vertices were deleted since, the stored vectors, of which some rows are
	// left out above, and the vertex of each of their rows, or storage.NoRow.
	stored   *vectors
	vertices []uint32
}

// changed tells whether a vertex has other edges than when it got its vector.
func (m *matched) changed(v uint32) bool {
	_, found := slices.BinarySearch(m.touched, v)
	return found || m.all
}

// space is an embedding as one call sees it, with the graph that it belongs to.
type space struct {
	*matched
	graph    *graphView
	hit      bool // the vectors were in memory already
	indexHit bool // and so was the index that was used
}

// space returns an embedding by name, with its graph, and notes if the graph
// has moved on since. It is ErrConflict where the call sees an older version of
// the graph than that of the embedding; see call.settled.
func (c *call) space(embedding string, at part) (*space, error) {
	if s := c.spaces[embedding]; s != nil {
		return s, nil
	}
	stored, key, hit, err := c.vectors(embedding, at)
	if err != nil {
		return nil, err
	}
	s := &space{hit: hit}
	if s.graph, err = c.graph(stored.info.Graph, at); err != nil {
		return nil, err
	}
	if s.matched, err = c.match(stored, s.graph, key); err != nil {
		return nil, err
	}
	if s.behind > 0 {
		c.notice("embedding %s is %s behind graph %s", name(embedding), count(int64(s.behind), "version"), name(s.info.Graph))
	}
	c.spaces[embedding] = s
	return s, nil
}

// vectors returns the vectors of an embedding by name as they are stored, and the
// key of the cache that they have there.
func (c *call) vectors(embedding string, at part) (stored *vectors, key cacheKey, hit bool, err error) {
	info, err := c.embeddingInfo(embedding, at)
	if err != nil {
		return nil, key, false, err
	}
	key = embeddingKey(info)
	stop := c.watch.start("embedding " + embedding)
	var value any
	value, hit, err = c.hold(key, vectorBytes(info.Vertices, info.Dim), "embedding "+name(embedding), func(ctx context.Context) (any, error) {
		info, matrix, err := c.db.store.Embedding(ctx, embedding)
		return newVectors(info, matrix), err
	})
	if err != nil {
		return nil, key, false, err
	}
	stored = value.(*vectors)
	stop(int64(stored.matrix.Rows), loadedFrom(hit))
	return stored, key, hit, nil
}

// match gives the vertices of a graph their rows. While no vertex was deleted
// since, the rows are the stored ones; otherwise they are copied once for each
// version of the graph.
func (c *call) match(stored *vectors, graph *graphView, key cacheKey) (*matched, error) {
	if graph.Info.Version == stored.info.GraphVersion {
		return &matched{vectors: stored}, nil
	}
	key.kind, key.graph = "matched", graph.Info.Version
	bytes := int64(0)
	if graph.Info.Deleted > 0 {
		bytes = vectorBytes(stored.matrix.Rows, stored.matrix.Dim) + 4*int64(stored.matrix.Rows)
	}
	value, _, err := c.hold(key, bytes, "embedding "+name(stored.info.Name), func(ctx context.Context) (any, error) {
		return c.loadMatched(ctx, stored, graph)
	})
	if err != nil {
		return nil, err
	}
	return value.(*matched), nil
}

func (c *call) loadMatched(ctx context.Context, stored *vectors, graph *graphView) (*matched, error) {
	m := &matched{vectors: stored}
	if graph.Info.Version > stored.info.GraphVersion {
		changes, err := c.db.store.Changes(ctx, graph.Info.Name, stored.info.GraphVersion)
		if err != nil {
			return nil, err
		}
		m.behind = min(changes.Versions, graph.Info.Version-stored.info.GraphVersion)
		// What the log says may be of a later version than the graph of the call.
		m.touched, m.all = changes.Touched, changes.All || changes.To != graph.Info.Version
	}
	var matrix *vec.Matrix
	var err error
	if waited := c.await(func() { matrix, err = graph.Align(stored.info, stored.matrix) }); waited != nil {
		return nil, waited
	}
	if err != nil {
		return nil, err
	}
	if matrix != stored.matrix {
		m.vectors, m.stored = newVectors(stored.info, matrix), stored
		m.vertices, err = verticesOfRows(graph, stored)
	}
	return m, err
}

// verticesOfRows returns the vertex of each row of stored vectors, or storage.NoRow
// where it was deleted since.
func verticesOfRows(graph *graphView, stored *vectors) ([]uint32, error) {
	rows, err := graph.RowsOf(stored.info)
	if err != nil {
		return nil, err
	}
	vertices := make([]uint32, stored.matrix.Rows)
	for row := range vertices {
		vertices[row] = storage.NoRow
	}
	for v, row := range rows {
		if row != storage.NoRow {
			vertices[row] = uint32(v)
		}
	}
	return vertices, nil
}

// settled runs resolve, which loads graphs and embeddings. Where they do not go
// together, as an embedding was replaced between, it forgets all of them and
// runs it again.
func (c *call) settled(resolve func() error) error {
	const most = 10 // each time somebody has replaced an embedding meanwhile
	for attempt := 1; ; attempt++ {
		err := resolve()
		if !errors.Is(err, storage.ErrConflict) || attempt == most {
			return err
		}
		clear(c.graphs)
		clear(c.spaces)
	}
}

// rows returns the number of vectors.
func (s *space) rows() int {
	if s.matrix == nil { // they are in the file
		return s.info.Vertices
	}
	return s.matrix.Rows
}

// row returns the vector of a vertex. A vertex that is newer than the embedding
// has none.
func (s *space) row(v uint32, key string, at part) ([]float32, error) {
	if int(v) < s.matrix.Rows {
		return s.matrix.Row(int(v)), nil
	}
	e := mistake(at, "vertex %s is newer than embedding %s and has no vector yet", quoteKey(key), name(s.info.Name))
	e.Hint = "REFRESH the embedding first"
	return nil, e
}

// checkVector refuses a query vector that does not fit the embedding.
func (s *space) checkVector(vector []float32, at part) error {
	if len(vector) != s.info.Dim {
		return mistake(at, "the vector has %s, embedding %s has dimension %d", count(int64(len(vector)), "number"), name(s.info.Name), s.info.Dim)
	}
	for i, x := range vector {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return mistake(at, "element %d of the vector is %v, and must be a finite 32-bit number", i+1, x)
		}
	}
	return nil
}
