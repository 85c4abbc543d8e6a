package evaluate

import (
	"context"
	"errors"
	"fmt"

	"heavytail/index"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// ReconstructionPoint says how the graph of all pairs within one radius
// compares with the original. Values that are not defined are NaN: the
// correlations where all degrees of one of the graphs are equal, the precision
// without edges, the recall of a graph without edges.
type ReconstructionPoint struct {
	Epsilon float64 // least edge probability, 1/(1+e^Radius)
	Radius  float64 // largest distance of an edge
	Edges   int64   // edges of the reconstruction

	// Correlation of the degrees of the reconstruction with the original's.
	Pearson, Spearman, Kendall float64

	Precision float64 // share of the reconstructed edges that are original
	Recall    float64 // share of the original edges that are reconstructed
}

// Grid tells which radii a sweep tries.
type Grid uint8

const (
	// Quantiles spaces radii so that the number of edges grows geometrically,
	// from a fraction of the original's to half of all pairs.
	Quantiles Grid = iota
	// Paper is the paper's grid: ε from 0.01 to 0.50 in steps of 0.01.
	Paper
)

// Criterion is what a sweep maximises.
type Criterion uint8

const (
	ByPearson  Criterion = iota // correlation of degrees, the paper's choice
	BySpearman                  // rank correlation of degrees
	ByKendall                   // Kendall's τ-b of degrees
	ByF1                        // harmonic mean of the precision and recall of edges
)

// ReconstructOptions sets how reconstructions are measured. The zero value
// works.
type ReconstructOptions struct {
	Grid      Grid
	Criterion Criterion
	// Points is the number of radii of the first pass over a Quantiles grid;
	// the second pass, around the best of them, takes half as many. 0 means 128.
	Points  int
	Workers int    // number of goroutines, 0 means GOMAXPROCS
	Seed    uint64 // of the sample of distances that the Quantiles come from
	// MaxBytes bounds the counts of one pass, 4 bytes per vertex and radius.
	// More radii than fit take more passes. 0 means 1 GiB.
	MaxBytes int64
	// Progress is told of pairs of rows done, under the stage "joining".
	Progress func(stage string, done, total int64)
}

// Validate reports all faults of the options at once.
func (o ReconstructOptions) Validate() error {
	var faults []error
	if o.Grid > Paper {
		faults = append(faults, fmt.Errorf("evaluate: grid %d: %w", o.Grid, ErrOption))
	}
	if o.Criterion > ByF1 {
		faults = append(faults, fmt.Errorf("evaluate: criterion %d: %w", o.Criterion, ErrOption))
	}
	if o.Points < 0 {
		faults = append(faults, fmt.Errorf("evaluate: points (%d) must not be negative: %w", o.Points, ErrOption))
	}
	return errors.Join(faults...)
}

// ReconstructAt measures the reconstruction at one radius.
func ReconstructAt(ctx context.Context, g *csr.Graph, m *vec.Matrix, radius float64, opts ReconstructOptions) (ReconstructionPoint, error) {
	return ReconstructionPoint{Radius: radius, Epsilon: index.RadiusToEpsilon(radius)}, errors.ErrUnsupported
}

// ReconstructSweep measures the reconstruction at every radius of the grid. It
// returns the points by ascending radius, and which of them is best by the
// criterion; the smaller radius wins a tie.
func ReconstructSweep(ctx context.Context, g *csr.Graph, m *vec.Matrix, opts ReconstructOptions) (best int, points []ReconstructionPoint, err error) {
	return 0, nil, errors.ErrUnsupported
}
