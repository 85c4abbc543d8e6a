package vectors

import (
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
)

// vectorRequest names a vertex and an embedding. Programs have DB.Vector.
type vectorRequest struct{ embedding, vertex string }

var showVector = &engine.Statement[*parser.ShowVector, vectorRequest, storage.EmbeddingInfo, []float32]{
	Help: help.Statement{
		Statement: "SHOW VECTOR", Syntax: "SHOW VECTOR OF vertex IN embedding",
		Summary: "lists the values of the vector of a vertex, one row for each dimension",
		Columns: "dimension, value",
		Example: "SHOW VECTOR OF 'alice' IN spec",
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
