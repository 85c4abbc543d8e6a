package graphs

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"heavytail/embedding/option"
	"heavytail/query/algorithms"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/conditions"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/lists"
	"heavytail/query/internal/scan"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/query/where"
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
	Within int
	// Direction is that of the edges of a directed graph to follow: out from the vertex, in to it, or both,
	// which is the default. An undirected graph has none.
	Direction  Direction
	Where      func(where.Candidate) bool // as in VerticesRequest
	Attributes []string                   // as in VerticesRequest
	Limit      int                        // as in VerticesRequest

	condition parser.Expr // of Where, for its text; may be nil
}

// NeighborRow is a neighbour with the weight and time of the edge to it.
type NeighborRow struct {
	VertexRow
	Weight float64 `json:"weight"` // 1 if the edge has none
	Time   int64   `json:"time"`
	Timed  bool    `json:"timed"` // whether the edge has a time
	// Attributes has a value for each attribute of the edges of the graph, of the edge to it.
	Attributes []storage.Value `json:"attributes,omitempty"`
	// Distance is the number of edges to the vertex. If NeighborsRequest.Within is given,
	// rows have no weight, no time and no Attributes.
	Distance int `json:"distance"`
	// Direction is that of the edges between the two vertices of a directed graph: out to the neighbour, in
	// from it, or both. Weight and Time are those of the edge in the direction of the request; of
	// both they are the sum and the later one.
	Direction Direction `json:"direction,omitempty"`
}

// NeighborsResult is the answer of Neighbors, in the order of VerticesResult.
type NeighborsResult struct {
	Neighbors []NeighborRow `json:"neighbors"`
	Notices   []rows.Notice `json:"notices,omitempty"`
}

var showNeighbors = &engine.Statement[*parser.ShowNeighbors, NeighborsRequest, storage.GraphInfo, engine.GraphStream[NeighborRow]]{
	Help: help.Statement{
		Statement: "SHOW NEIGHBORS",
		Summary:   "lists the neighbours of a vertex, or WITHIN all vertices up to n edges away, the nearest first",
		Detail:    "Neighbours have the weights, times and attributes of their edges, and the order in which they came into the graph. LIMIT keeps the first rows",
		Words:     "neighbours adjacent friends ego ego_graph egonet bfs breadth first hops khop traverse expand adjacency match around",
		Columns:   "vertex, with WITHIN distance, degree, without WITHIN the direction in a directed graph, weight and time if the graph has any and the attributes of edges, and one column for each attribute; one of edges is edge_attribute if vertices have the same",
	},
	Schema: neighborsSchema,
	Bind:   bindNeighbors,
	Resolve: func(c *engine.Call, req NeighborsRequest) (storage.GraphInfo, error) {
		info, err := scan.Check(c, req.Graph, req.Attributes, req.Limit)
		if err != nil {
			return info, err
		}
		if req.Within < 0 {
			return info, withinMistake(req.Within)
		}
		if err := req.Direction.check(info); err != nil {
			return info, err
		}
		return info, engine.CheckVertex(c, info.Name, req.Vertex)
	},
	Plan: func(req NeighborsRequest, graph storage.GraphInfo) *plan.Plan {
		order, what := "in the order in which they came into the graph", "neighbours of vertex "+fault.QuoteKey(req.Vertex)
		if req.Within > 0 {
			order, what = "the nearest first", fmt.Sprintf("vertices within %d edges of vertex %s", req.Within, fault.QuoteKey(req.Vertex))
		}
		return plan.Result("neighbours", scan.Limited(order, req.Limit), scan.PlanOf(what, session.PartPlan(graph), graph, req.condition, req.Attributes))
	},
	Run: runNeighbors,
	Empty: func(_ NeighborsRequest, graph storage.GraphInfo) engine.GraphStream[NeighborRow] {
		return engine.NoRows[NeighborRow](graph)
	},
	Rows:  neighborRows,
	Reads: true,
}

// Neighbors returns the neighbours of a vertex that meet a condition.
func (s *Service) Neighbors(ctx context.Context, req NeighborsRequest) (NeighborsResult, error) {
	list, notices, err := engine.Collected(showNeighbors.Answer(ctx, s.db, req))
	return NeighborsResult{list, notices}, err
}

