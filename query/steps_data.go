package query

import (
	"fmt"
	"strings"

	"heavytail/query/parser"
)

// This file has the plans of the statements that change vertices and edges, and
// of those that show vertices.

func (o *dropAttributeOp) plan() *Plan {
	return result("drop attribute", name(o.attribute)+" of graph "+name(o.graph))
}

// written is the plan of a change of a graph.
func written(step, what, graph string, inputs ...*Plan) *Plan {
	return result(step, "of graph "+name(graph),
		measuredStep(stepStore, "store", what+", in one transaction", inputs...))
}

func (o *insertVerticesOp) plan() *Plan {
	return written("insert", count(int64(len(o.vertices)), "vertex"), o.graph)
}

func (o *updateVerticesOp) plan() *Plan {
	set := make([]string, len(o.set))
	for i, option := range o.set {
		set[i] = shorten(option.String())
	}
	what := strings.Join(set, ", ")
	if o.where != nil {
		return written("update", what, o.req.Graph, scanPlan(o.req.Graph, o.where, o.req.Attributes))
	}
	return written("update", count(int64(len(o.req.Vertices)), "vertex")+": "+what, o.req.Graph)
}

func (o *deleteVerticesOp) plan() *Plan {
	if o.where != nil {
		return written("delete", "vertices with their edges", o.req.Graph, scanPlan(o.req.Graph, o.where, o.req.Attributes))
	}
	return written("delete", count(int64(len(o.req.Keys)), "vertex")+" with edges", o.req.Graph)
}

// scanPlan is the plan of finding the vertices to be changed.
func scanPlan(graph string, where parser.Expr, attributes []string) *Plan {
	inputs := []*Plan{step("filter", "during the scan: "+where.String())}
	for _, n := range attributes {
		inputs = append(inputs, measuredStep("attribute "+n, "attribute", name(n)))
	}
	inputs = append(inputs, measuredStep("graph "+graph, "graph", name(graph)))
	return measuredStep(stepScan, "scan", "all vertices", inputs...)
}

func (o *edgesOp) plan() *Plan {
	steps := [...]string{insertVerb: "insert", updateVerb: "update", deleteVerb: "delete"}
	return written(steps[o.verb], count(int64(len(o.edges)), "edge"), o.graph)
}

func (o *deleteEdgesFileOp) plan() *Plan {
	return written("delete", "edges", o.req.Graph, step("pairs", quote(inputName(o.req.Path))))
}

func (o *showVerticesOp) plan() *Plan {
	return result("vertices", limited("in the order in which they came into the graph", o.req.Limit), o.found.plan("all vertices", o.where))
}

func (o *showNeighborsOp) plan() *Plan {
	from := "neighbours of vertex " + quoteKey(o.req.Vertex)
	return result("neighbours", limited("in the order in which they came into the graph", o.req.Limit), o.found.plan(from, o.where))
}

// limited adds how many rows there are at most.
func limited(detail string, limit int) string {
	if limit > 0 {
		detail += fmt.Sprintf(", the first %d", limit)
	}
	return detail
}

// plan of a scan of vertices, with its filter and what it reads.
func (s *vertexScan) plan(what string, where parser.Expr) *Plan {
	var inputs []*Plan
	if where != nil {
		inputs = append(inputs, step("filter", "during the scan: "+where.String()))
	}
	inputs = append(inputs, s.columns.plans()...)
	return measuredStep(stepScan, "scan", what, append(inputs, s.graph.plan())...)
}

// plans of the attributes that a scan reads.
func (s *columnSet) plans() []*Plan {
	if s == nil {
		return nil
	}
	plans := make([]*Plan, len(s.names))
	for i, n := range s.names {
		detail := fmt.Sprintf("%s, %s, %d of %s", name(n), s.columns[i].Type, s.columns[i].Count(), count(int64(s.columns[i].Len()), "vertex"))
		plans[i] = measuredStep("attribute "+n, "attribute", detail)
	}
	return plans
}

func (o *showAttributesOp) plan() *Plan {
	return result("list", "attributes of graph "+name(o.graph.Name))
}

func (o *describeVertexOp) plan() *Plan {
	return result("description", "of vertex "+quoteKey(o.vertex)+", without loading graph "+name(o.graph.Name))
}
