package embedding

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"heavytail/embedding/internal/base"
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
	Epochs   int      // passes over the walks; 0 is 2, and 1 with common neighbours
	Alpha    float64  // learning rate at the beginning; 0 is 0.05, and 0.0125 to 0.03 by β with common neighbours
	Negative int      // negative samples of each pair; 0 is hierarchical softmax
	Beta     *float64 // β, the degree penalty, −8 to 8; nil is ¼, and 2 with common neighbours; DPWalker only
	Common   *float64 // weight of common neighbours beside edges, 0 to 10⁶; nil is 0; DPWalker only
	P, Q     float64  // 1/P weighs going back, 1/Q going away; 0 is 1; Node2Vec only
	// Each vector is divided by its length to the power RowNorm, 0 to 1, and by the degree
	// of its vertex to the power RowScale, 0 to 4, after the training, except those of vertices
	// without edges, which were not trained; nil is ¾ and 0.2. With degrees in the
	// lengths, correlations of degrees are high whatever the directions are: see
	// evaluate.ReconstructNull.
	RowNorm, RowScale *float64
	// IgnoreWeights takes every edge as one of weight 1. Otherwise walks go by the
	// weights where the graph has any, see package walk; equal ones are as none.
	IgnoreWeights bool
	// Direction is the way in which walks follow the edges of a directed graph; empty is DirectionBoth. Not DPWalker, whose
	// common neighbours have no direction.
	Direction  Direction
	Partitions int    // parts trained at a time, and so processors that can help; 0 is 2; shapes the result
	Seed       uint64 // of the walks and of the training
	Workers    int    // goroutines; 0 is GOMAXPROCS; the result does not depend on it

	// Progress, if not nil, receives the stage "training" with the number of vertices of
	// walks that were trained, and of all. It is called from one goroutine.
	Progress func(stage string, done, total int64)

	Checkpoints Checkpoints

	// Directed is the directed graph whose undirected view is embedded, if walks follow the direction of its edges.
	Directed *csr.Directed
}

// Direction is the way in which walks follow the edges of a directed graph.
type Direction string

// The directions. DirectionIn walks as DirectionOut does on the reversed graph. A walk ends at a vertex from which
// no edge leads on; package walk has the details. Degrees, for RowScale, are those of the undirected
// view all the same.
//
// Walks in both directions predict better. They do not end, and so give more pairs to learn from. AUC of a hidden fifth of
// the edges, with their direction, against random ordered pairs by Euclidean distance / against pairs drawn by degree by
// cosine (k = 64, 10 walks on CollegeMsg and 5 on the others), and the mean length of 40 at most:
//
//	                 both          out           in            length, out
//	CollegeMsg       .925 / .777   .915 / .744   .915 / .751   15.0
//	sx-mathoverflow  .956 / .788   .946 / .748   .945 / .767    8.5
//	soc-Epinions1    .960 / .834   .946 / .808   .941 / .797   21.5
const (
	DirectionBoth Direction = "both" // in either direction: walks on the undirected view
	DirectionOut  Direction = "out"  // from source to target
	DirectionIn   Direction = "in"   // from target to source
)

// Follows reports whether walks follow the direction of edges, for which Directed is needed.
func (o WalkOptions) Follows() bool { return o.Direction != "" && o.Direction != DirectionBoth }

// followed returns the rows that walks follow, with the weights that are used.
func (o WalkOptions) followed(g *csr.Graph) *csr.Graph {
	switch {
	case !o.Follows():
		return o.weighed(g)
	case o.Direction == DirectionIn:
		return o.weighed((*csr.Graph)(&o.Directed.In))
	}
	return o.weighed((*csr.Graph)(&o.Directed.Out))
}

