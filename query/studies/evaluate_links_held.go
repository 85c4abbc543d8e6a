package studies

import (
	"errors"

	"heavytail/embedding/evaluate"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/scoring"
	"heavytail/query/internal/session"
	"heavytail/query/plan"
	"heavytail/storage/csr"
)

// This file measures the splits of EVALUATE LINKS, and the null graph.

// measureLinks holds out the edges of a split, with its own seed, and returns its figures. The
// split after the last one is the null graph.
func measureLinks(c *engine.Call, view *session.Graph, req EvaluateLinksRequest, t *linkTrial, split int) (f linkFigures, err error) {
	if split == max(1, req.Splits) {
		return measureNull(c, view, req, t)
	}
	req.Seed += uint64(split)
	s, err := splitLinks(c, view, view.Graph, t.along, req, t.kinds, t.across)
	if err != nil {
		return f, err
	}
	if err := f.measure(c, s, req, t); err != nil || len(f.list) == 0 {
		return f, err
	}
	chance, err := s.base.RankChance(f.opts)
	f.chance = &chance
	return f, err
}

// measureNull returns the figures of the null graph; none if it has too few pairs and was not
// asked for.
func measureNull(c *engine.Call, view *session.Graph, req EvaluateLinksRequest, t *linkTrial) (f linkFigures, err error) {
	var g *csr.Graph
	var along *csr.Directed
	if t.along != nil {
		along, err = scoring.DirectedNullGraph(c, t.along, req.Seed)
	} else {
		g, err = scoring.NullGraph(c, view, req.Seed)
	}
	if err != nil {
		return f, err
	}
	wanted := req.Null
	kinds := req.nulls(t.kinds)
	req.Latest, req.CurveSteps = false, 0 // it has no times
	s, err := splitLinks(c, view, g, along, req, kinds, t.across)
	if !wanted && errors.Is(err, evaluate.ErrNegatives) {
		return f, nil
	}
	if err != nil {
		return f, err
	}
	return f, f.measure(c, s, req, t)
}

// measure measures all methods on a split.
func (f *linkFigures) measure(c *engine.Call, s *linkSplits, req EvaluateLinksRequest, t *linkTrial) (err error) {
	f.Held = len(s.base.Edges)
	if req.RankAt > 0 {
		f.linkRanking, err = rankMethods(c, req, t, s.base, false)
		return err
	}
	f.Pairs = s.pairs()
	stop := c.Watch.Start(plan.Score)
	if err := eachMethod(c, t, s.base, func(m methodVectors) error { return f.score(c, s, m, req) }); err != nil {
		return err
	}
	stop(int64(len(f.Scores)), "methods included")
	return nil
}
