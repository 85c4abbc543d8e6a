package run

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/link"
	"heavytail/index"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// ModelRequest asks for a model of the links of a graph.
type ModelRequest struct {
	Graph *csr.Graph
	// Method and Options are those of Vectors, which has a vector for each vertex of Graph.
	// All are empty for a model without an embedding.
	Method  string
	Options []Option
	Vectors *vec.Matrix

	Heuristics []string // of the model; see [link.Terms]
	Features   string   // the same

	// Split sets how links are held out: Share of them at random, or the latest ones.
	// At most Training of them are used for learning. Unseen is ignored.
	Split evaluate.SplitOptions
	// Negatives are further kinds of pairs without an edge on which the model is
	// measured, in addition to evaluate.RandomNegatives. The model always learns from
	// random pairs.
	Negatives []evaluate.Negatives

	Workers  int // goroutines; 0 is GOMAXPROCS; no result depends on it
	Progress func(stage string, done, total int64)
}

// ModelReport measures a model on pairs that neither the model nor its graph and vectors
// have seen.
type ModelReport struct {
	AUC              float64 `json:"auc"` // see package evaluate
	AveragePrecision float64 `json:"average_precision"`
	Brier            float64 `json:"brier"` // mean squared error of the probability
	// CalibrationError is the mean difference between the probability and the fraction of
	// links, over Bins.
	CalibrationError float64          `json:"calibration_error"`
	Bins             []CalibrationBin `json:"bins"`

	// Scorers measures every single scorer on the same pairs: those of graphs, then
	// with an embedding those of vectors.
	Scorers []evaluate.LinkScore `json:"scorers"`

	// ByNegatives has the measures for each of ModelRequest.Negatives except random.
	ByNegatives []NegativeReport `json:"by_negatives,omitempty"`

	Candidates  []link.Candidate `json:"candidates"` // the models that were compared
	TestLinks   int              `json:"test_links"` // pairs of the test
	TestOthers  int              `json:"test_others"`
	TrainLinks  int              `json:"train_links"` // pairs to learn from
	TrainOthers int              `json:"train_others"`
	Seconds     float64          `json:"seconds"`
}

// NegativeReport measures a model on hidden links and on pairs without an edge of one
// kind.
type NegativeReport struct {
	Negatives        evaluate.Negatives   `json:"negatives"`
	AUC              float64              `json:"auc"`
	AveragePrecision float64              `json:"average_precision"`
	Scorers          []evaluate.LinkScore `json:"scorers"` // each alone, as in ModelReport
	TestLinks        int                  `json:"test_links"`
	TestOthers       int                  `json:"test_others"`
}

// CalibrationBin has the pairs of the test with a probability from Low to below
// High.
type CalibrationBin struct {
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Pairs int     `json:"pairs"`
	Mean  float64 `json:"mean"`  // probability
	Links float64 `json:"links"` // fraction of links
}

// CalibrationBins is the number of bins, of equal width.
const CalibrationBins = 10

// TrainModel trains a model of the links of a graph and measures it.
//
// It holds links out of the graph, draws as many non-links, embeds the remaining graph by
// the method and options of the stored vectors, and trains the model with [link.Train] on
// the links that neither the remaining graph nor its vectors contain. The model is for
// the whole graph and its stored vectors.
//
// The report measures a second model, one step earlier. Links are held out of the remaining
// graph once more, and the second model is trained on these in the same way. Bound to the
// remaining graph and its vectors it then scores the links that were held out first. So it
// is used as the returned model will be: on a graph and vectors with more links than in
// training, for links that are new to both, and with Latest for later links. Neither the
// second model nor the vectors it uses have seen the test links: hiding the same pairs
// before the graph is created gives the same figures. The returned model has learned from
// the pairs of the test; the report is that of the second model.
//
// No coordinate of the vectors has a weight of its own: see [link.Train].
//
// It takes two embeddings, and for each 4 regressions of every candidate on up to twice
// Training pairs. The result does not depend on Workers. Errors are *MethodError,
// *OptionError, those of the method, of [evaluate.SplitLinks] (evaluate.ErrLinks for
// a graph that is too small) and of [link.Train] (link.ErrTooFew, too).
func TrainModel(ctx context.Context, req ModelRequest) (*link.Model, ModelReport, error) {
	began := time.Now()
	t := newModelTraining(req)
	model, err := t.run(ctx)
	if err != nil {
		return nil, ModelReport{}, fmt.Errorf("model: %w", err)
	}
	t.report.Seconds = time.Since(began).Seconds()
	return model, t.report, nil
}

