package links

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/link"
	"heavytail/embedding/run"
	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/query/internal/job"
	"heavytail/query/internal/scoring"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
)

// DefaultFeatures are the features of a model with an embedding, if none are given:
// both predict links on every graph that was tried, and no other feature improves on
// them.
const DefaultFeatures = "hadamard+l1"

// TrainModelRequest asks for a model of the links of a graph.
type TrainModelRequest struct {
	Graph string
	Name  string // of the model; one of that name on the same graph is replaced
	// Embedding is the embedding whose features the model uses, which must be up to
	// date with the graph; empty makes a model of heuristics alone.
	Embedding string
	// Heuristics are names of link.Scorers, including scorers of vectors: the model has exactly these
	// and the features. nil lets training choose among all, see link.Terms; an empty list means
	// none.
	Heuristics []string
	// Features are names of link.Features joined by +. Empty means DefaultFeatures if
	// an embedding is named and no heuristic reads it, otherwise none.
	Features string

	Share    float64 // fraction of the edges to hold out for the measures; 0 is the default of evaluate.SplitOptions
	Latest   bool    // hold out the edges with the latest timestamps instead of random edges
	Training int     // largest number of edges to learn from; 0 is the default of evaluate.SplitOptions
	Seed     uint64  // seed of the random edges and pairs
	// Negatives are the kinds of pairs without an edge on which the model is measured,
	// in addition to evaluate.RandomNegatives. For evaluate.DegreeNegatives the same terms are also
	// measured on a random graph with the same degrees, drawn by Seed, which takes as long again
	// except for the choice of the terms.
	Negatives []evaluate.Negatives

	timed bool // Latest is whether the graph has timestamps
}

// TrainModelResult is the answer of TrainModel.
type TrainModelResult struct {
	storage.ModelInfo
	Report  run.ModelReport `json:"-"` // ModelInfo has its metrics
	Notices []rows.Notice   `json:"notices,omitempty"`
}

// kindTrain is the statement, and modelTarget begins the target of its job.
const (
	kindTrain   = "TRAIN MODEL"
	modelTarget = "model "
)

// modelEntry has the catalogue entries for a TrainModelRequest, and the request
// after defaults.
type modelEntry struct {
	graph     storage.GraphInfo
	embedding *session.Entry // nil without an embedding
	terms     link.Terms
	split     evaluate.SplitOptions
}

var trainModel = &engine.Statement[*parser.TrainModel, TrainModelRequest, *modelEntry, TrainModelResult]{
	Help: help.Statement{
		Statement: kindTrain,
		Summary:   "trains a model on held-out edges that predicts links from heuristics of the graph and features of an embedding, measures it on other held-out edges, and stores it for use as model(…) in SCORE and PREDICT. With heuristics(…) it uses exactly these, and the features; without it chooses among all heuristics of the graph, alone and together, and without an embedding only heuristics",
		Columns:   "model, terms, negatives, auc, auc_low, auc_high, null_auc, average_precision, brier, calibration_error, best_single, best_single_auc, best_single_null_auc, seconds; in the background those of SHOW JOBS",
		Example:   "TRAIN MODEL friends IN social USING spec, heuristics(adamic_adar, resource_allocation) WITH (features := 'hadamard+l1', seed := 1)",
	},
	Options: trainOptions,
	Bind:    bindTrainModel,
	Resolve: resolveTrainModel,
	Plan: func(req TrainModelRequest, found *modelEntry) *plan.Plan {
		inputs := []*plan.Plan{session.GraphPlan(found.graph)}
		learn := "heuristics"
		if e := found.embedding; e != nil {
			inputs = append([]*plan.Plan{e.Plan()}, inputs...)
			learn = fmt.Sprintf("heuristics and features; %s of the remaining graph, with the options of embedding %s", e.Info.Method, fault.Name(e.Info.Name))
		}
		return plan.Result("model", fault.Name(req.Name),
			plan.Measured(plan.Solve, "logistic regression", learn,
				plan.Step("split", "held-out edges for training and for measurement", inputs...)))
	},
	Run:   runTrainModel,
	Table: trainTable,
	Job: func(c *engine.Call, req TrainModelRequest, found *modelEntry) (job.Spec, error) {
		req = found.named(req)
		t, err := loadTraining(c, req, found)
		if err != nil {
			return job.Spec{}, err
		}
		return t.spec(req), nil
	},
}

