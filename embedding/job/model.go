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

	// Split says how links are held out: Share of them for the test, and of the
	// others a tenth, at most Training, to learn from. Unseen is set.
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
	// AlignmentError is how far the vectors that the model has learned from are from
	// the stored ones; see [embedding.Align]. 0 without an embedding.
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
// Links are held out of the graph, once for the test and once to learn from, with
// as many pairs that are none; the rest of the graph is embedded by the method and
// options of the stored vectors, and these vectors are rotated to where the stored
// ones are. The model learns from links that neither the rest of the graph nor its
// vectors know, as [link.Train] has it, and is measured on the others. It is meant
// for the graph as it is and its stored vectors.
//
// Errors are *MethodError, *OptionError, those of the method, of
// [evaluate.SplitLinks] (evaluate.ErrLinks for a graph that is too small) and of
// [link.Train] (link.ErrTooFew, too).
func TrainModel(ctx context.Context, req ModelRequest) (*link.Model, ModelReport, error) {
	began := time.Now()
	fail := func(err error) (*link.Model, ModelReport, error) {
		return nil, ModelReport{}, fmt.Errorf("job: model: %w", err)
	}
	terms := link.Terms{Heuristics: req.Heuristics, Features: req.Features}
	if err := terms.Validate(); err != nil {
		return fail(err)
	}
	if !terms.NeedsEmbedding() {
		req.Vectors = nil
	} else if req.Vectors == nil {
		return fail(link.ErrNeedsEmbedding)
	} else if req.Vectors.Rows != req.Graph.Vertices() {
		return fail(fmt.Errorf("%d vectors for %d vertices: %w", req.Vectors.Rows, req.Graph.Vertices(), link.ErrDimension))
	}
	req.Split.Unseen = true
	stage := func(name string, done int64) {
		if req.Progress != nil {
			req.Progress(name, done, 1)
		}
	}
	stage("hiding edges", 0)
	split, err := evaluate.SplitLinks(ctx, req.Graph, req.Split)
	if err != nil {
		return fail(err)
	}
	stage("hiding edges", 1)
	var rows *vec.Matrix
	var report ModelReport
	if req.Vectors != nil {
		computed, _, err := Compute(ctx, split.Graph, Request{Method: req.Method, Options: req.Options, Workers: req.Workers, Progress: req.Progress})
		if err != nil {
			return fail(err)
		}
		stage("aligning", 0)
		if rows, report.AlignmentError, err = embedding.Align(ctx, computed, req.Vectors, req.Workers); err != nil {
			return fail(err)
		}
		stage("aligning", 1)
	}
	model, trained, err := link.Train(ctx, split.Graph, rows, link.Pairs{Links: split.TrainEdges, Others: split.TrainNonEdges},
		link.TrainOptions{Terms: terms, Workers: req.Workers, Progress: req.Progress})
	if err != nil {
		return fail(err)
	}
	report.Candidates = trained.Candidates
	if err := report.measure(ctx, model, split, rows, req); err != nil {
		return fail(err)
	}
	report.Seconds = time.Since(began).Seconds()
	return model, report, nil
}

// measure compares the model with every single scorer on the pairs of the test.
func (r *ModelReport) measure(ctx context.Context, model *link.Model, split *evaluate.LinkSplit, rows *vec.Matrix, req ModelRequest) (err error) {
	r.TestLinks, r.TestOthers = len(split.Edges), len(split.NonEdges)
	r.TrainLinks, r.TrainOthers = len(split.TrainEdges), len(split.TrainNonEdges)
	f, err := model.Bind(split.Graph, rows)
	if err != nil {
		return err
	}
	links, err := scores(ctx, split.Edges, f, req.Workers)
	if err != nil {
		return err
	}
	others, err := scores(ctx, split.NonEdges, f, req.Workers)
	if err != nil {
		return err
	}
	r.AUC, r.AveragePrecision = evaluate.AUC(links, others), evaluate.AveragePrecision(links, others)
	r.calibration(links, others)
	options := evaluate.LinkOptions{Features: []string{}, Workers: req.Workers, Progress: req.Progress}
	r.Scorers, err = split.Score(ctx, rows, options)
	return err
}

// scores scores pairs in their order.
func scores(ctx context.Context, pairs []csr.Edge, f func(u, v uint32) float64, workers int) ([]float64, error) {
	out := make([]float64, len(pairs))
	const block = 256
	vec.Parallel(len(pairs), block, workers, func(_, lo, hi int) {
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			out[i] = f(pairs[i].U, pairs[i].V)
		}
	})
	return out, ctx.Err()
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
