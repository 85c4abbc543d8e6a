package graphs

import (
	"context"

	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
	"heavytail/storage/csr"
)

// VertexDescription is the answer of DescribeVertex.
type VertexDescription struct {
	Vertex     string               `json:"vertex"`
	Graph      storage.GraphInfo    `json:"graph"`
	Degree     int                  `json:"degree"`
	Strength   float64              `json:"strength"` // sum of the weights of the vertex's edges
	Times      int                  `json:"times"`    // number of edges with a time
	First      int64                `json:"first"`    // the earliest time, where there is one
	Last       int64                `json:"last"`     // the latest
	Attributes []storage.NamedValue `json:"attributes"`
	Notices    []rows.Notice        `json:"notices,omitempty"`
}

type describeVertexRequest struct {
	graph  string // may be empty if the file has only one graph
	vertex string
}

var describeVertex = &engine.Statement[*parser.DescribeVertex, describeVertexRequest, storage.GraphInfo, VertexDescription]{
	Help: help.Statement{
		Statement: "DESCRIBE VERTEX",
		Summary:   "reports degree, times and attributes of a vertex, without loading its graph",
		Words:     "node info get lookup properties",
		Columns:   "property, value",
	},
	Bind: func(b *engine.Binder, s *parser.DescribeVertex) describeVertexRequest {
		return describeVertexRequest{graph: b.MarkGraph(s.Graph, s), vertex: b.VertexKey(fault.Vertex, s.Vertex)}
	},
	Resolve: func(c *engine.Call, req describeVertexRequest) (storage.GraphInfo, error) {
		info, err := c.GraphOrOnly(req.graph)
		if err != nil {
			return info, err
		}
		return info, engine.CheckVertex(c, info.Name, req.vertex)
	},
	Plan: func(req describeVertexRequest, graph storage.GraphInfo) *plan.Plan {
		return plan.Result("description", "of vertex "+fault.QuoteKey(req.vertex)+", without loading graph "+fault.Name(graph.Name))
	},
	Run:   runDescribeVertex,
	Table: describeVertexTable,
	Reads: true,
}

// DescribeVertex reports the degree of a vertex, the weights and times of its
// edges, and its attributes. The graph may be empty if the file has only one.
func (s *Service) DescribeVertex(ctx context.Context, graph, vertex string) (VertexDescription, error) {
	return describeVertex.Answer(ctx, s.db, describeVertexRequest{graph, vertex})
}

// runDescribeVertex reads the vertex from the file: neither the graph nor a column is
// loaded for a single one.
func runDescribeVertex(c *engine.Call, req describeVertexRequest, graph storage.GraphInfo) (VertexDescription, error) {
	d := VertexDescription{Vertex: req.vertex}
	info, stored, edges, err := c.DB.Store.VertexEdges(c.Ctx, graph.Name, req.vertex)
	if err != nil {
		return VertexDescription{}, c.VertexMistake(graph.Name, req.vertex, err)
	}
	weights := make([]float32, len(edges))
	for i, e := range edges {
		d.add(e)
		weights[i] = float32(e.Weight)
	}
	d.Strength = csr.Sum(weights)
	d.Graph, d.Attributes, d.Notices = info, stored.Values, c.Notices
	return d, nil
}

func (d *VertexDescription) add(e storage.Edge) {
	d.Degree++
	if !e.Timed {
		return
	}
	if d.Times == 0 || e.Time < d.First {
		d.First = e.Time
	}
	if d.Times == 0 || e.Time > d.Last {
		d.Last = e.Time
	}
	d.Times++
}

func describeVertexTable(_ describeVertexRequest, d VertexDescription) [][]rows.Value {
	table := [][]rows.Value{{"vertex", d.Vertex}, {"graph", d.Graph.Name}, {"degree", int64(d.Degree)}}
	if d.Graph.Weighted {
		table = append(table, []rows.Value{"strength", d.Strength})
	}
	if d.Times > 0 {
		table = append(table, []rows.Value{"edges with a time", int64(d.Times)}, []rows.Value{"first time", cells.TimeCell(d.Graph, d.First)}, []rows.Value{"last time", cells.TimeCell(d.Graph, d.Last)})
	}
	for _, a := range d.Attributes {
		table = append(table, []rows.Value{"attribute " + a.Name, cells.CellOf(a.Value)})
	}
	return table
}
