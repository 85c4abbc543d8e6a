package studies

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"heavytail/embedding"
	"heavytail/embedding/evaluate"
	"heavytail/embedding/option"
	"heavytail/embedding/run"
	"heavytail/embedding/tune"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/bind"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/query/internal/job"
	"heavytail/query/internal/lists"
	"heavytail/query/internal/methods"
	"heavytail/query/internal/scoring"
	"heavytail/query/internal/session"
	"heavytail/query/internal/sweep"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/query/vectors"
	"heavytail/storage"
)

var tuneEmbedding = &engine.Statement[*parser.Tune, TuneRequest, *tuning, TuneResult]{
	Help: help.Statement{
		Statement: "TUNE",
		Summary:   "searches for the options of a method that are best for one purpose on this graph, and stores the best embedding",
		Detail:    "Options that the statement gives stay; all trials are listed, the best first. Without USING it searches every method whose defaults take at most a tenth of the budget, but not node2vec, or only unit_ball WITH (exact := TRUE); a notice names what is left out",
		Words:     "hyperparameter optimisation optimization grid random search best options choose method auto",
		Columns:   "trial, method, options, stage, confirmed, score, the measures of the goal, seconds; in the background those of SHOW JOBS",
	},
	Schema: tuneSchema,
	Bind: func(b *engine.Binder, s *parser.Tune) TuneRequest {
		b.Mark(partGoal, s)
		b.Background = s.Background
		req := TuneRequest{Graph: b.Name(fault.Graph, s.Graph), Name: b.Name(fault.Embedding, s.Embedding)}
		req.Goal = Goal(strings.ToLower(string(s.For)))
		for _, m := range s.Methods {
			req.Methods = append(req.Methods, TuneMethod{Method: m.Name.Name, Settings: methods.Bind(b, m)})
		}
		engine.Bind(b, parser.Heading(s), tuneSchema(), s.Options, &req)
		if at, given := b.At[fault.Option(attributeOption)]; given {
			b.At[engine.PartAttribute] = at
		}
		req.Latest, req.ifTimed = req.latest != nil && *req.latest, req.latest == nil
		return req
	},
	Resolve: resolveTune,
	Plan:    planTune,
	Run:     runTune,
	Rows:    tuneRows,
	Job:     tuneJob,
}

const attributeOption = "attribute"

func tuneSchema() option.Schema[TuneRequest] {
	type request = TuneRequest
	var criteria []string
	for _, g := range []Goal{ForReconstruction, ForLinks, ForLabels} {
		criteria = append(criteria, strings.Join(g.Criteria(), ", ")+" of "+string(g))
	}
	// only makes an option one of a single goal.
	only := func(goal Goal, field option.Field[request]) option.Field[request] {
		return field.Rule(func(r request) error {
			if _, given := field.Value(r); given && r.Goal != goal && r.Goal.Criteria() != nil {
				return fault.Rule("applies to %s, but this statement searches for %s", goal, r.Goal)
			}
			return nil
		})
	}
	return option.Schema[request]{
		option.Parsed("budget", "time after which no new trial begins, such as '90s', '10m' or '2h', nor a trial of unit_ball that is expected to end later; the next trial is finished if it has begun; no limit by default if trials is given",
			func(r *request) *time.Duration { return &r.Budget }, func(text string) (time.Duration, error) { return entries.Duration(fault.This, text) }, budgetText).
			OrElse("10m").Rule(func(r request) error {
			if r.Budget < 0 {
				return fault.Rule("is %v, and must not be negative", r.Budget)
			}
			return nil
		}),
		option.Int("trials", "largest number of trials, 0 for no limit; the same number gives the same result", func(r *request) *int { return &r.Trials }).Between(0, math.MaxInt32),
		option.String("criterion", "the measure to maximise: "+strings.Join(criteria, "; ")+"; the first is the default", func(r *request) *string { return &r.Criterion }).Rule(checkCriterion),
		only(ForReconstruction, option.Bool("exact", "FOR RECONSTRUCTION: also search unit_ball, or only unit_ball without USING. It reconstructs every edge where its dim suffices and so wins every comparison; otherwise it takes part only if it is named", func(r *request) *bool { return &r.Exact })),
		only(ForLabels, option.String(attributeOption, "FOR LABELS: the attribute with the labels", func(r *request) *string { return &r.Attribute })),
		only(ForLabels, option.String("separator", "FOR LABELS: text that separates several labels of a vertex, such as ','", func(r *request) *string { return &r.Separator })),
		only(ForLinks, engine.ShareField("fraction of the edges that are held out, for links", func(r *request) *float64 { return &r.Share })),
		only(ForLinks, scoring.LatestField("; for links", func(r *request) **bool { return &r.latest })),
		option.Seed("seed of all random choices, and of methods that are given without a seed", func(r *request) *uint64 { return &r.Seed }),
	}
}