// trainTable is a row for the random pairs and one for each other kind.
func trainTable(_ TrainModelRequest, r TrainModelResult) [][]rows.Value {
	row := func(m storage.NegativeMeasure, brier, calibration rows.Value) []rows.Value {
		best := catalogue.BestOf(m.Heuristics)
		return []rows.Value{
			r.Name, strings.Join(r.Terms, ", "), m.Negatives, m.AUC, m.AUCLow, m.AUCHigh, cells.When(m.NullAUC > 0, m.NullAUC), m.AveragePrecision, brier, calibration,
			cells.TextOrNil(best.Name), cells.When(best.Name != "", best.AUC), cells.When(best.NullAUC > 0, best.NullAUC), r.Seconds,
		}
	}
	random := storage.NegativeMeasure{
		Negatives: string(evaluate.RandomNegatives), AUC: r.AUC, AUCLow: r.AUCLow, AUCHigh: r.AUCHigh, AveragePrecision: r.AveragePrecision, Heuristics: r.Heuristics,
	}
	table := [][]rows.Value{row(random, r.Brier, r.CalibrationError)}
	for _, n := range r.ByNegatives {
		table = append(table, row(n, nil, nil))
	}
	return table
}

// TrainModel holds out edges of a graph, learns from some of them how likely a link
// is, measures the model on the others, and stores it. It takes some seconds more
// than computing the embedding twice on the remaining edges.
func (s *Service) TrainModel(ctx context.Context, req TrainModelRequest) (TrainModelResult, error) {
	return trainModel.Answer(ctx, s.db, req)
}

// StartTrainModel is TrainModel in the background, as vectors.Service.StartEmbed is Embed.
func (s *Service) StartTrainModel(ctx context.Context, req TrainModelRequest) (storage.JobInfo, error) {
	return trainModel.Start(ctx, s.db, req)
}

func trainOptions() []help.Option {
	return []help.Option{
		{Name: "features", Type: "text", Default: "'" + DefaultFeatures + "'", Doc: "features of the embedding, joined by +: those of " + strings.Join(scoring.FeatureNames(), ", ") + " that do not depend on the order of a pair; none by default without an embedding, or if a heuristic reads the embedding"},
		engine.ShareOption("fraction of the edges held out to measure on"),
		{Name: "latest", Type: "bool", Default: "TRUE", Doc: "hold out the edges with the latest timestamps if the graph has any, otherwise edges at random"},
		engine.NegativesOption("comma-separated kinds of pairs without an edge that hidden edges are compared with, in addition to random; each kind has a row, without the calibration, and the model always learns from random pairs. null_auc is the AUC by degree of the same terms on a random graph with the same degrees, which takes about as long as the training"),
		{Name: "training", Type: "int", Default: fmt.Sprint(evaluate.DefaultTraining), Doc: "largest number of edges to learn from, which are held out as well, with as many pairs without an edge"},
		{Name: "seed", Type: "int", Default: "0", Doc: "seed of the edges and pairs that are drawn; the same seed gives the same model"},
	}
}

func bindTrainModel(b *engine.Binder, s *parser.TrainModel) TrainModelRequest {
	b.Background = s.Background
	req := TrainModelRequest{Graph: b.Name(fault.Graph, s.Graph), Name: b.Name(entries.PartModel, s.Model)}
	req.Embedding = b.NameOrNone(fault.Embedding, s.Embedding)
	for i, h := range s.Heuristics {
		req.Heuristics = append(req.Heuristics, b.Name(fault.Scorer(i), h))
	}
	set := b.Settings(kindTrain, trainOptions(), s.Options)
	req.Training, req.Share = int(b.Within(set, "training", 1, scoring.MaxTraining)), engine.Share(b, set)
	req.Seed, req.Features, req.Negatives = set.Seed(), set.Text("features"), engine.Negatives(b, set)
	latest, given := set["latest"]
	req.Latest, req.timed = given && latest.(bool), !given
	return req
}

