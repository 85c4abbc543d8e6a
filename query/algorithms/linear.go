package algorithms

import (
	"context"
	"fmt"
	"math"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// system is the linear system x = factor·A·S·x + c, with A the weighted adjacency
// matrix and S a diagonal matrix. Its matrix must have real eigenvalues between -rho and
// rho below 1.
type system struct {
	Work
	g         *csr.Graph
	factor    float64
	inverse   []float64 // the diagonal of S; nil is all ones
	c         []float64
	rho       float64
	tolerance float64 // of the residual, relative to the sum of x
	most      int     // iterations
	stage     string
}

// gather writes x into scaled, times the diagonal.
func (s *system) gather(x, scaled []float64) []float64 {
	if s.inverse == nil {
		return x
	}
	s.each(len(x), func(lo, hi int) {
		for v := lo; v < hi; v++ {
			scaled[v] = x[v] * s.inverse[v]
		}
	})
	return scaled
}

// solve finds x by the Chebyshev semi-iteration (Golub and Van Loan, "Matrix
// Computations", 4th edition, 11.2.8): because the eigenvalues are real, it needs about
// a quarter of the steps of the plain iteration, and no inner products. It returns x,
// the number of iterations, and the residual, that is the sum of |factor·A·S·x + c − x|
// divided by the sum of x. It takes O(n + m) an iteration and 32 bytes per vertex.
func (s *system) solve(ctx context.Context) (Scores, error) {
	n := len(s.c)
	x, before, image, scaled := vec.Zeros[float64](n), vec.Zeros[float64](n), vec.Zeros[float64](n), vec.Zeros[float64](n)
	copy(x, s.c)
	omega := 1.0
	report := s.reporter(s.stage, int64(s.expected()))
	for k := 1; k <= s.most; k++ {
		if err := ctx.Err(); err != nil {
			return Scores{}, err
		}
		from := s.gather(x, scaled)
		change := s.sum(n, func(lo, hi int) float64 { return s.image(from, x, image, lo, hi) })
		total := s.sum(n, func(lo, hi int) float64 { return sumOf(image[lo:hi]) })
		if residual := change / total; residual <= s.tolerance {
			report(int64(s.expected()))
			return Scores{Values: image, Iterations: k, Residual: residual}, nil
		}
		switch k {
		case 1:
		case 2:
			omega = 1 / (1 - s.rho*s.rho/2)
		default:
			omega = 1 / (1 - s.rho*s.rho*omega/4)
		}
		s.each(n, func(lo, hi int) {
			for v := lo; v < hi; v++ {
				before[v] += omega * (image[v] - before[v])
			}
		})
		x, before = before, x
		report(min(int64(k), int64(s.expected())-1))
	}
	return Scores{}, fmt.Errorf("%s: %d iterations: %w", s.stage, s.most, ErrConverge)
}

// expected estimates the number of iterations of solve.
func (s *system) expected() int {
	root := math.Sqrt(1 - s.rho*s.rho)
	rate := (1 - root) / s.rho
	return max(1, min(s.most, int(math.Log(s.tolerance)/math.Log(rate))))
}

// image writes one step of the plain iteration for a block of vertices, and returns the
// sum of the absolute differences from x.
func (s *system) image(from, x, image []float64, lo, hi int) float64 {
	change := 0.0
	for v := lo; v < hi; v++ {
		image[v] = float64(s.factor*rowProduct(s.g, uint32(v), from)) + s.c[v]
		change += math.Abs(image[v] - x[v])
	}
	return change
}

// rowProduct is row v of the adjacency matrix times x.
func rowProduct(g *csr.Graph, v uint32, x []float64) float64 {
	sum := 0.0
	row := g.Neighbors(v)
	if g.Weights == nil {
		for _, u := range row {
			sum += x[u]
		}
		return sum
	}
	weights := g.WeightsOf(v)
	for i, u := range row {
		sum += float64(float64(weights[i]) * x[u])
	}
	return sum
}

func sumOf(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum
}

// scale multiplies all of x.
func scale(x []float64, by float64) {
	for i := range x {
		x[i] *= by
	}
}

// checkFraction returns an error for an option that is not between 0 and 1.
func checkFraction(name string, x float64) error {
	if !(x > 0 && x < 1) {
		return &OptionError{name, x, "above 0 and below 1"}
	}
	return nil
}
