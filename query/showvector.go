package query

import (
	"heavytail/query/fault"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/storage"
)

// vectorRequest names a vertex and an embedding. Programs have DB.Vector.
type vectorRequest struct{ embedding, vertex string }

var showVector = &statement[*parser.ShowVector, vectorRequest, storage.EmbeddingInfo, []float32]{
	help: Help{
		Statement: "SHOW VECTOR", Syntax: "SHOW VECTOR OF vertex IN embedding",
		Summary: "lists the values of the vector of a vertex, one row for each dimension",
		Columns: "dimension, value",
		Example: "SHOW VECTOR OF 'alice' IN spec",
	},
	bind: func(b *binder, s *parser.ShowVector) vectorRequest {
		return vectorRequest{embedding: b.name(fault.Embedding, s.Embedding), vertex: b.vertexKey(fault.Vertex, s.Vertex)}
	},
	resolve: func(c *call, req vectorRequest) (storage.EmbeddingInfo, error) {
		return c.EmbeddingInfo(req.embedding, fault.Embedding)
	},
	plan: func(req vectorRequest, found storage.EmbeddingInfo) *plan.Plan {
		return plan.Result("vector", "of vertex "+fault.QuoteKey(req.vertex)+", "+fault.Count(int64(found.Dim), "value")+" of embedding "+fault.Name(req.embedding))
	},
	run: func(c *call, req vectorRequest, _ storage.EmbeddingInfo) ([]float32, error) {
		return vector(c, req.embedding, req.vertex)
	},
	rows: func(_ vectorRequest, vector []float32) *Rows {
		table := make([][]Value, len(vector))
		for i, x := range vector {
			table[i] = []Value{int64(i + 1), float64(x)}
		}
		return rowsOf([]string{"dimension", "value"}, table).typed("value", always(storage.Float))
	},
	reads: true,
}
