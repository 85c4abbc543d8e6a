package evaluate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"heavytail/index"
	"heavytail/index/pairs"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// ReconstructionPoint compares the graph of all pairs within one radius with
// the original. Undefined values are NaN: the correlations if all degrees of
// one of the graphs are equal, the precision without reconstructed edges, the
// recall without original ones, and F1 and H3 where a figure that they are made
// of is.
type ReconstructionPoint struct {
	Epsilon float64 `json:"epsilon"` // least edge probability, 1/(1+e^Radius)
	Radius  float64 `json:"radius"`  // largest distance of an edge
	Edges   int64   `json:"edges"`   // edges of the reconstruction

	// Correlation of the degrees of the reconstruction with the original's.
	Pearson  float64 `json:"pearson"`
	Spearman float64 `json:"spearman"`
	Kendall  float64 `json:"kendall"`

	Precision float64 `json:"precision"` // fraction of the reconstructed edges that are original
	Recall    float64 `json:"recall"`    // fraction of the original edges that are reconstructed
	F1        float64 `json:"f1"`        // harmonic mean of Precision and Recall, 0 if both are 0

	// H3 is the harmonic mean of Pearson, Spearman and F1, 0 if one of them is not
	// positive. Correlations of degrees alone can be reached by the lengths of the
	// rows, and F1 alone by the edges between low degrees; H3 is high only where the
	// same graph has the degrees and the edges. It is 1 only if the graphs are equal.
	H3 float64 `json:"h3"`

	// Law is the power law fitted to the degrees of the reconstruction. It is
	// zero, with an Xmin of 0, if none was requested, or if fewer than two
	// distinct degrees are positive.
	Law PowerLaw `json:"law"`
}

// KS returns the Kolmogorov–Smirnov distance of the degrees of the
// reconstruction from their power law, NaN where there is no law.
func (p ReconstructionPoint) KS() float64 {
	if p.Law.Xmin == 0 {
		return math.NaN()
	}
	return p.Law.KS
}

// withMeans returns p with the figures that are means of others.
func (p ReconstructionPoint) withMeans() ReconstructionPoint {
	p.F1 = harmonic(p.Precision, p.Recall)
	p.H3 = harmonic(p.Pearson, p.Spearman, p.F1)
	return p
}

// harmonic returns the harmonic mean, 0 if a value is not positive, NaN if one is NaN.
func harmonic(values ...float64) float64 {
	least, inverse := math.Inf(1), 0.0
	for _, v := range values {
		least, inverse = min(least, v), inverse+1/v
	}
	if least <= 0 {
		return 0
	}
	return float64(len(values)) / inverse
}

// Grid sets which radii a sweep tries.
type Grid uint8

const (
	// Quantiles spaces radii so that the number of edges grows geometrically,
	// from a fiftieth of the original's to half of all pairs, and adds finer
	// steps around the best of them. Spectral embeddings, whose distances fall
	// into a few steps of a fixed grid, need it.
	Quantiles Grid = iota
	// Paper is the paper's grid: ε from 0.50 down to 0.01 in steps of 0.01.
	Paper
)

// LeastTail, LeastDegrees and LeastSpan are the requirements for a power law
// to count under ByKS: the number of vertices and of distinct degrees, and the
// ratio of the largest degree to the smallest. Clauset, Shalizi and Newman
// find exponents of fewer than about 50 values too uncertain (section 3.2).
// Without the span nearly equal degrees win: for ego-facebook with DP-Spectral
// those from 2,574 on, of a graph of 2.4 million edges, with an exponent of
// 55.
const (
	LeastTail    = 50
	LeastDegrees = 10
	LeastSpan    = 4
)

// LeastEdges, MostEdges and MostPairs bound the edges of a reconstruction that a
// sweep may call the best: as multiples of the original's edges, and from above as
// a fraction of all pairs of vertices too; see [Plausible].
//
// Measured on ca-GrQc, CollegeMsg and two generated graphs whose largest hubs have
// edges to 15 and 18 % of the vertices, with the defaults of four methods: without
// bounds the best by ByBoth were, among others, 2 edges (3·10⁻⁵ times the original's,
// Pearson −0.01), and by Pearson's correlation half of all pairs (0.03) and 0.01
// times the original's edges (0.84, with ranks at −0.02). The upper bound is wide,
// because the paper's measure has its best points far above the original: of
// ego-facebook by DP-Walker at 27 times its edges, which are 29 % of all pairs.
const (
	LeastEdges = 0.1
	MostEdges  = 10
	MostPairs  = 0.5
)

