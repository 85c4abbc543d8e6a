package query

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	embeddings "heavytail/embedding"
	"heavytail/embedding/evaluate"
	"heavytail/embedding/job"
	"heavytail/embedding/tune"
)

// This file is TUNE.

// Goal is what embeddings are tuned for.
type Goal string

// The goals.
const (
	ForReconstruction Goal = "reconstruction" // degrees and edges come back from the vectors
	ForLinks          Goal = "links"          // edges that were held out are predicted
	ForLabels         Goal = "labels"         // labels of vertices are predicted
)

// DefaultBudget is the time that a search without any limit takes.
const DefaultBudget = 10 * time.Minute

// TuneRequest asks for the best embedding of a graph for a goal.
type TuneRequest struct {
	Graph string
	Name  string // of the embedding; one of that name on the same graph is replaced
	// Methods are searched together; nil is dp_spectral and dp_walker.
	Methods []TuneMethod
	Goal    Goal
	// Criterion is the measure to be largest, one of Criteria of the goal; empty is
	// the first of them.
	Criterion string
	// Attribute has the labels, and Separator stands between those of a vertex in a
	// text, as in EvaluateLabelsRequest.
	Attribute, Separator string

	Share float64 // of the edges to hold out for links; 0 is the default of evaluate.SplitOptions
	// Latest holds out the edges with the latest timestamps, and not any, and
	// learns from those before them, as EVALUATE LINKS does.
	Latest bool

	// Budget is the time after which no trial begins. 0 is DefaultBudget, or none
	// where Trials is set. What is still to do then is to compute the best.
	Budget time.Duration
	Trials int    // the largest number of trials; 0 is any
	Seed   uint64 // of the pairs that are drawn, and of the methods that have none given
}

// TuneMethod is a method to search. Its settings are held; what else can be
// tuned is searched: beta, normalization, scale and row_scale of the spectral
// methods, alpha of those that walk, with beta of dp_walker and p and q of
// node2vec.
type TuneMethod struct {
	Method   string
	Settings map[string]any // as in EmbedRequest
}

// TuneResult is the answer of Tune.
type TuneResult struct {
	Embedding EmbedResult  // the best, as it was stored
	Trials    []tune.Trial // the best first
	Reason    tune.Reason  // why the search ended
	Seconds   float64      // of the search
	Notices   []Notice
}

// Criteria returns the names of the measures that a goal can be tuned by, the
// default first.
func (g Goal) Criteria() []string {
	switch g {
	case ForReconstruction:
		return []string{"both", "pearson", "spearman", "kendall", "f1", "ks"}
	case ForLinks:
		return []string{"auc", "f1", "average_precision"}
	case ForLabels:
		return []string{"micro_f1", "macro_f1", "accuracy"}
	}
	return nil
}

// Tune searches the parameters of methods for a goal, and stores the embedding
// of the best of them. The same request with a number of trials and no budget
// gives the same trials and the same bytes; of a search that a budget ended the
// notices tell the number. The record of the embedding is that of Embed with the
// same options.
func (db *DB) Tune(ctx context.Context, req TuneRequest) (TuneResult, error) {
	c, err := db.begin(ctx, "TUNE")
	if err != nil {
		return TuneResult{}, err
	}
	defer c.end()
	result, err := c.tune(req, req.calls())
	return result, c.wrap(err)
}

// calls returns the methods of a request.
func (r TuneRequest) calls() []methodCall {
	methods := make([]methodCall, len(r.Methods))
	for i, m := range r.Methods {
		methods[i] = methodCall{m.Method, sortedSettings(m.Settings)}
	}
	return methods
}

// methodCall is a method with its options as they were given.
type methodCall struct {
	name  string
	given []setting
}

// tuning is a request whose names are resolved.
type tuning struct {
	graph      *graphView
	generation uint64 // that the result will have
	methods    []tunedMethod
	criterion  int // index in the Criteria of the goal
	labels     evaluate.Labels
	budget     time.Duration
}

// tunedMethod is a method of a search.
type tunedMethod struct {
	embedding              // of one trial, for what it takes
	search    tune.Method  // the same for package tune
	given     []job.Option // in the order of the method
}

