package query

import (
	"context"
	"slices"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/job"
	"heavytail/embedding/link"
	"heavytail/storage/vec"
)

// This file is EVALUATE LINKS.

// EvaluateLinksRequest asks how well the edges of a graph can be predicted.
type EvaluateLinksRequest struct {
	Graph string
	// Method and Settings are the embedding of the edges that are not held out,
	// as in EmbedRequest.
	Method   string
	Settings map[string]any

	Share    float64 // of the edges, to hold out; 0 is the default of evaluate.SplitOptions
	Latest   bool    // hold out the edges with the latest timestamps, and not any
	Training int     // edges to train on at most; 0 is the default of evaluate.SplitOptions
	Seed     uint64  // of the edges and pairs that are drawn

	Scorers  []string // names of DB.Scorers; nil is all of them
	Features []string // names of link.Features; nil is the default of evaluate.LinkOptions
	HitsAt   int      // 0 is the default of evaluate.LinkOptions
}

// EvaluateLinksResult is the answer of EvaluateLinks.
type EvaluateLinksResult struct {
	Scores []evaluate.LinkScore // scorers, then learned ones, in the order of the request
	// Held is the number of edges that were held out, Pairs of the pairs that are
	// no edges, which they are to be told from.
	Held, Pairs int
	// Trained is the number of pairs, half of them edges, to learn from.
	Trained int
	Notices []Notice
}

// EvaluateLinks holds out edges of a graph, embeds the others, and compares how
// well scorers and models that learn from the others tell the edges held out from
// pairs that are no edges. It stores nothing.
func (db *DB) EvaluateLinks(ctx context.Context, req EvaluateLinksRequest) (EvaluateLinksResult, error) {
	c, err := db.begin(ctx, "EVALUATE LINKS")
	if err != nil {
		return EvaluateLinksResult{}, err
	}
	defer c.end()
	result, err := c.evaluateLinks(req, sortedSettings(req.Settings))
	return result, c.wrap(err)
}

// linkTrial is a request whose names are resolved.
type linkTrial struct {
	embedding          // of the whole graph, for what it takes
	features  []string // after the default
}

func (c *call) resolveEvaluateLinks(req EvaluateLinksRequest, given []setting) (*linkTrial, error) {
	if !(req.Share >= 0 && req.Share < 1) {
		return nil, mistake(partOption("share"), "option share is %v, and must be above 0 and below 1", req.Share)
	}
	if req.Training < 0 || req.HitsAt < 0 {
		return nil, mistake(partOption("training"), "%d edges to learn from and hits at %d must not be negative", req.Training, req.HitsAt)
	}
	for _, name := range req.Scorers {
		if !slices.Contains(scorerNames(), name) {
			return nil, unknownScorer(name, partOption("scorers"))
		}
	}
	for _, name := range req.Features {
		if err := checkFeature(name); err != nil {
			return nil, err
		}
	}
	t := &linkTrial{features: req.Features}
	if t.features == nil {
		t.features = []string{evaluate.DefaultFeature}
	}
	var err error
	if t.method, err = findMethod(req.Method); err != nil {
		return nil, err
	}
	if t.settings, t.options, err = methodOptions(t.method, given); err != nil {
		return nil, err
	}
	info, err := c.graphInfo(req.Graph, partGraph)
	if err != nil {
		return nil, err
	}
	if pairs := float64(info.Vertices) * float64(info.Vertices-1) / 2; info.Edges < 2 || pairs-float64(info.Edges) < 2 {
		m := mistake(partGraph, "graph %s has %s, too few to hold any out or too many to leave pairs without one", quote(req.Graph), count(info.Edges, "edge"))
		m.Err = evaluate.ErrLinks
		return nil, m
	}
	if req.Latest && !info.Timed {
		return nil, untimed(req.Graph)
	}
	t.graph, err = c.graph(req.Graph, partGraph)
	return t, err
}

