package query

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"heavytail/query/internal/fault"
	"heavytail/query/internal/plan"
	"heavytail/query/internal/session"
	"heavytail/query/internal/where"
	"heavytail/query/measure"
	"heavytail/query/parser"
	"heavytail/storage"
	"heavytail/storage/csr"
)

// NeighborsRequest asks for the neighbours of a vertex that meet a condition.
type NeighborsRequest struct {
	Graph  string // may be empty if the file has only one graph
	Vertex string // by its key
	// Within asks for all vertices up to that many edges away, the nearest first, with
	// their distances; 0 asks for the neighbours with the weights and times of their
	// edges.
	Within     int
	Where      func(Candidate) bool // as in VerticesRequest
	Attributes []string             // as in VerticesRequest
	Limit      int                  // as in VerticesRequest

	condition parser.Expr // of Where, for its text; may be nil
}

// NeighborRow is a neighbour with the weight and time of the edge to it.
type NeighborRow struct {
	VertexRow
	Weight float64 `json:"weight"` // 1 if the edge has none
	Time   int64   `json:"time"`
	Timed  bool    `json:"timed"` // whether the edge has a time
	// Distance is the number of edges to the vertex. If NeighborsRequest.Within is given,
	// rows have no weight and no time.
	Distance int `json:"distance"`
}

// NeighborsResult is the answer of Neighbors, in the order of VerticesResult.
type NeighborsResult struct {
	Neighbors []NeighborRow `json:"neighbors"`
	Notices   []Notice      `json:"notices,omitempty"`
}

var showNeighbors = &statement[*parser.ShowNeighbors, NeighborsRequest, storage.GraphInfo, graphStream[NeighborRow]]{
	help: Help{
		Statement: "SHOW NEIGHBORS", Syntax: "SHOW NEIGHBORS OF vertex [WITHIN n] [IN graph] [WHERE condition] [LIMIT n]",
		Summary: "lists the neighbours of a vertex with the weights and times of the edges, in the order in which they came into the graph; WITHIN lists all vertices up to n edges away, the nearest first; LIMIT keeps the first rows",
		Columns: "vertex, with WITHIN distance, degree, without WITHIN weight and time if the graph has any, and one column for each attribute",
		Example: "SHOW NEIGHBORS OF 'alice' IN social WHERE degree > 10",
	},
	bind: bindNeighbors,
	resolve: func(c *call, req NeighborsRequest) (storage.GraphInfo, error) {
		info, err := c.checkScan(req.Graph, req.Attributes, req.Limit)
		if err != nil {
			return info, err
		}
		if req.Within < 0 {
			return info, fault.New(partWithin, "WITHIN is %d, and must be at least 1", req.Within)
		}
		return info, c.checkVertex(info.Name, req.Vertex)
	},
	plan: func(req NeighborsRequest, graph storage.GraphInfo) *plan.Plan {
		order, what := "in the order in which they came into the graph", "neighbours of vertex "+fault.QuoteKey(req.Vertex)
		if req.Within > 0 {
			order, what = "the nearest first", fmt.Sprintf("vertices within %d edges of vertex %s", req.Within, fault.QuoteKey(req.Vertex))
		}
		return plan.Result("neighbours", limited(order, req.Limit), scanOf(what, session.PartPlan(graph), graph, req.condition, req.Attributes))
	},
	run:   runNeighbors,
	rows:  neighborRows,
	reads: true,
}

// Neighbors returns the neighbours of a vertex that meet a condition.
func (db *DB) Neighbors(ctx context.Context, req NeighborsRequest) (NeighborsResult, error) {
	list, notices, err := collected(showNeighbors.answer(ctx, db, req))
	return NeighborsResult{list, notices}, err
}

// EachNeighbor iterates over what Neighbors returns, as EachVertex does.
func (db *DB) EachNeighbor(ctx context.Context, req NeighborsRequest) iter.Seq2[NeighborRow, error] {
	return iterate(func() (*stream[NeighborRow], error) {
		found, err := showNeighbors.answer(ctx, db, req)
		return found.stream, err
	})
}

