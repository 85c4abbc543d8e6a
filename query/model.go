package query

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	embeddings "heavytail/embedding"
	"heavytail/embedding/evaluate"
	"heavytail/embedding/job"
	"heavytail/embedding/link"
	"heavytail/query/parser"
	"heavytail/storage"
	"heavytail/storage/vec"
)

// This file is TRAIN MODEL, SHOW MODELS, DESCRIBE MODEL and DROP MODEL, and finds the
// model that a scorer names.

// DefaultFeatures are the features that a model learns from where it is given an
// embedding and no features: both say something on every graph that was looked at,
// and no other adds to them.
const DefaultFeatures = "hadamard+l1"

// TrainModelRequest asks for a model of the links of a graph.
type TrainModelRequest struct {
	Graph string
	Name  string // of the model; one of that name on the same graph is replaced
	// Embedding is what features are read from, up to date with the graph; empty is a
	// model of heuristics alone.
	Embedding string
	// Heuristics are names of DB.Scorers, those of vectors too. nil is
	// link.DefaultHeuristics, and an empty list none.
	Heuristics []string
	// Features are names of link.Features joined by +. Empty is DefaultFeatures where
	// an embedding is named, unless a heuristic reads it.
	Features string

	Share    float64 // of the edges, held out for the measures; 0 is the default of evaluate.SplitOptions
	Latest   bool    // hold out the edges with the latest timestamps, and not any
	Training int     // edges to learn from at most; 0 is the default of evaluate.SplitOptions
	Seed     uint64  // of the edges and pairs that are drawn
}

// ModelInfo describes a model, with its measures on pairs that neither it nor what it
// reads had seen.
type ModelInfo = storage.ModelInfo

// TrainModelResult is the answer of TrainModel.
type TrainModelResult struct {
	ModelInfo
	Report  job.ModelReport
	Notices []Notice
}

// TrainModel holds edges of a graph out, learns from some of them how likely a link
// is, measures that on the others, and stores the model. It takes as long as computing
// the embedding twice, without the edges held out, and some seconds.
func (db *DB) TrainModel(ctx context.Context, req TrainModelRequest) (TrainModelResult, error) {
	c, err := db.begin(ctx, "TRAIN MODEL")
	if err != nil {
		return TrainModelResult{}, err
	}
	defer c.end()
	result, err := c.trainModel(req)
	return result, c.wrap(err)
}

// ModelSummary is a model as SHOW MODELS lists it.
type ModelSummary struct {
	ModelInfo
	Behind uint64 // versions of the graph since, without those that changed attributes only
}

// Best returns the heuristic that alone told the edges held out best from other
// pairs; the zero value where none was measured.
func (m ModelSummary) Best() storage.HeuristicMeasure { return bestHeuristic(m.ModelInfo) }

func bestHeuristic(m ModelInfo) storage.HeuristicMeasure {
	var best storage.HeuristicMeasure
	for _, h := range m.Heuristics {
		if best.Name == "" || h.AUC > best.AUC {
			best = h
		}
	}
	return best
}

// Models lists the models of the file by name.
func (db *DB) Models(ctx context.Context) ([]ModelSummary, error) {
	c, err := db.begin(ctx, "SHOW MODELS")
	if err != nil {
		return nil, err
	}
	defer c.end()
	list, err := c.models()
	return list, c.wrap(err)
}

