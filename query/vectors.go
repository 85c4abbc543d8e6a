package query

import (
	"context"
	"errors"
	"iter"
	"slices"

	"heavytail/query/internal/fault"
	"heavytail/query/internal/session"
	"heavytail/storage"
)

// VertexVector is a vertex with its vector.
type VertexVector struct {
	Key    string    `json:"vertex"`
	Vector []float32 `json:"vector"`
}

// Snapshot returns the present version of a graph with the keys of its vertices. It
// never changes and is safe for concurrent use, also after Close. The calls of the DB
// share it, so its slices must not be written. It takes O(n + m) unless the graph is in
// memory already, and counts for Options.MemoryLimit until Snapshot returns or the
// cache drops it; the memory that a caller keeps is not counted. An unknown graph is
// an *Error with the nearest name.
func (db *DB) Snapshot(ctx context.Context, graph string) (*storage.Snapshot, error) {
	c, err := db.begin(ctx, "SNAPSHOT")
	if err != nil {
		return nil, err
	}
	defer c.end()
	g, err := c.Graph(graph, fault.Graph)
	if err != nil {
		return nil, c.wrap(err)
	}
	return g.Snapshot, nil
}

// Vector returns the vector of a vertex, of as many numbers as the embedding has
// dimensions. It is a copy. A generation that is kept is named embedding@generation.
// An unknown embedding or vertex, or a vertex that is newer than the embedding, is an
// *Error; one for an unknown name has the nearest. Of an embedding that is as old as
// its graph, one record of the file is read, and neither graph nor vectors are loaded;
// otherwise both are. Many vectors are faster by Vectors.
func (db *DB) Vector(ctx context.Context, embedding, vertex string) ([]float32, error) {
	c, err := db.begin(ctx, "VECTOR")
	if err != nil {
		return nil, err
	}
	defer c.end()
	vector, err := c.storedVector(embedding, vertex)
	if errors.Is(err, errMoved) {
		vector, err = c.loadedVector(embedding, vertex)
	}
	return vector, c.wrap(err)
}

// storedVector reads a vector in the file. It is errMoved where rows are not those of
// the vertices that the graph has now.
func (c *call) storedVector(embedding, vertex string) (vector []float32, err error) {
	info, err := c.EmbeddingInfo(embedding, fault.Embedding)
	if err != nil {
		return nil, err
	}
	err = c.db.store.ViewRows(c.Ctx, embedding, func(v *storage.RowView) error {
		if v.Graph.ID != v.Info.GraphID || v.Graph.Version != v.Info.GraphVersion {
			return errMoved
		}
		row, err := v.Vertex(vertex)
		if err == nil {
			vector, err = v.Row(row)
		}
		return err
	})
	var missing *storage.NotFoundError
	if errors.As(err, &missing) && missing.Kind == "vertex" {
		return nil, c.unknownVertex(info.Graph, vertex, fault.Vertex)
	}
	return vector, err
}

// loadedVector returns a copy of a vector of an embedding that is matched with its
// graph.
func (c *call) loadedVector(embedding, vertex string) ([]float32, error) {
	s, err := c.settledSpace(embedding)
	if err != nil {
		return nil, err
	}
	v, err := c.Vertex(s.Graph, vertex, fault.Vertex)
	if err != nil {
		return nil, err
	}
	row, err := s.Row(v, vertex, fault.Vertex)
	return slices.Clone(row), err
}

// settledSpace loads an embedding and its graph, versions that belong together.
func (c *call) settledSpace(embedding string) (s *session.Space, err error) {
	err = c.Consistent(func() error {
		s, err = c.Space(embedding, fault.Embedding)
		return err
	})
	return s, err
}

// Vectors iterates over the vectors of an embedding, in the order of the vertices of
// its graph. Vertices that are newer than the embedding have none and are left out.
// Each vector is a copy. An error comes with an empty VertexVector, as the last; an
// unknown embedding is an *Error with the nearest name. The call begins with the
// iteration, which keeps the embedding and the graph in memory until it ends; changes
// meanwhile are not seen. The iterator may be used several times, also concurrently.
func (db *DB) Vectors(ctx context.Context, embedding string) iter.Seq2[VertexVector, error] {
	return iterate(func() (*stream[VertexVector], error) {
		c, err := db.begin(ctx, "VECTORS")
		if err != nil {
			return nil, err
		}
		defer c.end()
		s, err := c.settledSpace(embedding)
		if err != nil {
			return nil, c.wrap(err)
		}
		return streamOf(c, func(f func(VertexVector) error) error {
			const often = 1 << 10 // vertices between two looks at the context, below a millisecond
			for v := range s.Matrix.Rows {
				if v%often == 0 {
					if err := c.Ctx.Err(); err != nil {
						return err
					}
				}
				if err := f(VertexVector{s.Graph.Key(uint32(v)), slices.Clone(s.Matrix.Row(v))}); err != nil {
					return err
				}
			}
			return nil
		}), nil
	})
}
