package job

import (
	"context"
	"fmt"
	"time"

	"heavytail/embedding"
	"heavytail/embedding/evaluate"
	"heavytail/embedding/link"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// ModelRequest asks for a model of the links of a graph.
type ModelRequest struct {
	Graph *csr.Graph
	// Method and Options are how Vectors was made, one row for each vertex of Graph.
	// All are empty for a model without an embedding.
	Method  string
	Options []Option
	Vectors *vec.Matrix

	Heuristics []string // of the model; see [link.Terms]
	Features   string   // the same

	// Split says how links are held out: Share of them, or the latest; of these at most
	// Training are learned from. Unseen has no meaning here.
	Split evaluate.SplitOptions

	Workers  int // goroutines; 0 is GOMAXPROCS; no result depends on it
	Progress func(stage string, done, total int64)
}

// ModelReport says how well a model does on pairs that neither it nor what it looks
// at has seen.
type ModelReport struct {
	AUC, AveragePrecision float64 // see package evaluate
	Brier                 float64 // mean squared error of the probability
	// CalibrationError is the mean difference of the probability and of the share of
	// links, over Bins.
	CalibrationError float64
	Bins             []CalibrationBin

	// Scorers measures every single scorer on the same pairs: those of graphs, then
	// with an embedding those of vectors.
	Scorers []evaluate.LinkScore

	Candidates []link.Candidate // the models that were compared
	// AlignmentError is how far vectors that a model has learned from are from those
	// that it is used with, the larger of the two cases; see [embedding.Align]. 0 without
	// an embedding.
	AlignmentError float64

	TestLinks, TestOthers   int // pairs of the test
	TrainLinks, TrainOthers int // pairs to learn from
	Seconds                 float64
}

// CalibrationBin has the pairs of the test with a probability from Low to below
// High.
type CalibrationBin struct {
	Low, High float64
	Pairs     int
	Mean      float64 // probability
	Links     float64 // share of them
}

// calibrationBins is the number of bins, of equal width.
const calibrationBins = 10

// TrainModel learns a model of the links of a graph and measures it.
//
// Links are held out of the graph, and as many pairs drawn that are none. The rest of
// the graph is embedded by the method and options of the stored vectors, and these
// vectors are rotated to where the stored ones are. The model learns from the links
// that neither the rest of the graph nor its vectors know, as [link.Train] has it. It
// is for the graph as it is and its stored vectors.
//
// What it is worth is measured one step before: from the rest of the graph links are
// held out once more, a model learns from those in the same way, is given the rest of
// the graph with its vectors, and asked for the links that were held out first. So it
// is used as a model is, on a graph and vectors with more links than it has learned
// from, for links that are new to both, and with Latest for later ones. The model that
// is returned has learned from the pairs of that test; the report is of the other.
//
// It takes two embeddings, and with a penalty for each 4 regressions on up to twice
// Training pairs. The result does not depend on Workers. Errors are *MethodError,
// *OptionError, those of the method, of [evaluate.SplitLinks] (evaluate.ErrLinks for
// a graph that is too small) and of [link.Train] (link.ErrTooFew, too).
func TrainModel(ctx context.Context, req ModelRequest) (*link.Model, ModelReport, error) {
	began := time.Now()
	t := modelTraining{req: req, terms: link.Terms{Heuristics: req.Heuristics, Features: req.Features}}
	model, err := t.run(ctx)
	if err != nil {
		return nil, ModelReport{}, fmt.Errorf("job: model: %w", err)
	}
	t.report.Seconds = time.Since(began).Seconds()
	return model, t.report, nil
}

// modelTraining is a request in the making.
type modelTraining struct {
	req    ModelRequest
	terms  link.Terms
	report ModelReport
}

// hidden is a graph that links were held out of.
type hidden struct {
	split *evaluate.LinkSplit
	rows  *vec.Matrix // of split.Graph, nil without an embedding
}

func (t *modelTraining) run(ctx context.Context) (*link.Model, error) {
	if err := t.terms.Validate(); err != nil {
		return nil, err
	}
	switch {
	case !t.terms.NeedsEmbedding():
		t.req.Vectors = nil
	case t.req.Vectors == nil:
		return nil, link.ErrNeedsEmbedding
	case t.req.Vectors.Rows != t.req.Graph.Vertices():
		return nil, fmt.Errorf("%d vectors for %d vertices: %w", t.req.Vectors.Rows, t.req.Graph.Vertices(), link.ErrDimension)
	}
	later, err := t.hide(ctx, t.req.Graph, t.req.Vectors, 0)
	if err != nil {
		return nil, err
	}
	earlier, err := t.hide(ctx, later.split.Graph, later.rows, 1)
	if err != nil {
		return nil, err
	}
	before, _, err := t.train(ctx, earlier)
	if err != nil {
		return nil, err
	}
	if err := t.measure(ctx, before, later); err != nil {
		return nil, err
	}
	model, pairs, err := t.train(ctx, later)
	t.report.TrainLinks, t.report.TrainOthers = len(pairs.Links), len(pairs.Others)
	return model, err
}

// stage tells of a step that has begun, or is done.
func (t *modelTraining) stage(name string, done int64) {
	if t.req.Progress != nil {
		t.req.Progress(name, done, 1)
	}
}

// hide holds links out of a graph and embeds the rest where the vectors are.
func (t *modelTraining) hide(ctx context.Context, g *csr.Graph, vectors *vec.Matrix, round uint64) (h hidden, err error) {
	options := t.req.Split
	options.Unseen, options.Training, options.Seed = false, 1, options.Seed+round
	t.stage("hiding edges", 0)
	if h.split, err = evaluate.SplitLinks(ctx, g, options); err != nil {
		return h, err
	}
	t.stage("hiding edges", 1)
	if vectors == nil {
		return h, nil
	}
	computed, _, err := Compute(ctx, h.split.Graph, Request{Method: t.req.Method, Options: t.req.Options, Workers: t.req.Workers, Progress: t.req.Progress})
	if err != nil {
		return h, err
	}
	t.stage("aligning", 0)
	h.rows, err = t.align(ctx, h.split.Graph, computed, vectors)
	t.stage("aligning", 1)
	return h, err
}

// align rotates vectors to where others are, by the vertices of the largest
// component, which alone have vectors that a model looks at.
func (t *modelTraining) align(ctx context.Context, g *csr.Graph, rows, onto *vec.Matrix) (*vec.Matrix, error) {
	largest := func(m *vec.Matrix) *vec.Matrix {
		part := vec.NewMatrix(m.Rows, m.Dim)
		for v, label := range g.Components().Label {
			if label == 0 {
				copy(part.Row(v), m.Row(v))
			}
		}
		return part
	}
	turned, left, err := embedding.Align(ctx, largest(rows), largest(onto), t.req.Workers)
	t.report.AlignmentError = max(t.report.AlignmentError, left)
	return turned, err
}

// train learns from what was hidden.
func (t *modelTraining) train(ctx context.Context, h hidden) (*link.Model, link.Pairs, error) {
	most := t.req.Split.Training
	if most == 0 {
		most = evaluate.DefaultTraining
	}
	pairs := link.Pairs{Links: thin(h.split.Edges, most), Others: thin(h.split.NonEdges, most)}
	options := link.TrainOptions{Terms: t.terms, Workers: t.req.Workers, Progress: t.req.Progress}
	model, report, err := link.Train(ctx, h.split.Graph, h.rows, pairs, options)
	t.report.Candidates = report.Candidates
	return model, pairs, err
}

// thin takes so many pairs, evenly from a list.
func thin(pairs []csr.Edge, most int) []csr.Edge {
	if len(pairs) <= most {
		return pairs
	}
	list := make([]csr.Edge, most)
	for i := range list {
		list[i] = pairs[i*len(pairs)/most]
	}
	return list
}

// measure compares a model with every single scorer on links that were hidden.
func (t *modelTraining) measure(ctx context.Context, model *link.Model, h hidden) (err error) {
	r, split := &t.report, h.split
	r.TestLinks, r.TestOthers = len(split.Edges), len(split.NonEdges)
	bound, err := model.Bind(split.Graph, h.rows)
	if err != nil {
		return err
	}
	t.stage("measuring", 0)
	links, err := evaluate.ScorePairs(ctx, split.Edges, t.req.Workers, bound.Score)
	if err != nil {
		return err
	}
	others, err := evaluate.ScorePairs(ctx, split.NonEdges, t.req.Workers, bound.Score)
	if err != nil {
		return err
	}
	r.AUC, r.AveragePrecision = evaluate.AUC(links, others), evaluate.AveragePrecision(links, others)
	r.calibration(links, others)
	r.Scorers, err = split.Score(ctx, h.rows, evaluate.LinkOptions{Features: []string{}, Workers: t.req.Workers})
	t.stage("measuring", 1)
	return err
}

// calibration compares probabilities with what came true.
func (r *ModelReport) calibration(links, others []float64) {
	r.Bins = make([]CalibrationBin, calibrationBins)
	add := func(p, linked float64) {
		b := &r.Bins[min(calibrationBins-1, int(p*calibrationBins))]
		b.Pairs++
		b.Mean += p
		b.Links += linked
		r.Brier += (p - linked) * (p - linked)
	}
	for _, p := range links {
		add(p, 1)
	}
	for _, p := range others {
		add(p, 0)
	}
	all := float64(len(links) + len(others))
	for i := range r.Bins {
		b := &r.Bins[i]
		b.Low, b.High = float64(i)/calibrationBins, float64(i+1)/calibrationBins
		r.CalibrationError += max(b.Mean-b.Links, b.Links-b.Mean) / all
		if b.Pairs > 0 {
			b.Mean /= float64(b.Pairs)
			b.Links /= float64(b.Pairs)
		}
	}
	r.Brier /= all
}
