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

// TrainModelRequest asks for a model of the links of a graph.
type TrainModelRequest struct {
	Graph string
	Name  string // of the model; one of that name on the same graph is replaced
	// Embeddings are those that the model reads, by their distance, cosine and product, which must be up
	// to date with the graph. If none is named, those of run.StackEmbeddings are computed for the model
	// and stored with it, unless NoEmbeddings is set or Heuristics are named.
	Embeddings   []string
	NoEmbeddings bool
	// Heuristics are names of link.Scorers: the model has exactly these, those of vectors for each
	// embedding; without one of vectors and with embeddings also cosine, l2 and dot of them. nil is
	// all that the graph has data for; see link.Terms.
	Heuristics []string

	For      run.Purpose // what the model is to be best at; empty is run.ForRanking
	Share    float64     // fraction of the edges that each of five splits hides; 0 is that of run.ModelShare
	Latest   *bool       // hold out the edges with the latest timestamps instead of random edges; nil does so if the graph has timestamps
	Training int         // largest number of edges of each split to learn from; 0 is link.DefaultLinks
	Seed     uint64      // seed of the random edges and pairs
	// Negatives are the kinds of pairs without an edge on which the model is measured,
	// in addition to evaluate.RandomNegatives; nil is evaluate.DegreeNegatives. For these the same terms
	// are also measured on a random graph with the same degrees, drawn by Seed, which takes
	// two more embeddings.
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
	graph      storage.GraphInfo
	embeddings []*session.Entry // that are named
	own        []string         // names of those that are computed for the model, as run.StackEmbeddings
	split      evaluate.SplitOptions
}

