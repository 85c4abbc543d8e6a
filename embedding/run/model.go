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

	// Split sets how links are held out: Share of them at random (0 means DefaultModelShare), or the
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

// ModelSplits is the number of splits that a model is fitted to. With 3 the weights are nearly as stable.
const ModelSplits = 5

// DefaultModelShare is the fraction of the edges that each split hides.
const DefaultModelShare = 0.1

// TrainModel fits a model of the links of a graph with [link.Fit], and measures it.
//
// Each of 5 splits hides links of the graph, at random, draws pairs without a link, and embeds what is
// left by the methods and options of the embeddings. The model is fitted to the pairs of all splits
// together. With Latest each split hides the latest links of what the split before has left.
//
// Every figure is of a model that was fitted and calibrated without the split on whose hidden links it
// is measured: fitted to the four others, and measured on the fifth. The figures are the means over all
// five; with Latest they are those of the latest links alone. Recommendations are measured on
// the first split. One choice is made before: link.Terms.Likely is 1 or .1, whichever gives models of
// the splits between the first and the last a higher MAP on the last. The returned model is fitted to all splits, and is calibrated by the
// scores that each split gets from a model of the others.
//
// The figures are about a graph with Share fewer links than the whole one. Where vertices have few
// edges, the returned model on the whole graph is better. The upper end of the interval
// of the AUC allows for that: it is raised by what the AUC of the same model gains on the
// same pairs from the last Share of the links that it may know.
//
// For evaluate.DegreeNegatives, with Null, a model of the same terms is fitted to one split
// of the null graph and measured on a second one.
//
// It takes six embeddings of each kind, and two more for a null graph. The result does not depend on
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

// EvaluationModel trains a model as TrainModel does, of s.Graph instead of req.Graph, and binds it to
// s.Graph and the vectors of req.Embeddings, embeddings of s.Graph by their methods and options. So
// neither the model nor its vectors have seen the held-out edges of s, and the model can be measured
// on them next to single scorers. It measures nothing itself. Errors are those of TrainModel.
func EvaluationModel(ctx context.Context, s *evaluate.LinkSplit, req ModelRequest) (*link.Bound, error) {
	req.Graph = s.Graph
	t := newModelTraining(req)
	var vectors []*vec.Matrix
	for _, e := range req.Embeddings {
		vectors = append(vectors, e.Vectors)
	}
	m, err := t.fitAll(ctx)
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	return m.Bind(s.Graph, vectors...)
}

// modelTraining is the state of a running request.
type modelTraining struct {
	req    ModelRequest
	terms  link.Terms
	splits []*modelSplit
	report ModelReport
}

// modelSplit is a graph from which links were hidden, and what was measured on it.
type modelSplit struct {
	*evaluate.LinkSplit
	number  uint64
	vectors []*vec.Matrix // of Graph
	rows    *link.Rows
	test    *pairTable // of the hidden links and as many random pairs
	// calibrates has the pairs by whose scores models are calibrated: those of test, or for ForDegree
	// with pairs of such degrees.
	calibrates *pairTable
	others     []*link.Rows
	model      *link.Model // of the other splits
}

func newModelTraining(req ModelRequest) *modelTraining {
	req.Split.Share = cmp.Or(req.Split.Share, DefaultModelShare)
	return &modelTraining{req: req, terms: link.Terms{Scorers: req.Heuristics, Embeddings: len(req.Embeddings), PairsOnly: req.For == ForPairs || req.For == ForDegree}}
}

func (t *modelTraining) stage(name string, done int64) {
	if t.req.Progress != nil {
		t.req.Progress(name, done, 1)
	}
}