// resolveTune checks a request and finds what it names.
func (c *call) resolveTune(req TuneRequest, calls []methodCall) (*tuning, error) {
	if err := c.writable(); err != nil {
		return nil, err
	}
	t := &tuning{budget: req.Budget}
	if err := t.setLimits(req); err != nil {
		return nil, err
	}
	if err := t.setGoal(req); err != nil {
		return nil, err
	}
	if len(calls) == 0 {
		calls = []methodCall{{name: "dp_spectral"}, {name: "dp_walker"}}
	}
	for _, m := range calls {
		method, err := resolveTuned(m, req.Seed)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(t.methods, func(other tunedMethod) bool { return other.method.Name == m.name }) {
			return nil, mistake(partMethod, "method %s is named twice", m.name)
		}
		t.methods = append(t.methods, method)
	}
	var err error
	if t.generation, err = c.nextGeneration(req.Name, req.Graph); err != nil {
		return nil, err
	}
	if req.Goal == ForLabels { // before anything else loads the graph
		if err := c.resolveLabels(req, t); err != nil {
			return nil, err
		}
	}
	if t.graph, err = c.embeddable(req.Graph); err != nil {
		return nil, err
	}
	if req.Goal == ForLinks {
		if err := c.checkLinkGraph(req.Graph, req.Latest, req.Latest); err != nil {
			return nil, err
		}
	}
	for i := range t.methods {
		t.methods[i].graph = t.graph
	}
	return t, nil
}

// resolveLabels reads the classes of the vertices.
func (c *call) resolveLabels(req TuneRequest, t *tuning) error {
	if req.Attribute == "" {
		return mistake(partGoal, "labels need an attribute: WITH (attribute := 'name')")
	}
	view, columns, err := c.columns(req.Graph, []string{req.Attribute}, partAttribute)
	if err != nil {
		return err
	}
	err = c.await(func() {
		t.labels = classesOf(columns.columns[0], view.Graph.Vertices(), req.Separator)
	})
	if err != nil {
		return err
	}
	found := EvaluateLabelsResult{Classes: t.labels.Names, Labelled: t.labels.Labelled()}
	return found.check(EvaluateLabelsRequest{Attribute: req.Attribute})
}

// setLimits checks how long the search goes on.
func (t *tuning) setLimits(req TuneRequest) error {
	switch {
	case req.Budget < 0:
		return mistake(partOption("budget"), "option budget is %v, and must not be negative", req.Budget)
	case req.Trials < 0:
		return mistake(partOption("trials"), "option trials is %d, and must not be negative", req.Trials)
	case !(req.Share >= 0 && req.Share < 1):
		return mistake(partOption("share"), "option share is %v, and must be above 0 and below 1", req.Share)
	case req.Budget == 0 && req.Trials == 0:
		t.budget = DefaultBudget
	}
	return nil
}

// setGoal checks what the search is for.
func (t *tuning) setGoal(req TuneRequest) error {
	criteria := req.Goal.Criteria()
	if criteria == nil {
		return mistake(partGoal, "nothing is tuned for %s", quote(string(req.Goal)))
	}
	if req.Criterion == "" {
		return nil
	}
	t.criterion = slices.Index(criteria, req.Criterion)
	if t.criterion < 0 {
		e := mistake(partOption("criterion"), "option criterion is %s", quoteKey(req.Criterion))
		for _, name := range criteria {
			e.Expected = append(e.Expected, quoteKey(name))
		}
		return e
	}
	return nil
}

// partGoal is what TUNE is for.
const partGoal part = "goal"

// resolveTuned checks a method of a search.
func resolveTuned(m methodCall, seed uint64) (tunedMethod, error) {
	var t tunedMethod
	var err error
	if t.method, err = findMethod(m.name); err != nil {
		return t, err
	}
	if t.settings, t.given, err = methodOptions(t.method, m.given); err != nil {
		return t, err
	}
	t.search, err = job.Tunable(m.name, t.given, seed)
	if errors.Is(err, tune.ErrOptions) {
		e := mistake(partMethod, "method %s has nothing to tune", m.name)
		e.Err = err
		return t, e
	}
	return t, err
}

// objective returns what the search is for.
func (c *call) objective(req TuneRequest, t *tuning) (tune.Objective, error) {
	g := t.graph.Graph
	switch req.Goal {
	case ForLinks:
		return tune.Links(c.ctx, g, evaluate.SplitOptions{Share: req.Share, Latest: req.Latest, Unseen: req.Latest, Seed: req.Seed}, tune.LinkCriterion(t.criterion))
	case ForLabels:
		return tune.Labels(g, t.labels, req.Seed, tune.LabelCriterion(t.criterion))
	}
	by := slices.Index(criteria(), req.Goal.Criteria()[t.criterion])
	return tune.Reconstruction(g, evaluate.ReconstructOptions{
		Criterion: evaluate.Criterion(by), Seed: req.Seed, MaxBytes: c.sweepBytes(),
	})
}

