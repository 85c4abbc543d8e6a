package scan

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"heavytail/query/fault"
	"heavytail/query/internal/conditions"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/where"
	"heavytail/storage"
	"heavytail/storage/csr"
)

// Vertices is a graph in memory with the condition and columns of a request for
// vertices.
type Vertices struct {
	Graph   *session.Graph
	Columns *session.ColumnSet
	where   func(where.Candidate) bool
	Limit   int

	Of     bool       // only neighbours of vertex
	Vertex uint32     // the vertex whose neighbours are scanned
	Rows   *csr.Graph // the rows that have them; nil for those of the graph

	Shown     []int    // columns of a row, degreeColumn for the degree
	Near      []uint32 // the vertices within a distance, instead of the neighbours; nil for the neighbours
	Distances []int    // distances of near
	Place     int      // position of the present vertex in the scan

	Visited int64 // number of vertices that each has visited
}

// Check returns the entry of the graph of a scan, or an Error for a graph, an attribute or a limit
// that is wrong.
func Check(c *engine.Call, graph string, attributes []string, limit int) (storage.GraphInfo, error) {
	if err := engine.CheckLimit(limit); err != nil {
		return storage.GraphInfo{}, err
	}
	info, err := c.GraphOrOnly(graph)
	if err != nil {
		return info, err
	}
	return info, c.CheckReads(info, fault.Graph, attributes...)
}

// Plan is the plan of a scan of all vertices of a graph, with its filter and its inputs.
func Plan(graph storage.GraphInfo, condition parser.Expr, attributes []string) *plan.Plan {
	return PlanOf("all vertices", session.GraphPlan(graph), graph, condition, attributes)
}

// PlanOf is Plan with the step that reads the graph.
func PlanOf(what string, input *plan.Plan, graph storage.GraphInfo, condition parser.Expr, attributes []string) *plan.Plan {
	var inputs []*plan.Plan
	if condition != nil {
		inputs = append(inputs, plan.Step("filter", "during the scan: "+condition.String()))
	}
	inputs = append(inputs, session.AttributePlans(graph, attributes)...)
	return plan.Measured(plan.Scan, "scan", what, append(inputs, input)...)
}

// Limited adds the limit of rows to the detail of a plan.
func Limited(detail string, limit int) string {
	if limit > 0 {
		detail += fmt.Sprintf(", the first %d", limit)
	}
	return detail
}

// New loads what a scan reads; the caller sets whose neighbours it is for.
func New(c *engine.Call, graph string, where func(where.Candidate) bool, attributes []string, limit int) (*Vertices, error) {
	s := &Vertices{where: where, Limit: limit}
	var err error
	if s.Graph, s.Columns, err = c.Columns(graph, attributes, fault.Graph); err == nil {
		err = entries.NoteMeasures(c, s.Graph.Info, attributes)
	}
	return s, err
}

// Each calls f with every vertex that the scan is for, in ascending order.
func (s *Vertices) Each(ctx context.Context, f func(v uint32) error) error {
	const often = 1 << 12 // vertices between two checks of the context, well below a millisecond
	g := s.Graph.Graph
	n := g.Vertices()
	list := s.Near
	if s.Of && s.Distances == nil {
		if s.Rows != nil {
			g = s.Rows
		}
		list = g.Neighbors(s.Vertex)
	}
	if s.Of {
		n = len(list)
	}
	found := 0
	for i := range n {
		if i%often == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		s.Visited++
		s.Place = i
		v, linked := uint32(i), s.Of
		if s.Of {
			v = list[i]
		}
		if s.Distances != nil {
			linked = s.Distances[i] == 1
		}
		if s.where != nil && !s.where(where.NewCandidate(s.Graph, s.Columns, v, linked)) {
			continue
		}
		if err := f(v); err != nil {
			return err
		}
		if found++; found == s.Limit {
			break
		}
	}
	return nil
}

// Rows are the rows of a scan, and their measurement.
func Rows[T any](c *engine.Call, s *Vertices, row func(v uint32) T) *engine.Stream[T] {
	stop := c.Watch.Start(plan.Scan)
	return engine.StreamOf(c, func(f func(T) error) error {
		n := int64(0)
		err := s.Each(c.Ctx, func(v uint32) error {
			n++
			return f(row(v))
		})
		stop(n, s.Scanned())
		return err
	})
}

// Scanned describes for PROFILE how many vertices a scan visited.
func (s *Vertices) Scanned() string {
	return fault.Count(s.Visited, "vertex") + " visited"
}

// The numbers of the columns that are not attributes.
const (
	degreeColumn = -1
	keyColumn    = -2
)

// Column is the place of a column by its name.
func (s *Vertices) Column(name string) int {
	switch name {
	case "degree":
		return degreeColumn
	case "key":
		return keyColumn
	}
	return slices.Index(s.Columns.Names, name)
}

// Value is the value of a vertex in a column.
func (s *Vertices) Value(column int, v uint32) storage.Value {
	if column == degreeColumn {
		return storage.IntegerValue(int64(s.Graph.Graph.Degree(v)))
	}
	return s.Columns.At(column, v)
}

// Compare returns the order of two vertices by a column: vertices without a value come
// last in both directions.
func (s *Vertices) Compare(column int, descending bool) func(a, b uint32) int {
	sign := 1
	if descending {
		sign = -1
	}
	if column == keyColumn {
		var left, right []byte
		return func(a, b uint32) int {
			left, right = s.Graph.AppendKey(left[:0], a), s.Graph.AppendKey(right[:0], b)
			return sign * bytes.Compare(left, right)
		}
	}
	return func(a, b uint32) int {
		x, y := s.Value(column, a), s.Value(column, b)
		order, ok := conditions.CompareValues(x, y)
		if !ok {
			return cmp.Compare(Without(x.IsMissing()), Without(y.IsMissing()))
		}
		return sign * order
	}
}

// Without is the place of a value in an order: those that are missing come last.
func Without(missing bool) int {
	if missing {
		return 1
	}
	return 0
}