func resolveTrainModel(c *engine.Call, req TrainModelRequest) (*modelEntry, error) {
	err := cmp.Or(engine.CheckShare(req.Share), engine.CheckNegatives(req.Negatives))
	switch {
	case req.Name == "":
		return nil, fault.New(entries.PartModel, "the model has no name")
	case err != nil:
		return nil, err
	case req.Training < 0:
		return nil, fault.OfOption("training", "is %d, and must not be negative", req.Training)
	}
	m := &modelEntry{split: evaluate.SplitOptions{Share: req.Share, Latest: req.Latest, Training: req.Training, Seed: req.Seed}}
	if m.graph, err = c.GraphInfo(req.Graph, fault.Graph); err != nil {
		return nil, err
	}
	if req.timed {
		m.split.Latest = m.graph.Timed
	}
	if err := checkModelName(c, req.Name, req.Graph); err != nil {
		return nil, err
	}
	if m.terms, err = req.terms(); err != nil {
		return nil, err
	}
	if at := slices.IndexFunc(req.Heuristics, link.NeedsTimes); at >= 0 && !m.graph.Timed {
		return nil, scoring.NoTimes(req.Graph, req.Heuristics[at], fault.Scorer(at))
	}
	if err := scoring.CheckLinkGraph(c, req.Graph, true, m.split.Latest); err != nil || req.Embedding == "" {
		return m, err
	}
	e, err := c.Present(req.Embedding, fault.Embedding)
	switch {
	case err != nil:
		return nil, err
	case e.Info.Graph != req.Graph:
		return nil, fault.New(fault.Embedding, "embedding %s belongs to graph %s, and not to graph %s", fault.Name(req.Embedding), fault.Name(e.Info.Graph), fault.Name(req.Graph))
	}
	m.embedding = &e
	return m, cmp.Or(entries.CheckComputed(e.Info), entries.CheckOwnStart(e.Info), entries.CheckCurrent(req.Embedding, e.Behind, ""))
}

func checkModelName(c *engine.Call, model, graph string) error {
	old, err := c.DB.Store.ModelInfo(c.Ctx, model)
	if err == nil && old.Graph != graph {
		return fault.New(entries.PartModel, "model %s exists and belongs to graph %s", fault.Quote(model), fault.Name(old.Graph)).
			WithRemedy("drop it first, or choose another name").WithErr(storage.ErrExists)
	}
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	return engine.NotDamage(err)
}

// terms checks the heuristics and features of the request, and sets the defaults.
func (req TrainModelRequest) terms() (link.Terms, error) {
	terms := link.Terms{Heuristics: req.Heuristics, Features: req.Features}
	all := link.Scorers()
	vectors := -1
	for i, h := range req.Heuristics {
		at := slices.IndexFunc(all, func(s link.Scorer) bool { return s.Name == h })
		switch {
		case at < 0:
			return terms, scoring.UnknownScorer(h, fault.Scorer(i))
		case slices.Contains(req.Heuristics[:i], h):
			return terms, fault.New(fault.Scorer(i), "heuristic %s is named twice", h)
		case all[at].NeedsEmbedding:
			vectors = i
		}
	}
	if req.Embedding != "" && req.Features == "" && vectors < 0 {
		terms.Features = DefaultFeatures
	}
	if _, err := link.ParseFeatures(terms.Features); err != nil {
		e := fault.New(fault.Option("features"), "features are %s: %v", fault.QuoteKey(terms.Features), err)
		e.Err = err
		if errors.Is(err, link.ErrFeature) {
			e.Remedy = "they are names joined by +, such as 'hadamard+l1', of " + strings.Join(scoring.FeatureNames(), ", ")
		}
		return terms, e
	}
	if req.Embedding == "" && (terms.Features != "" || vectors >= 0) {
		at, what := fault.Option("features"), "features are"
		if vectors >= 0 {
			at, what = fault.Scorer(vectors), "heuristic "+req.Heuristics[vectors]+" is"
		}
		return terms, fault.New(at, "%s read from an embedding, and none is named", what).
			WithRemedy("name one: USING embedding, heuristics(…)").WithErr(link.ErrNeedsEmbedding)
	}
	if err := terms.Validate(); err != nil {
		return terms, fault.New(entries.PartModel, "%v", err).WithErr(err)
	}
	return terms, nil
}
