package spectral

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"heavytail/embedding/internal/base"
)

// Names of the methods, as the language and stored embeddings spell them.
const (
	MethodLaplacianEigenmaps = "laplacian_eigenmaps"
	MethodDPSpectral         = "dp_spectral"
)

// Normalization selects the diagonal matrix that normalises the penalised common-neighbour
// matrix W of DPSpectral.
type Normalization uint8

const (
	// Auto is Strength, unless in some component hardly any eigenpairs converge, because
	// more eigenvalues are close to 1 than can be separated. Then Auto is Degree.
	Auto Normalization = iota
	// Strength divides by the row sums of W: S^-½ W S^-½, as the authors' published code
	// does. The largest eigenvalue of a component is then 1.
	Strength
	// Degree divides by the degrees of the graph: D^-½ W D^-½, the paper's
	// constraint UᵀDU = I.
	Degree
)

// String returns the name of the normalisation in the language.
func (n Normalization) String() string {
	switch n {
	case Auto:
		return "auto"
	case Degree:
		return "degree"
	case Strength:
		return "strength"
	}
	return "unknown"
}

// ComponentMode selects how the connected components of a graph share the coordinates of
// its embedding.
type ComponentMode uint8

const (
	// Apart solves every component separately and moves the components so far apart
	// that no ε-neighbourhood joins two of them.
	Apart ComponentMode = iota
	// Joint solves the whole graph as one matrix, as the paper does.
	Joint
)

// String returns the name of the mode in the language.
func (c ComponentMode) String() string {
	switch c {
	case Apart:
		return "apart"
	case Joint:
		return "joint"
	}
	return "unknown"
}

// Options are the parameters of LaplacianEigenmaps and DPSpectral. The zero value takes
// every default; WithDefaults gives the reasons for the defaults. Parameters for which zero
// is a meaningful value are pointers, nil for the default: Options{Beta: new(0.0)}.
type Options struct {
	Dim           int           // k, coordinates per vertex, up to 4096; 0 is 200; capped at the number of vertices
	Beta          *float64      // β, the degree penalty, 0 to 8; nil is 1.5, and 0.5 with Degree, and package run chooses; DPSpectral only
	Common        *float64      // c, weight of a common neighbour beside that of an edge, 0 to 1e6; nil is 1, as in the paper, and package run chooses; DPSpectral only
	Normalization Normalization // Auto, Strength or Degree; DPSpectral only
	Scale         *float64      // γ, 0 to 4: coordinates are multiplied by the eigenvalue to this power; nil is ¼
	RowScale      *float64      // δ, 0 to 4: vectors are divided by the degree to this power; nil is ½ here, and package run chooses for dp_spectral
	Tolerance     float64       // largest accepted residual ‖Nt − λt‖ / λ₁, at most 0.1; 0 is 1e-4
	MaxIterations int           // most restarts of the eigensolver for one component; 0 is 100
	Seed          uint64        // of the random start
	Components    ComponentMode // Apart or Joint
	IgnoreWeights bool          // every edge has weight 1
	Workers       int           // goroutines; 0 is GOMAXPROCS; the result does not depend on it

	// Progress, if not nil, receives the stage "solving" with the number of converged
	// eigenpairs and the number of wanted ones, of the largest component (of the graph if
	// Joint). It is called from one goroutine, at most about 20 times a second.
	Progress func(stage string, done, total int64)

	Checkpoints base.Checkpoints

	freeBeta bool // Beta was not given and the normalisation is Auto, so Beta may change with it
}

// Stats describe a finished solve.
type Stats struct {
	Dim int // coordinates of the result
	// Normalization and Beta are those that Auto selected, or that were given; DPSpectral
	// only.
	Normalization Normalization
	Beta          float64
	Eigenvalues   []float64 // of the largest component (of the graph if Joint), descending
	Residuals     []float64 // ‖Nt − λt‖ / λ₁ of each, measured with the final vectors
	Components    int       // connected components of the graph
	Weighted      bool      // weights of edges were used: there are some, not all equal, and not ignored
	Iterations    int       // restarts of the eigensolver, summed over components
	Products      int       // products of N with one vector, summed over components
	Converged     bool      // every residual is within the tolerance
	Seconds       float64   // wall time
	Reason        string    // why the solve ended, in words
	Notes         []string  // remarks on the result for the user
}

// maxCommon is the largest Common.
const maxCommon = 1e6

// maxPower is the largest Scale and RowScale.
const maxPower = 4