// WithDefaults returns a copy in which every parameter is set as the method has it:
// the defaults of packages walk and skipgram, except for β, the epochs and α.
//
// One epoch at 0.025, as is usual for texts, trains DeepWalk too little on graphs with
// as many walks as these. The best reconstruction (Pearson / Spearman of the degrees,
// k = 200, no other option given), the AUC of hidden edges by distance, and micro-F1 of
// labels with a tenth of them known:
//
//	epochs, α     1, 0.025       1, 0.05        1, 0.1        2, 0.05
//	cora           .273 / .320    .404 / .368   .533 / .463   .444 / .443
//	CollegeMsg    −.024 / −.418   .489 / .204   .850 / .839   .853 / .655
//	ca-GrQc        .700 / .436    .745 / .496   .793 / .561   .790 / .522
//	ego-facebook   .720 / .731    .737 / .710   .774 / .827   .760 / .782
//	blogcatalog   −.071 / −.531   .353 / −.048  .811 / .760   .755 / .463
//	PA2000         .264 / −.069   .961 / .694   .968 / .774   .970 / .792
//	labels of cora         .758           .760          .760          .756
//	labels of blogcatalog  .308           .296          .268          .313
//	hidden, ca-GrQc        .955           .956          .956
//	hidden, CollegeMsg     .521           .765          .853
//
// With one epoch at 0.2 the training diverges on five of these, so that 0.1 is too
// near to that for graphs that are not in the table. DPWalker trains alike; its walks over
// common neighbours are better with less: with three epochs ca-GrQc falls from .815 / .637 to
// .718 / .507 and cora from .463 / .472 to .300 / .375.
//
// Rows that are divided by powers of their lengths and of the degrees reconstruct better. H3
// (evaluate.ByH3) of DeepWalk and DPWalker with k = 200 at the best radius, for RowNorm and
// RowScale:
//
//	                       DeepWalk                         DPWalker
//	                       0, 0   ½, 0.15  ¾, 0.2  1, 0.2   0, 0   ¾, 0.2
//	cora                   .478   .632     .646    .603     .470   .643
//	CollegeMsg             .559   .582     .587    .660     .607   .622
//	ca-GrQc                .658   .753     .767    .743     .661   .767
//	ego-facebook           .728   .770     .776    .775     .736   .771
//	PA2000                 .606   .600     .608    .716     .638   .623
//	24 joined stars        .397   .474     .522    .516     .538   .515
//	Erdős–Rényi            .917   .935     .942    .959     .909   .943
//
// ¾ and 0.2, the default, gain everywhere except DPWalker on PA2000 and the stars; ½ loses where
// hubs are large, and 1 where a graph is sparse. Cosines stay, and the AUC of hidden edges by Euclidean distance is .901 for .888 on
// cora, .974 for .975 on ca-GrQc and .982 for .985 on ego-facebook.
func (o WalkOptions) WithDefaults(method string) WalkOptions {
	setDefault(&o.Common, 0)
	penalized := method == MethodDPWalker && *o.Common > 0
	if penalized {
		setDefault(&o.Beta, 2)
		if o.Alpha == 0 {
			o.Alpha = penalizedAlpha(*o.Beta)
		}
		o.Epochs = cmp.Or(o.Epochs, 1)
	}
	setDefault(&o.Beta, 0.25)
	setDefault(&o.RowNorm, 0.75)
	setDefault(&o.RowScale, 0.2)
	o.Alpha = cmp.Or(o.Alpha, 0.05)
	o.Epochs = cmp.Or(o.Epochs, 2)
	w := o.walks(walk.Biased).WithDefaults()
	o.Walks, o.Length, o.P, o.Q = w.Walks, w.Length, w.P, w.Q
	t := o.training().WithDefaults()
	o.Dim, o.Window, o.Epochs, o.Alpha, o.Partitions = t.Dim, t.Window, t.Epochs, t.Alpha, t.Partitions
	return o
}

func setDefault(at **float64, to float64) {
	if *at == nil {
		*at = &to
	}
}

// penalizedAlpha is the learning rate of walks over common neighbours: 0.0125 up to β 1.5, 0.03 from 2.5 on,
// and linear between them. The larger β is, the more rarely walks visit a hub, and the
// larger the steps must be for its vector to become distinct.
func penalizedAlpha(beta float64) float64 {
	share := min(max(beta-1.5, 0), 1)
	// Rounded, so that the rate that is used is the short number that HELP and DESCRIBE
	// print.
	return math.Round((0.0125*(1-share)+0.03*share)*1e6) / 1e6
}

// Validate reports every option that cannot be used; each error is ErrOptions.
func (o WalkOptions) Validate() error {
	o = o.WithDefaults("")
	var errs []error
	if o.Dim < 1 || o.Dim > base.MaxDim {
		errs = append(errs, fmt.Errorf("dim (%d) must be from 1 to %d", o.Dim, base.MaxDim))
	}
	if !(*o.Beta >= -base.MaxBeta && *o.Beta <= base.MaxBeta) {
		errs = append(errs, fmt.Errorf("beta (%g) must be from -%d to %d", *o.Beta, base.MaxBeta, base.MaxBeta))
	}
	if !(*o.RowNorm >= 0 && *o.RowNorm <= 1) {
		errs = append(errs, fmt.Errorf("row_norm (%g) must be from 0 to 1", *o.RowNorm))
	}
	if !(*o.RowScale >= 0 && *o.RowScale <= base.MaxRowScale) {
		errs = append(errs, fmt.Errorf("row_scale (%g) must be from 0 to %d", *o.RowScale, base.MaxRowScale))
	}
	if !slices.Contains([]Direction{"", DirectionBoth, DirectionOut, DirectionIn}, o.Direction) {
		errs = append(errs, fmt.Errorf("direction (%s) must be both, out or in", o.Direction))
	}
	w := o.walks(walk.Biased)
	w.Common = o.Common
	errs = append(errs, w.Validate(), o.training().Validate())
	for i, err := range errs {
		if err != nil {
			errs[i] = fmt.Errorf("%w: %w", ErrOptions, err)
		}
	}
	return errors.Join(errs...)
}

