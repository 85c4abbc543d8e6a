package query

import "fmt"

// This file has the steps of PREDICT.

func (o *predictOp) plan() *Plan {
	p := o.found
	of := ""
	if p.of {
		of = " of vertex " + quoteKey(o.req.Vertex)
	}
	likelier := "highest"
	if !p.rule.HigherIsLikelier {
		likelier = "lowest"
	}
	inputs := p.columns.plans()
	if o.where != nil {
		inputs = append([]*Plan{step("filter", o.where.String())}, inputs...)
	}
	for _, s := range p.spaces {
		inputs = append(inputs, s.plan())
	}
	return result("links", fmt.Sprintf("%d%s by %s, the %s score first, ties by vertex", p.count, of, o.req.With, likelier),
		measuredStep(stepScore, "candidates", p.candidates()+", without an edge", append(inputs, p.graph.plan())...))
}