// EvaluationModel trains the model that TrainModel would train on s.Graph, as if that were the
// whole graph, and binds it to s.Graph and req.Vectors, an embedding of s.Graph by
// req.Method and req.Options. So neither the model nor its vectors have seen the held-out edges
// of s, and the model can be measured on them next to single scorers. req.Graph and
// req.Negatives are ignored; seed, share and time of the edges it learns from are those of
// req.Split. It takes one embedding and the regressions of one training. Errors are
// those of TrainModel.
func EvaluationModel(ctx context.Context, s *evaluate.LinkSplit, req ModelRequest) (*link.Bound, error) {
	req.Graph = s.Graph
	t := newModelTraining(req)
	bound, err := t.bind(ctx)
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	return bound, nil
}

// modelTraining is the state of a running request.
type modelTraining struct {
	req    ModelRequest
	terms  link.Terms
	report ModelReport
}

// hidden is a graph from which links were held out.
type hidden struct {
	split   *evaluate.LinkSplit
	vectors *vec.Matrix // of split.Graph, nil without an embedding
}

func newModelTraining(req ModelRequest) *modelTraining {
	return &modelTraining{req: req, terms: link.Terms{Heuristics: req.Heuristics, Features: req.Features}}
}

// bind trains a model on edges held out of the graph, and binds it to the graph.
func (t *modelTraining) bind(ctx context.Context) (*link.Bound, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	h, err := t.hide(ctx, t.req.Graph, 1)
	if err != nil {
		return nil, err
	}
	l, err := t.train(ctx, h)
	if err != nil {
		return nil, err
	}
	return l.model.Bind(t.req.Graph, t.req.Vectors)
}

// check returns the error of terms that do not fit to the vectors, and forgets vectors that no
// term needs.
func (t *modelTraining) check() error {
	if err := t.terms.Validate(); err != nil {
		return err
	}
	switch {
	case !t.terms.NeedsEmbedding():
		t.req.Vectors = nil
	case t.req.Vectors == nil:
		return link.ErrNeedsEmbedding
	case t.req.Vectors.Rows != t.req.Graph.Vertices():
		return fmt.Errorf("%d vectors for %d vertices: %w", t.req.Vectors.Rows, t.req.Graph.Vertices(), link.ErrDimension)
	}
	return nil
}

func (t *modelTraining) run(ctx context.Context) (*link.Model, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	later, err := t.hide(ctx, t.req.Graph, 0)
	if err != nil {
		return nil, err
	}
	earlier, err := t.hide(ctx, later.split.Graph, 1)
	if err != nil {
		return nil, err
	}
	before, err := t.train(ctx, earlier)
	if err != nil {
		return nil, err
	}
	if err := t.measure(ctx, before.model, later); err != nil {
		return nil, err
	}
	after, err := t.train(ctx, later)
	t.report.TrainLinks, t.report.TrainOthers = len(after.pairs.Links), len(after.pairs.Others)
	return after.model, err
}

type learned struct {
	model *link.Model
	pairs link.Pairs
}

func (t *modelTraining) stage(name string, done int64) {
	if t.req.Progress != nil {
		t.req.Progress(name, done, 1)
	}
}

// hide holds links out of a graph and embeds the rest.
func (t *modelTraining) hide(ctx context.Context, g *csr.Graph, round uint64) (h hidden, err error) {
	options := t.req.Split
	options.Unseen, options.Training, options.Seed = false, 1, options.Seed+round
	t.stage("hiding edges", 0)
	if h.split, err = evaluate.SplitLinks(ctx, g, options); err != nil {
		return h, err
	}
	t.stage("hiding edges", 1)
	if t.req.Vectors == nil {
		return h, nil
	}
	h.vectors, _, err = Compute(ctx, h.split.Graph, Request{Method: t.req.Method, Options: t.req.Options, Workers: t.req.Workers, Progress: t.req.Progress})
	return h, err
}

func (t *modelTraining) train(ctx context.Context, h hidden) (l learned, err error) {
	most := cmp.Or(t.req.Split.Training, evaluate.DefaultTraining)
	l.pairs = link.Pairs{Links: thin(h.split.Edges, most), Others: thin(h.split.NonEdges, most), Hidden: h.split.Edges}
	options := link.TrainOptions{Terms: t.terms, Workers: t.req.Workers, Progress: t.req.Progress}
	if h.vectors != nil {
		if options.Near, err = nearest(ctx, h, t.req.Workers); err != nil {
			return l, err
		}
	}
	model, report, err := link.Train(ctx, h.split.Graph, h.vectors, l.pairs, options)
	t.report.Candidates = report.Candidates
	l.model = model
	return l, err
}

