package graphs

import (
	"cmp"
	"context"
	"iter"
	"slices"

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
)

// VerticesRequest asks for the vertices of a graph that meet a condition.
type VerticesRequest struct {
	Graph string                     // may be empty if the file has only one graph
	Where func(where.Candidate) bool // nil admits all; it is called from one goroutine
	// Attributes are the attributes that Where reads and that the answer has,
	// in this order; columns of links, such as links_to 'a', are only read.
	Attributes []string
	Limit      int // largest number of vertices to return; 0 for all
	// Columns are the columns of the answer, if not all of Attributes: names of
	// attributes, or degree.
	Columns []string
	// OrderBy is an attribute, or degree or key, by whose values the answers are sorted,
	// lowest first, or highest first with Descending. Of vertices with equal values, the
	// one that came into the graph first is first; vertices without a value are last.
	// Empty means the order in which vertices came into the graph.
	OrderBy    string
	Descending bool

	condition parser.Expr // of Where, for its text; may be nil
}

// VertexRow is a vertex with its degree and the attributes of the request.
type VertexRow struct {
	Vertex string          `json:"vertex"`
	Degree int             `json:"degree"`
	Values []storage.Value `json:"values"` // values of VerticesRequest.Columns, or of all attributes of the request; a value can be missing
}

// VerticesResult is the answer of Vertices: vertices in the order of the request.
type VerticesResult struct {
	Vertices []VertexRow   `json:"vertices"`
	Notices  []rows.Notice `json:"notices,omitempty"`
}

var showVertices = &engine.Statement[*parser.ShowVertices, VerticesRequest, storage.GraphInfo, engine.GraphStream[VertexRow]]{
	Help: help.Statement{
		Statement: "SHOW VERTICES",
		Summary:   "lists vertices, all or by a condition, in the order in which they came or sorted by a column",
		Detail:    "Vertices without a value are last. LIMIT keeps the first rows",
		Words:     "nodes list select filter sort top hubs table query where head",
		Columns:   "vertex, degree, and one column for each attribute; with COLUMNS: vertex, and those",
	},
	Bind:    bindVertices,
	Resolve: checkVertices,
	Plan: func(req VerticesRequest, graph storage.GraphInfo) *plan.Plan {
		what, input := "all vertices", session.GraphPlan(graph)
		if req.readsPart() {
			what, input = "vertices, until the limit is reached", session.PartPlan(graph)
		}
		return plan.Result("vertices", scan.Limited(req.orderText(), req.Limit), scan.PlanOf(what, input, graph, req.condition, req.attributes()))
	},
	Run: func(c *engine.Call, req VerticesRequest, graph storage.GraphInfo) (found engine.GraphStream[VertexRow], err error) {
		if err := readVertices(c, req, graph); err != nil {
			return found, err
		}
		s, err := scan.New(c, graph.Name, req.Where, req.attributes(), req.Limit)
		if err != nil {
			return found, err
		}
		found.Graph = s.Graph
		if s.Shown = placesOf(s, req); req.OrderBy != "" {
			found.Stream, err = orderedRows(c, s, req)
		} else {
			found.Stream = scan.Rows(c, s, func(v uint32) VertexRow { return vertexRow(s, v) })
		}
		return found, err
	},
	Empty: func(_ VerticesRequest, graph storage.GraphInfo) engine.GraphStream[VertexRow] {
		return engine.NoRows[VertexRow](graph)
	},
	Rows: func(req VerticesRequest, answer engine.GraphStream[VertexRow]) *rows.Rows {
		if req.Columns != nil {
			rows := answer.Rows(append([]string{"vertex"}, req.Columns...), func(v VertexRow) []rows.Value { return cells.Append([]rows.Value{v.Vertex}, v.Values) })
			return rows.TypedFrom(1, cells.TypesOfAttributes(answer.Graph.Info, req.Columns))
		}
		names := session.WithoutLinks(answer.Graph.Info, req.Attributes)
		rows := answer.Rows(append([]string{"vertex", "degree"}, names...), func(v VertexRow) []rows.Value {
			return cells.Append([]rows.Value{v.Vertex, int64(v.Degree)}, v.Values)
		})
		return rows.TypedFrom(2, cells.TypesOfAttributes(answer.Graph.Info, names))
	},
	Reads: true,
}

// readsPart reports whether the first vertices are enough: there is a limit and no order.
func (r VerticesRequest) readsPart() bool { return r.Limit > 0 && r.OrderBy == "" }

// readVertices reads the first vertices, until enough of them meet the condition, where these
// are enough.
func readVertices(c *engine.Call, req VerticesRequest, graph storage.GraphInfo) error {
	if !req.readsPart() {
		return nil
	}
	names := req.attributes()
	return c.ReadPart(graph, names, func(v *storage.GraphView, p *storage.GraphPart) error {
		for next, size := 0, max(req.Limit, 16); ; size *= 2 {
			for ; next < min(size, graph.Vertices); next++ {
				if err := p.Read(uint32(next)); err != nil {
					return err
				}
			}
			if req.Where == nil || next == graph.Vertices {
				return nil
			}
			g, set, err := c.SeePart(p, graph, names)
			if err != nil {
				return err
			}
			found := 0
			for u := range uint32(next) {
				if req.Where(where.NewCandidate(g, set, u, false)) {
					found++
				}
			}
			if found >= req.Limit {
				return nil
			}
		}
	})
}