func (o WalkOptions) walks(kind walk.Kind) walk.Options {
	w := walk.Options{Kind: kind, Length: o.Length, Walks: o.Walks, Arcs: o.Follows(), Seed: o.Seed}
	switch kind {
	case walk.Penalized:
		w.Beta, w.Common = *o.Beta, o.Common
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

// resumable puts the checkpoints into the options of a training on so many vertices.
func (o WalkOptions) resumable(t *skipgram.Options, vertices int) error {
	c := o.Checkpoints
	if c.Save != nil {
		t.Checkpoints = skipgram.Checkpoints{Every: c.Every, Save: func(s *skipgram.State) error { return c.Save(s.Write) }}
	}
	if c.From == nil {
		return nil
	}
	state, err := skipgram.ReadState(c.From, vertices, *t)
	t.From = state
	return base.CheckpointError(err, skipgram.ErrState)
}

// WalkStats describes a training.
type WalkStats = skipgram.Stats

// DeepWalk learns vectors from uniform random walks (Perozzi, Al-Rfou and
// Skiena, KDD 2014) by skip-gram: vertices that are near each other on many
// walks get near vectors. Row v is the vector of vertex v. See package skipgram for
// the training, its cost and its reproducibility.
func DeepWalk(ctx context.Context, g *csr.Graph, o WalkOptions) (*vec.Matrix, WalkStats, error) {
	return learn(ctx, g, o, MethodDeepWalk)
}

// DPWalker is DeepWalk on walks that avoid vertices of high degree: the next
// vertex j from i has the probability C'_ij / (d_i d_j)^β, normalised, where C'
// adds the common neighbours, times Common, to the edges. Common 1 is the walk of AAAI 2018,
// section "DP-Walker". See package walk for how it is sampled.
//
// By default walks follow edges. A hub is a common neighbour of nearly everyone, so that with
// Common 1 and β 2 nine to ten tenths of the steps go over two edges, at most 13 of 100 land on
// a neighbour, and what the vectors reconstruct has the degrees of the graph but not its
// edges.
//
// The table at WithDefaults has both at the same training: with the trained rows a β of ¼ on
// edges raises H3 by up to .14, and lowers it by .008 on cora and Erdős–Rényi; with scaled rows
// it is from .007 below to .035 above. Most of what either reconstructs is due to walks along
// edges, the training, and the scaled rows.
//
// With common neighbours no β is best everywhere. Pearson's and Spearman's correlation of the
// degrees in the best reconstruction, with the learning rate that follows from β and rows as
// they were trained:
//
//	β               1.5          2            2.5
//	cora            .398 / .439  .460 / .483  .501 / .517
//	CollegeMsg      .611 / .452  .737 / .311  .752 / .394
//	PA2000          .581 / .482  .784 / .560  .789 / .616
//	ca-GrQc         .739 / .588  .823 / .615  .868 / .675
//	ego-facebook    .722 / .815  .694 / .835  .675 / .840
//
// There the default, 2, is never below the best Pearson by more than 0.05; nor is 2.5, and 1.5
// loses up to 0.21. The learning rate is below that of DeepWalk where β is small, since these
// walks come back to the same vertices of low degree: with 0.003 and β 1.5 ego-facebook
// has .737 / .873, but the vectors of PA2000 stay near their beginning (.054 / .125).
// Graphs that were grown by preferential attachment have no structure but their
// degrees: with n 10,000, m 40, β 2.5 and one partition Pearson's is .862 with 0.025,
// .931 with 0.03, and .912 with 0.035.
func DPWalker(ctx context.Context, g *csr.Graph, o WalkOptions) (*vec.Matrix, WalkStats, error) {
	return learn(ctx, g, o, MethodDPWalker)
}

// Node2Vec is DeepWalk on the biased walks of Grover and Leskovec (KDD 2016).
func Node2Vec(ctx context.Context, g *csr.Graph, o WalkOptions) (*vec.Matrix, WalkStats, error) {
	return learn(ctx, g, o, MethodNode2Vec)
}

func learn(ctx context.Context, g *csr.Graph, o WalkOptions, method string) (*vec.Matrix, WalkStats, error) {
	walks, training, err := lesson(ctx, g, o, method)
	if err != nil {
		return nil, WalkStats{}, err
	}
	m, stats, err := skipgram.Train(ctx, walks, training)
	if err != nil {
		return nil, stats, err
	}
	_, err = o.ScaleRows(ctx, g, m)
	return m, stats, err
}

// ScalesRows reports whether [WalkOptions.ScaleRows] changes rows.
func (o WalkOptions) ScalesRows() bool {
	o = o.WithDefaults("")
	return *o.RowNorm != 0 || *o.RowScale != 0
}

// ScaleRows scales the rows of a trained model as RowNorm and RowScale say, in place, and
// returns the lengths that they had; nil if they stay as they are. The only error is that
// of ctx.
func (o WalkOptions) ScaleRows(ctx context.Context, g *csr.Graph, m *vec.Matrix) ([]float32, error) {
	if !o.ScalesRows() {
		return nil, nil
	}
	o = o.WithDefaults("")
	return base.ScaleRows(ctx, o.weighed(g), m, *o.RowNorm, *o.RowScale, o.Workers)
}

// RestoreLengths undoes [WalkOptions.ScaleRows], up to rounding, where it returned lengths.
func RestoreLengths(m *vec.Matrix, lengths []float32) { base.RestoreLengths(m, lengths) }

// lesson returns the walks of a method, and how it learns from them.
func lesson(ctx context.Context, g *csr.Graph, o WalkOptions, method string) (Walks, skipgram.Options, error) {
	walks, err := NewWalks(ctx, g, method, o)
	if err != nil {
		return walks, skipgram.Options{}, err
	}
	training := o.WithDefaults(method).training()
	return walks, training, o.resumable(&training, walks.Vertices)
}

// Walks are the walks that a method learns from, in the order of the training.
type Walks = skipgram.Corpus

var kinds = map[string]walk.Kind{MethodDeepWalk: walk.Uniform, MethodDPWalker: walk.Penalized, MethodNode2Vec: walk.Biased}

// NewWalks returns the walks of a method, which is one of those that learn from
// walks. No walk is stored: each is generated when it is read, and is the same every
// time. Each round has a walk from every vertex; that of a vertex without
// neighbours, or without edges in the direction of the walks, is the vertex alone.
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

// SamplerBytes returns the memory that the walks of a method take in addition to the graph; if they follow the direction
// of its edges, at most so much. It does not need Directed.
func SamplerBytes(g *csr.Graph, method string, o WalkOptions) int64 {
	if !o.Follows() || o.IgnoreWeights { // the view may have equal weights where the edges have not
		g = o.weighed(g)
	}
	return walk.Bytes(g, o.WithDefaults(method).walks(kinds[method]))
}

// WalkBytes estimates the memory that DeepWalk, DPWalker or Node2Vec takes in addition to
// the graph, with the result.
func WalkBytes(g *csr.Graph, method string, o WalkOptions) int64 {
	return SamplerBytes(g, method, o) + o.WithDefaults(method).training().Bytes(g.Vertices())
}

func newWalker(ctx context.Context, g *csr.Graph, method string, o WalkOptions) (*walk.Walker, WalkOptions, error) {
	kind, ok := kinds[method]
	if !ok {
		return nil, o, fmt.Errorf("%w: %q is not a method that learns from walks", ErrOptions, method)
	}
	if err := o.Validate(); err != nil {
		return nil, o, err
	}
	if o.Follows() && (o.Directed == nil || o.Directed.Vertices() != g.Vertices()) {
		return nil, o, fmt.Errorf("%w: direction (%s) needs the directed graph whose undirected view is embedded", ErrOptions, o.Direction)
	}
	o = o.WithDefaults(method)
	walker, err := walk.New(ctx, o.followed(g), o.walks(kind), o.Workers)
	if errors.Is(err, walk.ErrOptions) {
		err = fmt.Errorf("%w: %w", ErrOptions, err)
	}
	return walker, o, err
}

// UsesWeights reports whether the weights of a graph shape its walks: it has some,
// not all of them equal, and they are not ignored.
func (o WalkOptions) UsesWeights(g *csr.Graph) bool { return o.followed(g).Weighted() }

// weighed returns the graph with the weights that are used.
func (o WalkOptions) weighed(g *csr.Graph) *csr.Graph {
	if o.IgnoreWeights {
		return &csr.Graph{Offsets: g.Offsets, Targets: g.Targets}
	}
	return g.WithoutEqualWeights()
}

// mixed returns the i-th of n vertices in an order that differs from round to round, so
// that neither the order of the input nor that of the last round shapes the result. It
// cycles through the vertices with the stride of the round.
func mixed(i, round, n, stride uint64) uint32 { return uint32((i*stride + round*n/7) % n) }

// stride returns a number below n > 0 that has no factor in common with it, near
// the golden section; the next round has another one.
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