// Plausible reports whether a graph with this number of edges can be called a
// reconstruction of g: it has at least LeastEdges times as many, and at most
// MostEdges times as many or MostPairs of all pairs of vertices, whichever is
// more. A correlation of degrees alone does not detect that: a few dozen edges
// between the largest hubs of a scale-free graph can have the largest. For a
// graph without edges every number is plausible.
func Plausible(g *csr.Graph, edges int64) bool {
	n, original := float64(g.Vertices()), float64(g.Edges())
	most := max(MostPairs*n*(n-1)/2, MostEdges*original)
	return original == 0 || float64(edges) >= LeastEdges*original && float64(edges) <= most
}

// Criterion determines the best point of a sweep: the one with the largest
// value, or for KS the smallest.
type Criterion uint8

const (
	ByPearson  Criterion = iota // correlation of degrees, the paper's choice
	BySpearman                  // rank correlation of degrees
	ByKendall                   // Kendall's τ-b of degrees
	ByF1                        // harmonic mean of the precision and recall of edges
	// ByKS minimises the distance of the degrees from the power law fitted to
	// them, independent of the degrees of the original, with a tail of at
	// least LeastTail vertices with LeastDegrees distinct degrees over a span
	// of LeastSpan: a few vertices, or many of nearly one degree, are near to
	// some law by chance. Read it together with the other measures.
	ByKS
	// ByBoth maximises the correlation of degrees and of their ranks together,
	// since either alone can be best where the other is poor: the harmonic
	// mean in which Pearson's correlation, the paper's criterion for ε, has
	// weight 2 and Spearman's weight 1, or the smaller of them if it is not
	// positive.
	ByBoth
	ByH3 // harmonic mean of Pearson, Spearman and F1 at one radius
)

// Value returns the value that the criterion maximises.
func (c Criterion) Value(p ReconstructionPoint) float64 {
	switch c {
	case ByBoth:
		if low := min(p.Pearson, p.Spearman); !(low > 0) {
			return low
		}
		return 3 / (2/p.Pearson + 1/p.Spearman)
	case BySpearman:
		return p.Spearman
	case ByKendall:
		return p.Kendall
	case ByF1:
		return p.F1
	case ByH3:
		return p.H3
	case ByKS:
		if p.Law.Tail < LeastTail || p.Law.Different < LeastDegrees || p.Law.Largest < LeastSpan*p.Law.Xmin {
			return math.NaN()
		}
		return -p.KS()
	}
	return p.Pearson
}

// ReconstructOptions sets how reconstructions are measured. The zero value
// works.
type ReconstructOptions struct {
	Grid      Grid
	Criterion Criterion

	// PowerLaw fits a power law to the degrees of every reconstruction; ByKS
	// always does. It takes O(n + u²) for each point, u the number of distinct
	// degrees.
	PowerLaw bool
	// BestLaw fits one only to the best point of a sweep.
	BestLaw bool

	// Points is the number of radii of the first pass over a Quantiles grid;
	// the second pass, around the best of them, adds half as many. 0 means 128:
	// over the usual three decades of edges its steps are 5 %, and the second
	// pass makes them 0.2 %. More would only cost memory, fewer could step over
	// a narrow peak.
	Points int

	Workers int    // number of goroutines, 0 means GOMAXPROCS
	Seed    uint64 // seed of the sample of distances for Quantiles

	// MaxBytes bounds the counts of one pass over all pairs, 4 bytes per vertex
	// and radius; radii that do not fit take more passes. 0 means 1 GiB, which
	// holds 128 radii of 2 million vertices.
	MaxBytes int64

	// Progress, if not nil, receives the number of pairs of vertices done in all passes,
	// as the stage "joining".
	Progress func(stage string, done, total int64)
}