// WithDefaults returns a copy in which every parameter is set, for one of the
// method names.
//
// The best reconstruction of DPSpectral, Pearson / Spearman of the degrees at the best
// radius for their mean, with k = 200:
//
//	            strength, β 1.5, γ ¼                      degree, β ½, γ ¼
//	              δ 0           δ ¼           δ ½           δ 0           δ ½
//	cora          .343 / .495   .404 / .565   .430 / .625   .313 / .462   .407 / .612
//	CollegeMsg    .654 / .630   .671 / .648   .652 / .683   .659 / .632   .706 / .613
//	ca-GrQc       .682 / .532   .703 / .662   .755 / .676   .407 / .496
//	ego-facebook  .867 / .775   .854 / .848   .843 / .841   .876 / .848   .844 / .851
//	blogcatalog   .611 / .582   .575 / .601   .571 / .574   .601 / .588   .574 / .577
//	PA2000        .851 / .794   .832 / .727   .787 / .736   .892 / .842   .818 / .741
//	dblp          .357 / .491                 .549 / .602
//
// A row scale of ½ is the default here, as in the textbook form of LaplacianEigenmaps:
// compared with the best choice for each graph, its largest loss over these graphs is the
// smallest.
//
// Here common and β are those of the paper. Its matrix counts common neighbours, as the walk of
// DPWalker does, so that degrees are reconstructed and edges are lost. The method dp_spectral of
// package run chooses common and β before the solve (tune.Penalty) and the row scale after it
// (tune.RowScale), by H3. H3 of LaplacianEigenmaps, of what it chooses, and of common 1 and β 1.5
// with the best row scale, and the mean of Pearson and Spearman at the best radius for both, at
// k = 200 over all pairs:
//
//	                  H3                      P and S
//	                  LE     chosen  common 1   LE     chosen  common 1
//	cora              .230   .372    .149       .317   .482    .527
//	CollegeMsg        .357   .369    .300       .594   .652    .663
//	ca-GrQc           .393   .472    .436       .425   .595    .650
//	ego-facebook      .638   .743    .743       .754   .844    .844
//	blogcatalog       .322   .411    .383       .491   .584    .592
//	mathoverflow      .073   .133    .133       .233   .424    .424
//	PA2000            .395   .423    .264       .740   .670    .815
//	PA 4,000, m 5     .265   .269    .151       .496   .591    .699
//	PA 10,000, m 3    .147   .212    .069       .272   .424    .588
//	PA 10,000, m 8    .202   .206    .111       .577   .452    .663
//	PA 10,000, m 20   .224   .280    .172       .771   .590    .750
//	PA 10,000, m 40   .277   .328    .229       .843   .745    .813
//	random, degree 4  .529   .548    .283       .615   .700    .650
//	random, degree 12 .553   .552    .287       .765   .666    .887
//	40 blocks         .531   .561    .561       .655   .846    .846
//	one hub           .539   .546    .069       .554   .583    .203
//	30 PAs            .658   .834    .413       .900   .823    .795
//	30 random graphs  .839   .979    .540       .967   .976    .928
//	power law 2.2     .064   .286    .205       .155   .496    .435
//	ring, shortcuts   .191   .536    .536       .279   .744    .744
//
// So where common neighbours have edges among them (ego-facebook, blocks, a ring with shortcuts)
// they are worth more than edges alone, a penalty of edges is worth something where hubs are few
// (cora, ca-GrQc), and on random graphs, graphs by attachment and graphs around one hub no penalty
// is the best. H3 is not below that of LaplacianEigenmaps, whose matrix is one of the choices, by
// more than a sample of 512 vertices errs; P and S are, where the row scale with the most right
// edges is smaller.
//
// Cosines do not depend on the row scale; with ½ the AUC of hidden edges by distance falls by .02
// on cora and ca-GrQc and rises by .015 on CollegeMsg. Changing γ to 0 or ½ at the same δ
// changes little.
//
// No choice is best for every graph. Strength is the default because under degree the
// leading eigenvectors of a graph with small dense communities, such as a graph of
// co-authors, are concentrated on the few densest communities, and all other vertices
// collapse to the origin. The scale ¼ costs little, and it is needed for components with at
// most k vertices: their eigenvectors are a full orthonormal basis, so without a scale
// their distances contain no information about the edges.
func (o Options) WithDefaults(method string) Options {
	o.Dim = cmp.Or(o.Dim, 200) // what the paper and its figures use
	if o.Common == nil {
		o.Common = new(1.0)
	}
	if o.Beta == nil {
		o.Beta, o.freeBeta = new(1.5), o.Normalization == Auto
		if o.Normalization == Degree {
			o.Beta = new(0.5)
		}
	}
	if o.Scale == nil {
		o.Scale = new(0.25)
	}
	if o.RowScale == nil {
		o.RowScale = new(0.5)
	}
	if o.Tolerance == 0 {
		// The reconstruction figures do not change below 1e-3; eigenvalues are
		// then right to some 1e-6.
		o.Tolerance = 1e-4
	}
	o.MaxIterations = cmp.Or(o.MaxIterations, 100) // real graphs take 1 to 12
	return o
}

// Validate reports every option that cannot be used; each error is ErrOptions.
func (o Options) Validate() error {
	o = o.WithDefaults(MethodDPSpectral)
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf("%w: "+format, append([]any{base.ErrOptions}, args...)...))
		}
	}
	within := func(x, lo, hi float64) bool { return x >= lo && x <= hi } // false for NaN
	check(o.Dim >= 1 && o.Dim <= base.MaxDim, "dim (%d) must be from 1 to %d", o.Dim, base.MaxDim)
	check(within(*o.Beta, 0, base.MaxBeta), "beta (%g) must be from 0 to %d", *o.Beta, base.MaxBeta)
	check(within(*o.Common, 0, maxCommon), "common (%g) must be from 0 to %g", *o.Common, maxCommon)
	check(within(*o.Scale, 0, maxPower), "scale (%g) must be from 0 to %d", *o.Scale, maxPower)
	check(within(*o.RowScale, 0, maxPower), "row_scale (%g) must be from 0 to %d", *o.RowScale, maxPower)
	check(within(o.Tolerance, math.SmallestNonzeroFloat64, 0.1), "tolerance (%g) must be above 0 and at most 0.1", o.Tolerance)
	check(o.MaxIterations >= 0, "max_iterations (%d) must not be negative", o.MaxIterations)
	check(o.Workers >= 0, "workers (%d) must not be negative", o.Workers)
	check(o.Normalization <= Degree, "normalization (%d) must be auto, strength or degree", o.Normalization)
	check(o.Components <= Joint, "components (%d) must be apart or joint", o.Components)
	return errors.Join(errs...)
}

// RefreshTolerance is the default of the largest accepted residual of refreshed
// eigenvectors, relative to the largest eigenvalue. After fifty
// refreshes of ego-facebook, Pearson's correlation of reconstructed degrees differed
// by at most 0.003 from that after a full run, and the AUC of links by 0.002.
const RefreshTolerance = 0.02
