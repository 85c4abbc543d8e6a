package session

import (
	"context"
	"errors"
	"math"
	"slices"

	"heavytail/index"
	"heavytail/query/fault"
	"heavytail/storage"
	"heavytail/storage/vec"
)

// This file has the embeddings that calls use: vectors in memory, assigned to the
// present vertices of the graph.

// NewVectors returns the vectors of a generation, whose rows are in the order of the vertices.
func NewVectors(info storage.EmbeddingInfo, matrix *vec.Matrix) *Vectors {
	return &Vectors{Info: info, Matrix: matrix, exact: map[index.Metric]*index.Exact{}}
}

// VectorBytes is the memory of vectors, with their norms.
func VectorBytes(rows, dim int) int64 { return 4*int64(rows)*int64(dim) + 8*int64(rows) }

// StoringBytes is the memory of writing so many bytes to the store in transactions of its
// default size: the records of a transaction, and the pages that it writes.
func StoringBytes(bytes int64) int64 { return 2 * min(bytes, storage.DefaultBatchBytes) }

// Searcher returns the exact index of the vectors under a metric. Cosine needs
// the norm of every row, so the index is made once and kept.
func (v *Vectors) Searcher(metric index.Metric) (*index.Exact, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if x := v.exact[metric]; x != nil {
		return x, nil
	}
	x, err := index.NewExact(v.Matrix, metric)
	if err == nil {
		v.exact[metric] = x
	}
	return x, err
}

// Changed reports whether the edges of a vertex have changed since it got its vector.
func (m *Matched) Changed(v uint32) bool {
	_, found := slices.BinarySearch(m.touched, v)
	return found || m.all
}

// Space returns an embedding by name, with its graph, and gives a notice if the
// graph has changed since. It returns ErrConflict if the call sees an older
// version of the graph than that of the embedding; see Consistent.
func (c *Call) Space(embedding string, at fault.Part) (*Space, error) {
	if s := c.Spaces[embedding]; s != nil {
		return s, nil
	}
	stored, key, hit, err := c.Vectors(embedding, at)
	if err != nil {
		return nil, err
	}
	s := &Space{hit: hit}
	if s.Graph, err = c.Graph(stored.Info.Graph, at); err != nil {
		return nil, err
	}
	if s.Matched, err = c.match(stored, s.Graph, key); err != nil {
		return nil, err
	}
	if s.Behind > 0 {
		c.Notice("embedding %s is %s behind graph %s", fault.Name(embedding), fault.Count(int64(s.Behind), "version"), fault.Name(s.Info.Graph))
	}
	c.Spaces[embedding] = s
	return s, nil
}

// Vectors returns the vectors of an embedding as they are stored, and their key
// in the cache.
func (c *Call) Vectors(embedding string, at fault.Part) (stored *Vectors, key CacheKey, hit bool, err error) {
	info, err := c.EmbeddingInfo(embedding, at)
	if err != nil {
		return nil, key, false, err
	}
	key = EmbeddingKey(info)
	stop := c.Watch.Start("embedding " + info.Name)
	var value any
	value, hit, err = c.Pin(key, VectorBytes(info.Vertices, info.Dim), "embedding "+fault.Name(info.Name), func(ctx context.Context) (any, error) {
		info, matrix, err := c.store.Embedding(ctx, embedding)
		return NewVectors(info, matrix), err
	})
	if err != nil {
		return nil, key, false, err
	}
	stored = value.(*Vectors)
	if stored.Info.Graph != info.Graph { // the graph was renamed since they were loaded
		stored = NewVectors(info, stored.Matrix)
	}
	stop(int64(stored.Matrix.Rows), LoadedFrom(hit))
	return stored, key, hit, nil
}

// match assigns rows to the vertices of a graph. If no vertex was deleted
// since, these are the stored rows; otherwise the rows are copied once for
// each version of the graph.
func (c *Call) match(stored *Vectors, graph *Graph, key CacheKey) (*Matched, error) {
	if graph.Info.Version == stored.Info.GraphVersion {
		return &Matched{Vectors: stored}, nil
	}
	key = matchedKey(key, graph.Info)
	bytes := int64(0)
	if graph.Info.Deleted > 0 {
		bytes = VectorBytes(stored.Matrix.Rows, stored.Matrix.Dim) + 4*int64(stored.Matrix.Rows)
	}
	value, _, err := c.Pin(key, bytes, "embedding "+fault.Name(stored.Info.Name), func(ctx context.Context) (any, error) {
		return c.loadMatched(ctx, stored, graph)
	})
	if err != nil {
		return nil, err
	}
	return value.(*Matched), nil
}

