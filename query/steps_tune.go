package query

import (
	"fmt"
	"strings"
)

// This file has the steps of TUNE.

func (o *tuneOp) plan() *Plan {
	names := make([]string, len(o.found.methods))
	for i, m := range o.found.methods {
		names[i] = m.method.Name
	}
	methods := o.text
	if methods == "" {
		methods = strings.Join(names, ", ")
	}
	goal := fmt.Sprintf("%s for %s, the best by %s", methods, o.req.Goal, o.req.Goal.Criteria()[o.found.criterion])
	if o.req.Trials > 0 {
		goal += ", at most " + count(int64(o.req.Trials), "trial")
	}
	if o.found.budget > 0 {
		goal += fmt.Sprintf(", for %v at most", o.found.budget)
	}
	return result("embedding", fmt.Sprintf("%s, generation %d", name(o.req.Name), o.found.generation),
		measuredStep(stepSolve, "method", "the best",
			measuredStep(stepSearch, "search", goal, o.found.graph.plan())))
}
