package algorithms

import (
	"context"
	"errors"
	"fmt"
	"math"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// KatzOptions sets how Katz works. The zero value works.
type KatzOptions struct {
	Work
	// Alpha is the weight of each edge of a walk, below the inverse of the largest
	// eigenvalue of the adjacency matrix; 0 means half of that inverse.
	Alpha      float64
	Unweighted bool    // ignore the weights
	Tolerance  float64 // bounds Scores.Residual; 0 means 1e-12
}

// Katz returns the centrality x = Alpha·A·x + 1, with the Euclidean norm 1: the number of
// walks that end at a vertex, where each edge of a walk counts Alpha (Katz, "A New Status
// Index Derived from Sociometric Analysis", 1953). An Alpha for which the sum diverges is
// ErrOption.
//
// It takes O(n + m) an iteration, for the eigenvalue and for the system, 170
// bytes per vertex, and TileBytes.
func Katz(ctx context.Context, g *csr.Graph, opts KatzOptions) (Scores, error) {
	g, err := weightsOf(g, !opts.Unweighted)
	if err != nil || g.Vertices() == 0 {
		return Scores{}, err
	}
	p, err := newProduct(ctx, opts.Work, g, g, nil)
	if err != nil {
		return Scores{}, err
	}
	alpha, rho, err := katzAlpha(ctx, p, opts.Alpha)
	if err != nil {
		return Scores{}, err
	}
	s := system{
		product: p, factor: alpha, c: vec.Zeros[float64](g.Vertices()),
		rho: rho, tolerance: tolerance(opts.Tolerance), most: maxIterations, stage: "katz",
	}
	for v := range s.c {
		s.c[v] = 1
	}
	scores, err := s.solve(ctx)
	if err == nil {
		opts.toUnit(scores.Values)
	}
	return scores, err
}

// toUnit divides by the Euclidean norm.
func (w Work) toUnit(x []float64) {
	squares := w.sum(len(x), func(lo, hi int) float64 { return squaresOf(x[lo:hi]) })
	scale(x, 1/math.Sqrt(squares))
}

// katzAlpha checks alpha against the largest eigenvalue, or chooses it, and returns it
// with a bound of the eigenvalues of the system.
func katzAlpha(ctx context.Context, p *product, given float64) (alpha, rho float64, err error) {
	// Six digits of the eigenvalue are enough for the bound of a converging iteration.
	largest, _, err := largestEigenpair(ctx, nil, p, 1e-6)
	if errors.Is(err, ErrEdges) {
		largest, err = 1, nil
	}
	if err != nil {
		return 0, 0, err
	}
	if alpha = given; alpha == 0 {
		alpha = 0.5 / largest
	}
	if !(alpha > 0 && alpha*largest < 1) {
		return 0, 0, alphaError(alpha, largest)
	}
	return alpha, math.Min(alpha*largest*(1+1e-5), 1-1e-12), nil
}

func alphaError(alpha, largest float64) error {
	return &OptionError{"alpha", alpha, fmt.Sprintf("above 0 and below %.6g, the inverse of the largest eigenvalue", 1/largest)}
}
