package algorithms

import (
	"context"
	"fmt"
	"math"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// system is the linear system x = factor·A·S·x + c, with A the weighted adjacency
// matrix and S a diagonal matrix that is not negative. The eigenvalues of factor·A·S, which are real, must be
// between -rho and rho below 1.
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

// solve finds x by conjugate gradients (Hestenes and Stiefel, "Methods of Conjugate Gradients for Solving
// Linear Systems", 1952) with the inner product of S, in which the matrix of the system is symmetric; it is
// positive definite because of rho. So the iteration adapts to the eigenvalues that the graph has: one that is
// far from the others, as that of the degrees, costs one step. It returns one step of the plain iteration
// from the last x, the number of iterations, and the residual, that is the sum of |factor·A·S·x + c − x|
// divided by the sum of this step; the residual is computed from x, not from the one before. It
// takes O(n + m) an iteration and 40 bytes per vertex.
func (s *system) solve(ctx context.Context) (Scores, error) {
	n := len(s.c)
	x, residual, direction, image, scaled := vec.Zeros[float64](n), vec.Zeros[float64](n), vec.Zeros[float64](n), vec.Zeros[float64](n), vec.Zeros[float64](n)
	copy(x, s.c)
	report := s.reporter(s.stage, int64(s.expected()))
	square, reached := 0.0, 0.0 // of the residual
	for k := 1; k <= s.most; k++ {
		if err := ctx.Err(); err != nil {
			return Scores{}, err
		}
		if k == 1 || reached <= s.tolerance { // the residual of x, which rounding separates from the one that is updated
			from := s.gather(x, scaled)
			s.each(n, func(lo, hi int) {
				for v := lo; v < hi; v++ {
					residual[v] = float64(s.factor*rowProduct(s.g, uint32(v), from)) + (s.c[v] - x[v])
				}
			})
			copy(direction, residual)
			if square, reached = s.measure(x, residual); reached <= s.tolerance {
				report(int64(s.expected()))
				s.each(n, func(lo, hi int) {
					for v := lo; v < hi; v++ {
						x[v] += residual[v]
					}
				})
				return Scores{Values: x, Iterations: k, Residual: reached}, nil
			}
		} else {
			from := s.gather(direction, scaled)
			curvature := s.sum(n, func(lo, hi int) float64 {
				sum := 0.0
				for v := lo; v < hi; v++ {
					image[v] = direction[v] - float64(s.factor*rowProduct(s.g, uint32(v), from))
					sum += float64(from[v] * image[v])
				}
				return sum
			})
			if !(curvature > 0) {
				return Scores{}, fmt.Errorf("%s: the matrix is not positive definite: %w", s.stage, ErrConverge)
			}
			step, before := square/curvature, square
			s.each(n, func(lo, hi int) {
				for v := lo; v < hi; v++ {
					x[v] += float64(step * direction[v])
					residual[v] -= float64(step * image[v])
				}
			})
			square, reached = s.measure(x, residual)
			turn := square / before
			s.each(n, func(lo, hi int) {
				for v := lo; v < hi; v++ {
					direction[v] = residual[v] + float64(turn*direction[v])
				}
			})
		}
		report(min(int64(k), int64(s.expected())-1))
	}
	return Scores{}, fmt.Errorf("%s: %d iterations: %w", s.stage, s.most, ErrConverge)
}

// measure returns the square of a residual in the inner product of S, and the sum of its absolute values divided by
// the sum of the next step of the plain iteration.
func (s *system) measure(x, residual []float64) (square, relative float64) {
	sums := s.sums(len(x), 3, func(lo, hi int, parts []float64) {
		for v := lo; v < hi; v++ {
			r := residual[v]
			weighted := r
			if s.inverse != nil {
				weighted = float64(r * s.inverse[v])
			}
			parts[0] += float64(r * weighted)
			parts[1] += math.Abs(r)
			parts[2] += x[v] + r
		}
	})
	return sums[0], sums[1] / sums[2]
}

// expected bounds the number of iterations of solve, by that of a graph whose eigenvalues fill the whole
// range.
func (s *system) expected() int {
	root := math.Sqrt(1 - s.rho*s.rho)
	rate := (1 - root) / s.rho
	return max(1, min(s.most, int(math.Log(s.tolerance)/math.Log(rate))))
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