// bytes estimates the memory of a search beside the graph.
func (t *tuning) bytes(goal Goal, sweep int64) int64 {
	n, dim := int64(t.graph.Graph.Vertices()), int64(0)
	for _, m := range t.methods {
		dim = max(dim, m.dim())
	}
	bytes := tune.Bytes(n, dim)
	switch goal {
	case ForLabels:
		return bytes + 4*n*dim + 96*n // a copy of the rows, and classes and predictions
	case ForLinks:
		// A second graph, and the features of pairs to learn from.
		return bytes + graphBytes(t.graph.Info) + 64*t.graph.Graph.Edges() + 8*5*dim*min(evaluate.DefaultTraining, t.graph.Graph.Edges())
	}
	return bytes + 4*n*dim + 32*n + min(sweep, 8*n*128)
}

func (c *call) tune(req TuneRequest, calls []methodCall) (TuneResult, error) {
	t, err := c.resolveTune(req, calls)
	if err != nil {
		return TuneResult{}, err
	}
	var result TuneResult
	err = c.asJob(t.spec(req, c.sweepBytes()), func(checkpoints embeddings.Checkpoints) (err error) {
		result, err = c.storeTuned(req, t, checkpoints)
		return err
	})
	result.Notices = c.notices
	return result, err
}

// storeTuned searches and stores the best embedding.
func (c *call) storeTuned(req TuneRequest, t *tuning, checkpoints embeddings.Checkpoints) (TuneResult, error) {
	found, err := c.search(req, t, checkpoints)
	if err != nil {
		return TuneResult{}, err
	}
	result := TuneResult{Trials: found.Trials, Reason: found.Reason, Seconds: found.Seconds}
	best := found.Best()
	for _, m := range t.methods {
		if m.method.Name == best.Method {
			result.Embedding, err = c.storeEmbedding(t.graph, job.Request{
				Name: req.Name, Method: best.Method, Options: job.Tuned(m.given, best, req.Seed),
			})
		}
	}
	if err != nil {
		return TuneResult{}, err
	}
	c.jobResult("%s(%s), %s %.4g", best.Method, trialText(best.Options), req.Goal.Criteria()[t.criterion], best.Score)
	return result, nil
}

// search runs the trials.
func (c *call) search(req TuneRequest, t *tuning, checkpoints embeddings.Checkpoints) (*tune.Result, error) {
	stop := c.watch.start(stepSearch)
	objective, err := c.objective(req, t)
	if err != nil {
		return nil, err
	}
	methods := make([]tune.Method, len(t.methods))
	for i, m := range t.methods {
		methods[i] = m.search
	}
	found, err := tune.Search(c.ctx, objective, methods, tune.Options{
		Budget: t.budget, Trials: req.Trials, Workers: c.workers(),
		Progress: c.trialProgress(t.budget), Checkpoints: checkpoints,
	})
	if err != nil {
		return nil, err
	}
	ran := int64(len(found.Trials))
	for _, trial := range found.Trials {
		if trial.Err != nil {
			c.notice("trial %d was refused: %v", trial.Number, trial.Err)
		}
	}
	stop(ran, "ended by "+string(found.Reason))
	if found.Reason != tune.Finished {
		c.notice("%s", cutText(found))
	}
	if math.IsNaN(found.Best().Score) {
		c.notice("%s is not defined for any of the trials, so that what is stored is as good as the others", req.Goal.Criteria()[t.criterion])
	}
	return found, nil
}

// trialProgress tells of the trials of a search or, where their number is not
// known, of the time that is spent.
func (c *call) trialProgress(budget time.Duration) func(stage string, done, total int64) {
	began := c.meter.now()
	return func(stage string, done, total int64) {
		if total == 0 && budget > 0 {
			spent := c.meter.now().Sub(began)
			c.meter.updateUnit(stage, "seconds", int64(spent.Seconds()), int64(budget.Seconds()))
			return
		}
		c.meter.updateUnit(stage, "trials", done, total)
	}
}

// cutText says what a limit left out of a search.
func cutText(found *tune.Result) string {
	var b strings.Builder
	ran := len(found.Trials)
	fmt.Fprintf(&b, "the search ended in its stage %q after %s", found.Stage, count(int64(ran), "trial"))
	if found.Left > 0 {
		fmt.Fprintf(&b, ", with %d of the stage left out", found.Left)
	}
	if found.Reason == tune.Budget {
		fmt.Fprintf(&b, "; trials := %d repeats it", ran)
	}
	return b.String()
}

// trialText writes the options of a trial as the language does.
func trialText(options []tune.Option) string {
	parts := make([]string, len(options))
	for i, o := range options {
		value := fmt.Sprint(o.Value)
		if text, ok := o.Value.(string); ok {
			value = quoteKey(text)
		}
		parts[i] = o.Name + " := " + value
	}
	return strings.Join(parts, ", ")
}