// nearest returns the function that finds the nearest vertices by the cosine, as PREDICT by a
// model does. The rows of vectors that are damaged or not finite are an error.
func nearest(ctx context.Context, h hidden, workers int) (link.Near, error) {
	exact, err := index.NewExact(h.vectors, index.Cosine)
	if err != nil {
		return nil, err
	}
	batches := exact.Batches()
	return func(us []uint32) ([][]uint32, error) {
		hits, err := batches.Nearest(ctx, us, evaluate.DefaultRankNear, workers, func(u, v uint32) bool { return v != u && !h.split.Graph.HasEdge(u, v) })
		return index.VertexLists(hits), err
	}, nil
}

// thin takes at most a number of pairs, evenly spaced in a list.
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
func (t *modelTraining) measure(ctx context.Context, model *link.Model, h hidden) error {
	r, split := &t.report, h.split
	r.TestLinks, r.TestOthers = len(split.Edges), len(split.NonEdges)
	t.stage("measuring", 0)
	bound, err := model.Bind(split.Graph, h.vectors)
	if err != nil {
		return err
	}
	random, links, others, err := t.measureBy(ctx, bound, split, h.vectors)
	if err != nil {
		return err
	}
	r.AUC, r.AveragePrecision, r.Scorers = random.AUC, random.AveragePrecision, random.Scorers
	r.calibration(links, others)
	for _, kind := range t.req.Negatives {
		if kind == evaluate.RandomNegatives {
			continue
		}
		by, err := t.drawAgain(ctx, split, kind)
		if err != nil {
			return err
		}
		measured, _, _, err := t.measureBy(ctx, bound, by, h.vectors)
		if err != nil {
			return err
		}
		measured.Negatives = kind
		r.ByNegatives = append(r.ByNegatives, measured)
	}
	t.stage("measuring", 1)
	return nil
}

// drawAgain returns the split of the graph with other pairs for the test.
func (t *modelTraining) drawAgain(ctx context.Context, split *evaluate.LinkSplit, kind evaluate.Negatives) (*evaluate.LinkSplit, error) {
	test := *split
	test.TrainEdges, test.TrainNonEdges = nil, nil
	by, err := test.With(ctx, t.req.Graph, kind, t.req.Split)
	if err != nil {
		return nil, err
	}
	by.TrainEdges, by.TrainNonEdges = split.TrainEdges, split.TrainNonEdges
	return by, nil
}

// measureBy measures a model and every single scorer on the pairs of a split, and
// returns the probabilities of the links and of the other pairs.
func (t *modelTraining) measureBy(ctx context.Context, bound *link.Bound, split *evaluate.LinkSplit, rows *vec.Matrix) (r NegativeReport, links, others []float64, err error) {
	r.TestLinks, r.TestOthers = len(split.Edges), len(split.NonEdges)
	if links, err = evaluate.ScorePairs(ctx, split.Edges, t.req.Workers, bound.Score); err != nil {
		return r, nil, nil, err
	}
	if others, err = evaluate.ScorePairs(ctx, split.NonEdges, t.req.Workers, bound.Score); err != nil {
		return r, nil, nil, err
	}
	r.AUC, r.AveragePrecision = evaluate.AUC(links, others), evaluate.AveragePrecision(links, others)
	r.Scorers, err = split.Score(ctx, rows, evaluate.LinkOptions{Features: []string{}, Workers: t.req.Workers})
	return r, links, others, err
}

// calibration compares the probabilities with the fractions of links.
func (r *ModelReport) calibration(links, others []float64) {
	r.Bins = make([]CalibrationBin, CalibrationBins)
	add := func(p, linked float64) {
		b := &r.Bins[min(CalibrationBins-1, int(p*CalibrationBins))]
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
		b.Low, b.High = float64(i)/CalibrationBins, float64(i+1)/CalibrationBins
		r.CalibrationError += max(b.Mean-b.Links, b.Links-b.Mean) / all
		if b.Pairs > 0 {
			b.Mean /= float64(b.Pairs)
			b.Links /= float64(b.Pairs)
		}
	}
	r.Brier /= all
}
