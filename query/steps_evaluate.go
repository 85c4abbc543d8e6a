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
	if o.req.Unseen {
		which += fmt.Sprintf(", and %v of the others to learn from", evaluate.DefaultUnseen)
	}
	scorers := "all scorers"
	if o.req.Scorers != nil {
		scorers = strings.Join(o.req.Scorers, ", ")
	}
	var inputs []*Plan
	for i, text := range o.texts {
		inputs = append(inputs, measuredStep(solveStep(i), "method", text))
	}
	inputs = append(inputs, measuredStep(stepSplit, "split", fmt.Sprintf("%v of the edges held out, %s", share, which), o.found.graph.plan()))
	return result("evaluation", "AUC, average precision, decisions, hits",
		measuredStep(stepScore, "score", scorers+"; learned from "+strings.Join(o.found.features, ", "), inputs...))
}

func (o *evaluateLabelsOp) plan() *Plan {
	fractions := o.req.Fractions
	if fractions == nil {
		fractions = evaluate.DefaultFractions()
	}
	var shares []string
	for _, f := range fractions {
		shares = append(shares, fmt.Sprint(f))
	}
	seeds := o.req.Seeds
	if seeds == 0 {
		seeds = evaluate.DefaultSeeds
	}
	penalty := "penalty chosen in the training vertices"
	if o.req.Penalty > 0 {
		penalty = fmt.Sprintf("penalty %v", o.req.Penalty)
	}
	s := o.found.space
	return result("evaluation", "micro- and macro-F1, accuracy",
		measuredStep(stepSolve, "logistic regressions", fmt.Sprintf("each class against the rest, %s; trained on %s of the vertices, %s",
			penalty, strings.Join(shares, ", "), count(int64(seeds), "time")),
			append(o.found.columns.plans(), s.plan(), s.graph.plan())...))
}