// Validate reports all faults of the options at once.
func (o ReconstructOptions) Validate() error {
	var faults []error
	if o.Grid > Paper {
		faults = append(faults, fmt.Errorf("grid %d: %w", o.Grid, ErrOption))
	}
	if o.Criterion > ByH3 {
		faults = append(faults, fmt.Errorf("criterion %d: %w", o.Criterion, ErrOption))
	}
	if o.Points < 0 {
		faults = append(faults, fmt.Errorf("points (%d) must not be negative: %w", o.Points, ErrOption))
	}
	if o.MaxBytes < 0 {
		faults = append(faults, fmt.Errorf("bytes (%d) must not be negative: %w", o.MaxBytes, ErrOption))
	}
	return errors.Join(faults...)
}

func (o ReconstructOptions) withDefaults() ReconstructOptions {
	o.Points = cmp.Or(o.Points, 128)
	o.MaxBytes = cmp.Or(o.MaxBytes, 1<<30)
	o.PowerLaw = o.PowerLaw || o.Criterion == ByKS
	return o
}

// ReconstructAt measures the reconstruction at one radius. Row v of m is the
// vector of vertex v of g. It costs one pass over all pairs; see
// [pairs.NewSweep]. Errors: ErrShape, ErrOption, those of NewSweep, or that of
// ctx.
func ReconstructAt(ctx context.Context, g *csr.Graph, m *vec.Matrix, radius float64, opts ReconstructOptions) (ReconstructionPoint, error) {
	j, err := newJudge(ctx, g, m, opts)
	if err != nil {
		return ReconstructionPoint{}, err
	}
	j.passes = 1
	points, err := j.measure(ctx, []float64{radius})
	if err != nil {
		return ReconstructionPoint{}, err
	}
	return points[0], nil
}

// ReconstructSweep measures the reconstruction at every radius of the grid. It
// returns the points by ascending radius, at least one, and the index of the
// best by the criterion. The smaller radius wins a tie. Points that are not
// [Plausible] are excluded. If the criterion is undefined for all others, as
// Pearson is for a graph whose degrees are all equal, the best F1 decides. If
// no point is plausible, the best of all is returned, which is then not
// plausible.
//
// The Quantiles grid costs two passes over all pairs, the paper's one, if the
// counts fit into MaxBytes. In addition to the memory of [pairs.NewSweep] it
// takes 4 bytes per edge and at most 64 MB for the sample of distances. Errors
// are those of ReconstructAt.
func ReconstructSweep(ctx context.Context, g *csr.Graph, m *vec.Matrix, opts ReconstructOptions) (best int, points []ReconstructionPoint, err error) {
	j, err := newJudge(ctx, g, m, opts)
	if err != nil {
		return 0, nil, err
	}
	if opts.Grid == Paper {
		points, err = j.paper(ctx)
	} else {
		points, err = j.quantiles(ctx)
	}
	if err != nil {
		return 0, nil, err
	}
	best = j.best(points)
	if j.nearest.degrees != nil && j.nearest.point.Radius == points[best].Radius {
		points[best].Law = j.law(ctx, j.nearest.degrees)
	}
	if err := ctx.Err(); err != nil {
		return 0, nil, err
	}
	return best, points, nil
}

// best returns the first point with the largest value of the criterion.
func (j *judge) best(points []ReconstructionPoint) int {
	return bestPoint(j.g, points, j.opts.Criterion)
}

// bestPoint returns the first point with the largest value of a criterion, or
// of F1 if the criterion is undefined everywhere, among the plausible
// reconstructions of g, or among all points if there is none.
func bestPoint(g *csr.Graph, points []ReconstructionPoint, criterion Criterion) int {
	for _, all := range []bool{false, true} {
		for _, by := range []Criterion{criterion, ByF1} {
			best, most := -1, math.Inf(-1)
			for i, p := range points {
				if value := by.Value(p); value > most && (all || Plausible(g, p.Edges)) {
					best, most = i, value
				}
			}
			if best >= 0 {
				return best
			}
		}
	}
	return 0
}