// hide holds links out of a graph and embeds the rest.
func (t *modelTraining) hide(ctx context.Context, g *csr.Graph, number int) (*modelSplit, error) {
	options := t.req.Split
	options.Unseen, options.Training, options.Seed = false, 1, options.Seed+uint64(number)
	t.stage("hiding edges", 0)
	split, err := evaluate.SplitLinks(ctx, g, options)
	if err != nil {
		return nil, err
	}
	t.stage("hiding edges", 1)
	s := &modelSplit{LinkSplit: split, number: uint64(number)}
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

// draw draws the pairs to learn from, and computes the columns of those to measure on.
func (t *modelTraining) draw(ctx context.Context, s *modelSplit) (err error) {
	s.rows, err = link.Draw(ctx, link.Split{Whole: t.req.Graph, Graph: s.Graph, Vectors: s.vectors, Hidden: s.Edges, Seed: t.req.Split.Seed + s.number},
		link.DrawOptions{Most: t.req.Split.Training, ByDegree: t.req.For == ForDegree, Workers: t.req.Workers})
	if err == nil {
		s.test, err = t.table(ctx, s, s.LinkSplit)
	}
	if s.calibrates = s.test; err == nil && t.req.For == ForDegree {
		var by *evaluate.LinkSplit
		if by, err = t.drawAgain(ctx, s, evaluate.DegreeNegatives); err == nil {
			s.calibrates, err = t.table(ctx, s, by)
		}
	}
	return err
}

// split hides links in all splits, and fits a model of the others to each that is wanted. keep is called
// with each split before its vectors are dropped.
func (t *modelTraining) split(ctx context.Context, keep func(k int, s *modelSplit) error) error {
	g := t.req.Graph
	for k := range ModelSplits {
		s, err := t.hide(ctx, g, k)
		if err != nil {
			return err
		}
		if err = t.draw(ctx, s); err != nil {
			return err
		}
		if t.req.Split.Latest {
			g = s.Graph
		}
		if k == ModelSplits-1 && !t.terms.PairsOnly {
			if err := t.chooseLikely(ctx, s); err != nil {
				return err
			}
		}
		if err := keep(k, s); err != nil {
			return err
		}
		t.splits = append(t.splits, s)
	}
	t.stage("fitting", 0)
	for k, s := range t.splits {
		for j, o := range t.splits {
			if j != k {
				s.others = append(s.others, o.rows)
			}
		}
		var err error
		if s.model, err = link.Fit(ctx, s.others, t.terms, t.req.Workers); err != nil {
			return err
		}
	}
	t.stage("fitting", 1)
	return nil
}

// drop frees what only later measurements need.
func drop(_ int, s *modelSplit) error {
	s.vectors, s.LinkSplit.Graph = nil, nil
	return nil
}

// fitAll fits the model that TrainModel returns, and measures nothing.
func (t *modelTraining) fitAll(ctx context.Context) (*link.Model, error) {
	if err := t.terms.Validate(); err != nil {
		return nil, err
	}
	if err := t.split(ctx, drop); err != nil {
		return nil, err
	}
	return t.final(ctx)
}

// final fits a model to all splits, and calibrates it by the scores of each split by a model of the
// others.
func (t *modelTraining) final(ctx context.Context) (*link.Model, error) {
	var rows []*link.Rows
	for _, s := range t.splits {
		rows = append(rows, s.rows)
	}
	m, err := link.Fit(ctx, rows, t.terms, t.req.Workers)
	if err != nil {
		return nil, err
	}
	return m.Calibrated(t.calibration(-1)), nil
}

// calibration returns the log-odds of the pairs of all splits but one, each by the model of the
// other splits.
func (t *modelTraining) calibration(without int) (logOdds []float64, linked []bool) {
	for k, s := range t.splits {
		if k != without {
			logOdds = append(logOdds, s.calibrates.LogOdds(s.model)...)
			for i := range s.calibrates.links + s.calibrates.others {
				linked = append(linked, i < s.calibrates.links)
			}
		}
	}
	return logOdds, linked
}

func (t *modelTraining) run(ctx context.Context) (*link.Model, error) {
	if err := t.terms.Validate(); err != nil {
		return nil, err
	}
	first := &modelSplit{}
	by := make([][]*pairTable, len(t.kinds()))
	err := t.split(ctx, func(k int, s *modelSplit) (err error) {
		if k > 0 && t.req.Split.Latest {
			return drop(k, s)
		}
		for i, kind := range t.kinds() {
			other, err := t.drawAgain(ctx, s, kind)
			if err != nil {
				return err
			}
			table, err := t.table(ctx, s, other)
			if err != nil {
				return err
			}
			by[i] = append(by[i], table)
		}
		if k == 0 {
			copied := *s.LinkSplit
			*first = modelSplit{LinkSplit: &copied, vectors: s.vectors}
		}
		return drop(k, s)
	})
	if err != nil {
		return nil, err
	}
	if err := t.measure(ctx, first, by); err != nil {
		return nil, err
	}
	for _, s := range t.splits {
		links, others := s.rows.Pairs()
		t.report.TrainLinks, t.report.TrainOthers = t.report.TrainLinks+links, t.report.TrainOthers+others
	}
	return t.final(ctx)
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

// drawAgain returns the split of the graph with other pairs for the test.
func (t *modelTraining) drawAgain(ctx context.Context, s *modelSplit, kind evaluate.Negatives) (*evaluate.LinkSplit, error) {
	test := *s.LinkSplit
	test.TrainEdges, test.TrainNonEdges = nil, nil
	return test.With(ctx, t.req.Graph, kind, t.req.Split)
}
