package query

import "fmt"

// This file has the steps of the statements about the generations of an embedding.

func (o *refreshOp) plan() *Plan {
	if !o.changes.EdgesChanged {
		return result("embedding", fmt.Sprintf("%s, generation %d, as it is: no edge changed", name(o.req.Embedding), o.info.Generation), o.graph.plan())
	}
	what := fmt.Sprintf("from generation %d and %s of %s", o.info.Generation, count(int64(len(o.changes.Touched)), "touched vertex"), count(int64(o.changes.Versions), "version"))
	switch {
	case o.info.Stateless:
		what = "in full: the embedding was made to keep no state for it"
	case o.changes.All:
		what = "in full: the change log does not say which vertices changed"
	}
	return result("embedding", fmt.Sprintf("%s, generation %d", name(o.req.Embedding), o.info.Generation+1),
		measuredStep(stepSolve, "method", what, o.graph.plan()))
}

func (o *autoRefreshOp) plan() *Plan {
	return result("embedding", name(o.embedding)+", refreshed by itself: "+autoText(o.auto))
}

func (o *verifyOp) plan() *Plan {
	return result("comparison", "neighbours, reconstruction and edges of both",
		o.found.plan(),
		measuredStep(stepSolve, "method", o.found.info.Method+" in full", o.found.graph.plan()))
}

func (o *showGenerationsOp) plan() *Plan { return result("list", "generations of "+name(o.embedding)) }

func (o *diffOp) plan() *Plan {
	return result("vertices", "those that moved most first", o.before.plan(), o.after.plan())
}
