package studies

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/link"
	"heavytail/embedding/run"
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/lists"
	"heavytail/query/internal/methods"
	"heavytail/query/internal/scoring"
	"heavytail/query/internal/session"
	"heavytail/query/plan"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// This file holds out the edges that EVALUATE LINKS and EXPORT PAIRS predict.

// linkGraph loads the graph of a trial and its sides, and reserves the memory of the trial
// until release. With keep, all scores are kept.
func linkGraph(c *engine.Call, req EvaluateLinksRequest, t *linkTrial, keep bool) (graph *session.Graph, release func(), err error) {
	if t.directed { // which comes before all else that loads the graph
		if _, t.along, err = c.Directed(req.Graph, fault.Graph); err != nil {
			return nil, nil, err
		}
	}
	graph, columns, err := c.Columns(req.Graph, scoring.SidesAttribute(req.Sides), fault.Graph)
	if err != nil {
		return nil, nil, err
	}
	if t.across, err = scoring.Sides(c, graph, req.Sides, columns); err != nil {
		return nil, nil, err
	}
	if !t.directed && scoring.Undivided(graph, req.Sides) {
		c.Notice("graph %s is bipartite, and pairs without an edge may be of one side; sides := 'auto' measures links between the sides", fault.Name(req.Graph))
	}
	release, err = c.DB.Cache.Reserve(t.bytes(req, graph, c.DB.Opts.Workers, keep), "evaluating links of graph "+fault.Name(req.Graph))
	return graph, release, err
}

// noteDirection says what the direction of the edges of the graph means for the scores.
func (t *linkTrial) noteDirection(c *engine.Call) {
	if !t.directed {
		c.NoteView(t.graph)
		return
	}
	undirected, view := slices.DeleteFunc(slices.Clone(t.methods), methods.Configured.Follows), ""
	switch {
	case len(undirected) == len(t.methods):
		view = "methods embed the undirected view of the edges that are left, and "
	case len(undirected) > 0:
		names := lists.Map(undirected, func(m methods.Configured) string { return m.Text().String() })
		view = fmt.Sprintf("of the edges that are left the undirected view is embedded by %s, and ", strings.Join(names, ", "))
	}
	if len(t.methods) > 0 && len(t.vectors) > 0 {
		c.Notice("%sboth directions of a pair have the same score by %s", view, strings.Join(t.vectors, ", "))
	}
}

// linkSplits is a graph whose edges were held out, with pairs of each kind of negatives.
type linkSplits struct {
	base  *evaluate.LinkSplit // by evaluate.RandomNegatives
	kinds []evaluate.Negatives
	of    []*evaluate.LinkSplit // each kind
}

func (s *linkSplits) pairs() []NegativePairs {
	list := make([]NegativePairs, len(s.kinds))
	for i, of := range s.of {
		list[i] = NegativePairs{s.kinds[i], len(of.Edges), len(of.NonEdges), len(of.TrainEdges) + len(of.TrainNonEdges), of.WayBack(of.Edges), of.WayBack(of.NonEdges)}
	}
	return list
}

// noteNegatives gives a notice of the number of pairs of each kind; all is the number of
// edges that were held out.
func noteNegatives(c *engine.Call, t *linkTrial, all int, list []NegativePairs) {
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
		back := ""
		if t.directed && p.Negatives != evaluate.ReversedNegatives {
			back = fmt.Sprintf("; the way back of %d of these edges and of %d of these pairs is a remaining edge", p.HeldBack, p.PairsBack)
		}
		c.Notice("%s%s and %s without an edge, %s to learn from%s%s",
			kind, held, fault.Count(int64(p.Pairs), "pair"), fault.Count(int64(p.Trained), "pair"), few, back)
	}
}