// EachNeighbor iterates over what Neighbors returns, as EachVertex does.
func (s *Service) EachNeighbor(ctx context.Context, req NeighborsRequest) iter.Seq2[NeighborRow, error] {
	return engine.Iterate(func() (*engine.Stream[NeighborRow], error) {
		found, err := showNeighbors.Answer(ctx, s.db, req)
		return found.Stream, err
	})
}

func bindNeighbors(b *engine.Binder, s *parser.ShowNeighbors) NeighborsRequest {
	req := NeighborsRequest{Graph: b.MarkGraph(s.Graph, s)}
	info := b.Graph(req.Graph)
	req.Graph, req.Vertex = info.Name, b.VertexKey(fault.Vertex, s.Of)
	if s.Within != nil {
		req.Within = withinOf(b, s.Within)
	}
	engine.Bind(b, parser.Heading(s), neighborsSchema(), s.Options, &req)
	req.condition = b.TakeWhere(info, "vertex", "distance", "direction", "weight", "time")
	condition := conditions.Compile(b.Values, req.condition, info, "", session.AttributeNames(info)...)
	req.Where, req.Attributes = condition.Admits, condition.Attributes
	req.Limit = b.TakeLimit()
	return req
}

func runNeighbors(c *engine.Call, req NeighborsRequest, graph storage.GraphInfo) (found engine.GraphStream[NeighborRow], err error) {
	if err := readNeighbors(c, req, graph); err != nil {
		return found, err
	}
	edges, err := edgesOf(c, graph)
	if err != nil {
		return found, err
	}
	s, err := scan.New(c, graph.Name, req.Where, req.Attributes, req.Limit)
	if err != nil {
		return found, err
	}
	s.Of, s.Shown = true, placesOf(s, VerticesRequest{Attributes: req.Attributes})
	if s.Vertex, err = c.Vertex(s.Graph, req.Vertex, fault.Vertex); err != nil {
		return found, err
	}
	if s.Rows = req.Direction.rows(edges.directed, DirectionBoth); s.Rows == nil {
		s.Rows = s.Graph.Graph
	}
	if req.Within > 0 {
		s.Near, s.Distances, err = algorithms.Within(c.Ctx, s.Rows, s.Vertex, req.Within)
	}
	var values map[string][]storage.Value
	if err == nil && req.Within == 0 {
		values, err = edgeValuesAround(c, s.Graph.Info, req)
	}
	return engine.GraphStream[NeighborRow]{Stream: scan.Rows(c, s, func(v uint32) NeighborRow {
		row := neighborRow(s, edges.directed, v)
		row.Attributes = values[row.Vertex]
		return row
	}), Graph: s.Graph}, err
}

// edgeValuesAround returns the attributes of the edges of a vertex, by the keys of their other ends: in a directed graph
// those of the edge in the direction of the request, and of both the one from the vertex where it has a value. It
// reads them in the file, so that the graph need not be loaded; if the graph has changed since, the error is
// storage.ErrConflict.
func edgeValuesAround(c *engine.Call, graph storage.GraphInfo, req NeighborsRequest) (map[string][]storage.Value, error) {
	if len(graph.EdgeAttributes) == 0 {
		return nil, nil
	}
	info, _, edges, err := c.DB.Store.VertexEdges(c.Ctx, graph.Name, req.Vertex)
	if err == nil && session.GraphKey(info) != session.GraphKey(graph) {
		err = storage.ErrConflict
	}
	values := make(map[string][]storage.Value, len(edges))
	for _, e := range edges { // of two edges with one neighbour the one from the vertex comes first
		other, direction := e.Target, DirectionOut
		if e.Target == req.Vertex {
			other, direction = e.Source, DirectionIn
		}
		if graph.Directed && req.Direction != "" && req.Direction != DirectionBoth && req.Direction != direction {
			continue
		}
		list := values[other]
		if list == nil {
			list = make([]storage.Value, len(graph.EdgeAttributes))
			values[other] = list
		}
		for i, a := range graph.EdgeAttributes {
			for _, v := range e.Values {
				if v.Name == a.Name && list[i].IsMissing() {
					list[i] = v.Value
				}
			}
		}
	}
	return values, err
}

