package query

import (
	"fmt"
	"strings"

	"heavytail/embedding/evaluate"
)

// This file has the steps of the statements that judge embeddings.

func (o *evaluateReconstructionOp) plan() *Plan {
	s := o.found.space
	return result("evaluation", "degree correlations, power law, precision and recall",
		measuredStep(stepJoin, "exact join", radiiText(o.req.Grid, o.req.Criterion), s.plan(), s.graph.plan()))
}

// radiiText says which radii a sweep tries.
func radiiText(grid evaluate.Grid, criterion evaluate.Criterion) string {
	text := "quantiles of the distances"
	if grid == evaluate.Paper {
		text = "epsilon from 0.01 to 0.50"
	}
	return fmt.Sprintf("%s, the best by %s", text, criteria()[criterion])
}

func (o *evaluateLinksOp) plan() *Plan {
	share := o.req.Share
	if share == 0 {
		share = evaluate.DefaultShare
	}
	which := "at random"
	if o.req.Latest {
		which = "with the latest timestamps"
	}
	scorers := "all scorers"
	if o.req.Scorers != nil {
		scorers = strings.Join(o.req.Scorers, ", ")
	}
	return result("evaluation", "AUC, average precision, decisions, hits",
		measuredStep(stepScore, "score", scorers+"; learned from "+strings.Join(o.found.features, ", "),
			measuredStep(stepSolve, "method", o.text,
				measuredStep(stepSplit, "split", fmt.Sprintf("%v of the edges held out, %s", share, which), o.found.graph.plan()))))
}
