package graphs

import (
	"context"

	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/engine"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/storage"
)

type verticesRequest struct {
	graph    string
	vertices []storage.Vertex
}

var insertVertex = &engine.Statement[*parser.InsertVertices, verticesRequest, engine.Nothing, WriteResult]{
	Help: help.Statement{
		Statement: "INSERT VERTEX",
		Summary:   "adds vertices, or sets attributes of vertices that exist",
		Words:     "add node create upsert",
		Columns:   "graph, inserted, updated, unchanged, version",
	},
	Bind: func(b *engine.Binder, s *parser.InsertVertices) verticesRequest {
		req := verticesRequest{graph: b.Name(fault.Graph, s.Graph), vertices: make([]storage.Vertex, len(s.Vertices))}
		schema := b.Graph(req.graph)
		for i, v := range s.Vertices {
			req.vertices[i].Key = b.VertexKey(engine.PartKey(i), v.Key)
			req.vertices[i].Values = attributeValues(b, &schema.Attributes, storage.Attribute.Validate, v.Values)
		}
		return req
	},
	Resolve: func(c *engine.Call, req verticesRequest) (engine.Nothing, error) {
		return engine.Nothing{}, c.CheckGraph(req.graph)
	},
	Plan: func(req verticesRequest, _ engine.Nothing) *plan.Plan {
		return writePlan("insert", fault.Count(int64(len(req.vertices)), "vertex"), req.graph)
	},
	Run: func(c *engine.Call, req verticesRequest, _ engine.Nothing) (WriteResult, error) {
		return changeBatched(c, req.graph, func(tx *storage.Tx) (storage.WriteStats, error) {
			return tx.InsertVertices(req.graph, req.vertices)
		})
	},
	Rows: writeRows[verticesRequest]("inserted", "updated", "unchanged"),
}

// InsertVertices adds vertices with attributes. For a vertex that exists, it
// sets the given attributes.
func (s *Service) InsertVertices(ctx context.Context, graph string, vertices []storage.Vertex) (WriteResult, error) {
	return insertVertex.Answer(ctx, s.db, verticesRequest{graph, vertices})
}

var insertEdge = &engine.Statement[*parser.InsertEdges, edgesRequest, engine.Nothing, WriteResult]{
	Help: help.Statement{
		Statement: "INSERT EDGE",
		Summary:   "adds edges and their vertices, or sets the weight, the time and attributes of edges that exist",
		Detail:    "A time is an integer or a date",
		Words:     "add link connect create relationship upsert stream",
		Columns:   "graph, inserted, updated, unchanged, vertices, version",
	},
	Bind: func(b *engine.Binder, s *parser.InsertEdges) edgesRequest {
		req := edgesRequest{b.Name(fault.Graph, s.Graph), make([]storage.Edge, len(s.Edges))}
		schema := edgeSchema(b, req.graph)
		for i, e := range s.Edges {
			req.edges[i] = edge(b, i, e, e.U, e.V)
			edgeValues(b, &req.edges[i], e.Values, schema)
		}
		return req
	},
	Resolve: checkEdges,
	Plan:    planEdges("insert"),
	Run:     changeEdges((*storage.Tx).InsertEdges),
	Rows:    writeRows[edgesRequest]("inserted", "updated", "unchanged", "vertices"),
}

// InsertEdges adds edges, and their ends if they do not exist. For an edge that
// exists, it sets the weight and time that are given. Self-loops are left out, but
// their vertices are added.
func (s *Service) InsertEdges(ctx context.Context, graph string, edges []storage.Edge) (WriteResult, error) {
	return insertEdge.Answer(ctx, s.db, edgesRequest{graph, edges})
}