func budgetText(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.String()
}

func checkCriterion(r TuneRequest) error {
	if criteria := r.Goal.Criteria(); criteria != nil && r.Criterion != "" && !slices.Contains(criteria, r.Criterion) {
		return fault.Rule("is %s", fault.QuoteKey(r.Criterion)).WithExpected(fault.QuoteKeys(criteria)...)
	}
	return nil
}

// Tune searches the parameters of methods for a goal, and stores the embedding of the
// best of them: of those trials that are confirmed, which means computed in full and
// measured as vectors.Service.EvaluateReconstruction does with the same criterion, as EvaluateLinks
// does with the same seed, share and latest and the default feature, or as
// EvaluateLabels does with the same seed, one order and the fraction 0.5. Among them
// are the defaults of every method, unless the search ended before they were computed,
// which a notice reports. A longer search with the same seed confirms all trials that a
// shorter one confirms. The edges and classes that confirm a trial for links or labels
// are not used by any earlier choice of the search.
//
// The same request with a number of trials and no budget gives the same trials and
// the same bytes; if a budget ended the search, a notice has the number of trials.
// The record of the embedding is that of Embed with the same options.
func (s *Service) Tune(ctx context.Context, req TuneRequest) (TuneResult, error) {
	return tuneEmbedding.Answer(ctx, s.db, req)
}

// StartTune is Tune in the background, as vectors.Service.StartEmbed is Embed.
func (s *Service) StartTune(ctx context.Context, req TuneRequest) (storage.JobInfo, error) {
	return tuneEmbedding.Start(ctx, s.db, req)
}

const partGoal fault.Part = "goal"

func resolveTune(c *engine.Call, req TuneRequest) (*tuning, error) {
	t := &tuning{budget: req.Budget, share: req.Share}
	if req.Budget == 0 && req.Trials == 0 {
		t.budget = DefaultBudget
	}
	err := cmp.Or(t.setGoal(req), t.setMethods(req))
	if err != nil {
		return nil, err
	}
	if t.graph, err = entries.Embeddable(c, req.Graph); err != nil {
		return nil, err
	}
	if len(t.methods) == 0 {
		if err = t.setCheap(req); err != nil {
			return nil, err
		}
	}
	if t.generation, err = entries.NextGeneration(c, req.Name, req.Graph); err != nil {
		return nil, err
	}
	t.latest = req.Latest || req.ifTimed && t.graph.Timed
	switch req.Goal {
	case ForLinks:
		err = scoring.CheckLinkGraph(c, req.Graph, false, t.latest, t.latest)
	case ForLabels:
		err = session.CheckAttributes(t.graph, engine.PartAttribute, req.Attribute)
	}
	return t, err
}

func (t *tuning) setMethods(req TuneRequest) error {
	searched := func(name string) bool {
		return slices.ContainsFunc(t.methods, func(m tunedMethod) bool { return m.Method.Name == name })
	}
	for _, m := range req.Methods {
		method, err := resolveTuned(m, req.Seed)
		if err != nil {
			return err
		}
		if searched(method.Method.Name) {
			return fault.New(fault.Method, "method %s is named twice", method.Method.Name)
		}
		t.methods = append(t.methods, method)
	}
	if !req.Exact || searched(tune.MethodUnitBall) {
		return nil
	}
	ball, err := resolveTuned(TuneMethod{Method: tune.MethodUnitBall}, req.Seed)
	t.methods = append(t.methods, ball)
	return err
}

