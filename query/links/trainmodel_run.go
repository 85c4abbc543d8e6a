package links

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	embeddings "heavytail/embedding"
	"heavytail/embedding/evaluate"
	"heavytail/embedding/link"
	"heavytail/embedding/run"
	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/query/internal/job"
	"heavytail/query/internal/scoring"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/storage"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

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
	text.Options = req.options(t.split.Latest)
	return job.Spec{
		Kind: kindTrain, Text: parser.Text(&text), Target: modelTarget + req.Name, Graph: t.graph.Info, Options: t.settings(req),
		Memory: t.bytes(), Beside: t.beside(), Purpose: "training a model of graph " + fault.Name(req.Graph),
	}
}

func (r TrainModelRequest) options(latest bool) []parser.Option {
	var list engine.OptionList
	list.Add(r.Features != "", "features", r.Features)
	list.Add(r.Share > 0, "share", r.Share)
	list.Add(true, "latest", latest)
	list.Add(r.Training > 0, "training", int64(r.Training))
	list.Add(r.Negatives != nil, "negatives", engine.KindNames(r.Negatives, ", "))
	list.Add(r.Seed != 0, "seed", int64(r.Seed))
	return list
}
