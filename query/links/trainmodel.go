package links

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	embeddings "heavytail/embedding"
	"heavytail/embedding/evaluate"
	"heavytail/embedding/link"
	"heavytail/embedding/option"
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
	"heavytail/storage/csr"
	"heavytail/storage/vec"
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
	Latest   *bool   // hold out the edges with the latest timestamps instead of random edges; nil does so if the graph has timestamps
	Training int     // largest number of edges to learn from; 0 is the default of evaluate.SplitOptions
	Seed     uint64  // seed of the random edges and pairs
	// Negatives are the kinds of pairs without an edge on which the model is measured,
	// in addition to evaluate.RandomNegatives. For evaluate.DegreeNegatives the same terms are also
	// measured on a random graph with the same degrees, drawn by Seed, which takes as long again
	// except for the choice of the terms.
	Negatives []evaluate.Negatives
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
		Summary:   "trains a model on held-out edges that predicts links from heuristics of the graph and features of an embedding",
		Detail:    "It is measured on other held-out edges, and stored for use as model(…) in SCORE and PREDICT. With heuristics(…) it uses exactly these, and the features; without it chooses among all heuristics of the graph, alone and together, and without an embedding only heuristics",
		Words:     "link prediction learn classifier logistic regression machine learning supervised fit",
		Columns:   "model, terms, negatives, auc, auc_low, auc_high, null_auc, average_precision, brier, calibration_error, best_single, best_single_auc, best_single_null_auc, seconds; in the background those of SHOW JOBS",
	},
	Schema:  trainSchema,
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

const featuresOption = "features"

func trainSchema() option.Schema[TrainModelRequest] {
	return option.Schema[TrainModelRequest]{
		option.String(featuresOption, "features of the embedding, joined by +: those of "+strings.Join(scoring.FeatureNames(), ", ")+" that do not depend on the order of a pair; none by default without an embedding, or if a heuristic reads the embedding", func(r *TrainModelRequest) *string { return &r.Features }).OrElse(DefaultFeatures),
		engine.ShareField("fraction of the edges held out to measure on", func(r *TrainModelRequest) *float64 { return &r.Share }),
		scoring.LatestField("", func(r *TrainModelRequest) **bool { return &r.Latest }),
		engine.NegativesField("comma-separated kinds of pairs without an edge that hidden edges are compared with, in addition to random; each kind has a row, without the calibration, and the model always learns from random pairs. null_auc is the AUC by degree of the same terms on a random graph with the same degrees, which takes about as long as the training", func(r *TrainModelRequest) *[]evaluate.Negatives { return &r.Negatives }),
		option.Int("training", "largest number of edges to learn from, which are held out as well, with as many pairs without an edge", func(r *TrainModelRequest) *int { return &r.Training }).OrElse(evaluate.DefaultTraining).Between(1, scoring.MaxTraining),
		option.Seed("seed of the edges and pairs that are drawn; the same seed gives the same model", func(r *TrainModelRequest) *uint64 { return &r.Seed }),
	}
}

func bindTrainModel(b *engine.Binder, s *parser.TrainModel) TrainModelRequest {
	b.Background = s.Background
	req := TrainModelRequest{Graph: b.Name(fault.Graph, s.Graph), Name: b.Name(entries.PartModel, s.Model)}
	req.Embedding = b.NameOrNone(fault.Embedding, s.Embedding)
	for i, h := range s.Heuristics {
		req.Heuristics = append(req.Heuristics, b.Name(fault.Scorer(i), h))
	}
	engine.Bind(b, kindTrain, trainSchema(), s.Options, &req)
	return req
}

