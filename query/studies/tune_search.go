package studies

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"heavytail/embedding"
	"heavytail/embedding/evaluate"
	"heavytail/embedding/run"
	"heavytail/embedding/tune"
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/lists"
	"heavytail/query/internal/session"
	"heavytail/query/internal/sweep"
	"heavytail/query/plan"
	"heavytail/query/vectors"
)

// This file runs the search of TUNE.

// searching is a search whose data is loaded.
type searching struct {
	*tuning
	req    TuneRequest
	graph  *session.Graph
	labels evaluate.Labels // if the goal is labels
}

// tuned loads the graph that a search is on and, where it is for labels, the classes
// of its vertices.
func loadTuned(c *engine.Call, req TuneRequest) (graph *session.Graph, labels evaluate.Labels, err error) {
	if req.Goal != ForLabels {
		graph, err = c.Graph(req.Graph, fault.Graph)
		return graph, labels, err
	}
	graph, columns, err := c.Columns(req.Graph, []string{req.Attribute}, engine.PartAttribute)
	if err != nil {
		return nil, labels, err
	}
	var classes evaluate.Labels // not labels and graph, which a return sets while the function may still run
	values, rows := columns.Columns[0], graph.Graph.Vertices()
	if err := c.Await(func() { classes = classesOf(values, rows, req.Separator) }); err != nil {
		return nil, labels, err
	}
	labels = classes
	known := EvaluateLabelsResult{Classes: labels.Names, Labelled: labels.Labelled()}
	return graph, labels, known.check(EvaluateLabelsRequest{Attribute: req.Attribute})
}

func objective(c *engine.Call, s *searching) (tune.Objective, error) {
	g, req := s.graph.Graph, s.req
	switch req.Goal {
	case ForLinks:
		return tune.Links(c.Ctx, g, evaluate.SplitOptions{Share: req.Share, Latest: s.latest, Unseen: s.latest, Seed: req.Seed}, tune.LinkCriterion(s.criterion))
	case ForLabels:
		return tune.Labels(g, s.labels, req.Seed, tune.LabelCriterion(s.criterion))
	}
	by := slices.Index(sweep.Criteria(), req.Goal.Criteria()[s.criterion])
	// The seed is that of RECONSTRUCT and EVALUATE RECONSTRUCTION, whose figures these
	// are.
	return tune.Reconstruction(g, evaluate.ReconstructOptions{Criterion: evaluate.Criterion(by), MaxBytes: sweep.Bytes(c)})
}

func storeTuned(c *engine.Call, s *searching, checkpoints embedding.Checkpoints) (TuneResult, error) {
	found, err := searchSettings(c, s, checkpoints)
	if err != nil {
		return TuneResult{}, err
	}
	result := TuneResult{Trials: found.Trials, Reason: found.Reason, Seconds: found.Seconds}
	best := found.Best()
	for _, m := range s.methods {
		if m.Method.Name == best.Method {
			result.Embedding, err = vectors.StoreEmbedding(c, s.graph, run.Request{
				Name: s.req.Name, Method: best.Method, Options: run.Tuned(m.Options, best, s.req.Seed),
			})
		}
	}
	if err != nil {
		return TuneResult{}, err
	}
	standing := "not confirmed"
	if best.Confirmed {
		standing = "confirmed"
	}
	c.Job.Result("%s(%s), %s %.4g, %s", best.Method, trialText(best.Options), s.req.Goal.Criteria()[s.criterion], best.Score, standing)
	return result, nil
}

func searchSettings(c *engine.Call, s *searching, checkpoints embedding.Checkpoints) (*tune.Result, error) {
	stop := c.Watch.Start(plan.Search)
	objective, err := objective(c, s)
	if err != nil {
		return nil, err
	}
	methods := lists.Map(s.methods, func(m tunedMethod) tune.Method { return m.search })
	found, err := tune.Search(c.Ctx, objective, methods, tune.Options{
		Budget: s.budget, Trials: s.req.Trials, Workers: c.Workers(), OneAtATime: abreast(c, s.tuning, s.graph, s.req.Goal) == 1,
		Progress: trialProgress(c, s.budget), Checkpoints: checkpoints,
	})
	if err != nil {
		return nil, err
	}
	ran := int64(len(found.Trials))
	for _, trial := range found.Trials {
		if trial.Err != nil {
			c.Notice("trial %d was refused: %v", trial.Number, trial.Err)
		}
	}
	stop(ran, "ended by "+string(found.Reason))
	if found.Reason != tune.Finished {
		c.Notice("%s", cutText(found))
	}
	noticeBest(c, found, s.req.Goal.Criteria()[s.criterion])
	if len(s.left) > 0 {
		c.Notice("not searched: %s", strings.Join(s.left, "; "))
	}
	return found, nil
}

// noticeBest gives notices of how the best trial was measured.
func noticeBest(c *engine.Call, found *tune.Result, criterion string) {
	best := found.Best()
	switch {
	case math.IsNaN(best.Score):
		c.Notice("%s is not defined for any of the trials, so no trial is better than another", criterion)
	case !best.Confirmed:
		c.Notice("the best trial is of the stage %q and is not confirmed: no embedding that was computed in full has a score", best.Stage)
	default:
		confirmed := int64(0)
		for _, trial := range found.Trials {
			if trial.Confirmed && trial.Err == nil {
				confirmed++
			}
		}
		c.Notice("the best is of the stage %q, and the best of %s, each computed in full and measured exactly", best.Stage, fault.Count(confirmed, "confirmed trial"))
	}
	if found.Missing > 0 {
		c.Notice("the search ended before the defaults of %s, which may be better: give it more time", fault.Count(int64(found.Missing), "method"))
	}
}

// trialProgress reports the trials of a search or, where their number is not
// known, of the time that is spent.
func trialProgress(c *engine.Call, budget time.Duration) func(stage string, done, total int64) {
	began := c.Meter.Now()
	return func(stage string, done, total int64) {
		if total == 0 && budget > 0 {
			spent := c.Meter.Now().Sub(began)
			c.Meter.UpdateUnit(stage, "seconds", int64(spent.Seconds()), int64(budget.Seconds()))
			return
		}
		c.Meter.UpdateUnit(stage, "trials", done, total)
	}
}

// cutText describes which part of a search a limit left out.
func cutText(found *tune.Result) string {
	var b strings.Builder
	ran := len(found.Trials)
	fmt.Fprintf(&b, "the search ended in its stage %q after %s", found.Stage, fault.Count(int64(ran), "trial"))
	if found.Left > 0 {
		fmt.Fprintf(&b, ", with %d of the survey left out", found.Left)
	}
	if found.Reason == tune.Budget {
		fmt.Fprintf(&b, "; trials := %d repeats it", ran)
	}
	return b.String()
}

func trialText(options []tune.Option) string {
	return strings.Join(lists.Map(options, func(o tune.Option) string {
		if text, ok := o.Value.(string); ok {
			return o.Name + " := " + fault.QuoteKey(text)
		}
		return fmt.Sprintf("%s := %v", o.Name, o.Value)
	}), ", ")
}
