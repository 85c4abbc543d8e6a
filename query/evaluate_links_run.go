package query

import (
	"fmt"

	"heavytail/embedding/evaluate"
	"heavytail/query/internal/fault"
	"heavytail/query/internal/plan"
	"heavytail/query/internal/session"
)

// This file runs EVALUATE LINKS.

func runEvaluateLinks(c *call, req EvaluateLinksRequest, t *linkTrial) (EvaluateLinksResult, error) {
	graph, release, err := c.linkGraph(req, t)
	if err != nil {
		return EvaluateLinksResult{}, err
	}
	defer release()
	s, err := c.splitLinks(graph, req, t.kinds)
	if err != nil {
		return EvaluateLinksResult{}, err
	}
	if req.RankAt > 0 {
		return rankLinks(c, req, t, s.base)
	}
	result := EvaluateLinksResult{Methods: t.texts(), NegativePairs: s.pairs()}
	stop := c.Watch.Start(plan.Score)
	err = c.eachMethod(t, s.base, func(m methodVectors) error { return result.score(c, s, m, req.HitsAt) })
	if err != nil {
		return EvaluateLinksResult{}, err
	}
	stop(int64(len(result.Scores)), "methods included")
	c.noteNegatives(s.base, result.NegativePairs)
	result.Notices = c.Notices
	return result, nil
}

// linkGraph loads the graph of a trial, and reserves the memory of the trial until release.
func (c *call) linkGraph(req EvaluateLinksRequest, t *linkTrial) (graph *session.Graph, release func(), err error) {
	if graph, err = c.Graph(req.Graph, fault.Graph); err != nil {
		return nil, nil, err
	}
	release, err = c.db.cache.Reserve(t.bytes(req, graph), "evaluating links of graph "+fault.Name(req.Graph))
	return graph, release, err
}

// linkSplits is a graph whose edges were held out, with pairs of each kind of negatives.
type linkSplits struct {
	base  *evaluate.LinkSplit // by evaluate.RandomNegatives
	kinds []evaluate.Negatives
	of    []*evaluate.LinkSplit // each kind
}

// pairs counts the pairs of each kind.
func (s *linkSplits) pairs() []NegativePairs {
	list := make([]NegativePairs, len(s.kinds))
	for i, of := range s.of {
		list[i] = NegativePairs{s.kinds[i], len(of.Edges), len(of.NonEdges), len(of.TrainEdges) + len(of.TrainNonEdges)}
	}
	return list
}

// noteNegatives says how many pairs of each kind there are.
func (c *call) noteNegatives(base *evaluate.LinkSplit, list []NegativePairs) {
	for _, p := range list {
		held, kind, few := fault.Count(int64(p.Held), "edge")+" held out", "", ""
		if p.Negatives != evaluate.RandomNegatives || len(list) > 1 {
			kind = string(p.Negatives) + ": "
		}
		if p.Negatives == evaluate.TwoHopNegatives {
			held = fmt.Sprintf("%d of %s held out have a common neighbour,", p.Held, fault.Count(int64(len(base.Edges)), "edge"))
		}
		if p.Pairs < p.Held {
			few = "; the graph has too few such pairs"
		}
		c.Notice("%s%s and %s without an edge, %s to learn from%s",
			kind, held, fault.Count(int64(p.Pairs), "pair"), fault.Count(int64(p.Trained), "pair"), few)
	}
}

// score appends the scores of one method.
func (r *EvaluateLinksResult) score(c *call, s *linkSplits, m methodVectors, hitsAt int) error {
	opts := evaluate.LinkOptions{Scorers: m.scorers, Features: m.features, HitsAt: hitsAt, Workers: c.db.opts.Workers, Progress: c.Meter.Update}
	of := make([][]evaluate.LinkScore, len(s.kinds))
	for i, split := range s.of {
		var err error
		if of[i], err = split.Score(c.Ctx, m.vectors, opts); err != nil {
			return err
		}
	}
	for j := range of[0] {
		for i, kind := range s.kinds {
			r.Scores = append(r.Scores, MethodScore{m.number, kind, of[i][j]})
		}
	}
	return nil
}

// splitLinks holds edges out, and draws pairs without an edge of each kind.
func (c *call) splitLinks(graph *session.Graph, req EvaluateLinksRequest, kinds []evaluate.Negatives) (*linkSplits, error) {
	stop := c.Watch.Start(plan.Split)
	s := &linkSplits{kinds: kinds, of: make([]*evaluate.LinkSplit, len(kinds))}
	opts := evaluate.SplitOptions{
		Share: req.Share, Latest: req.Latest, Training: req.Training,
		Unseen: req.Unseen, Ascending: req.Ascending, Seed: req.Seed,
	}
	var err error
	waited := c.Await(func() {
		if s.base, err = evaluate.SplitLinks(c.Ctx, graph.Graph, opts); err != nil {
			return
		}
		for i, kind := range kinds {
			if s.of[i], err = s.base.With(c.Ctx, graph.Graph, kind, opts); err != nil {
				err = noNegatives(graph.Info.Name, kind, err)
				return
			}
		}
	})
	if waited != nil {
		return nil, waited
	}
	if err != nil {
		return nil, err
	}
	stop(int64(len(s.base.Edges)), "")
	return s, nil
}

// linkColumns are those of EVALUATE LINKS.
var linkColumns = []string{"method", "scorer", "negatives", "auc", "average_precision", "precision", "recall", "f1", "hits"}

func linkRows(req EvaluateLinksRequest, r EvaluateLinksResult) *Rows {
	if req.RankAt > 0 {
		return rankRows(r)
	}
	table := make([][]Value, len(r.Scores))
	for i, s := range r.Scores {
		var method Value
		if s.Method >= 0 {
			method = r.Methods[s.Method]
		}
		table[i] = []Value{method, scorerText(s.Scorer, s.Learned), string(s.Negatives),
			number(s.AUC), number(s.AveragePrecision), number(s.Precision), number(s.Recall), number(s.F1), number(s.Hits)}
	}
	return rowsOf(linkColumns, table)
}
