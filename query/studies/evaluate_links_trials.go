package studies

import (
	"errors"
	"slices"

	"heavytail/embedding/evaluate"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/scoring"
	"heavytail/query/internal/session"
	"heavytail/query/internal/trial"
	"heavytail/query/plan"
)

// This file measures the trials of EVALUATE LINKS: each split, and after the splits the null
// graph, with the scorers that need no vectors and again with each method. Trials are numbered by
// splits, and within a split in the order of eachMethod.

func linkTrials(req EvaluateLinksRequest, t *linkTrial) int64 {
	splits := max(1, req.Splits)
	if req.hasNull() {
		splits++
	}
	return int64(splits) * int64(t.members())
}

// measureLinks returns the figures of all trials of a split: from the parts, if there are any, or
// by measuring them. The split after the last one is the null graph.
func measureLinks(c *engine.Call, view *session.Graph, req EvaluateLinksRequest, t *linkTrial, split int) (all linkFigures, err error) {
	if c.Trials == nil {
		h, err := holdLinks(c, view, req, t, split)
		if err != nil {
			return all, err
		}
		return h.measure(0, t.members())
	}
	for range t.members() {
		var one linkFigures
		if err := c.Trials.Read(&one); err != nil {
			return all, err
		}
		c.Repeat(one.Notices)
		all.add(one)
	}
	return all, nil
}

// tryLinks measures some trials for a part. The edges of a split are held out once.
func tryLinks(c *engine.Call, req EvaluateLinksRequest, t *linkTrial, w *trial.Writer) error {
	graph, release, err := linkGraph(c, req, t, false)
	if err != nil {
		return err
	}
	defer release()
	if err := w.Of(graph.Info); err != nil {
		return err
	}
	var h *heldLinks
	held, members := -1, int64(t.members())
	for first, end := w.Range(); first < end; first++ {
		split, member := int(first/members), int(first%members)
		if split != held {
			if h, err = holdLinks(c, graph, req, t, split); err != nil {
				return err
			}
			held = split
		}
		f, err := h.measure(member, member+1)
		if err != nil {
			return err
		}
		if err := w.Write(f); err != nil {
			return err
		}
	}
	return nil
}

// heldLinks is a split whose edges are held out.
type heldLinks struct {
	call  *engine.Call
	req   EvaluateLinksRequest // with the seed of the split
	trial *linkTrial
	links *linkSplits // nil if the null graph has too few pairs
	null  bool
}

// holdLinks holds out the edges of a split: with its own seed, or those of the null graph.
func holdLinks(c *engine.Call, view *session.Graph, req EvaluateLinksRequest, t *linkTrial, split int) (h *heldLinks, err error) {
	h = &heldLinks{call: c, req: req, trial: t, null: split == max(1, req.Splits)}
	if !h.null {
		h.req.Seed += uint64(split)
		h.links, err = splitLinks(c, view, view.Graph, h.req, t.kinds, t.across)
		return h, err
	}
	g, err := scoring.NullGraph(c, view, req.Seed)
	if err != nil {
		return nil, err
	}
	h.req.Latest, h.req.CurveSteps = false, 0 // it has no times
	h.links, err = splitLinks(c, view, g, h.req, req.nulls(t.kinds), t.across)
	if !req.Null && errors.Is(err, evaluate.ErrNegatives) {
		return h, nil // nobody has asked for it
	}
	return h, err
}

// measure measures some of the members of the split.
func (h *heldLinks) measure(first, end int) (f linkFigures, err error) {
	c := h.call
	if h.links == nil {
		return f, nil
	}
	said := len(c.Notices)
	f.Held = len(h.links.base.Edges)
	if h.req.RankAt > 0 {
		err = h.rank(&f, first, end)
	} else {
		f.Pairs = h.links.pairs()
		stop := c.Watch.Start(plan.Score)
		err = eachMethod(c, h.trial, h.links.base, first, end, func(m methodVectors) error { return f.score(c, h.links, m, h.req) })
		if err == nil {
			stop(int64(len(f.Scores)), "methods included")
		}
	}
	f.Notices = slices.Clone(c.Notices[said:])
	return f, err
}

func (h *heldLinks) rank(f *linkFigures, first, end int) error {
	r, err := rankMethods(h.call, h.req, h.trial, h.links.base, first, end, false)
	if err != nil {
		return err
	}
	f.Methods, f.Rankings = r.methods, r.list
	f.Ranked, f.Drawn, f.Popular = len(r.sample.Vertices), r.sample.All, cells.Nullable(r.sample.Popular)
	if h.null || len(r.list) == 0 {
		return nil
	}
	chance, err := h.links.base.RankChance(r.opts)
	f.Chance = &chance
	return err
}