// cheapShare is the fraction of the budget that the defaults of a method may take where no
// method is named: those of seven methods, and as much for the search, fit into it.
const cheapShare = 0.1

// setCheap searches all methods whose defaults are cheap on the graph. node2vec is not among
// them: with its defaults it is deepwalk.
func (t *tuning) setCheap(req TuneRequest) error {
	t.left = []string{"node2vec, which is deepwalk by default"}
	if req.Goal == ForReconstruction {
		t.left = append(t.left, "unit_ball (exact := TRUE)")
	}
	most := cheapShare * cmp.Or(t.budget, DefaultBudget).Seconds()
	for _, name := range []string{
		embedding.MethodDPSpectral, embedding.MethodLaplacianEigenmaps, tune.MethodFastRP, tune.MethodProNE, tune.MethodNetMF, embedding.MethodDPWalker, embedding.MethodDeepWalk,
	} {
		m, err := resolveTuned(TuneMethod{Method: name}, req.Seed)
		if err != nil {
			return err
		}
		seconds, err := m.search.Seconds(int64(t.graph.Vertices), int64(t.graph.Edges))
		if err != nil {
			return err
		}
		if seconds > most && len(t.methods) > 0 {
			t.left = append(t.left, fmt.Sprintf("%s, whose defaults alone take about %.2g s", name, seconds))
			continue
		}
		t.methods = append(t.methods, m)
	}
	return nil
}

// setGoal checks what the search is for.
func (t *tuning) setGoal(req TuneRequest) error {
	criteria := req.Goal.Criteria()
	if criteria == nil {
		return fault.New(partGoal, "unknown purpose %s of a search", fault.Quote(string(req.Goal)))
	}
	if req.Goal == ForLabels && req.Attribute == "" {
		return fault.New(partGoal, "labels need an attribute: WITH (%s := 'name')", attributeOption)
	}
	t.criterion = max(0, slices.Index(criteria, req.Criterion))
	return nil
}

func resolveTuned(m TuneMethod, seed uint64) (t tunedMethod, err error) {
	if t.Configured, err = methods.Configure(m.Method, m.Settings, m.Using); err != nil {
		return t, err
	}
	if t.Follows() {
		return t, fault.OfOption(run.DirectionOption, "makes %s follow the direction of edges, and TUNE searches on the undirected view", t.Method.Name)
	}
	t.search, err = run.Tunable(t.Method.Name, t.Options, seed)
	return t, bind.Mistake(err)
}

func planTune(req TuneRequest, found *tuning) *plan.Plan {
	methods := lists.Map(found.methods, func(m tunedMethod) string { return m.Text().String() })
	goal := fmt.Sprintf("%s for %s, the best by %s", strings.Join(methods, ", "), req.Goal, req.Goal.Criteria()[found.criterion])
	if req.Trials > 0 {
		goal += ", at most " + fault.Count(int64(req.Trials), "trial")
	}
	if found.budget > 0 {
		goal += fmt.Sprintf(", for %v at most", found.budget)
	}
	return plan.Result("embedding", fmt.Sprintf("%s, generation %d", fault.Name(req.Name), found.generation),
		plan.Measured(plan.Solve, "method", "the best",
			plan.Measured(plan.Search, "search", goal, session.GraphPlan(found.graph))))
}

func tuneRows(_ TuneRequest, r TuneResult) *rows.Rows {
	columns := []string{"trial", "method", "options", "stage", "confirmed", "score"}
	for _, m := range r.Trials[0].Measures {
		columns = append(columns, m.Name)
	}
	columns = append(columns, "seconds")
	table := make([][]rows.Value, len(r.Trials))
	for i, t := range r.Trials {
		row := []rows.Value{int64(t.Number), t.Method, trialText(t.Options), t.Stage.String(), t.Confirmed && t.Err == nil, cells.Number(t.Score)}
		for j := range r.Trials[0].Measures {
			var value rows.Value // the score of a trial whose parameters the method refused
			if j < len(t.Measures) {
				value = cells.Number(t.Measures[j].Value)
			}
			row = append(row, value)
		}
		table[i] = append(row, t.Seconds)
	}
	return cells.RowsOf(columns, table).TypedFrom(6, cells.ScoreTypes(len(columns)-7))
}

