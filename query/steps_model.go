package query

import "fmt"

// This file has the steps of the statements of models.

func (o *trainModelOp) plan() *Plan {
	inputs := []*Plan{o.found.graph.plan()}
	learn := "heuristics"
	if s := o.found.space; s != nil {
		inputs = append([]*Plan{s.plan()}, inputs...)
		learn = fmt.Sprintf("heuristics and features; %s of what is left of the graph, turned to where embedding %s is", s.info.Method, name(s.info.Name))
	}
	return result("model", name(o.req.Name),
		measuredStep(stepSolve, "logistic regression", learn,
			step("split", "edges held out to learn from and to measure", inputs...)))
}

func (o *dropModelOp) plan() *Plan { return result("drop model", name(o.model)) }

func (o *describeModelOp) plan() *Plan {
	return result("description", "of model "+name(o.model)+", from the catalogue")
}
