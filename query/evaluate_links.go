package query

import (
	"context"
	"slices"
	"strconv"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/job"
	"heavytail/embedding/link"
	"heavytail/storage/vec"
)

// This file is EVALUATE LINKS.

// EvaluateLinksRequest asks how well the edges of a graph can be predicted.
type EvaluateLinksRequest struct {
	Graph   string
	Methods []LinkMethod // at least one; each embeds the edges that are not held out

	Share    float64 // of the edges, to hold out; 0 is the default of evaluate.SplitOptions
	Latest   bool    // hold out the edges with the latest timestamps, and not any
	Training int     // edges to train on at most; 0 is the default of evaluate.SplitOptions
	// Unseen holds the edges to train on out as well, and Ascending puts the
	// vertex that came first into the graph first in every pair; see
	// evaluate.SplitOptions.
	Unseen, Ascending bool
	Seed              uint64 // of the edges and pairs that are drawn

	Scorers  []string // names of DB.Scorers; nil is all of them
	Features []string // names of link.Features; nil is the default of evaluate.LinkOptions
	HitsAt   int      // 0 is the default of evaluate.LinkOptions
}

// LinkMethod is a method with its settings, as in EmbedRequest.
type LinkMethod struct {
	Method   string
	Settings map[string]any
}

// MethodScore is the score of a scorer or model with one of the methods.
type MethodScore struct {
	Method int // index in EvaluateLinksRequest.Methods; −1 where the scorer needs no vectors
	evaluate.LinkScore
}

// EvaluateLinksResult is the answer of EvaluateLinks.
type EvaluateLinksResult struct {
	// Scores are those of the scorers that need no vectors, and then for each
	// method those of the others and of the models, in the order of the request.
	Scores []MethodScore
	// Held is the number of edges that were held out, Pairs of the pairs that are
	// no edges, which they are to be told from.
	Held, Pairs int
	// Trained is the number of pairs, half of them edges, to learn from.
	Trained int
	Notices []Notice
}

// EvaluateLinks holds out edges of a graph, embeds the others by each method, and
// compares how well scorers and models that learn from the others tell the edges
// held out from pairs that are no edges. All methods have the same edges and pairs.
// It stores nothing.
func (db *DB) EvaluateLinks(ctx context.Context, req EvaluateLinksRequest) (EvaluateLinksResult, error) {
	c, err := db.begin(ctx, "EVALUATE LINKS")
	if err != nil {
		return EvaluateLinksResult{}, err
	}
	defer c.end()
	given := make([][]setting, len(req.Methods))
	for i, m := range req.Methods {
		given[i] = sortedSettings(m.Settings)
	}
	result, err := c.evaluateLinks(req, given)
	return result, c.wrap(err)
}

// linkTrial is a request whose names are resolved.
type linkTrial struct {
	graph    *graphView
	methods  []*embedding // of the whole graph, for what they take
	features []string     // after the default
	plain    []string     // scorers that need no vectors
	vectors  []string     // scorers that do
}

// resolveEvaluateLinks checks a request, with the settings of each method, and
// finds what it names.
func (c *call) resolveEvaluateLinks(req EvaluateLinksRequest, given [][]setting) (*linkTrial, error) {
	if err := req.check(); err != nil {
		return nil, err
	}
	t := &linkTrial{features: req.Features}
	if t.features == nil {
		t.features = []string{evaluate.DefaultFeature}
	}
	if err := t.sortScorers(req.Scorers); err != nil {
		return nil, err
	}
	for _, name := range t.features {
		if err := checkFeature(name); err != nil {
			return nil, err
		}
	}
	for i, m := range req.Methods {
		e := &embedding{}
		var err error
		if e.method, err = findMethod(m.Method); err != nil {
			return nil, err
		}
		if e.settings, e.options, err = methodOptions(e.method, given[i]); err != nil {
			return nil, err
		}
		t.methods = append(t.methods, e)
	}
	if err := c.checkLinkGraph(req.Graph, req.Unseen, req.Latest); err != nil {
		return nil, err
	}
	var err error
	t.graph, err = c.graph(req.Graph, partGraph)
	for _, e := range t.methods {
		e.graph = t.graph
	}
	return t, err
}

// check refuses numbers that are out of range.
func (req EvaluateLinksRequest) check() error {
	switch {
	case !(req.Share >= 0 && req.Share < 1):
		return mistake(partOption("share"), "option share is %v, and must be above 0 and below 1", req.Share)
	case req.Training < 0 || req.HitsAt < 0:
		return mistake(partOption("training"), "%d edges to learn from and hits at %d must not be negative", req.Training, req.HitsAt)
	case len(req.Methods) == 0:
		return mistake(partMethod, "no method to embed with")
	}
	return nil
}

// checkLinkGraph refuses a graph of which no edges can be held out.
func (c *call) checkLinkGraph(graph string, unseen, latest bool) error {
	info, err := c.graphInfo(graph, partGraph)
	if err != nil {
		return err
	}
	kept := int64(1)
	if unseen {
		kept = 2
	}
	if pairs := float64(info.Vertices) * float64(info.Vertices-1) / 2; info.Edges <= kept || pairs-float64(info.Edges) < 2 {
		m := mistake(partGraph, "graph %s has %s, too few to hold any out or too many to leave pairs without one", quote(graph), count(info.Edges, "edge"))
		m.Err = evaluate.ErrLinks
		return m
	}
	if latest && !info.Timed {
		return untimed(graph)
	}
	return nil
}