// untimed is the mistake of asking for the latest edges of a graph without
// timestamps.
func untimed(graph string) error {
	m := mistake(partOption("latest"), "graph %s has no timestamps", quote(graph))
	m.Err = evaluate.ErrTimes
	return m
}

// checkFeature refuses a name that is no feature's.
func checkFeature(name string) error {
	_, err := link.FindFeature(name)
	if err == nil {
		return nil
	}
	e := mistake(partOption("features"), "unknown feature %s", quote(name))
	e.Err = err
	return e.withHint(name, featureNames(), func(s string) string { return s })
}

func featureNames() []string {
	var names []string
	for _, f := range link.Features() {
		names = append(names, f.Name)
	}
	return names
}

// bytes estimates the memory of a trial beside the graph: the graph without some
// edges and the pairs, the embedding, and the features of the training pairs.
func (t *linkTrial) bytes(req EvaluateLinksRequest) int64 {
	width := 0
	for _, name := range t.features {
		if f, err := link.FindFeature(name); err == nil {
			width = max(width, f.Width(int(t.dim())))
		}
	}
	edges, training := t.graph.Graph.Edges(), int64(req.Training)
	if training == 0 {
		training = evaluate.DefaultTraining
	}
	return graphBytes(t.graph.Info) + 64*edges + t.embedding.bytes() + 8*int64(width)*min(training, edges)
}

func (c *call) evaluateLinks(req EvaluateLinksRequest, given []setting) (EvaluateLinksResult, error) {
	t, err := c.resolveEvaluateLinks(req, given)
	if err != nil {
		return EvaluateLinksResult{}, err
	}
	release, err := c.db.cache.reserve(t.bytes(req), "evaluating links of graph "+name(req.Graph))
	if err != nil {
		return EvaluateLinksResult{}, err
	}
	defer release()
	split, m, err := c.embedSplit(t, req)
	if err != nil {
		return EvaluateLinksResult{}, err
	}
	stop := c.watch.start(stepScore)
	scores, err := split.Score(c.ctx, m, evaluate.LinkOptions{
		Scorers: req.Scorers, Features: req.Features, HitsAt: req.HitsAt,
		Workers: c.db.opts.Workers, Progress: c.meter.update,
	})
	if err != nil {
		return EvaluateLinksResult{}, err
	}
	result := EvaluateLinksResult{Scores: scores, Held: len(split.Edges), Pairs: len(split.NonEdges), Trained: len(split.TrainEdges) + len(split.TrainNonEdges)}
	stop(int64(len(scores)), "")
	c.notice("%s held out and %s without an edge, %s to learn from",
		count(int64(result.Held), "edge"), count(int64(result.Pairs), "pair"), count(int64(result.Trained), "pair"))
	result.Notices = c.notices
	return result, nil
}

// embedSplit holds edges out and embeds the others.
func (c *call) embedSplit(t *linkTrial, req EvaluateLinksRequest) (*evaluate.LinkSplit, *vec.Matrix, error) {
	stop := c.watch.start(stepSplit)
	var split *evaluate.LinkSplit
	var err error
	waited := c.await(func() {
		split, err = evaluate.SplitLinks(c.ctx, t.graph.Graph, evaluate.SplitOptions{
			Share: req.Share, Latest: req.Latest, Training: req.Training, Seed: req.Seed,
		})
	})
	if waited != nil {
		return nil, nil, waited
	}
	if err != nil {
		return nil, nil, err
	}
	stop(int64(len(split.Edges)), "")
	stop = c.watch.start(stepSolve)
	m, info, err := job.Compute(c.ctx, split.Graph, job.Request{
		Method: req.Method, Options: t.options, Workers: c.db.opts.Workers, Progress: c.meter.update,
	})
	if err != nil {
		return nil, nil, err
	}
	c.noteMethod(info)
	stop(int64(m.Rows), count(int64(info.Iterations), "iteration"))
	return split, m, nil
}