func resolveTrainModel(c *engine.Call, req TrainModelRequest) (*modelEntry, error) {
	if req.Name == "" {
		return nil, fault.New(entries.PartModel, "the model has no name")
	}
	graph, err := c.GraphInfo(req.Graph, fault.Graph)
	if err != nil {
		return nil, err
	}
	m := &modelEntry{graph: graph, split: evaluate.SplitOptions{Share: req.Share, Latest: graph.Timed, Training: req.Training, Seed: req.Seed}}
	if req.Latest != nil {
		m.split.Latest = *req.Latest
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
		e := fault.New(fault.Option(featuresOption), "features are %s: %v", fault.QuoteKey(terms.Features), err)
		e.Err = err
		if errors.Is(err, link.ErrFeature) {
			e.Remedy = "they are names joined by +, such as 'hadamard+l1', of " + strings.Join(scoring.FeatureNames(), ", ")
		}
		return terms, e
	}
	if req.Embedding == "" && (terms.Features != "" || vectors >= 0) {
		at, what := fault.Option(featuresOption), "features are"
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

// modelTraining is a request whose graph and embedding are loaded.
type modelTraining struct {
	*modelEntry
	graph *session.Graph
	space *session.Space // nil without an embedding
	job   run.ModelRequest
}

// named is the request with the embedding's name in the catalogue.
func (m *modelEntry) named(req TrainModelRequest) TrainModelRequest {
	if m.embedding != nil {
		req.Embedding = m.embedding.Info.Name
	}
	return req
}

func loadTraining(c *engine.Call, req TrainModelRequest, found *modelEntry) (*modelTraining, error) {
	t := &modelTraining{modelEntry: found}
	t.job.Heuristics, t.job.Features, t.job.Split = found.terms.Heuristics, found.terms.Features, found.split
	t.job.Negatives = req.Negatives
	t.job.Null = func(context.Context) (*csr.Graph, error) { return scoring.NullGraph(c, t.graph, req.Seed) }
	return t, c.Consistent(func() (err error) {
		if t.graph, err = c.Graph(req.Graph, fault.Graph); err != nil {
			return err
		}
		t.job.Graph = t.graph.Graph
		if found.embedding == nil {
			return nil
		}
		if t.space, err = c.Space(req.Embedding, fault.Embedding); err != nil {
			return err
		}
		info := t.space.Info
		t.job.Method, t.job.Options, t.job.Vectors = info.Method, run.StoredOptions(info), t.space.Matrix
		return entries.CheckCurrent(req.Embedding, t.space.Behind, "") // the graph may have changed meanwhile
	})
}

// bytes estimates the memory of a training in addition to the graph and the vectors:
// the graph of the remaining edges, the pairs, two sets of vectors of that graph, and
// the larger of the work of embedding it and the table of the pairs to learn from. With a
// null graph all of these are there twice.
func (t *modelTraining) bytes() int64 {
	g := t.graph.Graph
	pairs := cmp.Or(int64(t.job.Split.Training), evaluate.DefaultTraining)
	pairs = 2 * min(pairs, g.Edges())
	width := int64(len(link.Scorers()))
	bytes, work := 8*int64(g.Vertices())+32*g.Edges(), int64(0)
	if t.space != nil {
		most, _ := run.Bytes(g, t.job.Method, t.job.Options) // they are those of a stored embedding
		bytes, work = bytes+2*t.beside(), most-t.beside()
		features, _ := link.ParseFeatures(t.job.Features) // they have been checked
		for _, f := range features {
			width += int64(f.Width(t.space.Matrix.Dim))
		}
	}
	if slices.Contains(t.job.Negatives, evaluate.DegreeNegatives) {
		exchange := 36*g.Edges() + 16*int64(g.Vertices()) // of algorithms.Exchange
		bytes += max(bytes, exchange)
	}
	return bytes + max(work, 3*4*width*pairs)
}

// beside is the memory of the stored vectors.
func (t *modelTraining) beside() int64 {
	if t.space == nil {
		return 0
	}
	return session.VectorBytes(t.space.Matrix.Rows, t.space.Matrix.Dim)
}

func runTrainModel(c *engine.Call, req TrainModelRequest, found *modelEntry) (TrainModelResult, error) {
	req = found.named(req)
	t, err := loadTraining(c, req, found)
	if err != nil {
		return TrainModelResult{}, err
	}
	result, err := engine.InJob(c, t.spec(req), func(embeddings.Checkpoints) (TrainModelResult, error) { return storeModel(c, req, t) })
	result.Notices = c.Notices
	return result, err
}

func storeModel(c *engine.Call, req TrainModelRequest, t *modelTraining) (TrainModelResult, error) {
	stop := c.Watch.Start(plan.Solve)
	t.job.Workers, t.job.Progress = c.Workers(), c.Meter.Update
	model, report, err := run.TrainModel(c.Ctx, t.job)
	if err != nil {
		return TrainModelResult{}, scoring.TrainingMistake(err)
	}
	info := t.info(req, model, report)
	stop(int64(info.TrainingPairs), fmt.Sprintf("AUC %.4f", info.AUC))
	if best := catalogue.BestOf(info.Heuristics); best.Name != "" && best.AUC > info.AUC {
		why := ", which is chosen by its recommendations first"
		if req.Heuristics != nil {
			why = ""
		}
		c.Notice("%s alone has an AUC of %.4f on the pairs held out, more than the model%s", best.Name, best.AUC, why)
	}
	for _, n := range info.ByNegatives {
		if best := catalogue.BestOf(n.Heuristics); best.AUC > n.AUC {
			c.Notice("by the negatives %s, %s alone has an AUC of %.4f, more than the model", n.Negatives, best.Name, best.AUC)
		}
	}
	info, err = c.DB.Store.PutModel(c.Ctx, info, func(w io.Writer) error {
		_, err := model.WriteTo(w)
		return err
	})
	if err != nil {
		return TrainModelResult{}, engine.NameMistake(err, entries.PartModel)
	}
	c.Job.Result("AUC %.4f, average precision %.4f, calibration error %.4f", info.AUC, info.AveragePrecision, info.CalibrationError)
	return TrainModelResult{ModelInfo: info, Report: report}, nil
}

func (t *modelTraining) info(req TrainModelRequest, model *link.Model, report run.ModelReport) storage.ModelInfo {
	info := storage.ModelInfo{
		Name: req.Name, Graph: t.graph.Info.Name, GraphID: t.graph.Info.ID, GraphVersion: t.graph.Info.Version,
		Terms: slices.Concat(model.Heuristics(), model.Features()), Options: t.settings(req), Kernel: vec.Kind(),
		AUC: report.AUC.Mean, AUCLow: report.AUC.Low, AUCHigh: report.AUC.High, AveragePrecision: report.AveragePrecision, Brier: report.Brier, CalibrationError: report.CalibrationError,
		TrainingPairs: report.TrainLinks + report.TrainOthers, TestPairs: report.TestLinks + report.TestOthers, Seconds: report.Seconds,
	}
	if t.space != nil && model.NeedsEmbedding() {
		of := t.space.Info
		info.Embedding, info.Generation, info.Coordinates, info.Method, info.Settings = of.Name, of.Generation, of.Coordinates, of.Method, of.Options
	}
	for _, b := range report.Bins {
		if b.Pairs > 0 {
			info.Bins = append(info.Bins, storage.CalibrationBin{Pairs: b.Pairs, Predicted: b.Mean, Observed: b.Links})
		}
	}
	info.Heuristics = heuristicMeasures(report.Scorers, nil)
	for _, n := range report.ByNegatives {
		m := storage.NegativeMeasure{
			Negatives: string(n.Negatives), Pairs: n.TestLinks + n.TestOthers, AUC: n.AUC.Mean, AUCLow: n.AUC.Low, AUCHigh: n.AUC.High, AveragePrecision: n.AveragePrecision,
		}
		var null []evaluate.LinkScore
		if n.Null != nil {
			null = n.Null.Scorers
			if !math.IsNaN(n.Null.AUC) {
				m.NullAUC, m.NullAveragePrecision = n.Null.AUC, n.Null.AveragePrecision
			}
		}
		m.Heuristics = heuristicMeasures(n.Scorers, null)
		info.ByNegatives = append(info.ByNegatives, m)
	}
	return info
}

// heuristicMeasures are the figures that are defined, with those of the null graph, if any.
func heuristicMeasures(scores, null []evaluate.LinkScore) []storage.HeuristicMeasure {
	var list []storage.HeuristicMeasure
	for _, s := range scores {
		if math.IsNaN(s.AUC) || math.IsNaN(s.AveragePrecision) {
			continue
		}
		m := storage.HeuristicMeasure{Name: s.Scorer, AUC: s.AUC, AveragePrecision: s.AveragePrecision}
		if at := slices.IndexFunc(null, func(o evaluate.LinkScore) bool { return o.Scorer == s.Scorer && !math.IsNaN(o.AUC) }); at >= 0 {
			m.NullAUC, m.NullAveragePrecision = null[at].AUC, null[at].AveragePrecision
		}
		list = append(list, m)
	}
	return list
}

// settings returns the options of a training after defaults.
func (t *modelTraining) settings(req TrainModelRequest) []storage.Setting {
	share, training := cmp.Or(req.Share, evaluate.DefaultShare), cmp.Or(req.Training, evaluate.DefaultTraining)
	negatives := string(evaluate.RandomNegatives)
	if req.Negatives != nil {
		negatives = engine.KindNames(req.Negatives, ", ")
	}
	heuristics := "all"
	if req.Heuristics != nil {
		heuristics = strings.Join(req.Heuristics, ", ")
	}
	return []storage.Setting{
		{Name: "embedding", Value: req.Embedding}, {Name: "heuristics", Value: heuristics}, {Name: "features", Value: t.job.Features},
		{Name: "share", Value: fmt.Sprint(share)}, {Name: "latest", Value: fmt.Sprint(t.split.Latest)},
		{Name: "training", Value: fmt.Sprint(training)}, {Name: "negatives", Value: negatives}, {Name: "seed", Value: fmt.Sprint(req.Seed)},
	}
}

// spec is the job that trains a model. No other job writes the model meanwhile.
func (t *modelTraining) spec(req TrainModelRequest) job.Spec {
	text := parser.TrainModel{Model: parser.Ident{Name: req.Name}, Graph: parser.Ident{Name: req.Graph}}
	if req.Embedding != "" {
		text.Embedding = &parser.Ident{Name: req.Embedding}
	}
	for _, h := range req.Heuristics {
		text.Heuristics = append(text.Heuristics, parser.Ident{Name: h})
	}
	req.Latest = &t.split.Latest
	text.Options = engine.Given(trainSchema(), req)
	return job.Spec{
		Kind: kindTrain, Text: parser.Text(&text), Target: modelTarget + req.Name, Graph: t.graph.Info, Options: t.settings(req),
		Memory: t.bytes(), Beside: t.beside(), Purpose: "training a model of graph " + fault.Name(req.Graph),
	}
}