// sortScorers tells scorers of vectors from the others; nil stands for all.
func (t *linkTrial) sortScorers(names []string) error {
	if names == nil {
		names = scorerNames()
	}
	all := link.Scorers()
	for _, name := range names {
		i := slices.IndexFunc(all, func(s link.Scorer) bool { return s.Name == name })
		switch {
		case i < 0:
			return unknownScorer(name, partOption("scorers"))
		case all[i].NeedsEmbedding:
			t.vectors = append(t.vectors, name)
		default:
			t.plain = append(t.plain, name)
		}
	}
	return nil
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
// edges and the pairs, and of the method that takes most the embedding and the
// features of the training pairs.
func (t *linkTrial) bytes(req EvaluateLinksRequest) int64 {
	edges, training := t.graph.Graph.Edges(), int64(req.Training)
	if training == 0 {
		training = evaluate.DefaultTraining
	}
	most := int64(0)
	for _, e := range t.methods {
		width := 0
		for _, name := range t.features {
			if f, err := link.FindFeature(name); err == nil {
				width = max(width, f.Width(int(e.dim())))
			}
		}
		most = max(most, e.bytes()+8*int64(width)*min(training, edges))
	}
	return graphBytes(t.graph.Info) + 64*edges + most
}

func (c *call) evaluateLinks(req EvaluateLinksRequest, given [][]setting) (EvaluateLinksResult, error) {
	t, err := c.resolveEvaluateLinks(req, given)
	if err != nil {
		return EvaluateLinksResult{}, err
	}
	release, err := c.db.cache.reserve(t.bytes(req), "evaluating links of graph "+name(req.Graph))
	if err != nil {
		return EvaluateLinksResult{}, err
	}
	defer release()
	split, err := c.splitLinks(t, req)
	if err != nil {
		return EvaluateLinksResult{}, err
	}
	result := EvaluateLinksResult{Held: len(split.Edges), Pairs: len(split.NonEdges), Trained: len(split.TrainEdges) + len(split.TrainNonEdges)}
	stop := c.watch.start(stepScore)
	if err := result.score(c, split, -1, nil, evaluate.LinkOptions{Scorers: t.plain, Features: []string{}, HitsAt: req.HitsAt}); err != nil {
		return EvaluateLinksResult{}, err
	}
	for i, e := range t.methods {
		m, err := c.embedSplit(e, split, i)
		if err != nil {
			return EvaluateLinksResult{}, err
		}
		if err := result.score(c, split, i, m, evaluate.LinkOptions{Scorers: t.vectors, Features: t.features, HitsAt: req.HitsAt}); err != nil {
			return EvaluateLinksResult{}, err
		}
	}
	stop(int64(len(result.Scores)), "methods included")
	c.notice("%s held out and %s without an edge, %s to learn from",
		count(int64(result.Held), "edge"), count(int64(result.Pairs), "pair"), count(int64(result.Trained), "pair"))
	result.Notices = c.notices
	return result, nil
}

// score appends the scores of one method; no scorers and no features mean none.
func (r *EvaluateLinksResult) score(c *call, split *evaluate.LinkSplit, method int, m *vec.Matrix, opts evaluate.LinkOptions) error {
	if len(opts.Scorers)+len(opts.Features) == 0 {
		return nil
	}
	if opts.Scorers == nil {
		opts.Scorers = []string{}
	}
	opts.Workers, opts.Progress = c.db.opts.Workers, c.meter.update
	scores, err := split.Score(c.ctx, m, opts)
	for _, s := range scores {
		r.Scores = append(r.Scores, MethodScore{method, s})
	}
	return err
}

// splitLinks holds edges out.
func (c *call) splitLinks(t *linkTrial, req EvaluateLinksRequest) (split *evaluate.LinkSplit, err error) {
	stop := c.watch.start(stepSplit)
	waited := c.await(func() {
		split, err = evaluate.SplitLinks(c.ctx, t.graph.Graph, evaluate.SplitOptions{
			Share: req.Share, Latest: req.Latest, Training: req.Training,
			Unseen: req.Unseen, Ascending: req.Ascending, Seed: req.Seed,
		})
	})
	if waited != nil {
		return nil, waited
	}
	if err != nil {
		return nil, err
	}
	stop(int64(len(split.Edges)), "")
	return split, nil
}

// embedSplit embeds the edges that are left, by the method of a number.
func (c *call) embedSplit(e *embedding, split *evaluate.LinkSplit, number int) (*vec.Matrix, error) {
	stop := c.watch.start(solveStep(number))
	m, info, err := job.Compute(c.ctx, split.Graph, job.Request{
		Method: e.method.Name, Options: e.options, Workers: c.db.opts.Workers, Progress: c.meter.update,
	})
	if err != nil {
		return nil, err
	}
	c.noteMethod(info)
	stop(int64(m.Rows), count(int64(info.Iterations), "iteration"))
	return m, nil
}

// solveStep names the solve of one of several methods in PROFILE.
func solveStep(number int) string { return stepSolve + " " + strconv.Itoa(number) }
