package query

import (
	"context"
	"fmt"
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/where"
	"heavytail/storage"
	"slices"
)

// vertexScan is a graph in memory with the condition and columns of a request for
// vertices.
type vertexScan struct {
	graph   *session.Graph
	columns *session.ColumnSet
	where   func(where.Candidate) bool
	limit   int

	of     bool   // only neighbours of vertex
	vertex uint32 // the vertex whose neighbours are scanned

	shown     []int    // columns of a row, degreeColumn for the degree
	near      []uint32 // the vertices within a distance, instead of the neighbours; nil for the neighbours
	distances []int    // distances of near
	place     int      // position of the present vertex in the scan

	visited int64 // number of vertices that each has visited
}

func checkScan(c *engine.Call, graph string, attributes []string, limit int) (storage.GraphInfo, error) {
	if err := engine.CheckLimit(limit); err != nil {
		return storage.GraphInfo{}, err
	}
	info, err := c.GraphOrOnly(graph)
	if err != nil {
		return info, err
	}
	return info, session.CheckAttributes(info, fault.Graph, attributes...)
}

// scanPlan is the plan of a scan of all vertices of a graph, with its filter and its inputs.
func scanPlan(graph storage.GraphInfo, condition parser.Expr, attributes []string) *plan.Plan {
	return scanOf("all vertices", session.GraphPlan(graph), graph, condition, attributes)
}

// scanOf is scanPlan with the step that reads the graph.
func scanOf(what string, input *plan.Plan, graph storage.GraphInfo, condition parser.Expr, attributes []string) *plan.Plan {
	var inputs []*plan.Plan
	if condition != nil {
		inputs = append(inputs, plan.Step("filter", "during the scan: "+condition.String()))
	}
	inputs = append(inputs, session.AttributePlans(graph, attributes)...)
	return plan.Measured(plan.Scan, "scan", what, append(inputs, input)...)
}

// limited adds the limit of rows to the detail of a plan.
func limited(detail string, limit int) string {
	if limit > 0 {
		detail += fmt.Sprintf(", the first %d", limit)
	}
	return detail
}

func newScan(c *engine.Call, graph string, where func(where.Candidate) bool, attributes []string, limit int) (*vertexScan, error) {
	s := &vertexScan{where: where, limit: limit}
	var err error
	if s.graph, s.columns, err = c.Columns(graph, attributes, fault.Graph); err == nil {
		err = noteMeasures(c, s.graph.Info, attributes)
	}
	return s, err
}

// noteMeasures gives notices of the attributes that are stored measures of an older
// version of the graph.
func noteMeasures(c *engine.Call, graph storage.GraphInfo, attributes []string) error {
	for i, a := range graph.Attributes {
		if graph.Computed[i] == nil || !slices.Contains(attributes, a.Name) {
			continue
		}
		behind, err := behind(c, graph.Name, graph.Computed[i].GraphVersion)
		if err != nil {
			return err
		}
		if behind > 0 {
			name := fault.Name(graph.Name)
			c.Notice("measure %s is %s behind graph %s; REFRESH MEASURE %s IN %s", fault.Name(a.Name), fault.Count(int64(behind), "version"), name, fault.Name(a.Name), name)
		}
	}
	return nil
}

// each calls f with every vertex that the scan is for, in ascending order.
func (s *vertexScan) each(ctx context.Context, f func(v uint32) error) error {
	const often = 1 << 12 // vertices between two checks of the context, well below a millisecond
	g := s.graph.Graph
	n := g.Vertices()
	list := s.near
	if s.of && s.distances == nil {
		list = g.Neighbors(s.vertex)
	}
	if s.of {
		n = len(list)
	}
	found := 0
	for i := range n {
		if i%often == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		s.visited++
		s.place = i
		v, linked := uint32(i), s.of
		if s.of {
			v = list[i]
		}
		if s.distances != nil {
			linked = s.distances[i] == 1
		}
		if s.where != nil && !s.where(where.NewCandidate(s.graph, s.columns, v, linked)) {
			continue
		}
		if err := f(v); err != nil {
			return err
		}
		if found++; found == s.limit {
			break
		}
	}
	return nil
}

// scanRows are the rows of a scan, and their measurement.
func scanRows[T any](c *engine.Call, s *vertexScan, row func(v uint32) T) *engine.Stream[T] {
	stop := c.Watch.Start(plan.Scan)
	return engine.StreamOf(c, func(f func(T) error) error {
		n := int64(0)
		err := s.each(c.Ctx, func(v uint32) error {
			n++
			return f(row(v))
		})
		stop(n, s.scanned())
		return err
	})
}

// scanned describes for PROFILE how many vertices a scan visited.
func (s *vertexScan) scanned() string {
	return fault.Count(s.visited, "vertex") + " visited"
}
