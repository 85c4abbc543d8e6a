package run

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/link"
	"heavytail/embedding/option"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// ModelRequest asks for a model of the links of a graph.
type ModelRequest struct {
	Graph *csr.Graph
	// Embeddings are those that the model reads, in their order.
	Embeddings []ModelEmbedding
	Heuristics []string // Scorers of [link.Terms]
	For        Purpose  // empty is ForRanking

	// Split sets how links are held out: Share of them at random (0 means that of ModelShare), or the
	// latest ones. At most Training of each split are used for learning. Unseen is ignored.
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

// Purpose is what a model is to be best at.
type Purpose string

const (
	ForRanking Purpose = "ranking" // recommend links to a vertex, and separate links from random pairs
	ForPairs   Purpose = "pairs"   // separate links from random pairs
	ForDegree  Purpose = "degree"  // separate links from pairs whose ends have as many edges
)

// ModelEmbedding is an embedding that a model reads.
type ModelEmbedding struct {
	Name    string // in the names of scorers
	Method  string
	Options []option.Given
	Vectors *vec.Matrix // of the graph; only for EvaluationModel
}

// ModelSplits is the number of splits: one to measure on, and the others to learn from. Weights from three
// are nearly as stable as from four.
const ModelSplits = 5

// DefaultModelShare is the fraction of the edges that each split hides. With twice as much the figures vary
// less, but the graphs of the splits differ more from the one that the model is for: on cora and on
// preferential attachment (2,000 vertices of 10 edges) probabilities were wrong by .045 and .064 on
// average, and with this share by .030 and .032.
const DefaultModelShare = 0.05

// ModelShare returns the fraction of the edges of a graph that each split hides where none is set:
// DefaultModelShare, or in a graph of fewer than a thousand edges as much as 50 of them are, and at most a
// fifth.
func ModelShare(edges int64) float64 {
	return max(DefaultModelShare, min(0.2, 50/float64(max(1, edges))))
}

// TrainModel fits a model of the links of a graph with [link.Fit], and measures it.
//
// A first split hides links of the graph, at random or with Latest the latest ones. All else happens in what
// is left: each of 4 further splits hides links of that, draws pairs without a link, and embeds the
// rest by the methods and options of the embeddings. The model is fitted to the pairs of these splits
// together, and calibrated by the scores that each of them gets from a model of the others. With Latest each
// split hides the latest links of what the split before has left.
//
// Every figure is of the returned model on the first split, whose hidden links were in no graph from which
// it has learned: so would a stranger measure who hides them before. One choice is made before the fit:
// link.Terms.Likely is 1 or .1, whichever gives models of the first three of the four splits a higher MAP on
// the last.
//
// The figures are about a graph with Share fewer links than the whole one. Where vertices have few
// edges, the returned model on the whole graph is better. The upper end of the interval
// of the AUC allows for that: it is raised by what the AUC of the same model gains on the
// same pairs from the last Share of the links that it may know.
//
// For evaluate.DegreeNegatives, with Null, a model of the same terms is fitted to one split
// of what a split of the null graph leaves, and measured on the latter.
//
// It takes five embeddings of each kind, and two more for a null graph. The result does not depend on
// Workers. Errors are *MethodError, *option.Error, those of the method, of
// [evaluate.SplitLinks] (evaluate.ErrLinks for a graph that is too small), of [link.Draw] and of
// [link.Fit] (link.ErrTooFew, too).
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

// EvaluationModel fits a model as TrainModel does after its first split, which s is here, and binds it to
// s.Graph and the vectors of req.Embeddings, embeddings of s.Graph by their methods and options. So
// neither the model nor its vectors have seen the held-out edges of s, and the model can be measured
// on them next to single scorers. Errors are those of TrainModel.
func EvaluationModel(ctx context.Context, s *evaluate.LinkSplit, req ModelRequest) (*link.Bound, error) {
	req.Graph = s.Graph
	t := newModelTraining(req)
	var vectors []*vec.Matrix
	for _, e := range req.Embeddings {
		vectors = append(vectors, e.Vectors)
	}
	if err := t.terms.Validate(); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	m, err := t.fit(ctx, s.Graph)
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	return m.Bind(s.Graph, vectors...)
}

// modelTraining is the state of a running request.
type modelTraining struct {
	req    ModelRequest
	terms  link.Terms
	splits []*modelSplit // to learn from
	report ModelReport

	// measured are the pairs to measure on: random ones, then those of each of kinds. Each of less has the
	// columns of the same pairs in a graph with fewer links.
	measured, less []*pairTable
}

// modelSplit is a graph from which links were hidden.
type modelSplit struct {
	*evaluate.LinkSplit
	whole   *csr.Graph // with the hidden links
	number  uint64
	vectors []*vec.Matrix // of Graph
	rows    *link.Rows
	// calibrates has the hidden links with as many random pairs, or for ForDegree pairs drawn by degree.
	calibrates *pairTable
}

func newModelTraining(req ModelRequest) *modelTraining {
	req.Split.Share = cmp.Or(req.Split.Share, ModelShare(req.Graph.Edges()))
	return &modelTraining{req: req, terms: link.Terms{Scorers: req.Heuristics, Embeddings: len(req.Embeddings), PairsOnly: req.For == ForPairs || req.For == ForDegree}}
}

func (t *modelTraining) stage(name string, done int64) {
	if t.req.Progress != nil {
		t.req.Progress(name, done, 1)
	}
}

// hide holds links out of a part of a graph, from which nothing else is missing, and embeds the rest.
func (t *modelTraining) hide(ctx context.Context, whole, g *csr.Graph, number int) (*modelSplit, error) {
	options := t.req.Split
	options.Unseen, options.Training, options.Seed = false, 1, options.Seed+uint64(number)
	t.stage("hiding edges", 0)
	split, err := evaluate.SplitLinks(ctx, g, options)
	if err != nil {
		return nil, err
	}
	t.stage("hiding edges", 1)
	s := &modelSplit{LinkSplit: split, whole: whole, number: uint64(number)}
	if s.vectors, err = t.embed(ctx, split.Graph); err != nil {
		return nil, err
	}
	return s, nil
}

func (t *modelTraining) embed(ctx context.Context, g *csr.Graph) ([]*vec.Matrix, error) {
	var list []*vec.Matrix
	for _, e := range t.req.Embeddings {
		m, _, err := Compute(ctx, g, Request{Method: e.Method, Options: e.Options, Workers: t.req.Workers, Progress: t.req.Progress})
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

// learn draws the pairs of a split to learn from.
func (t *modelTraining) learn(ctx context.Context, s *modelSplit) (err error) {
	s.rows, err = link.Draw(ctx, link.Split{Whole: s.whole, Graph: s.Graph, Vectors: s.vectors, Hidden: s.Edges, Seed: t.req.Split.Seed + s.number},
		link.DrawOptions{Most: t.req.Split.Training, ByDegree: t.req.For == ForDegree, Workers: t.req.Workers})
	if err == nil {
		s.calibrates, err = t.drawn(ctx, s, t.calibrating())
	}
	return err
}

// calibrating is the kind of the pairs by which probabilities are calibrated.
func (t *modelTraining) calibrating() evaluate.Negatives {
	if t.req.For == ForDegree {
		return evaluate.DegreeNegatives
	}
	return evaluate.RandomNegatives
}

// drawn computes the columns of the hidden links of a split and of other pairs.
func (t *modelTraining) drawn(ctx context.Context, s *modelSplit, kind evaluate.Negatives) (*pairTable, error) {
	test := *s.LinkSplit
	test.TrainEdges, test.TrainNonEdges = nil, nil
	pairs, err := test.With(ctx, s.whole, kind, t.req.Split)
	if err != nil {
		return nil, err
	}
	return t.table(ctx, s, pairs)
}

// fit fits a model to a graph with splits of it, and calibrates it by the scores of each split by a model
// of the others. The first split is the graph of less.
func (t *modelTraining) fit(ctx context.Context, g *csr.Graph) (*link.Model, error) {
	rest := g
	for number := 1; number < ModelSplits; number++ {
		s, err := t.hide(ctx, g, rest, number)
		if err != nil {
			return nil, err
		}
		if err = t.learn(ctx, s); err != nil {
			return nil, err
		}
		if number == 1 {
			for _, p := range t.measured {
				less, err := t.tableOf(ctx, s, p.pairs, p.links)
				if err != nil {
					return nil, err
				}
				t.less = append(t.less, less)
			}
		}
		if number == ModelSplits-1 && !t.terms.PairsOnly {
			if err := t.chooseLikely(ctx, s); err != nil {
				return nil, err
			}
		}
		if t.req.Split.Latest {
			rest = s.Graph
		}
		s.vectors, s.LinkSplit = nil, nil // nobody reads them again
		t.splits = append(t.splits, s)
	}
	t.stage("fitting", 0)
	m, err := link.Fit(ctx, t.rows(-1), t.terms, t.req.Workers)
	if err != nil {
		return nil, err
	}
	var logOdds []float64
	var linked []bool
	for k, s := range t.splits {
		others, err := link.Fit(ctx, t.rows(k), t.terms, t.req.Workers)
		if err != nil {
			return nil, err
		}
		logOdds = append(logOdds, s.calibrates.LogOdds(others)...)
		for i := range s.calibrates.pairs {
			linked = append(linked, i < s.calibrates.links)
		}
	}
	t.stage("fitting", 1)
	return m.Calibrated(logOdds, linked), nil
}

// rows are the pairs to learn from of all splits but one.
func (t *modelTraining) rows(without int) []*link.Rows {
	var list []*link.Rows
	for k, s := range t.splits {
		if k != without {
			list = append(list, s.rows)
		}
	}
	return list
}

func (t *modelTraining) run(ctx context.Context) (*link.Model, error) {
	if err := t.terms.Validate(); err != nil {
		return nil, err
	}
	first, err := t.hide(ctx, t.req.Graph, t.req.Graph, 0)
	if err != nil {
		return nil, err
	}
	for _, kind := range append([]evaluate.Negatives{evaluate.RandomNegatives}, t.kinds()...) {
		table, err := t.drawn(ctx, first, kind)
		if err != nil {
			return nil, err
		}
		if t.measured = append(t.measured, table); kind == t.calibrating() {
			first.calibrates = table
		}
	}
	if first.calibrates == nil {
		if first.calibrates, err = t.drawn(ctx, first, t.calibrating()); err != nil {
			return nil, err
		}
	}
	model, err := t.fit(ctx, first.Graph)
	if err != nil {
		return nil, err
	}
	for _, s := range t.splits {
		links, others := s.rows.Pairs()
		t.report.TrainLinks, t.report.TrainOthers = t.report.TrainLinks+links, t.report.TrainOthers+others
	}
	return model, t.measure(ctx, model, first)
}

// kinds are the kinds of pairs in addition to random ones.
func (t *modelTraining) kinds() []evaluate.Negatives {
	var list []evaluate.Negatives
	for _, kind := range t.req.Negatives {
		if kind != evaluate.RandomNegatives {
			list = append(list, kind)
		}
	}
	return list
}