func (c *call) models() ([]ModelSummary, error) {
	infos, err := c.db.store.Models(c.ctx)
	if err != nil {
		return nil, err
	}
	list := make([]ModelSummary, len(infos))
	for i, m := range infos {
		list[i].ModelInfo = m
		if list[i].Behind, err = c.behind(m.Graph, m.GraphVersion); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// behind counts the versions of a graph since one, without those that changed
// attributes only. Of a graph that was dropped meanwhile there are none.
func (c *call) behind(graph string, version uint64) (uint64, error) {
	changes, err := c.db.store.Changes(c.ctx, graph, version)
	if errors.Is(err, storage.ErrNotFound) {
		return 0, nil
	}
	return changes.Versions, err
}

// DropModel removes a model.
func (db *DB) DropModel(ctx context.Context, model string) error {
	c, err := db.begin(ctx, "DROP MODEL")
	if err != nil {
		return err
	}
	defer c.end()
	return c.wrap(c.dropModel(model))
}

func (c *call) dropModel(model string) error {
	if err := c.checkDropModel(model); err != nil {
		return err
	}
	return c.db.store.DropModel(c.ctx, model)
}

// checkDropModel refuses to drop what is not there.
func (c *call) checkDropModel(model string) error {
	if err := c.writable(); err != nil {
		return err
	}
	_, err := c.modelInfo(model, partModel)
	if errors.Is(err, storage.ErrCorrupt) {
		return nil // what is damaged can still be dropped
	}
	return err
}

// partModel is the name of a model.
const partModel part = "model"

// modelInfo returns the catalogue entry of a model, or an Error that names the
// nearest known model.
func (c *call) modelInfo(model string, at part) (ModelInfo, error) {
	if model == "" {
		return ModelInfo{}, mistake(at, "no model is named")
	}
	info, err := c.db.store.ModelInfo(c.ctx, model)
	if err == nil || !errors.Is(err, storage.ErrNotFound) {
		return info, err
	}
	unknown := mistake(at, "unknown model %s", quote(model))
	unknown.Err = err
	known, listErr := c.db.store.Models(c.ctx)
	if listErr != nil {
		return info, listErr
	}
	names := make([]string, len(known))
	for i, m := range known {
		names[i] = m.Name
	}
	return info, unknown.withHint(model, names, quote)
}

// modelTraining is a request whose names are resolved.
type modelTraining struct {
	graph *graphView
	space *space // nil without an embedding
	job   job.ModelRequest
}

// resolveTrainModel checks a request and finds what it names.
func (c *call) resolveTrainModel(req TrainModelRequest) (*modelTraining, error) {
	if err := c.writable(); err != nil {
		return nil, err
	}
	switch {
	case req.Name == "":
		return nil, mistake(partModel, "the model has no name")
	case !(req.Share >= 0 && req.Share < 1):
		return nil, mistake(partOption("share"), "option share is %v, and must be above 0 and below 1", req.Share)
	case req.Training < 0:
		return nil, mistake(partOption("training"), "option training is %d, and must not be negative", req.Training)
	}
	if err := c.checkModelName(req.Name, req.Graph); err != nil {
		return nil, err
	}
	t := &modelTraining{}
	t.job.Heuristics, t.job.Features = req.Heuristics, req.Features
	t.job.Split = evaluate.SplitOptions{Share: req.Share, Latest: req.Latest, Training: req.Training, Seed: req.Seed}
	if err := t.checkTerms(req); err != nil {
		return nil, err
	}
	if err := c.checkLinkGraph(req.Graph, true, req.Latest); err != nil {
		return nil, err
	}
	return t, c.settled(func() (err error) {
		if t.graph, err = c.graph(req.Graph, partGraph); err != nil {
			return err
		}
		t.job.Graph = t.graph.Graph
		if req.Embedding != "" {
			err = c.trainedOn(t, req)
		}
		return err
	})
}

// checkModelName refuses the name of a model of another graph.
func (c *call) checkModelName(model, graph string) error {
	old, err := c.db.store.ModelInfo(c.ctx, model)
	if errors.Is(err, storage.ErrNotFound) || errors.Is(err, storage.ErrCorrupt) {
		return nil
	}
	if err == nil && old.Graph != graph {
		m := mistake(partModel, "model %s exists and belongs to graph %s", quote(model), name(old.Graph))
		m.Hint, m.Err = "drop it first, or choose another name", storage.ErrExists
		return m
	}
	return err
}

// checkTerms checks what the model is made from, and takes the default.
func (t *modelTraining) checkTerms(req TrainModelRequest) error {
	all := link.Scorers()
	vectors := -1
	for i, h := range req.Heuristics {
		at := slices.IndexFunc(all, func(s link.Scorer) bool { return s.Name == h })
		switch {
		case at < 0:
			return unknownScorer(h, partScorer(i))
		case slices.Contains(req.Heuristics[:i], h):
			return mistake(partScorer(i), "heuristic %s is named twice", h)
		case all[at].NeedsEmbedding:
			vectors = i
		}
	}
	if req.Embedding != "" && req.Features == "" && vectors < 0 {
		t.job.Features = DefaultFeatures
	}
	if _, err := link.ParseFeatures(t.job.Features); err != nil {
		e := mistake(partOption("features"), "features are %s: %v", quoteKey(t.job.Features), plainly(err))
		e.Err = err
		if errors.Is(err, link.ErrFeature) {
			e.Hint = "they are names joined by +, such as 'hadamard+l1', of " + strings.Join(featureNames(), ", ")
		}
		return e
	}
	if req.Embedding == "" && (t.job.Features != "" || vectors >= 0) {
		at, what := partOption("features"), "features are"
		if vectors >= 0 {
			at, what = partScorer(vectors), "heuristic "+req.Heuristics[vectors]+" is"
		}
		e := mistake(at, "%s read from an embedding, and none is named", what)
		e.Hint, e.Err = "name one: USING embedding, heuristics(…)", link.ErrNeedsEmbedding
		return e
	}
	terms := link.Terms{Heuristics: t.job.Heuristics, Features: t.job.Features}
	if err := terms.Validate(); err != nil {
		e := mistake(partModel, "%v", plainly(err))
		e.Err = err
		return e
	}
	return nil
}

// trainedOn finds the embedding that a model reads.
func (c *call) trainedOn(t *modelTraining, req TrainModelRequest) error {
	s, err := c.space(req.Embedding, partEmbedding)
	switch {
	case err != nil:
		return err
	case s.info.Graph != req.Graph:
		return mistake(partEmbedding, "embedding %s belongs to graph %s, and not to graph %s", name(req.Embedding), name(s.info.Graph), name(req.Graph))
	case s.info.Past:
		e := mistake(partEmbedding, "%s is a generation that was replaced", quote(req.Embedding))
		e.Hint, e.Err = "name the embedding without the number", storage.ErrInvalid
		return e
	case s.behind > 0:
		e := mistake(partEmbedding, "embedding %s is %s behind its graph", quote(req.Embedding), count(int64(s.behind), "version"))
		e.Hint = "REFRESH it first"
		return e
	}
	t.space = s
	t.job.Method, t.job.Options, t.job.Vectors = s.info.Method, job.StoredOptions(s.info), s.matrix
	return nil
}

// bytes estimates the memory of a training beside the graph and the vectors: the
// graph without some edges and the pairs, twice the vectors of such a graph, with two
// copies to turn them by, and the table of the pairs to learn from.
func (t *modelTraining) bytes() int64 {
	g := t.graph.Graph
	pairs := int64(t.job.Split.Training)
	if pairs == 0 {
		pairs = evaluate.DefaultTraining
	}
	pairs = 2 * min(pairs, g.Edges())
	width := int64(len(link.Scorers()))
	bytes := graphBytes(t.graph.Info) + 64*g.Edges()
	if t.space != nil {
		most, _ := job.Bytes(g, t.job.Method, t.job.Options) // they are those of a stored embedding
		bytes += most + 4*vectorBytes(t.space.matrix.Rows, t.space.matrix.Dim)
		features, _ := link.ParseFeatures(t.job.Features) // they have been checked
		for _, f := range features {
			width += int64(f.Width(t.space.matrix.Dim))
		}
	}
	return bytes + 3*4*width*pairs
}

func (c *call) trainModel(req TrainModelRequest) (TrainModelResult, error) {
	t, err := c.resolveTrainModel(req)
	if err != nil {
		return TrainModelResult{}, err
	}
	var result TrainModelResult
	err = c.asJob(t.spec(req), func(embeddings.Checkpoints) (err error) {
		result, err = c.storeModel(req, t)
		return err
	})
	result.Notices = c.notices
	return result, err
}

// storeModel trains a model and stores it.
func (c *call) storeModel(req TrainModelRequest, t *modelTraining) (TrainModelResult, error) {
	stop := c.watch.start(stepSolve)
	t.job.Workers, t.job.Progress = c.workers(), c.meter.update
	model, report, err := job.TrainModel(c.ctx, t.job)
	if err != nil {
		return TrainModelResult{}, trainingMistake(err)
	}
	info := t.info(req, model, report)
	stop(int64(info.TrainingPairs), fmt.Sprintf("AUC %.4f", info.AUC))
	if best := bestHeuristic(info); best.Name != "" && best.AUC > info.AUC {
		c.notice("%s alone has an AUC of %.4f on the pairs held out, more than the model", best.Name, best.AUC)
	}
	info, err = c.db.store.PutModel(c.ctx, info, func(w io.Writer) error {
		_, err := model.WriteTo(w)
		return err
	})
	if err != nil {
		return TrainModelResult{}, nameMistake(err, partModel)
	}
	c.jobResult("AUC %.4f, average precision %.4f, calibration error %.4f", info.AUC, info.AveragePrecision, info.CalibrationError)
	return TrainModelResult{ModelInfo: info, Report: report}, nil
}

// trainingMistake says what is wrong with a graph that nothing can be learned from.
func trainingMistake(err error) error {
	if !errors.Is(err, link.ErrTooFew) && !errors.Is(err, evaluate.ErrLinks) {
		return err
	}
	e := mistake(partGraph, "%v", plainly(err))
	e.Err = err
	return e
}

// info describes a model.
func (t *modelTraining) info(req TrainModelRequest, model *link.Model, report job.ModelReport) ModelInfo {
	info := ModelInfo{
		Name: req.Name, Graph: t.graph.Info.Name, GraphID: t.graph.Info.ID, GraphVersion: t.graph.Info.Version,
		Terms: slices.Concat(model.Heuristics(), model.Features()), Options: t.settings(req), Kernel: vec.Kind(),
		AUC: report.AUC, AveragePrecision: report.AveragePrecision, Brier: report.Brier, CalibrationError: report.CalibrationError,
		TrainingPairs: report.TrainLinks + report.TrainOthers, TestPairs: report.TestLinks + report.TestOthers, Seconds: report.Seconds,
	}
	if t.space != nil && model.NeedsEmbedding() {
		of := t.space.info
		info.Embedding, info.Generation, info.Coordinates, info.Method, info.Settings = of.Name, of.Generation, of.Coordinates, of.Method, of.Options
	}
	for _, b := range report.Bins {
		if b.Pairs > 0 {
			info.Bins = append(info.Bins, storage.CalibrationBin{Pairs: b.Pairs, Predicted: b.Mean, Observed: b.Links})
		}
	}
	for _, s := range report.Scorers {
		if !math.IsNaN(s.AUC) && !math.IsNaN(s.AveragePrecision) {
			info.Heuristics = append(info.Heuristics, storage.HeuristicMeasure{Name: s.Scorer, AUC: s.AUC, AveragePrecision: s.AveragePrecision})
		}
	}
	return info
}

// settings are the options of a training after defaults.
func (t *modelTraining) settings(req TrainModelRequest) []storage.Setting {
	share, training := req.Share, req.Training
	if share == 0 {
		share = evaluate.DefaultShare
	}
	if training == 0 {
		training = evaluate.DefaultTraining
	}
	heuristics := "all"
	if req.Heuristics != nil {
		heuristics = strings.Join(req.Heuristics, ", ")
	}
	return []storage.Setting{
		{Name: "embedding", Value: req.Embedding}, {Name: "heuristics", Value: heuristics}, {Name: "features", Value: t.job.Features},
		{Name: "share", Value: fmt.Sprint(share)}, {Name: "latest", Value: fmt.Sprint(req.Latest)},
		{Name: "training", Value: fmt.Sprint(training)}, {Name: "seed", Value: fmt.Sprint(req.Seed)},
	}
}

// spec is the job that trains a model. Nothing else writes what it targets.
func (t *modelTraining) spec(req TrainModelRequest) jobSpec {
	text := parser.TrainModel{Model: parser.Ident{Name: req.Name}, Graph: parser.Ident{Name: req.Graph}}
	if req.Embedding != "" {
		text.Embedding = &parser.Ident{Name: req.Embedding}
	}
	for _, h := range req.Heuristics {
		text.Heuristics = append(text.Heuristics, parser.Ident{Name: h})
	}
	text.Options = req.options()
	return jobSpec{
		kind: kindTrain, text: text.String(), target: modelTarget + req.Name, graph: t.graph.Info, options: t.settings(req),
		memory: t.bytes(), purpose: "training a model of graph " + name(req.Graph),
	}
}

// modelTarget begins the target of a job that writes a model.
const (
	kindTrain   = "TRAIN MODEL"
	modelTarget = "model "
)

// options writes the options of a request.
func (r TrainModelRequest) options() []parser.Option {
	var list []parser.Option
	add := func(given bool, name string, value any) {
		if given {
			list = append(list, option(name, value))
		}
	}
	add(r.Features != "", "features", r.Features)
	add(r.Share > 0, "share", r.Share)
	add(true, "latest", r.Latest)
	add(r.Training > 0, "training", int64(r.Training))
	add(r.Seed != 0, "seed", int64(r.Seed))
	return list
}