var trainModel = &engine.Statement[*parser.TrainModel, TrainModelRequest, *modelEntry, TrainModelResult]{
	Help: help.Statement{
		Statement: kindTrain,
		Summary:   "trains a model that predicts links from all scorers of the graph, the degrees and embeddings, and stores it",
		Detail:    "Of embeddings it uses the distance, cosine and product. It is measured on hidden edges that it has not learned from, and used as model(…) in SCORE and PREDICT. Without USING it computes prone, fastrp and dp_spectral for the model, and stores them as model_prone, model_fastrp and model_dp_spectral, which DROP MODEL drops. With heuristics(…) it uses exactly these, and the embeddings that are named",
		Words:     "link prediction learn classifier logistic regression machine learning supervised fit",
		Columns:   "model, negatives, auc, auc_low, auc_high, null_auc, average_precision, map, recall, brier, calibration_error, best_single, best_single_auc, best_single_null_auc, seconds; in the background those of SHOW JOBS",
	},
	Schema:  trainSchema,
	Bind:    bindTrainModel,
	Resolve: resolveTrainModel,
	Plan: func(req TrainModelRequest, found *modelEntry) *plan.Plan {
		inputs := []*plan.Plan{session.GraphPlan(found.graph)}
		for i, name := range found.own {
			inputs = append(inputs, plan.Step("embedding", fmt.Sprintf("%s, computed for the model and stored as %s", run.StackEmbeddings()[i].Method, fault.Name(name))))
		}
		for _, e := range found.embeddings {
			inputs = append(inputs, e.Plan())
		}
		return plan.Result("model", fault.Name(req.Name),
			plan.Measured(plan.Solve, "fit", found.learns(req),
				plan.Step("split", fmt.Sprintf("%d splits, each with %v of the edges hidden and its own embeddings: one to measure on, the others of what it leaves", run.ModelSplits, found.share()), inputs...)))
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

// learns describes the terms.
func (m *modelEntry) learns(req TrainModelRequest) string {
	text := "all scorers of the graph and the degrees"
	if req.Heuristics != nil {
		text = strings.Join(req.Heuristics, ", ")
	}
	if n := len(m.own) + len(m.embeddings); n > 0 {
		text += ", and " + fault.Count(int64(n), "embedding")
	}
	return text
}

// trainTable is a row for the random pairs and one for each other kind.
func trainTable(_ TrainModelRequest, r TrainModelResult) [][]rows.Value {
	row := func(m storage.NegativeMeasure, averagePrecision, recall, brier, calibration rows.Value) []rows.Value {
		best := catalogue.BestOf(m.Heuristics)
		return []rows.Value{
			r.Name, m.Negatives, m.AUC, m.AUCLow, m.AUCHigh, cells.When(m.NullAUC > 0, m.NullAUC), m.AveragePrecision, averagePrecision, recall, brier, calibration,
			cells.TextOrNil(best.Name), cells.When(best.Name != "", best.AUC), cells.When(best.NullAUC > 0, best.NullAUC), r.Seconds,
		}
	}
	random := storage.NegativeMeasure{
		Negatives: string(evaluate.RandomNegatives), AUC: r.AUC, AUCLow: r.AUCLow, AUCHigh: r.AUCHigh, AveragePrecision: r.AveragePrecision, Heuristics: r.Heuristics,
	}
	table := [][]rows.Value{row(random, r.Ranking.MAP[0], r.Ranking.Recall[0], r.Brier, r.CalibrationError)}
	for _, n := range r.ByNegatives {
		table = append(table, row(n, nil, nil, nil, nil))
	}
	return table
}

// TrainModel hides edges of a graph five times, learns from them how likely a link
// is, measures the model on those that it has not learned from, and stores it: see run.TrainModel.
func (s *Service) TrainModel(ctx context.Context, req TrainModelRequest) (TrainModelResult, error) {
	return trainModel.Answer(ctx, s.db, req)
}

// StartTrainModel is TrainModel in the background, as vectors.Service.StartEmbed is Embed.
func (s *Service) StartTrainModel(ctx context.Context, req TrainModelRequest) (storage.JobInfo, error) {
	return trainModel.Start(ctx, s.db, req)
}

func trainSchema() option.Schema[TrainModelRequest] {
	return option.Schema[TrainModelRequest]{
		option.Either("embeddings", "auto computes embeddings for the model if none and no heuristics are named; none learns from the graph alone", "auto", "none", func(r *TrainModelRequest) *bool { return &r.NoEmbeddings }).
			Rule(func(r TrainModelRequest) error {
				if r.NoEmbeddings && len(r.Embeddings) > 0 {
					return fault.Rule("is none, and embeddings are named")
				}
				return nil
			}),
		option.Choice("purpose", "what the model is to be best at: ranking recommends links to a vertex, and separates edges from any pairs; pairs separates edges from any pairs, a little better, and recommends worse; degree separates edges from pairs whose ends have as many edges, for which its probabilities are, and does worse by any pairs",
			[]string{string(run.ForRanking), string(run.ForPairs), string(run.ForDegree)}, func(r *TrainModelRequest) *run.Purpose { return &r.For }),
		engine.ShareField("fraction of the edges that each of the five splits hides; in graphs of fewer than 1,000 edges by default 50 edges, or a fifth of them", func(r *TrainModelRequest) *float64 { return &r.Share }).OrElse(run.DefaultModelShare),
		scoring.LatestField("", func(r *TrainModelRequest) **bool { return &r.Latest }),
		engine.NegativesField("comma-separated kinds of pairs without an edge that hidden edges are compared with, in addition to random; each kind has a row, without recommendations and calibration, and the model always learns from random pairs. null_auc is the AUC by degree of the same terms on a random graph with the same degrees; random alone omits it", evaluate.AllNegatives(), func(r *TrainModelRequest) *[]evaluate.Negatives { return &r.Negatives }).OrElse(string(evaluate.DegreeNegatives)),
		option.Int("training", "largest number of hidden edges of each split to learn from", func(r *TrainModelRequest) *int { return &r.Training }).OrElse(link.DefaultLinks).Between(1, scoring.MaxTraining),
		option.Seed("seed of the edges and pairs that are drawn; the same seed gives the same model", func(r *TrainModelRequest) *uint64 { return &r.Seed }),
	}
}

func bindTrainModel(b *engine.Binder, s *parser.TrainModel) TrainModelRequest {
	b.Background = s.Background
	req := TrainModelRequest{Graph: b.Name(fault.Graph, s.Graph), Name: b.Name(entries.PartModel, s.Model)}
	for _, e := range s.Embeddings {
		req.Embeddings = append(req.Embeddings, b.Name(fault.Embedding, e))
	}
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
	old, err := checkModelName(c, req.Name, req.Graph)
	if err != nil {
		return nil, err
	}
	if err = req.checkTerms(); err != nil {
		return nil, err
	}
	if at := slices.IndexFunc(req.Heuristics, link.NeedsTimes); at >= 0 && !m.graph.Timed {
		return nil, scoring.NoTimes(req.Graph, req.Heuristics[at], fault.Scorer(at))
	}
	if err := scoring.CheckLinkGraph(c, req.Graph, false, true, m.split.Latest); err != nil {
		return m, err
	}
	for _, name := range req.Embeddings {
		e, err := c.Present(name, fault.Embedding)
		switch {
		case err != nil:
			return nil, err
		case e.Info.Graph != req.Graph:
			return nil, fault.New(fault.Embedding, "embedding %s belongs to graph %s, and not to graph %s", fault.Name(name), fault.Name(e.Info.Graph), fault.Name(req.Graph))
		}
		if err := cmp.Or(entries.CheckComputed(e.Info), entries.CheckOwnStart(e.Info), entries.CheckCurrent(name, e.Behind, "")); err != nil {
			return nil, err
		}
		if run.Follows(e.Info.Method, run.StoredOptions(e.Info)) {
			return nil, fault.New(fault.Embedding, "walks of embedding %s follow the direction of edges, and models learn from the undirected view", fault.Quote(name))
		}
		m.embeddings = append(m.embeddings, &e)
	}
	if len(req.Embeddings) == 0 && req.Heuristics == nil && !req.NoEmbeddings {
		m.own, err = ownEmbeddings(c, req, old)
	}
	return m, err
}

// ownEmbeddings are the names of the embeddings that are computed for a model. old is the model that it
// replaces, if any.
func ownEmbeddings(c *engine.Call, req TrainModelRequest, old storage.ModelInfo) ([]string, error) {
	var names []string
	for _, s := range run.StackEmbeddings() {
		name := req.Name + "_" + s.Method
		if err := storage.CheckEmbeddingName(name); err != nil {
			return nil, engine.NameMistake(err, entries.PartModel)
		}
		settings, err := run.Settings(s.Method, s.Options)
		if err != nil {
			return nil, err
		}
		now, err := c.DB.Store.EmbeddingInfo(c.Ctx, name)
		same := err == nil && now.Graph == req.Graph && entries.SameMethod(storage.ModelEmbedding{Method: s.Method, Settings: settings}, now)
		if !errors.Is(err, storage.ErrNotFound) && engine.NotDamage(err) == nil && !same && !slices.Contains(old.Own(), name) {
			return nil, fault.New(entries.PartModel, "embedding %s exists, and the model would store one of that name", fault.Quote(name)).
				WithRemedy("choose another name for the model, or write USING " + fault.Name(name)).WithErr(storage.ErrExists)
		}
		names = append(names, name)
	}
	return names, nil
}

func checkModelName(c *engine.Call, model, graph string) (storage.ModelInfo, error) {
	old, err := c.DB.Store.ModelInfo(c.Ctx, model)
	if err == nil && old.Graph != graph {
		return old, fault.New(entries.PartModel, "model %s exists and belongs to graph %s", fault.Quote(model), fault.Name(old.Graph)).
			WithRemedy("drop it first, or choose another name").WithErr(storage.ErrExists)
	}
	if errors.Is(err, storage.ErrNotFound) {
		return old, nil
	}
	return old, engine.NotDamage(err)
}

// checkTerms checks the heuristics of the request.
func (req TrainModelRequest) checkTerms() error {
	all := link.Scorers()
	for i, h := range req.Heuristics {
		at := slices.IndexFunc(all, func(s link.Scorer) bool { return s.Name == h })
		switch {
		case at < 0:
			return scoring.UnknownScorer(h, fault.Scorer(i))
		case slices.Contains(req.Heuristics[:i], h):
			return fault.New(fault.Scorer(i), "heuristic %s is named twice", h)
		case all[at].NeedsEmbedding && len(req.Embeddings) == 0:
			return fault.New(fault.Scorer(i), "heuristic %s is read from an embedding, and none is named", h).
				WithRemedy("name one: USING embedding, heuristics(…)").WithErr(link.ErrNeedsEmbedding)
		}
	}
	for i, name := range req.Embeddings {
		if slices.Contains(req.Embeddings[:i], name) {
			return fault.New(fault.Embedding, "embedding %s is named twice", fault.Name(name))
		}
	}
	if err := (link.Terms{Scorers: req.Heuristics, Embeddings: len(req.Embeddings)}).Validate(); err != nil {
		return fault.New(entries.PartModel, "%v", err).WithErr(err)
	}
	return nil
}

// modelTraining is a request whose graph and embeddings are loaded.
// share is the fraction of the edges that each split hides.
func (m *modelEntry) share() float64 {
	return cmp.Or(m.split.Share, run.ModelShare(m.graph.Edges))
}

type modelTraining struct {
	*modelEntry
	graph *session.Graph
	infos []storage.EmbeddingInfo // of the embeddings that are named
	job   run.ModelRequest
}

// named is the request with the names of the embeddings in the catalogue.
func (m *modelEntry) named(req TrainModelRequest) TrainModelRequest {
	req.Embeddings = nil
	for _, e := range m.embeddings {
		req.Embeddings = append(req.Embeddings, e.Info.Name)
	}
	return req
}

func loadTraining(c *engine.Call, req TrainModelRequest, found *modelEntry) (*modelTraining, error) {
	t := &modelTraining{modelEntry: found}
	t.job.Heuristics, t.job.For, t.job.Split, t.job.Negatives = req.Heuristics, req.For, found.split, req.Negatives
	if req.Negatives == nil {
		t.job.Negatives = []evaluate.Negatives{evaluate.DegreeNegatives}
	}
	t.job.Null = func(context.Context) (*csr.Graph, error) { return scoring.NullGraph(c, t.graph, req.Seed) }
	for i, name := range found.own {
		s := run.StackEmbeddings()[i]
		t.job.Embeddings = append(t.job.Embeddings, run.ModelEmbedding{Name: fault.Name(name), Method: s.Method, Options: s.Options})
	}
	return t, c.Consistent(func() (err error) {
		if t.graph, err = c.Graph(req.Graph, fault.Graph); err != nil {
			return err
		}
		c.NoteView(t.graph.Info)
		t.job.Graph, t.infos = t.graph.Graph, nil
		t.job.Embeddings = t.job.Embeddings[:len(found.own)]
		for _, name := range req.Embeddings {
			e, err := c.Present(name, fault.Embedding)
			if err == nil {
				err = entries.CheckCurrent(name, e.Behind, "") // the graph may have changed meanwhile
			}
			if err != nil {
				return err
			}
			t.infos = append(t.infos, e.Info)
			t.job.Embeddings = append(t.job.Embeddings, run.ModelEmbedding{Name: fault.Name(name), Method: e.Info.Method, Options: run.StoredOptions(e.Info)})
		}
		return nil
	})
}

// bytes estimates the memory of a training in addition to the graph: two graphs of remaining edges,
// their vectors, the work of the embedding that takes most, and the tables of the pairs. With a
// null graph there is one more graph.
func (t *modelTraining) bytes() int64 {
	g := t.graph.Graph
	bytes, work := 2*(8*int64(g.Vertices())+32*g.Edges()), int64(0)
	for _, e := range t.job.Embeddings {
		most, _ := run.Bytes(g, e.Method, e.Options) // they have been checked
		work = max(work, most)
		bytes += 3 * session.VectorBytes(g.Vertices(), int(run.Dim(e.Method, e.Options)))
	}
	if slices.Contains(t.job.Negatives, evaluate.DegreeNegatives) {
		bytes += 36*g.Edges() + 16*int64(g.Vertices()) // of algorithms.Exchange
	}
	const columns, kept = 24, 8 + 8
	learned := min(int64(cmp.Or(t.job.Split.Training, link.DefaultLinks)), g.Edges())
	measured := min(2*10_000, g.Edges())
	pairs := (run.ModelSplits-1)*(25*learned+measured) + 2*int64(1+len(t.job.Negatives))*measured
	return bytes + max(work, kept*pairs*int64(columns+4*len(t.job.Embeddings)))
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
		c.Notice("%s alone has an AUC of %.4f on the hidden pairs, more than the model", best.Name, best.AUC)
	}
	if gain := info.Ranking.RecallGain; gain[2] < 0 {
		best := catalogue.BestBy(info.Heuristics, func(h storage.HeuristicMeasure) float64 { return h.Recall })
		c.Notice("to recommend links, take %s: of ten recommendations it finds %.4f of the hidden edges, the model %.4f (difference %.4f to %.4f)", best.Name, best.Recall, info.Ranking.Recall[0], gain[1], gain[2])
	}
	if gain := info.Ranking.MAPGain; gain[2] < 0 {
		best := catalogue.BestBy(info.Heuristics, func(h storage.HeuristicMeasure) float64 { return h.MAP })
		c.Notice("for the order of recommendations, take %s: its MAP of ten is %.4f, that of the model %.4f (difference %.4f to %.4f)", best.Name, best.MAP, info.Ranking.MAP[0], gain[1], gain[2])
	}
	for _, n := range info.ByNegatives {
		if best := catalogue.BestOf(n.Heuristics); best.AUC > n.AUC {
			c.Notice("by the negatives %s, %s alone has an AUC of %.4f, more than the model", n.Negatives, best.Name, best.AUC)
		}
	}
	var own []storage.NewEmbedding
	if info.Embeddings, own, err = t.ownEmbeddings(c); err != nil {
		return TrainModelResult{}, err
	}
	info, err = c.DB.Store.PutModel(c.Ctx, info, func(w io.Writer) error {
		_, err := model.WriteTo(w)
		return err
	}, own...)
	if err != nil {
		return TrainModelResult{}, engine.NameMistake(err, entries.PartModel)
	}
	c.Job.Result("AUC %.4f, average precision %.4f, calibration error %.4f", info.AUC, info.AveragePrecision, info.CalibrationError)
	return TrainModelResult{ModelInfo: info, Report: report}, nil
}

// ownEmbeddings computes the own embeddings of the model, which are to be stored with it unless the stored ones have
// the same rows, and lists all that it reads.
func (t *modelTraining) ownEmbeddings(c *engine.Call) (list []storage.ModelEmbedding, later []storage.NewEmbedding, err error) {
	add := func(e storage.EmbeddingInfo, own bool) {
		list = append(list, storage.ModelEmbedding{Name: e.Name, Generation: e.Generation, Method: e.Method, Settings: e.Options, Own: own})
	}
	for i, name := range t.own {
		s := run.StackEmbeddings()[i]
		e, info, err := run.EmbedLater(c.Ctx, c.DB.Store, t.graph.Snapshot, run.Request{Name: name, Method: s.Method, Options: s.Options, Workers: c.Workers(), Progress: c.Meter.Update})
		if err != nil {
			return nil, nil, err
		}
		if e != nil {
			later = append(later, *e)
		}
		add(info, true)
	}
	for _, e := range t.infos {
		add(e, false)
	}
	return list, later, nil
}

func (t *modelTraining) info(req TrainModelRequest, model *link.Model, report run.ModelReport) storage.ModelInfo {
	info := storage.ModelInfo{
		Name: req.Name, Graph: t.graph.Info.Name, GraphID: t.graph.Info.ID, GraphVersion: t.graph.Info.Version,
		Terms: t.termNames(model), Options: t.settings(req), Kernel: vec.Kind(),
		AUC: report.AUC.Mean, AUCLow: report.AUC.Low, AUCHigh: report.AUC.High, AUCConnected: defined(report.AUCConnected), Isolated: report.Isolated,
		AveragePrecision: report.AveragePrecision, Brier: report.Brier, CalibrationError: report.CalibrationError,
		Ranking: storage.ModelRanking{
			MAP: triple(report.MAP), Recall: triple(report.Recall), MAPGain: triple(report.MAPGain), RecallGain: triple(report.RecallGain), Vertices: report.Vertices,
		},
		TrainingPairs: report.TrainLinks + report.TrainOthers, TestPairs: report.TestLinks + report.TestOthers, Seconds: report.Seconds,
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
		var null []run.ScorerReport
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

func triple(i evaluate.Interval) [3]float64 { return [3]float64{i.Mean, i.Low, i.High} }

// defined is a figure, 0 for one that is not defined.
func defined(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return x
}

// termNames are the terms of a model, those of an embedding with its name.
func (t *modelTraining) termNames(model *link.Model) []string {
	names, of := model.Terms()
	for i, e := range of {
		if e >= 0 {
			names[i] += "(" + t.job.Embeddings[e].Name + ")"
		}
	}
	return names
}

// heuristicMeasures are the figures that are defined, with those of the null graph, if any.
func heuristicMeasures(scores, null []run.ScorerReport) []storage.HeuristicMeasure {
	var list []storage.HeuristicMeasure
	for _, s := range scores {
		if math.IsNaN(s.AUC) || math.IsNaN(s.AveragePrecision) {
			continue
		}
		m := storage.HeuristicMeasure{Name: s.Scorer, AUC: s.AUC, AveragePrecision: s.AveragePrecision, MAP: s.MAP, Recall: s.Recall}
		if at := slices.IndexFunc(null, func(o run.ScorerReport) bool { return o.Scorer == s.Scorer && !math.IsNaN(o.AUC) }); at >= 0 {
			m.NullAUC, m.NullAveragePrecision = null[at].AUC, null[at].AveragePrecision
		}
		list = append(list, m)
	}
	return list
}

// settings returns the options of a training after defaults.
func (t *modelTraining) settings(req TrainModelRequest) []storage.Setting {
	share, training := t.share(), cmp.Or(req.Training, link.DefaultLinks)
	negatives := string(evaluate.DegreeNegatives)
	if req.Negatives != nil {
		negatives = engine.KindNames(req.Negatives, ", ")
	}
	heuristics := "all"
	if req.Heuristics != nil {
		heuristics = strings.Join(req.Heuristics, ", ")
	}
	return []storage.Setting{
		{Name: "heuristics", Value: heuristics}, {Name: "purpose", Value: string(cmp.Or(req.For, run.ForRanking))},
		{Name: "share", Value: fmt.Sprint(share)}, {Name: "latest", Value: fmt.Sprint(t.split.Latest)},
		{Name: "training", Value: fmt.Sprint(training)}, {Name: "negatives", Value: negatives}, {Name: "seed", Value: fmt.Sprint(req.Seed)},
	}
}

// spec is the job that trains a model. No other job writes the model meanwhile.
func (t *modelTraining) spec(req TrainModelRequest) job.Spec {
	text := parser.TrainModel{Model: parser.Ident{Name: req.Name}, Graph: parser.Ident{Name: req.Graph}}
	for _, e := range req.Embeddings {
		text.Embeddings = append(text.Embeddings, parser.Ident{Name: e})
	}
	for _, h := range req.Heuristics {
		text.Heuristics = append(text.Heuristics, parser.Ident{Name: h})
	}
	req.Latest = &t.split.Latest
	text.Options = engine.Given(trainSchema(), req)
	return job.Spec{
		Kind: kindTrain, Text: parser.Text(&text), Target: modelTarget + req.Name, Graph: t.graph.Info, Options: t.settings(req),
		Memory: t.bytes(), Purpose: "training a model of graph " + fault.Name(req.Graph),
	}
}