// splitLinks holds out edges of a graph, or with their direction those of a directed one, and draws pairs without an
// edge of each kind. view names the graph in errors.
func splitLinks(c *engine.Call, view *session.Graph, g *csr.Graph, along *csr.Directed, req EvaluateLinksRequest, kinds []evaluate.Negatives, across link.Sides) (*linkSplits, error) {
	stop := c.Watch.Start(plan.Split)
	s := &linkSplits{kinds: kinds, of: make([]*evaluate.LinkSplit, len(kinds))}
	opts := evaluate.SplitOptions{
		Share: req.Share, Latest: req.Latest, Training: req.Training,
		Unseen: req.Unseen, Ascending: req.Ascending, Seed: req.Seed, Connected: req.Connected, Sides: across,
	}
	var err error
	waited := c.Await(func() {
		if along != nil {
			s.base, err = evaluate.SplitDirected(c.Ctx, along, opts)
		} else {
			s.base, err = evaluate.SplitLinks(c.Ctx, g, opts)
		}
		if err != nil {
			err = scoring.NoneAcross(view.Info.Name, across, err)
			return
		}
		for i, kind := range kinds {
			if along != nil {
				s.of[i], err = s.base.WithDirected(c.Ctx, along, kind, opts)
			} else {
				s.of[i], err = s.base.With(c.Ctx, g, kind, opts)
			}
			if err != nil {
				err = engine.NoNegatives(view.Info.Name, kind, err)
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

// methodVectors are the vectors of one method, and the scorers and features to measure
// with them.
type methodVectors struct {
	number            int         // number of the method in the request; −1 for the scorers that need no vectors
	vectors           *vec.Matrix // vectors of the graph of the remaining edges; nil for scorers that need none
	scorers, features []string    // never nil
	models            []evaluate.Trained
}

// eachMethod calls f for the scorers and models that need no vectors, and for each method with its
// embedding of the remaining edges.
func eachMethod(c *engine.Call, t *linkTrial, split *evaluate.LinkSplit, f func(methodVectors) error) error {
	first := 0
	if len(t.plain) > 0 || t.model != nil {
		first = -1
	}
	for i := first; i < len(t.methods); i++ {
		m, err := methodMember(c, t, split, i)
		if err != nil {
			return err
		}
		if err := f(m); err != nil {
			return err
		}
	}
	return nil
}

// member embeds the remaining edges by the method with the given number, and trains its model;
// −1 is for the scorers that need no vectors.
func methodMember(c *engine.Call, t *linkTrial, split *evaluate.LinkSplit, number int) (m methodVectors, err error) {
	if number < 0 {
		models, err := evaluationModel(c, t, split, nil, nil)
		return methodVectors{-1, nil, plain(c, t, split), []string{}, models}, err
	}
	e := t.methods[number]
	vectors, err := embedSplit(c, e, split, number)
	if err != nil {
		return m, err
	}
	models, err := evaluationModel(c, t, split, &e, vectors)
	return methodVectors{number, vectors, append([]string{}, t.vectors...), t.features, models}, err
}

// plain returns the scorers that need no vectors; if the remaining graph has no times, without
// those that need times. The only times may be those of held-out edges, and a null graph, for
// which there is no notice, has no times.
func plain(c *engine.Call, t *linkTrial, split *evaluate.LinkSplit) []string {
	list := append([]string{}, t.plain...)
	if at := slices.IndexFunc(list, link.NeedsTimes); at >= 0 && !link.Timed(split.Graph) {
		if split.Graph.Times != nil {
			c.Notice("%s needs the times of edges, and the edges that were not held out have none", list[at])
		}
		list = slices.DeleteFunc(list, link.NeedsTimes)
	}
	return list
}

// embedSplit embeds the remaining edges by the method with the given number.
func embedSplit(c *engine.Call, e methods.Configured, split *evaluate.LinkSplit, number int) (*vec.Matrix, error) {
	stop := c.Watch.Start(solveStep(number))
	m, info, err := run.Compute(c.Ctx, split.Graph, run.Request{
		Method: e.Method.Name, Options: e.Options, Directed: split.Directed, Workers: c.DB.Opts.Workers, Progress: c.Meter.Update,
	})
	if err != nil {
		return nil, err
	}
	methods.Note(c, info)
	stop(int64(m.Rows), fault.Count(int64(info.Iterations), "iteration"))
	return m, nil
}

// evaluationModel trains the model with the embedding of one method, or nil for the one that TRAIN MODEL
// makes by default, if the request asks for models.
func evaluationModel(c *engine.Call, t *linkTrial, split *evaluate.LinkSplit, e *methods.Configured, vectors *vec.Matrix) ([]evaluate.Trained, error) {
	if t.model == nil {
		return nil, nil
	}
	req := run.ModelRequest{Split: *t.model, Workers: c.DB.Opts.Workers, Progress: c.Meter.Update}
	req.Split.Latest = req.Split.Latest && split.Graph.Times != nil // a null graph has none
	if e != nil {
		req.Embeddings = []run.ModelEmbedding{{Name: e.Method.Name, Method: e.Method.Name, Options: e.Options, Vectors: vectors}}
	} else {
		for _, s := range run.StackEmbeddings() {
			m, _, err := run.Compute(c.Ctx, split.Graph, run.Request{Method: s.Method, Options: s.Options, Workers: req.Workers, Progress: req.Progress})
			if err != nil {
				return nil, err
			}
			req.Embeddings = append(req.Embeddings, run.ModelEmbedding{Name: s.Method, Method: s.Method, Options: s.Options, Vectors: m})
		}
	}
	b, err := run.EvaluationModel(c.Ctx, split, req)
	if err != nil {
		return nil, scoring.TrainingMistake(err)
	}
	return []evaluate.Trained{{Name: trainedModel, Score: b.Score, Links: b.Scoring(), Near: req.Embeddings[0].Vectors}}, nil
}

// trainedModel is the scorer in tables of a model as TRAIN MODEL makes it.
const trainedModel = "model"

// solveStep returns the name that PROFILE shows for the solve of one of several methods.
func solveStep(number int) string { return plan.Solve + " " + strconv.Itoa(number) }

// scorerText is the name of a scorer or model in tables.
func scorerText(scorer string, learned bool) string {
	if learned && scorer != trainedModel {
		return "logistic(" + scorer + ")"
	}
	return scorer
}