// paper measures the paper's grid.
func (j *judge) paper(ctx context.Context) ([]ReconstructionPoint, error) {
	var radii, epsilons []float64
	for hundredths := 50; hundredths >= 1; hundredths-- {
		eps := float64(hundredths) / 100
		radius, err := index.EpsilonToRadius(eps)
		if err != nil {
			return nil, err
		}
		radii, epsilons = append(radii, radius), append(epsilons, eps)
	}
	j.passes = j.passesFor(len(radii))
	points, err := j.measure(ctx, radii)
	for i := range points {
		points[i].Epsilon = epsilons[i] // the exact value of the grid, not one computed back from the radius
	}
	return points, err
}

// quantiles measures a coarse grid over the whole range, and a fine grid
// between the neighbours of its best point.
func (j *judge) quantiles(ctx context.Context) ([]ReconstructionPoint, error) {
	coarse, err := j.quantileRadii(ctx)
	if err != nil {
		return nil, err
	}
	j.passes = j.passesFor(len(coarse)) + j.passesFor(j.opts.Points/2)
	points, err := j.measure(ctx, coarse)
	if err != nil {
		return nil, err
	}
	fine := between(coarse, j.best(points), j.opts.Points/2)
	if len(fine) == 0 {
		return points, nil
	}
	more, err := j.measure(ctx, fine)
	if err != nil {
		return nil, err
	}
	points = append(points, more...)
	slices.SortFunc(points, func(a, b ReconstructionPoint) int { return cmp.Compare(a.Radius, b.Radius) })
	return points, nil
}

// ReconstructBytes estimates the memory of [ReconstructSweep] by quantiles in bytes, beside the graph
// and the vectors and without garbage: [ReconstructAtBytes] and the counts of a pass, with half as much
// of the pass before, which are collected while it runs; or the sample of distances if that is more.
func ReconstructBytes(vertices, dim int, edges int64, opts ReconstructOptions) int64 {
	opts = opts.withDefaults()
	n := int64(vertices)
	counts := 3 * min(opts.MaxBytes, 4*n*int64(opts.Points)) / 2
	sample := 16 * min(choose2(n), int64(sampled(vertices, fewestEdges(edges))))
	return max(ReconstructAtBytes(vertices, dim, edges)+counts, sample)
}

// ReconstructAtBytes is [ReconstructBytes] of [ReconstructAt]: what [pairs.Join] takes, 32 for each
// vertex and 4 for each edge.
func ReconstructAtBytes(vertices, dim int, edges int64) int64 {
	return int64(vertices)*int64(4*dim+60+32) + 4*edges
}

// fewestEdges is the number of edges at the first of the quantiles.
func fewestEdges(edges int64) float64 { return max(1, float64(edges)/50) }

// sampled is how many distances are sampled, of so many vectors. 16 below the first radius determine
// the number of its edges to within a quarter. 4 million distances take a second; for very large
// sparse graphs some of the first radii then coincide.
func sampled(vectors int, fewest float64) int {
	const enough, least, most = 16, 1 << 20, 4 << 20
	return int(max(least, min(most, enough*float64(choose2(int64(vectors)))/fewest)))
}

// quantileRadii returns the distinct radii at which the number of edges, estimated from a
// sample of distances, grows geometrically from a fiftieth of the original's to half of
// all pairs.
func (j *judge) quantileRadii(ctx context.Context) ([]float64, error) {
	all := float64(choose2(int64(j.m.Rows)))
	low := fewestEdges(j.g.Edges())
	high := max(low, all/2)
	sample, err := pairs.SampleDistances(ctx, j.m, sampled(j.m.Rows, low), j.opts.Seed)
	if err != nil {
		return nil, err
	}
	if len(sample) == 0 {
		return []float64{0}, nil
	}
	var radii []float64
	for i := range j.opts.Points {
		edges := low * math.Pow(high/low, float64(i)/float64(max(1, j.opts.Points-1)))
		at := math.Ceil(edges/all*float64(len(sample))) - 1
		r := sample[int(max(0, min(at, float64(len(sample)-1))))]
		// Squares of distant vectors may overflow float32. A radius that large
		// would join all vertices.
		if !math.IsInf(r, 1) {
			radii = append(radii, r)
		}
	}
	if len(radii) == 0 {
		return []float64{0}, nil
	}
	return slices.Compact(radii), nil
}