// tuneJob describes the job that searches and computes the best embedding. It first
// gives a notice of what the job will invalidate.
func tuneJob(c *engine.Call, req TuneRequest, found *tuning) (job.Spec, error) {
	if err := entries.NoteReplaced(c, req.Name); err != nil {
		return job.Spec{}, err
	}
	graph, err := c.Graph(req.Graph, fault.Graph) // on which the memory of methods depends
	if err != nil {
		return job.Spec{}, err
	}
	c.NoteView(graph.Info)
	text := parser.Tune{
		Graph: parser.Ident{Name: req.Graph}, For: parser.Goal(strings.ToUpper(string(req.Goal))), Embedding: parser.Ident{Name: req.Name},
		Options: found.optionTexts(req),
	}
	var options []storage.Setting
	for _, m := range found.methods {
		text.Methods = append(text.Methods, m.Text())
		own, _ := run.Settings(m.Method.Name, m.Options) // they have been checked
		for _, o := range own {
			options = append(options, storage.Setting{Name: m.Method.Name + " " + o.Name, Value: o.Value})
		}
	}
	return job.Spec{
		Kind: "TUNE", Text: parser.Text(&text), Target: req.Name, Graph: found.graph, Options: options,
		Memory: found.bytes(graph, req.Goal, sweep.Bytes(c), abreast(c, found, graph, req.Goal)), Purpose: "tuning an embedding of graph " + fault.Name(req.Graph),
	}, nil
}

// optionTexts are the options in the text of the job, which names its methods and decides which edges
// are held out.
func (t *tuning) optionTexts(r TuneRequest) []parser.Option {
	r.Exact, r.latest = false, nil
	if r.Goal == ForLinks {
		r.latest = &t.latest
	}
	return engine.Given(tuneSchema(), r)
}

func runTune(c *engine.Call, req TuneRequest, found *tuning) (result TuneResult, err error) {
	spec, err := tuneJob(c, req, found)
	if err != nil {
		return result, err
	}
	s := &searching{tuning: found, req: req}
	if s.graph, s.labels, err = loadTuned(c, req); err != nil {
		return result, err
	}
	spec.Graph = s.graph.Info
	result, err = engine.InJob(c, spec, func(checkpoints embedding.Checkpoints) (TuneResult, error) { return storeTuned(c, s, checkpoints) })
	result.Notices = c.Notices
	return result, err
}

// Goal is the purpose for which embeddings are tuned.
type Goal string

// The goals.
const (
	ForReconstruction Goal = "reconstruction" // the vectors reconstruct degrees and edges
	ForLinks          Goal = "links"          // the vectors predict held-out edges
	ForLabels         Goal = "labels"         // the vectors predict labels of vertices
)

// DefaultBudget is the time that a search without any limit takes.
const DefaultBudget = 10 * time.Minute

// TuneRequest asks for the best embedding of a graph for a goal.
type TuneRequest struct {
	Graph string
	Name  string // of the embedding; one of that name on the same graph is replaced
	// Methods are searched together; nil is all whose defaults take at most a tenth of the
	// budget on this graph, except node2vec, or unit_ball if Exact.
	Methods []TuneMethod
	Goal    Goal
	// Exact also searches unit_ball, or only unit_ball if Methods is nil; for
	// ForReconstruction only. Where its dim suffices it reconstructs every edge, so it
	// wins every comparison: it takes part only if it is asked for or named.
	Exact bool
	// Criterion is the measure to maximise, one of Criteria of the goal; empty
	// means the first of them.
	Criterion string
	// Attribute is the attribute with the labels, and Separator separates the
	// labels of a vertex in a text, as in EvaluateLabelsRequest.
	Attribute, Separator string

	Share float64 // of the edges to hold out for links; 0 is the default of evaluate.SplitOptions
	// Latest holds out the edges with the latest timestamps instead of random
	// edges, and learns from the edges before them, as EVALUATE LINKS does.
	Latest  bool
	latest  *bool // the option of a statement
	ifTimed bool  // Latest is whether the graph has times

	// Budget is the time after which no new trial begins, nor one of unit_ball that is
	// expected to end later; then only the best embedding is still computed. 0 means DefaultBudget, or no limit if Trials is set. The
	// first trials are the defaults of the methods, so the budget should be long
	// enough for them.
	Budget time.Duration
	Trials int    // the largest number of trials; 0 for no limit
	Seed   uint64 // seed of the random pairs, and of methods without a given seed
}

