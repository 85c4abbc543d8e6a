package embedding

import (
	"context"
	"errors"
	"fmt"

	"heavytail/embedding/skipgram"
	"heavytail/embedding/walk"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Names of the methods that learn from walks.
const (
	MethodDeepWalk = "deepwalk"
	MethodDPWalker = "dp_walker"
	MethodNode2Vec = "node2vec"
)

// WalkOptions are the parameters of DeepWalk, DPWalker and Node2Vec. The zero
// value takes every default.
type WalkOptions struct {
	Dim      int      // k, coordinates per vertex, up to 4096; 0 is 200
	Walks    int      // from each vertex; 0 is 10
	Length   int      // vertices of a walk; 0 is 40
	Window   int      // largest half-width of a window of a walk; 0 is 10
	Epochs   int      // passes over the walks; 0 is 1
	Alpha    float64  // learning rate at the beginning; 0 is 0.025, and 0.0125 to 0.03 by β for DPWalker
	Negative int      // vertices that a pair is told apart from; 0 is hierarchical softmax
	Beta     *float64 // β, the degree penalty, −8 to 8; nil is 2; DPWalker only
	P, Q     float64  // 1/P weighs going back, 1/Q going away; 0 is 1; Node2Vec only
	// IgnoreWeights takes every edge as one of weight 1. Otherwise walks go by the
	// weights where the graph has any, see package walk; equal ones are as none.
	IgnoreWeights bool
	Partitions    int    // blocks trained at a time, and so processors that can help; 0 is 2; shapes the result
	Seed          uint64 // of the walks and of the training
	Workers       int    // goroutines; 0 is GOMAXPROCS; the result does not depend on it

	// Progress, if not nil, hears of the stage "training": vertices of walks, of
	// all. It is called from one goroutine.
	Progress func(stage string, done, total int64)

	Checkpoints Checkpoints
}

// WithDefaults returns a copy in which every parameter is set as the method has it:
// the defaults of packages walk and skipgram, but for α of DPWalker, and β.
func (o WalkOptions) WithDefaults(method string) WalkOptions {
	if o.Beta == nil {
		o.Beta = new(2.0)
	}
	if o.Alpha == 0 && method == MethodDPWalker {
		o.Alpha = penalizedAlpha(*o.Beta)
	}
	w := o.walks(walk.Biased).WithDefaults()
	o.Walks, o.Length, o.P, o.Q = w.Walks, w.Length, w.P, w.Q
	t := o.training().WithDefaults()
	o.Dim, o.Window, o.Epochs, o.Alpha, o.Partitions = t.Dim, t.Window, t.Epochs, t.Alpha, t.Partitions
	return o
}

// penalizedAlpha is the learning rate of DPWalker: 0.0125 up to β 1.5, 0.03 from 2.5
// on, and evenly more between them. The larger β is, the more rarely do walks come
// to a hub, and the longer do the steps have to be that make its vector tell it from
// the others.
func penalizedAlpha(beta float64) float64 {
	share := min(max(beta-1.5, 0), 1)
	return 0.0125*(1-share) + 0.03*share
}

// Validate reports every option that cannot be used; each error is ErrOptions.
func (o WalkOptions) Validate() error {
	o = o.WithDefaults("")
	var errs []error
	if o.Dim < 1 || o.Dim > maxDim {
		errs = append(errs, fmt.Errorf("dim (%d) must be from 1 to %d", o.Dim, maxDim))
	}
	if !(*o.Beta >= -maxBeta && *o.Beta <= maxBeta) {
		errs = append(errs, fmt.Errorf("beta (%g) must be from -%d to %d", *o.Beta, maxBeta, maxBeta))
	}
	errs = append(errs, o.walks(walk.Biased).Validate(), o.training().Validate())
	for i, err := range errs {
		if err != nil {
			errs[i] = fmt.Errorf("%w: %w", ErrOptions, err)
		}
	}
	return errors.Join(errs...)
}

func (o WalkOptions) walks(kind walk.Kind) walk.Options {
	w := walk.Options{Kind: kind, Length: o.Length, Walks: o.Walks, Seed: o.Seed}
	switch kind {
	case walk.Penalized:
		w.Beta = *o.Beta
	case walk.Biased:
		w.P, w.Q = o.P, o.Q
	}
	return w
}

func (o WalkOptions) training() skipgram.Options {
	t := skipgram.Options{
		Dim: o.Dim, Window: o.Window, Epochs: o.Epochs, Alpha: o.Alpha, Negative: o.Negative,
		Partitions: o.Partitions, Seed: o.Seed, Workers: o.Workers,
	}
	if o.Progress != nil {
		t.Progress = func(done, total int64) { o.Progress("training", done, total) }
	}
	return t
}

// WalkStats says what a training did.
type WalkStats = skipgram.Stats

// DeepWalk learns vectors from uniform random walks (Perozzi, Al-Rfou and
// Skiena, KDD 2014) by skip-gram: vertices that are near each other on many
// walks get near vectors. Row v belongs to vertex v. See package skipgram for
// the training, its cost and its reproducibility.
func DeepWalk(ctx context.Context, g *csr.Graph, o WalkOptions) (*vec.Matrix, WalkStats, error) {
	return learn(ctx, g, o, MethodDeepWalk)
}

// DPWalker is DeepWalk on walks that avoid vertices of high degree: the next
// vertex j from i has the probability C'_ij / (d_i d_j)^β, normalised, where C'
// adds the common neighbours to the edges (AAAI 2018, section "DP-Walker"). See
// package walk for how it is sampled.
//
// No β is best everywhere. Pearson's and Spearman's correlation of the degrees in
// the best reconstruction, with the other defaults and so the learning rate that
// follows from β:
//
//	β               1.5          2            2.5
//	cora            .398 / .439  .460 / .483  .501 / .517
//	CollegeMsg      .611 / .452  .737 / .311  .752 / .394
//	PA2000          .581 / .482  .784 / .560  .789 / .616
//	ca-GrQc         .739 / .588  .823 / .615  .868 / .675
//	ego-facebook    .722 / .815  .694 / .835  .675 / .840
//
// The default, 2, is never below the best Pearson by more than 0.05; nor is 2.5, and 1.5
// loses up to 0.21.
//
// The learning rate is below that of DeepWalk where β is small, since these walks
// come back to the same vertices of low degree: with 0.003 and β 1.5 ego-facebook
// has .737 / .873, but the vectors of PA2000 stay near their beginning (.054 / .125).
// Graphs that were grown by preferential attachment have no structure but their
// degrees: with n 10,000, m 40, β 2.5 and one partition Pearson's is .862 with 0.025,
// .931 with 0.03, and .912 with 0.035. On ca-GrQc the rate is hardly felt by
// Pearson's, and Spearman's falls with it: .70 with 0.025, .68 with 0.03.
func DPWalker(ctx context.Context, g *csr.Graph, o WalkOptions) (*vec.Matrix, WalkStats, error) {
	return learn(ctx, g, o, MethodDPWalker)
}

// Node2Vec is DeepWalk on the biased walks of Grover and Leskovec (KDD 2016).
func Node2Vec(ctx context.Context, g *csr.Graph, o WalkOptions) (*vec.Matrix, WalkStats, error) {
	return learn(ctx, g, o, MethodNode2Vec)
}

func learn(ctx context.Context, g *csr.Graph, o WalkOptions, method string) (*vec.Matrix, WalkStats, error) {
	walks, err := NewWalks(ctx, g, method, o)
	if err != nil {
		return nil, WalkStats{}, err
	}
	training := o.WithDefaults(method).training()
	if err := o.Checkpoints.training(&training, walks.Vertices); err != nil {
		return nil, WalkStats{}, err
	}
	return skipgram.Train(ctx, walks, training)
}

// Walks are the walks that a method learns from, in the order in which it does.
type Walks = skipgram.Corpus

// kinds are the walks of the methods.
var kinds = map[string]walk.Kind{MethodDeepWalk: walk.Uniform, MethodDPWalker: walk.Penalized, MethodNode2Vec: walk.Biased}

// NewWalks returns the walks of a method, which is one of those that learn from
// walks. None is kept: each is walked when it is asked for, and is the same every
// time. Walks of every round begin at all vertices; that of a vertex without
// neighbours is the vertex alone.
func NewWalks(ctx context.Context, g *csr.Graph, method string, o WalkOptions) (Walks, error) {
	walker, o, err := newWalker(ctx, g, method, o)
	if err != nil {
		return Walks{}, err
	}
	n := g.Vertices()
	strides := make([]uint64, o.Walks) // finding one takes as long as some steps of a walk
	for round := range strides {
		strides[round] = stride(uint64(round), uint64(n))
	}
	start := func(i int) walk.Start {
		round := i / n
		return walk.Start{Vertex: mixed(uint64(i-round*n), uint64(round), uint64(n), strides[round]), Round: round}
	}
	return Walks{
		Vertices: n,
		Walks:    n * o.Walks,
		Append: func(dst []uint32, i int) []uint32 {
			s := start(i)
			return walker.Append(dst, s.Vertex, s.Round)
		},
		AppendEach: func(dst [][]uint32, first int) {
			var starts [walk.Abreast]walk.Start
			for len(dst) > 0 {
				some := starts[:min(len(dst), len(starts))]
				for j := range some {
					some[j] = start(first + j)
				}
				walker.AppendEach(dst, some)
				dst, first = dst[len(some):], first+len(some)
			}
		},
	}, nil
}

// SamplerBytes returns the memory of the walks of a method beside the graph.
func SamplerBytes(g *csr.Graph, method string, o WalkOptions) int64 {
	return walk.Bytes(o.weighed(g), kinds[method])
}

// WalkBytes estimates the memory of DeepWalk, DPWalker or Node2Vec beside the
// graph, with the result.
func WalkBytes(g *csr.Graph, method string, o WalkOptions) int64 {
	return SamplerBytes(g, method, o) + o.WithDefaults(method).training().Bytes(g.Vertices())
}

// newWalker returns what walks as a method does, and its options with defaults.
func newWalker(ctx context.Context, g *csr.Graph, method string, o WalkOptions) (*walk.Walker, WalkOptions, error) {
	kind, ok := kinds[method]
	if !ok {
		return nil, o, fmt.Errorf("%w: %q is no method that learns from walks", ErrOptions, method)
	}
	if err := o.Validate(); err != nil {
		return nil, o, err
	}
	o = o.WithDefaults(method)
	walker, err := walk.New(ctx, o.weighed(g), o.walks(kind), o.Workers)
	if errors.Is(err, walk.ErrOptions) {
		err = fmt.Errorf("%w: %w", ErrOptions, err)
	}
	return walker, o, err
}

// UsesWeights reports whether the weights of a graph shape its walks: it has some,
// not all of them equal, and they are not ignored.
func (o WalkOptions) UsesWeights(g *csr.Graph) bool { return o.weighed(g).Weighted() }

// weighed returns the graph with the weights that are used.
func (o WalkOptions) weighed(g *csr.Graph) *csr.Graph {
	if o.IgnoreWeights {
		return &csr.Graph{Offsets: g.Offsets, Targets: g.Targets}
	}
	return withoutEqual(g)
}

// mixed returns the i-th of n vertices in an order of its own for each round, so
// that neither the order of the input nor that of the last round shapes what is
// learned. It goes round the vertices with the stride of the round.
func mixed(i, round, n, stride uint64) uint32 { return uint32((i*stride + round*n/7) % n) }

// stride returns a number below n > 0 that has no factor in common with it, near
// the golden section, another one for the next round.
func stride(round, n uint64) uint64 {
	if n == 0 {
		return 0
	}
	step := uint64(float64(n)*0.6180339887) + 2*round + 1
	for gcd(step, n) != 1 {
		step++
	}
	return step % n
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
