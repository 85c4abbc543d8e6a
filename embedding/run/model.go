package run

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/link"
	"heavytail/embedding/option"
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
	Options []option.Given
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
	// Null, if not nil, returns a random graph with the degrees of Graph. It is called for
	// evaluate.DegreeNegatives, whose figures are then accompanied by those of the null graph.
	Null func(ctx context.Context) (*csr.Graph, error)

	Workers  int // goroutines; 0 is GOMAXPROCS; no result depends on it
	Progress func(stage string, done, total int64)
}

// ModelReport measures a model on pairs that neither the model nor its graph and vectors
// have seen.
type ModelReport struct {
	// AUC has the interval for the returned model on the whole graph and as many other links that
	// were hidden from it; see TrainModel.
	AUC              evaluate.Interval `json:"auc"`
	AveragePrecision float64           `json:"average_precision"`
	Brier            float64           `json:"brier"` // mean squared error of the probability
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
	AUC              evaluate.Interval    `json:"auc"` // as in ModelReport; for evaluate.TwoHopNegatives on the graph of the measurement
	AveragePrecision float64              `json:"average_precision"`
	Scorers          []evaluate.LinkScore `json:"scorers"` // each alone, as in ModelReport
	TestLinks        int                  `json:"test_links"`
	TestOthers       int                  `json:"test_others"`
	Null             *NullReport          `json:"null,omitempty"` // nil except for evaluate.DegreeNegatives with ModelRequest.Null
}

// NullReport has the figures of the same terms and scorers on a random graph with the same degrees,
// where only the degrees can be predicted: what NegativeReport has above them is knowledge of
// something else.
type NullReport struct {
	AUC              float64              `json:"auc"` // NaN (null in JSON) if a term needs the times of edges, which the graph does not have
	AveragePrecision float64              `json:"average_precision"`
	Scorers          []evaluate.LinkScore `json:"scorers"` // without those that need times
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
// What is measured are the terms of the model, one step earlier. Links are held out of the
// remaining graph once more. From these [link.Train] chooses the terms, and how their weights are
// learned, and learns them: a first model. Bound to the remaining graph and its vectors it
// scores the links that were held out first. The returned model has the same terms, and only their
// weights are learned again, from the links that were held out first. So the first model is used as
// the returned one will be: on a graph and vectors with more links than in training, for links that
// are new to both, and with Latest for later links. Neither the choice of the terms nor the weights
// nor the vectors have seen the test links: hiding the same pairs before the graph is created
// gives the same figures ([EvaluationModel]).
//
// The figures are about a graph with Share fewer links than the whole one. Where vertices have few
// edges, the returned model on the whole graph is better: on cora a claimed AUC of .79 was .85. The
// interval of the AUC therefore has two parts. It begins as [evaluate.AUCInterval], which is about
// other pairs. Its upper end is then raised by what the AUC of the first model on the same pairs gains
// from the links that it was trained on (its AUC with the remaining graph less that with the graph
// without these, or the lower end lowered if that is negative): the whole graph has more links in
// the same ratio, and a gain of further links is rarely above that of the links before. And it is
// raised by what the weights of the returned model are better for the same pairs, if they are: by its
// AUC in [link.TrainReport], of each part of the pairs by a model of the other parts.
//
// For evaluate.DegreeNegatives, with Null, the terms are measured in the same way on the null graph.
//
// No coordinate of the vectors has a weight of its own: see [link.Train].
//
// It takes two embeddings, up to 5 regressions of every candidate on up to twice Training pairs, and
// those of the chosen one again; with the figures of a null graph twice as many embeddings. The
// result does not depend on Workers. Errors are *MethodError,
// *option.Error, those of the method, of [evaluate.SplitLinks] (evaluate.ErrLinks for
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

// EvaluationModel trains the model that TrainModel measures when it has held out the edges of s: it
// chooses the terms and learns their weights from further edges that it holds out of s.Graph. It
// binds it to s.Graph and req.Vectors, an embedding of s.Graph by
// req.Method and req.Options. So neither the model nor its vectors have seen the held-out edges
// of s, and the model can be measured on them next to single scorers. req.Graph and
// req.Negatives and Null are ignored; seed, share and time of the edges it learns from are those of
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
	choice *link.Choice // of candidates, once they have been compared
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
	t.choice = &before.report.Choice
	t.report.Candidates = before.report.Candidates
	if err := t.measure(ctx, before.model, earlier, later); err != nil {
		return nil, err
	}
	after, err := t.train(ctx, later)
	if err != nil {
		return nil, err
	}
	t.report.TrainLinks, t.report.TrainOthers = len(after.pairs.Links), len(after.pairs.Others)
	refitted := after.report.Candidates[0].AUC - t.report.AUC.Mean
	t.report.AUC.High = min(1, t.report.AUC.High+max(0, refitted))
	return after.model, nil
}

