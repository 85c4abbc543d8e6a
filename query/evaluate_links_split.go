package query

import (
	"fmt"

	"heavytail/embedding/evaluate"
	"heavytail/query/internal/fault"
	"heavytail/query/internal/plan"
	"heavytail/query/internal/session"
	"heavytail/storage/csr"
)

// This file holds out the edges that EVALUATE LINKS and EXPORT PAIRS predict.

// linkGraph loads the graph of a trial and its sides, and reserves the memory of the trial
// until release. With keep, all scores are kept.
func (c *call) linkGraph(req EvaluateLinksRequest, t *linkTrial, keep bool) (graph *session.Graph, release func(), err error) {
	graph, columns, err := c.Columns(req.Graph, sidesAttribute(req.Sides), fault.Graph)
	if err != nil {
		return nil, nil, err
	}
	if t.across, err = c.sides(graph, req.Sides, columns); err != nil {
		return nil, nil, err
	}
	if undivided(graph, req.Sides) {
		c.Notice("graph %s is bipartite, and pairs without an edge may be of one side; sides := 'auto' measures links between the sides", fault.Name(req.Graph))
	}
	release, err = c.db.cache.Reserve(t.bytes(req, graph, c.db.opts.Workers, keep), "evaluating links of graph "+fault.Name(req.Graph))
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

// noteNegatives gives a notice of the number of pairs of each kind; all is the number of
// edges that were held out.
func (c *call) noteNegatives(all int, list []NegativePairs) {
	for _, p := range list {
		held, kind, few := fault.Count(int64(p.Held), "edge")+" held out", "", ""
		if p.Negatives != evaluate.RandomNegatives || len(list) > 1 {
			kind = string(p.Negatives) + ": "
		}
		if p.Negatives == evaluate.TwoHopNegatives {
			held = fmt.Sprintf("%d of %s held out have a common neighbour,", p.Held, fault.Count(int64(all), "edge"))
		}
		if p.Pairs < p.Held {
			few = "; the graph has too few such pairs"
		}
		c.Notice("%s%s and %s without an edge, %s to learn from%s",
			kind, held, fault.Count(int64(p.Pairs), "pair"), fault.Count(int64(p.Trained), "pair"), few)
	}
}

// splitLinks holds out edges of a graph, and draws pairs without an edge of each kind.
// view names the graph in errors.
func (c *call) splitLinks(view *session.Graph, g *csr.Graph, req EvaluateLinksRequest, t *linkTrial) (*linkSplits, error) {
	stop := c.Watch.Start(plan.Split)
	s := &linkSplits{kinds: t.kinds, of: make([]*evaluate.LinkSplit, len(t.kinds))}
	opts := evaluate.SplitOptions{
		Share: req.Share, Latest: req.Latest, Training: req.Training,
		Unseen: req.Unseen, Ascending: req.Ascending, Seed: req.Seed, Connected: req.Connected, Sides: t.across,
	}
	var err error
	waited := c.Await(func() {
		if s.base, err = evaluate.SplitLinks(c.Ctx, g, opts); err != nil {
			err = noneAcross(view.Info.Name, t.across, err)
			return
		}
		for i, kind := range t.kinds {
			if s.of[i], err = s.base.With(c.Ctx, g, kind, opts); err != nil {
				err = noNegatives(view.Info.Name, kind, err)
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