// between returns up to count radii, evenly spaced between the neighbours of
// radii[at], without those themselves and without radii[at].
func between(radii []float64, at, count int) []float64 {
	lo, mid, hi := 0.0, radii[at], radii[at]
	if at > 0 {
		lo = radii[at-1]
	}
	if at+1 < len(radii) {
		hi = radii[at+1]
	}
	var fine []float64
	for _, side := range [][2]float64{{lo, mid}, {mid, hi}} {
		steps := count / 2
		for i := 1; i <= steps; i++ {
			r := side[0] + (side[1]-side[0])*float64(i)/float64(steps+1)
			if r > side[0] && r < side[1] {
				fine = append(fine, r)
			}
		}
	}
	return slices.Compact(fine)
}

// judge compares reconstructions with the original graph. It computes values that depend
// only on the original graph once.
type judge struct {
	g       *csr.Graph
	m       *vec.Matrix
	opts    ReconstructOptions
	degrees []float64
	ranks   ranking   // of the degrees
	edges   []float32 // squared lengths of the original edges

	// nearest is the best point so far with its degrees, if a power law is to be fitted.
	nearest struct {
		point   ReconstructionPoint
		degrees []uint32
	}

	passes int // over all pairs, for the progress
	passed int
}

func newJudge(ctx context.Context, g *csr.Graph, m *vec.Matrix, opts ReconstructOptions) (*judge, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	n := g.Vertices()
	if n != m.Rows {
		return nil, fmt.Errorf("%d vertices, %d vectors: %w", n, m.Rows, ErrShape)
	}
	j := &judge{g: g, m: m, opts: opts.withDefaults(), degrees: make([]float64, n)}
	degrees := make([]uint32, n)
	for v := range n {
		degrees[v] = uint32(g.Degree(uint32(v)))
		j.degrees[v] = float64(degrees[v])
	}
	j.ranks = rankDegrees(degrees)
	return j, j.measureEdges(ctx)
}

func (j *judge) measureEdges(ctx context.Context) error {
	n := j.g.Vertices()
	const block = 1024
	// Every block of vertices writes behind the edges of the blocks before it.
	start := make([]int64, (n+block-1)/block+1)
	for v := range n {
		start[v/block+1] += int64(j.above(v))
	}
	for b := 1; b < len(start); b++ {
		start[b] += start[b-1]
	}
	j.edges = make([]float32, start[len(start)-1])
	vec.Parallel(n, block, j.opts.Workers, func(b, lo, hi int) {
		if ctx.Err() != nil {
			return
		}
		at := start[b]
		for u := lo; u < hi; u++ {
			row := j.g.Neighbors(uint32(u))
			for _, v := range row[len(row)-j.above(u):] {
				j.edges[at] = vec.L2Squared(j.m.Row(u), j.m.Row(int(v)))
				at++
			}
		}
	})
	return ctx.Err()
}

// above returns how many neighbours of v are greater than v.
func (j *judge) above(v int) int {
	row := j.g.Neighbors(uint32(v))
	return len(row) - sort.Search(len(row), func(i int) bool { return row[i] > uint32(v) })
}

// passesFor returns how many passes over all pairs a number of radii takes.
func (j *judge) passesFor(radii int) int {
	return (radii + j.radiiPerPass() - 1) / j.radiiPerPass()
}

func (j *judge) radiiPerPass() int {
	return int(max(1, min(j.opts.MaxBytes/4/int64(max(1, j.m.Rows)), math.MaxInt32)))
}