type learned struct {
	model  *link.Model
	report link.TrainReport
	pairs  link.Pairs
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
	options := link.TrainOptions{Terms: t.terms, Choice: t.choice, Workers: t.req.Workers, Progress: t.req.Progress}
	if h.vectors != nil {
		if options.Near, err = nearest(ctx, h, t.req.Workers); err != nil {
			return l, err
		}
	}
	l.model, l.report, err = link.Train(ctx, h.split.Graph, h.vectors, l.pairs, options)
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

// measure compares a model with every single scorer on links that were hidden from h, and with
// itself as it was before further links were known.
func (t *modelTraining) measure(ctx context.Context, model *link.Model, before, h hidden) error {
	r, split := &t.report, h.split
	r.TestLinks, r.TestOthers = len(split.Edges), len(split.NonEdges)
	t.stage("measuring", 0)
	bound, err := model.Bind(split.Graph, h.vectors)
	if err != nil {
		return err
	}
	poorer, err := model.Bind(before.split.Graph, before.vectors)
	if err != nil {
		return err
	}
	random, links, others, err := t.measureBy(ctx, bound, split, h.vectors)
	if err != nil {
		return err
	}
	if random.AUC, err = t.widened(ctx, random.AUC, poorer, split); err != nil {
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
		if kind != evaluate.TwoHopNegatives { // those pairs have common neighbours because the further links are known
			if measured.AUC, err = t.widened(ctx, measured.AUC, poorer, by); err != nil {
				return err
			}
		}
		if kind == evaluate.DegreeNegatives && t.req.Null != nil {
			if measured.Null, err = t.null(ctx); err != nil {
				return err
			}
		}
		r.ByNegatives = append(r.ByNegatives, measured)
	}
	t.stage("measuring", 1)
	return nil
}

// null measures the chosen terms and every single scorer on the null graph, by
// evaluate.DegreeNegatives.
func (t *modelTraining) null(ctx context.Context) (*NullReport, error) {
	req := t.req
	req.Split.Latest = false // a null graph has no times
	var err error
	if req.Graph, err = t.req.Null(ctx); err != nil {
		return nil, err
	}
	of := &modelTraining{req: req, terms: t.terms, choice: t.choice}
	later, err := of.hide(ctx, req.Graph, 0)
	if err != nil {
		return nil, err
	}
	split, err := of.drawAgain(ctx, later.split, evaluate.DegreeNegatives)
	if err != nil {
		return nil, err
	}
	if t.choice.NeedsTimes() {
		scores, err := of.scorers(ctx, split, later.vectors)
		return &NullReport{math.NaN(), math.NaN(), scores}, err
	}
	earlier, err := of.hide(ctx, later.split.Graph, 1)
	if err != nil {
		return nil, err
	}
	model, err := of.train(ctx, earlier)
	if err != nil {
		return nil, err
	}
	bound, err := model.model.Bind(split.Graph, later.vectors)
	if err != nil {
		return nil, err
	}
	r, _, _, err := of.measureBy(ctx, bound, split, later.vectors)
	return &NullReport{r.AUC.Mean, r.AveragePrecision, r.Scorers}, err
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
	r.AUC, r.AveragePrecision = evaluate.AUCInterval(links, others), evaluate.AveragePrecision(links, others)
	r.Scorers, err = t.scorers(ctx, split, rows)
	return r, links, others, err
}

// widened extends an interval by what the AUC has gained from the links that poorer does not know.
func (t *modelTraining) widened(ctx context.Context, auc evaluate.Interval, poorer *link.Bound, split *evaluate.LinkSplit) (evaluate.Interval, error) {
	links, err := evaluate.ScorePairs(ctx, split.Edges, t.req.Workers, poorer.Score)
	if err != nil {
		return auc, err
	}
	others, err := evaluate.ScorePairs(ctx, split.NonEdges, t.req.Workers, poorer.Score)
	if err != nil {
		return auc, err
	}
	gain := auc.Mean - evaluate.AUC(links, others)
	auc.Low, auc.High = max(0, auc.Low+min(0, gain)), min(1, auc.High+max(0, gain))
	return auc, nil
}

// scorers measures every single scorer on the pairs of a split.
func (t *modelTraining) scorers(ctx context.Context, split *evaluate.LinkSplit, rows *vec.Matrix) ([]evaluate.LinkScore, error) {
	return split.Score(ctx, rows, evaluate.LinkOptions{Features: []string{}, Workers: t.req.Workers})
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