// Vertices returns the vertices of a graph that meet a condition.
func (s *Service) Vertices(ctx context.Context, req VerticesRequest) (VerticesResult, error) {
	list, notices, err := engine.Collected(showVertices.Answer(ctx, s.db, req))
	return VerticesResult{list, notices}, err
}

// EachVertex iterates over the rows that Vertices returns, without keeping all of
// them in memory. An error is yielded last, with an empty row. The graph and the
// attributes stay in memory until the iteration ends.
func (s *Service) EachVertex(ctx context.Context, req VerticesRequest) iter.Seq2[VertexRow, error] {
	return engine.Iterate(func() (*engine.Stream[VertexRow], error) {
		found, err := showVertices.Answer(ctx, s.db, req)
		return found.Stream, err
	})
}

func bindVertices(b *engine.Binder, s *parser.ShowVertices) VerticesRequest {
	req := VerticesRequest{Graph: b.MarkGraph(s.Graph, s)}
	info := b.Graph(req.Graph)
	shown := session.AttributeNames(info)
	if req.Columns = b.TakeColumns("vertex"); req.Columns != nil {
		shown = nil
	}
	req.condition = b.TakeWhere(info, "vertex")
	req.OrderBy, req.Descending = b.TakeOrder(info, "vertex")
	condition := conditions.Compile(b.Values, req.condition, info, conditions.ToNothing, shown...)
	req.Graph, req.Where, req.Attributes = info.Name, condition.Admits, condition.Attributes
	req.Limit = b.TakeLimit()
	return req
}

func vertexRow(s *scan.Vertices, v uint32) VertexRow {
	row := VertexRow{Vertex: s.Graph.Key(v), Degree: s.Graph.Graph.Degree(v)}
	for _, at := range s.Shown {
		row.Values = append(row.Values, s.Value(at, v))
	}
	return row
}

// attributes lists the attributes that the answer is computed from. Those of the
// condition come first, because a compiled condition reads them by number.
func (r VerticesRequest) attributes() []string {
	return engine.WithColumn(r.Attributes, append(slices.Clone(r.Columns), r.OrderBy)...)
}

func (r VerticesRequest) orderText() string {
	if r.OrderBy == "" {
		return "in the order in which they came into the graph"
	}
	return engine.OrderText(r.OrderBy, r.Descending)
}

func checkVertices(c *engine.Call, req VerticesRequest) (storage.GraphInfo, error) {
	info, err := scan.Check(c, req.Graph, req.Attributes, req.Limit)
	if err != nil {
		return info, err
	}
	for i, name := range req.Columns {
		if name == "key" {
			return info, fault.New(engine.PartColumn(i), "the column vertex already contains the key")
		}
		if err := engine.CheckColumn(info, name, engine.PartColumn(i)); err != nil {
			return info, err
		}
	}
	return info, engine.CheckColumn(info, req.OrderBy, engine.PartOrder)
}

// places returns the numbers of the columns of a row.
func placesOf(s *scan.Vertices, req VerticesRequest) []int {
	var shown []int
	names := req.Columns
	if names == nil {
		names = session.WithoutLinks(s.Graph.Info, req.Attributes)
	}
	for _, name := range names {
		shown = append(shown, s.Column(name))
	}
	return shown
}

// orderedRows returns the rows of a scan sorted by a column. It keeps in memory the
// number of each vertex that meets the condition, or with a limit of at most twice as
// many vertices as the limit.
func orderedRows(c *engine.Call, s *scan.Vertices, req VerticesRequest) (*engine.Stream[VertexRow], error) {
	bytes := 4 * int64(s.Graph.Graph.Vertices())
	if err := c.Hold(c.DB.Cache.Reserve(bytes, "ordering the vertices of graph "+fault.Name(s.Graph.Info.Name))); err != nil {
		return nil, err
	}
	by := s.Compare(s.Column(req.OrderBy), req.Descending)
	order := func(a, b uint32) int { return cmp.Or(by(a, b), cmp.Compare(a, b)) }
	limit := s.Limit
	s.Limit = 0
	return engine.StreamOf(c, func(f func(VertexRow) error) error {
		stop := c.Watch.Start(plan.Scan)
		var list []uint32
		err := s.Each(c.Ctx, func(v uint32) error {
			list = lists.Kept(append(list, v), limit, order)
			return nil
		})
		list = lists.FirstOf(list, limit, order)
		stop(int64(len(list)), s.Scanned())
		for i := 0; i < len(list) && err == nil; i++ {
			err = f(vertexRow(s, list[i]))
		}
		return err
	}), nil
}
