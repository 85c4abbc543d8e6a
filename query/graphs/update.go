package graphs

import (
	"context"
	"strings"

	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/conditions"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/lists"
	"heavytail/query/internal/scan"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/where"
	"heavytail/storage"
)

// UpdateVerticesRequest asks to set attributes of vertices: of the listed
// ones, or of all that meet a condition.
type UpdateVerticesRequest struct {
	Graph string
	// Vertices have the values to set; a missing value removes the attribute
	// from the vertex. All vertices must exist.
	Vertices []storage.Vertex
	// Where, if not nil, is used instead of Vertices: all vertices for which it
	// returns true get the values of Set. It is called from one goroutine.
	Where      func(where.Candidate) bool
	Attributes []string // that Where reads, as in vectors.NearestRequest
	Set        []storage.NamedValue

	condition parser.Expr // of Where, for its text; may be nil
	text      string      // the assignments, for the plan
}

var updateVertex = &engine.Statement[*parser.UpdateVertices, UpdateVerticesRequest, storage.GraphInfo, WriteResult]{
	Help: help.Statement{
		Statement: "UPDATE VERTEX",
		Summary:   "sets attributes of vertices; MISSING removes them",
		Words:     "set change node property",
		Columns:   "graph, updated, unchanged, version",
	},
	When:    func(s *parser.UpdateVertices) bool { return s.Where == nil },
	Bind:    bindUpdateVertices,
	Resolve: resolveUpdateVertices,
	Plan: func(req UpdateVerticesRequest, _ storage.GraphInfo) *plan.Plan {
		return writePlan("update", fault.Count(int64(len(req.Vertices)), "vertex")+": "+req.text, req.Graph)
	},
	Run: func(c *engine.Call, req UpdateVerticesRequest, _ storage.GraphInfo) (WriteResult, error) {
		return changeBatched(c, req.Graph, func(tx *storage.Tx) (storage.WriteStats, error) {
			return tx.UpdateVertices(req.Graph, req.Vertices)
		})
	},
	Rows: writeRows[UpdateVerticesRequest]("updated", "unchanged"),
}

var updateVertices = &engine.Statement[*parser.UpdateVertices, UpdateVerticesRequest, storage.GraphInfo, WriteResult]{
	Help: help.Statement{
		Statement: "UPDATE VERTICES",
		Summary:   "sets attributes of all vertices that meet a condition",
		Detail:    "WHERE degree >= 0 admits all of them",
		Words:     "set change nodes property bulk",
		Columns:   "graph, updated, unchanged, version",
	},
	Bind:    bindUpdateVertices,
	Resolve: resolveUpdateVertices,
	Plan: func(req UpdateVerticesRequest, graph storage.GraphInfo) *plan.Plan {
		return writePlan("update", req.text, req.Graph, scan.Plan(graph, req.condition, req.Attributes))
	},
	Run: func(c *engine.Call, req UpdateVerticesRequest, _ storage.GraphInfo) (WriteResult, error) {
		return changeWhere(c, req.Graph, req.Where, req.Attributes, func(tx *storage.Tx, keys []string) (storage.WriteStats, error) {
			return tx.UpdateVertices(req.Graph, req.setFor(keys))
		})
	},
	Rows: writeRows[UpdateVerticesRequest]("updated", "unchanged"),
}

// UpdateVertices sets attributes of vertices.
func (s *Service) UpdateVertices(ctx context.Context, req UpdateVerticesRequest) (WriteResult, error) {
	if req.Where == nil {
		return updateVertex.Answer(ctx, s.db, req)
	}
	return updateVertices.Answer(ctx, s.db, req)
}

func bindUpdateVertices(b *engine.Binder, s *parser.UpdateVertices) UpdateVerticesRequest {
	req := UpdateVerticesRequest{Graph: b.Name(fault.Graph, s.Graph), condition: s.Where, text: assignments(s.Values)}
	info := b.Graph(req.Graph)
	schema := info
	req.Set = attributeValues(b, &schema.Attributes, storage.Attribute.Validate, s.Values)
	condition := conditions.Compile(b.Values, s.Where, info, conditions.ToNothing)
	req.Where, req.Attributes = condition.Admits, condition.Attributes
	req.Vertices = req.setFor(b.VertexKeys(s.Keys))
	return req
}

// setFor sets the values of the request for each key.
func (req UpdateVerticesRequest) setFor(keys []string) []storage.Vertex {
	return lists.Map(keys, func(key string) storage.Vertex { return storage.Vertex{Key: key, Values: req.Set} })
}

// assignments are the values that a statement sets, each shortened to a few words.
func assignments(list []parser.Option) string {
	return strings.Join(lists.Map(list, func(o parser.Option) string { return fault.Shorten(o.String()) }), ", ")
}

func resolveUpdateVertices(c *engine.Call, req UpdateVerticesRequest) (storage.GraphInfo, error) {
	info, err := changedWhere(c, req.Graph, req.Attributes)
	if err != nil {
		return info, err
	}
	for _, v := range req.Set {
		if _, known := session.AttributeOf(info, v.Name); !known && v.Value.IsMissing() {
			return info, session.UnknownAttribute(info, v.Name, partValue(v.Name))
		}
	}
	return info, nil
}

var updateEdge = &engine.Statement[*parser.UpdateEdges, edgesRequest, engine.Nothing, WriteResult]{
	Help: help.Statement{
		Statement: "UPDATE EDGE",
		Summary:   "sets the weight, the time and attributes of edges; MISSING removes them",
		Words:     "set change link",
		Columns:   "graph, updated, unchanged, version",
	},
	Bind: func(b *engine.Binder, s *parser.UpdateEdges) edgesRequest {
		req := pairs(b, s.Graph, s.Pairs)
		schema := edgeSchema(b, req.graph)
		for i := range req.edges {
			edgeValues(b, &req.edges[i], s.Values, schema)
		}
		return req
	},
	Resolve: checkEdges,
	Plan:    planEdges("update"),
	Run:     changeEdges((*storage.Tx).UpdateEdges),
	Rows:    writeRows[edgesRequest]("updated", "unchanged"),
}

// UpdateEdges sets weights, times and attributes of edges, all of which must exist.
func (s *Service) UpdateEdges(ctx context.Context, graph string, edges []storage.Edge) (WriteResult, error) {
	return updateEdge.Answer(ctx, s.db, edgesRequest{graph, edges})
}