// edgeAttributeColumns are the columns of the attributes of the edges of a graph beside those of its
// vertices.
func edgeAttributeColumns(graph storage.GraphInfo) []string {
	return lists.Map(graph.EdgeAttributes, func(a storage.Attribute) string {
		if _, taken := session.AttributeOf(graph, a.Name); taken || slices.Contains([]string{"vertex", "degree", "key"}, a.Name) {
			return "edge_" + a.Name
		}
		return a.Name
	})
}

func neighborsSchema() option.Schema[NeighborsRequest] {
	return option.Schema[NeighborsRequest]{directionField(DirectionBoth, func(r *NeighborsRequest) *Direction { return &r.Direction })}
}

func readNeighbors(c *engine.Call, req NeighborsRequest, graph storage.GraphInfo) error {
	return c.ReadPart(graph, req.Attributes, func(v *storage.GraphView, p *storage.GraphPart) error {
		vertex, err := v.Vertex(req.Vertex)
		if err != nil {
			return err
		}
		row, _ := partRows(p, graph, cmp.Or(req.Direction, DirectionBoth))
		return p.ReadAround(vertex, max(1, req.Within), row)
	})
}

// partWithin is the number of edges of WITHIN.
const partWithin fault.Part = "within"

func withinOf(b *engine.Binder, v parser.Value) int {
	n := b.Size(partWithin, v)
	if n < 1 {
		b.Fail(withinMistake(n))
	}
	return n
}

func withinMistake(n int) error {
	return fault.New(partWithin, "WITHIN is %d, and must be at least 1", n)
}

func neighborRow(s *scan.Vertices, d *csr.Directed, v uint32) NeighborRow {
	row := NeighborRow{VertexRow: vertexRow(s, v), Distance: 1}
	if s.Distances != nil {
		row.Distance = s.Distances[s.Place]
		return row
	}
	g := s.Rows
	i, _ := slices.BinarySearch(g.Neighbors(s.Vertex), v)
	at := g.Offsets[s.Vertex] + int64(i)
	e := edgeList{rows: g}.edge(edgePlace{source: s.Vertex, at: at})
	if d != nil {
		row.Direction = directionBetween(d, s.Vertex, v)
	}
	row.Weight, row.Time, row.Timed = csr.Decimal(e.Weight), e.Time, e.Timed
	return row
}

func neighborRows(req NeighborsRequest, answer engine.GraphStream[NeighborRow]) *rows.Rows {
	names := session.WithoutLinks(answer.Graph.Info, req.Attributes)
	attributes := cells.TypesOfAttributes(answer.Graph.Info, names)
	if req.Within > 0 {
		rows := answer.Rows(append([]string{"vertex", "distance", "degree"}, names...), func(n NeighborRow) []rows.Value {
			return cells.Append([]rows.Value{n.Vertex, int64(n.Distance), int64(n.Degree)}, n.Values)
		})
		return rows.Typed("distance", cells.Always(storage.Integer)).TypedFrom(3, attributes)
	}
	ofEdges := answer.EdgeColumns()
	columns := []string{"vertex", "degree"}
	directed := answer.Graph.Info.Directed
	if directed {
		columns = append(columns, "direction")
	}
	first := len(columns)
	columns = slices.Concat(columns, ofEdges, edgeAttributeColumns(answer.Graph.Info))
	table := answer.Rows(append(columns, names...), func(n NeighborRow) []rows.Value {
		row := []rows.Value{n.Vertex, int64(n.Degree)}
		if directed {
			row = append(row, string(n.Direction))
		}
		for _, name := range ofEdges {
			if name == "weight" {
				row = append(row, n.Weight)
			} else {
				row = append(row, answer.TimeCell(n.Time, n.Timed))
			}
		}
		row = cells.Append(row, n.Attributes)
		return cells.Append(row, n.Values)
	})
	types := lists.Map(answer.Graph.Info.EdgeAttributes, func(a storage.Attribute) rows.ColumnType { return cells.OrNull(a.Type) })
	return table.TypedFrom(first, slices.Concat(answer.EdgeTypes(ofEdges), types, attributes))
}