// matchedKey is the key of an embedding that is matched with a graph, by the key of
// its vectors.
func matchedKey(vectors CacheKey, graph storage.GraphInfo) CacheKey {
	vectors.Kind, vectors.Graph, vectors.Made = "matched", graph.Version, graph.Modified.UnixNano()
	return vectors
}

func (c *Call) loadMatched(ctx context.Context, stored *Vectors, graph *Graph) (*Matched, error) {
	m := &Matched{Vectors: stored}
	if graph.Info.Version > stored.Info.GraphVersion {
		changes, err := c.store.Changes(ctx, graph.Info.Name, stored.Info.GraphVersion)
		if err != nil {
			return nil, err
		}
		m.Behind = min(changes.Versions, graph.Info.Version-stored.Info.GraphVersion)
		// The change log may be of a later version than the graph of the call.
		m.touched, m.all = changes.Touched, changes.All || changes.To != graph.Info.Version
	}
	var matrix *vec.Matrix
	var err error
	if waited := c.Await(func() { matrix, err = graph.Align(stored.Info, stored.Matrix) }); waited != nil {
		return nil, waited
	}
	if err != nil {
		return nil, err
	}
	if matrix != stored.Matrix {
		m.Vectors, m.stored = NewVectors(stored.Info, matrix), stored
		m.vertices, err = verticesOfRows(graph, stored)
	}
	return m, err
}

// verticesOfRows returns the vertex of each row of stored vectors, or storage.NoRow
// if the vertex was deleted since.
func verticesOfRows(graph *Graph, stored *Vectors) ([]uint32, error) {
	rows, err := graph.RowsOf(stored.Info)
	if err != nil {
		return nil, err
	}
	vertices := make([]uint32, stored.Matrix.Rows)
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

// Consistent runs resolve, which loads graphs and embeddings. If their versions do not
// match, because an embedding was replaced between two loads, it releases all of them
// and runs resolve again.
func (c *Call) Consistent(resolve func() error) error {
	const most = 10 // attempts; each fails only if an embedding was replaced meanwhile
	for attempt := 1; ; attempt++ {
		err := resolve()
		if !errors.Is(err, storage.ErrConflict) || attempt == most {
			return err
		}
		clear(c.Graphs)
		clear(c.Spaces)
	}
}

// Row returns the vector of a vertex. For a vertex that is newer than the
// embedding it returns an Error.
func (s *Space) Row(v uint32, key string, at fault.Part) ([]float32, error) {
	if int(v) < s.Matrix.Rows {
		return s.Matrix.Row(int(v)), nil
	}
	return nil, fault.New(at, "vertex %s is newer than embedding %s and has no vector yet", fault.QuoteKey(key), fault.Name(s.Info.Name)).
		WithRemedy("REFRESH the embedding first")
}

// CheckVector returns an Error for a query vector that does not fit the embedding.
func CheckVector(info storage.EmbeddingInfo, vector []float32, at fault.Part) error {
	if len(vector) != info.Dim {
		return fault.New(at, "the vector has %s, embedding %s has dimension %d", fault.Count(int64(len(vector)), "number"), fault.Name(info.Name), info.Dim)
	}
	for i, x := range vector {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return fault.New(at, "element %d of the vector is %v, and must be a finite 32-bit number", i+1, x)
		}
	}
	return nil
}

// EmbeddingKey is the key of the vectors of an embedding in the cache.
func EmbeddingKey(info storage.EmbeddingInfo) CacheKey {
	return CacheKey{Kind: "embedding", Name: info.Name, ID: uint64(info.Created.UnixNano()), Version: info.Generation}
}

// Indexed returns the rows that an index of the space refers to: all stored
// rows, including those of deleted vertices.
func (m *Matched) Indexed() *vec.Matrix {
	if m.stored != nil {
		return m.stored.Matrix
	}
	return m.Matrix
}

// InRows converts the options of a search among vertices to those of a search
// among the rows of an index, if these differ; rows of deleted vertices are
// excluded.
func (m *Matched) InRows(opts index.SearchOptions) index.SearchOptions {
	if m.stored == nil {
		return opts
	}
	filter := opts.Filter
	opts.Filter = func(row uint32) bool {
		v := m.vertices[row]
		return v != storage.NoRow && (filter == nil || filter(v))
	}
	return opts
}

// ToVertices converts the rows that such a search found to vertices. Rows and
// vertices have the same order, so ties keep their order.
func (m *Matched) ToVertices(hits []index.Hit) {
	if m.stored == nil {
		return
	}
	for i, h := range hits {
		hits[i].Vertex = m.vertices[h.Vertex]
	}
}

// Deleted counts the rows of an index whose vertices were deleted.
func (m *Matched) Deleted() int { return m.Indexed().Rows - m.Matrix.Rows }