// measure compares the reconstructions at ascending radii with the original.
func (j *judge) measure(ctx context.Context, radii []float64) ([]ReconstructionPoint, error) {
	points := make([]ReconstructionPoint, 0, len(radii))
	for part := range slices.Chunk(radii, j.radiiPerPass()) {
		sweep, err := pairs.NewSweep(ctx, j.m, part, pairs.Options{Workers: j.opts.Workers, Progress: j.progress()})
		if err != nil {
			return nil, err
		}
		j.passed++
		kept := j.kept(ctx, part)
		done := len(points)
		points = points[:done+len(part)]
		vec.Parallel(len(part), 1, j.opts.Workers, func(i, _, _ int) {
			if ctx.Err() == nil {
				points[done+i] = j.compare(ctx, sweep, i, kept[i])
			}
		})
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if j.opts.BestLaw && !j.opts.PowerLaw {
			j.keepBest(sweep, points[done:])
		}
	}
	return points, nil
}

// keepBest stores the degrees of the best point; of equally good points, of the one with
// the smallest radius.
func (j *judge) keepBest(sweep *pairs.Sweep, points []ReconstructionPoint) {
	i := j.best(points)
	both := []ReconstructionPoint{j.nearest.point, points[i]}
	slices.SortFunc(both, func(a, b ReconstructionPoint) int { return cmp.Compare(a.Radius, b.Radius) })
	if j.nearest.degrees == nil || both[j.best(both)].Radius == points[i].Radius {
		j.nearest.point, j.nearest.degrees = points[i], sweep.Degrees(i, j.nearest.degrees)
	}
}

// progress reports the progress of one pass as a part of the progress of all passes.
func (j *judge) progress() func(stage string, done, total int64) {
	if j.opts.Progress == nil {
		return nil
	}
	before := int64(j.passed)
	return func(stage string, done, total int64) {
		j.opts.Progress(stage, before*total+done, int64(j.passes)*total)
	}
}

// kept returns the number of original edges within each of the radii, by the same rule as
// the join. If ctx ends, the numbers are too low.
func (j *judge) kept(ctx context.Context, radii []float64) []int64 {
	const block = 1 << 16
	partial := make([][]int64, (len(j.edges)+block-1)/block)
	vec.Parallel(len(j.edges), block, j.opts.Workers, func(b, lo, hi int) {
		partial[b] = make([]int64, len(radii)+1) // the last for edges beyond all radii
		if ctx.Err() != nil {
			return
		}
		for _, squared := range j.edges[lo:hi] {
			partial[b][sort.Search(len(radii), func(i int) bool { return float64(squared) <= radii[i]*radii[i] })]++
		}
	})
	kept := make([]int64, len(radii))
	for _, counts := range partial {
		within := int64(0)
		for i := range kept {
			within += counts[i]
			kept[i] += within
		}
	}
	return kept
}

// compare measures the reconstruction at radius i of a sweep, given the number of original
// edges that it contains. If ctx ends, the power law may be missing.
func (j *judge) compare(ctx context.Context, sweep *pairs.Sweep, i int, kept int64) ReconstructionPoint {
	degrees := sweep.Degrees(i, nil)
	values := make([]float64, len(degrees))
	for v, d := range degrees {
		values[v] = float64(d)
	}
	ranks := rankDegrees(degrees)
	radius := sweep.Radii[i]
	p := ReconstructionPoint{
		Epsilon:   index.RadiusToEpsilon(radius),
		Radius:    radius,
		Edges:     sweep.Edges[i],
		Pearson:   Pearson(j.degrees, values),
		Spearman:  spearman(j.ranks, ranks),
		Kendall:   kendall(j.ranks, ranks),
		Precision: share(kept, float64(sweep.Edges[i])),
		Recall:    share(kept, float64(len(j.edges))),
	}.withMeans()
	if j.opts.PowerLaw {
		p.Law = j.law(ctx, degrees)
	}
	return p
}

// law fits a power law to degrees, if they allow a fit.
func (j *judge) law(ctx context.Context, degrees []uint32) PowerLaw {
	counts := make([]int, len(degrees))
	for v, d := range degrees {
		counts[v] = int(d)
	}
	// Apart from the error of ctx, the only error is that there are too few different
	// degrees.
	law, err := FitPowerLaw(ctx, counts, PowerLawOptions{})
	if err != nil {
		return PowerLaw{}
	}
	return law
}

// share is ratio of a count.
func share(part int64, whole float64) float64 { return ratio(float64(part), whole) }
