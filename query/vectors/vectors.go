package vectors

import (
	"context"
	"errors"
	"iter"
	"slices"

	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/search"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
)

// VertexVector is a vertex with its vector.
type VertexVector struct {
	Key    string    `json:"vertex"`
	Vector []float32 `json:"vector"`
}

// Vector returns a copy of the vector of a vertex; its length is the dimension of the
// embedding. An earlier generation is named embedding@generation. An unknown embedding
// or vertex, or a vertex that is newer than the embedding, gives an *Error, which has
// the nearest known name. If the embedding is up to date, one record of the file is
// read, and neither graph nor vectors are loaded; otherwise both are loaded. For many
// vectors, Vectors is faster.
func (s *Service) Vector(ctx context.Context, embedding, vertex string) ([]float32, error) {
	return engine.InCall(ctx, s.db, "VECTOR", func(c *engine.Call) ([]float32, error) { return vector(c, embedding, vertex) })
}

// vector returns a copy of a vector, from the file where the embedding is up to date with its graph.
func vector(c *engine.Call, embedding, vertex string) (values []float32, err error) {
	e, err := c.Entry(embedding, fault.Embedding)
	if err != nil {
		return nil, err
	}
	s := search.Search{Question: search.Question{Embedding: embedding}, Entry: e, InFile: e.Graph.ID == e.Info.GraphID && e.Graph.Version == e.Info.GraphVersion}
	err = s.Open(c, func(v search.View) error {
		_, row, err := v.Query(0, vertex)
		values = slices.Clone(row)
		return err
	})
	var missing *storage.NotFoundError
	if errors.As(err, &missing) && missing.Kind == "vertex" {
		return nil, c.UnknownVertex(e.Info.Graph, vertex, fault.Vertex)
	}
	return values, err
}

// Each iterates over the vectors of an embedding, in the order of the vertices of
// its graph. Vertices that are newer than the embedding are left out. Each vector is
// a copy. An error is yielded last, with an empty VertexVector; an unknown embedding
// is an *Error with the nearest name. The call begins when the iteration begins, and
// keeps the embedding and the graph in memory until the iteration ends, which does
// not see later changes. The iterator may be used several times, also concurrently.
func (s *Service) Each(ctx context.Context, embedding string) iter.Seq2[VertexVector, error] {
	return engine.Iterate(func() (*engine.Stream[VertexVector], error) {
		return engine.InCall(ctx, s.db, "VECTORS", func(c *engine.Call) (*engine.Stream[VertexVector], error) {
			s, err := search.SettledSpace(c, embedding)
			if err != nil {
				return nil, err
			}
			return engine.StreamOf(c, func(f func(VertexVector) error) error {
				const often = 1 << 10 // vertices between two checks of the context, below a millisecond
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
	})
}

// vectorRequest names a vertex and an embedding. Programs have Service.Vector.
type vectorRequest struct{ embedding, vertex string }

var showVector = &engine.Statement[*parser.ShowVector, vectorRequest, storage.EmbeddingInfo, []float32]{
	Help: help.Statement{
		Statement: "SHOW VECTOR",
		Summary:   "lists the values of the vector of a vertex, one row for each dimension",
		Words:     "coordinates values get",
		Columns:   "dimension, value",
	},
	Bind: func(b *engine.Binder, s *parser.ShowVector) vectorRequest {
		return vectorRequest{embedding: b.Name(fault.Embedding, s.Embedding), vertex: b.VertexKey(fault.Vertex, s.Vertex)}
	},
	Resolve: func(c *engine.Call, req vectorRequest) (storage.EmbeddingInfo, error) {
		return c.EmbeddingInfo(req.embedding, fault.Embedding)
	},
	Plan: func(req vectorRequest, found storage.EmbeddingInfo) *plan.Plan {
		return plan.Result("vector", "of vertex "+fault.QuoteKey(req.vertex)+", "+fault.Count(int64(found.Dim), "value")+" of embedding "+fault.Name(req.embedding))
	},
	Run: func(c *engine.Call, req vectorRequest, _ storage.EmbeddingInfo) ([]float32, error) {
		return vector(c, req.embedding, req.vertex)
	},
	Rows: func(_ vectorRequest, vector []float32) *rows.Rows {
		table := make([][]rows.Value, len(vector))
		for i, x := range vector {
			table[i] = []rows.Value{int64(i + 1), float64(x)}
		}
		return cells.RowsOf([]string{"dimension", "value"}, table).Typed("value", cells.Always(storage.Float))
	},
	Reads: true,
}