// TuneMethod is a method to search, in one of the two forms of vectors.EmbedRequest; in a
// struct, a Seed of 0 means the seed of the search. Options that are set are kept;
// the others that can be tuned are searched: beta, normalization, scale and
// row_scale of the spectral methods; row_norm, row_scale, walks and alpha of those that
// walk, with beta and common of dp_walker and p and q of node2vec; row_norm and row_scale of
// prone, fastrp and netmf, with mu and beta of the first two; and margin of unit_ball.
type TuneMethod struct {
	Using    vectors.MethodOptions
	Method   string
	Settings map[string]any
}

// TuneResult is the answer of Tune.
type TuneResult struct {
	Embedding vectors.EmbedResult `json:"embedding"` // the best embedding, as it was stored
	Trials    []tune.Trial        `json:"trials"`    // the best first
	Reason    tune.Reason         `json:"reason"`    // why the search ended
	Seconds   float64             `json:"seconds"`   // of the search
	Notices   []rows.Notice       `json:"notices,omitempty"`
}

// Criteria returns the names of the measures that a goal can be tuned by, the
// default first.
func (g Goal) Criteria() []string {
	switch g {
	case ForReconstruction:
		return []string{"h3", "both", "pearson", "spearman", "kendall", "f1", "ks"}
	case ForLinks:
		return []string{"auc", "f1", "average_precision"}
	case ForLabels:
		return []string{"micro_f1", "macro_f1", "accuracy"}
	}
	return nil
}

// tuning is what the names in a TuneRequest refer to.
type tuning struct {
	graph      storage.GraphInfo
	generation uint64 // that the result will have
	methods    []tunedMethod
	left       []string // methods that are not searched, each with the reason, if none was named
	criterion  int      // index in the Criteria of the goal
	latest     bool     // as in TuneRequest
	share      float64  // as in TuneRequest
	budget     time.Duration
}

type tunedMethod struct {
	methods.Configured             // with what was given
	search             tune.Method // the same for package tune
}

// abreast returns how many trials of a search run at a time: two if there are workers for
// them, and half of the memory that may be used is enough.
func abreast(c *engine.Call, t *tuning, g *session.Graph, goal Goal) int {
	if c.Workers() == 1 || t.bytes(g, goal, sweep.Bytes(c), 2) > c.DB.Opts.MemoryLimit/2 {
		return 1
	}
	return 2
}

// bytes estimates the memory of a search in addition to the graph, with so many trials at a
// time: that of the method which takes most.
func (t *tuning) bytes(g *session.Graph, goal Goal, sweep int64, abreast int) int64 {
	n, edges, most := int64(g.Graph.Vertices()), g.Graph.Edges(), int64(0)
	for _, m := range t.methods {
		dim, judging := m.Dim(g.Graph.Vertices()), int64(0)
		switch goal {
		case ForLabels:
			judging = 4*n*dim + 120*n // a copy of the rows, and classes and predictions
		case ForLinks:
			judging = 4 * dim * min(evaluate.DefaultTraining, edges) // features of pairs to learn from
		default:
			judging = tune.ReconstructionBytes(g.Graph.Vertices(), int(dim), edges, evaluate.ReconstructOptions{MaxBytes: sweep})
		}
		computing, _ := run.Bytes(g.Graph, m.Method.Name, m.Options) // they have been checked
		most = max(most, tune.Bytes(session.VectorBytes(g.Graph.Vertices(), int(dim)), computing, judging, abreast))
	}
	if goal == ForLinks {
		const perPair = 60 // with the lists and the set that they are drawn by, and scores
		held := int64(cmp.Or(t.share, evaluate.DefaultShare)*float64(edges)) + min(evaluate.DefaultTraining, edges)
		most += 2*session.EdgeBytes(g.Info) + perPair*held // two more graphs
	}
	return most
}

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
