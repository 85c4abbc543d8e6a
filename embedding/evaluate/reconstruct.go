package evaluate

import (
	"context"
	"errors"
	"fmt"
	"math"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// ReconstructionPoint says how the graph of all pairs within one radius
// compares with the original. Values that are not defined are NaN: the
// correlations where all degrees of one of the graphs are equal, the precision
// without reconstructed edges, the recall without original ones.
type ReconstructionPoint struct {
	Epsilon float64 // least edge probability, 1/(1+e^Radius)
	Radius  float64 // largest distance of an edge
	Edges   int64   // edges of the reconstruction

	// Correlation of the degrees of the reconstruction with the original's.
	Pearson, Spearman, Kendall float64

	Precision float64 // share of the reconstructed edges that are original
	Recall    float64 // share of the original edges that are reconstructed

	// Law is the power law that fits the degrees of the reconstruction. It is
	// zero, with an Xmin of 0, where none was asked for, and where fewer than two
	// different degrees are positive.
	Law PowerLaw
}

// KS returns the Kolmogorov–Smirnov distance of the degrees of the
// reconstruction from their power law, NaN where there is no law.
func (p ReconstructionPoint) KS() float64 {
	if p.Law.Xmin == 0 {
		return math.NaN()
	}
	return p.Law.KS
}

// F1 returns the harmonic mean of precision and recall, NaN if either is.
func (p ReconstructionPoint) F1() float64 {
	if p.Precision+p.Recall == 0 {
		return 0
	}
	return 2 * p.Precision * p.Recall / (p.Precision + p.Recall)
}

// Grid tells which radii a sweep tries.
type Grid uint8

const (
	// Quantiles spaces radii so that the number of edges grows geometrically,
	// from a fiftieth of the original's to half of all pairs, and then looks
	// closer around the best of them. Spectral embeddings, whose distances crowd
	// into a few steps of a fixed grid, need it.
	Quantiles Grid = iota
	// Paper is the paper's grid: ε from 0.50 down to 0.01 in steps of 0.01.
	Paper
)

// LeastTail, LeastDegrees and LeastSpan are what a power law must hold for to count
// under ByKS: so many vertices and different degrees, the largest so many times the
// smallest. Clauset, Shalizi and Newman find exponents of fewer than some 50 values
// too uncertain (section 3.2). Without the span nearly equal degrees win: of
// ego-facebook with DP-Spectral those from 2,574 on, of a graph of 2.4 million edges,
// with an exponent of 55.
const (
	LeastTail    = 50
	LeastDegrees = 10
	LeastSpan    = 4
)

// Criterion is what makes a point of a sweep the best: the largest value, of KS
// the smallest.
type Criterion uint8

const (
	ByPearson  Criterion = iota // correlation of degrees, the paper's choice
	BySpearman                  // rank correlation of degrees
	ByKendall                   // Kendall's τ-b of degrees
	ByF1                        // harmonic mean of the precision and recall of edges
	// ByKS asks for the distance of the degrees from a power law of their own,
	// whatever the original's are, of a tail of at least LeastTail vertices with
	// LeastDegrees different degrees over a span of LeastSpan: a few vertices, or many
	// of nearly one degree, are near to some law by chance. It is to be read beside the other measures.
	ByKS
	// ByBoth asks for a good correlation of degrees and of their ranks at the same
	// radius, since either by itself can be best where the other is poor: the
	// harmonic mean in which Pearson's, by which the paper chooses ε, counts twice
	// and Spearman's once, or the smaller of them where it is not positive.
	ByBoth
)

// Value returns what is to be large at a point.
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
		return p.F1()
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

	// PowerLaw fits a power law to the degrees of every reconstruction, as ByKS
	// does in any case. It takes O(n + u²) for each of the points, u the number
	// of different degrees.
	PowerLaw bool
	// BestLaw fits one to the best of a sweep alone.
	BestLaw bool

	// Points is the number of radii of the first pass over a Quantiles grid;
	// the second pass, around the best of them, adds half as many. 0 means 128:
	// over the usual three decades of edges its steps are 5 %, and the second
	// pass makes them 0.2 %. More would only cost memory, fewer could step over
	// a narrow peak.
	Points int

	Workers int    // number of goroutines, 0 means GOMAXPROCS
	Seed    uint64 // of the sample of distances that the Quantiles come from

	// MaxBytes bounds the counts of one pass over all pairs, 4 bytes per vertex
	// and radius; radii that do not fit take more passes. 0 means 1 GiB, which
	// holds 128 radii of 2 million vertices.
	MaxBytes int64

	// Progress, if not nil, is told of pairs of rows done in all passes, under
	// the stage "joining".
	Progress func(stage string, done, total int64)
}

// Validate reports all faults of the options at once.
func (o ReconstructOptions) Validate() error {
	var faults []error
	if o.Grid > Paper {
		faults = append(faults, fmt.Errorf("evaluate: grid %d: %w", o.Grid, ErrOption))
	}
	if o.Criterion > ByBoth {
		faults = append(faults, fmt.Errorf("evaluate: criterion %d: %w", o.Criterion, ErrOption))
	}
	if o.Points < 0 {
		faults = append(faults, fmt.Errorf("evaluate: points (%d) must not be negative: %w", o.Points, ErrOption))
	}
	if o.MaxBytes < 0 {
		faults = append(faults, fmt.Errorf("evaluate: bytes (%d) must not be negative: %w", o.MaxBytes, ErrOption))
	}
	return errors.Join(faults...)
}

func (o ReconstructOptions) withDefaults() ReconstructOptions {
	if o.Points == 0 {
		o.Points = 128
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = 1 << 30
	}
	o.PowerLaw = o.PowerLaw || o.Criterion == ByKS
	return o
}

// ReconstructAt measures the reconstruction at one radius. Row v of m is the
// vector of vertex v of g. It costs one pass over all pairs; see
// [index.NewSweep]. Errors: ErrShape, ErrOption, those of NewSweep, or that of
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
// returns the points by ascending radius, at least one, and which of them is
// best by the criterion. The smaller radius wins a tie. Where the criterion is
// defined nowhere, as Pearson for a graph whose degrees are all equal, the best
// F1 decides.
//
// The Quantiles grid costs two passes over all pairs, the paper's one, if the
// counts fit into MaxBytes. Beside the memory of [index.NewSweep] it takes
// 4 bytes per edge and at most 64 MB for the sample of distances. Errors are
// those of ReconstructAt.
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
		return 0, nil, fmt.Errorf("evaluate: %w", err)
	}
	return best, points, nil
}

// best returns the first point with the largest value of the criterion.
func (j *judge) best(points []ReconstructionPoint) int { return bestPoint(points, j.opts.Criterion) }

// bestPoint returns the first point with the largest value of a criterion, or of
// F1 where that is defined nowhere.
func bestPoint(points []ReconstructionPoint, criterion Criterion) int {
	for _, by := range []Criterion{criterion, ByF1} {
		best, most := -1, math.Inf(-1)
		for i, p := range points {
			if value := by.Value(p); value > most {
				best, most = i, value
			}
		}
		if best >= 0 {
			return best
		}
	}
	return 0
}