func bindNeighbors(b *binder, s *parser.ShowNeighbors) NeighborsRequest {
	req := NeighborsRequest{Graph: b.markGraph(s.Graph, s), condition: s.Where}
	info := b.graph(req.Graph)
	req.Graph, req.Vertex = info.Name, b.vertexKey(fault.Vertex, s.Of)
	if s.Within != nil {
		if req.Within = b.Size(partWithin, s.Within); req.Within < 1 {
			b.Fail(fault.New(partWithin, "WITHIN is %d, and must be at least 1", req.Within))
		}
	}
	condition := where.Compile(b.Values, s.Where, info, "", session.AttributeNames(info)...)
	req.Where, req.Attributes = condition.Admits, condition.Attributes
	req.Limit = b.rowLimit(s.Limit)
	return req
}

func runNeighbors(c *call, req NeighborsRequest, graph storage.GraphInfo) (found graphStream[NeighborRow], err error) {
	if err := c.readNeighbors(req, graph); err != nil {
		return found, err
	}
	s, err := c.newScan(graph.Name, req.Where, req.Attributes, req.Limit)
	if err != nil {
		return found, err
	}
	s.of, s.shown = true, s.places(VerticesRequest{Attributes: req.Attributes})
	if s.vertex, err = c.Vertex(s.graph, req.Vertex, fault.Vertex); err != nil {
		return found, err
	}
	if req.Within > 0 {
		s.near, s.distances, err = measure.Within(c.Ctx, s.graph.Graph, s.vertex, req.Within)
	}
	return graphStream[NeighborRow]{scanRows(c, s, s.neighbor), s.graph}, err
}

func (c *call) readNeighbors(req NeighborsRequest, graph storage.GraphInfo) error {
	return c.ReadPart(graph, req.Attributes, func(v *storage.GraphView, p *storage.GraphPart) error {
		vertex, err := v.Vertex(req.Vertex)
		if err != nil {
			return err
		}
		return p.ReadAround(vertex, max(1, req.Within))
	})
}

// partWithin is the number of edges of WITHIN.
const partWithin fault.Part = "within"

func (s *vertexScan) neighbor(v uint32) NeighborRow {
	row := NeighborRow{VertexRow: s.row(v), Distance: 1}
	if s.distances != nil {
		row.Distance = s.distances[s.place]
		return row
	}
	g := s.graph.Graph
	i, _ := slices.BinarySearch(g.Neighbors(s.vertex), v)
	at := g.Offsets[s.vertex] + int64(i)
	e := edgePlace{s.vertex, at}.edge(g)
	row.Weight, row.Time, row.Timed = csr.Decimal(e.Weight), e.Time, e.Timed
	return row
}

func neighborRows(req NeighborsRequest, answer graphStream[NeighborRow]) *Rows {
	attributes := typesOfAttributes(answer.graph.Info, req.Attributes)
	if req.Within > 0 {
		rows := answer.rows(append([]string{"vertex", "distance", "degree"}, req.Attributes...), func(n NeighborRow) []Value {
			return cells([]Value{n.Key, int64(n.Distance), int64(n.Degree)}, n.Values)
		})
		return rows.typed("distance", always(storage.Integer)).typedFrom(3, attributes)
	}
	ofEdges := answer.edgeColumns()
	columns := append([]string{"vertex", "degree"}, ofEdges...)
	rows := answer.rows(append(columns, req.Attributes...), func(n NeighborRow) []Value {
		row := []Value{n.Key, int64(n.Degree)}
		for _, name := range ofEdges {
			if name == "weight" {
				row = append(row, n.Weight)
			} else {
				row = append(row, answer.timeCell(n.Time, n.Timed))
			}
		}
		return cells(row, n.Values)
	})
	return rows.typedFrom(2, slices.Concat(answer.edgeTypes(ofEdges), attributes))
}
