package algorithms

import (
	"context"
	"fmt"
	"math"

	"heavytail/storage/vec"
)

// system is the linear system x = factor·A·S·x + c, with A the weighted adjacency
// matrix and S a diagonal matrix that is not negative. The eigenvalues of factor·A·S, which are real, must be
// between -rho and rho below 1.
type system struct {
	*product  // with A
	factor    float64
	inverse   []float64 // the diagonal of S; nil is all ones
	c         []float64
	rho       float64
	tolerance float64 // of the residual, relative to the sum of x
	most      int     // iterations
	stage     string
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
	x, residual, direction, image := vec.Zeros[float64](n), vec.Zeros[float64](n), vec.Zeros[float64](n), vec.Zeros[float64](n)
	scaled := direction
	if s.inverse != nil {
		scaled = vec.Zeros[float64](n)
	}
	copy(x, s.c)
	report := s.reporter(s.stage, int64(s.expected()))
	square, reached := 0.0, 0.0 // of the residual
	for k := 1; k <= s.most; k++ {
		if err := ctx.Err(); err != nil {
			return Scores{}, err
		}
		turn := 0.0
		if k == 1 || reached <= s.tolerance { // the residual of x, which rounding separates from the one that is updated
			s.each(n, func(lo, hi int) {
				copy(scaled[lo:hi], x[lo:hi])
				s.diagonal(lo, scaled[lo:hi])
			})
			sums := s.blockSums(3, scaled, func(lo, hi int, y, parts []float64) {
				for i, v := range y {
					residual[lo+i] = float64(s.factor*v) + (s.c[lo+i] - x[lo+i])
				}
				s.measure(lo, x[lo:hi], residual[lo:hi], parts)
			})
			if square, reached = sums[0], sums[1]/sums[2]; reached <= s.tolerance {
				report(int64(s.expected()))
				s.each(n, func(lo, hi int) {
					for v := lo; v < hi; v++ {
						x[v] += residual[v]
					}
				})
				return Scores{Values: x, Iterations: k, Residual: reached}, nil
			}
		} else {
			curvature := s.blockSums(1, scaled, func(lo, hi int, y, parts []float64) {
				sum := 0.0
				for i, v := range y {
					image[lo+i] = direction[lo+i] - float64(s.factor*v)
					sum += float64(scaled[lo+i] * image[lo+i])
				}
				parts[0] = sum
			})[0]
			if !(curvature > 0) {
				return Scores{}, fmt.Errorf("%s: the matrix is not positive definite: %w", s.stage, ErrConverge)
			}
			step, before := square/curvature, square
			sums := s.sums(n, 3, func(lo, hi int, parts []float64) {
				for v := lo; v < hi; v++ {
					x[v] += float64(step * direction[v])
					residual[v] -= float64(step * image[v])
				}
				s.measure(lo, x[lo:hi], residual[lo:hi], parts)
			})
			square, reached = sums[0], sums[1]/sums[2]
			turn = square / before
		}
		s.each(n, func(lo, hi int) {
			for v := lo; v < hi; v++ {
				direction[v] = residual[v] + float64(turn*direction[v])
			}
			if s.inverse != nil {
				copy(scaled[lo:hi], direction[lo:hi])
				s.diagonal(lo, scaled[lo:hi])
			}
		})
		report(min(int64(k), int64(s.expected())-1))
	}
	return Scores{}, fmt.Errorf("%s: %d iterations: %w", s.stage, s.most, ErrConverge)
}

// diagonal multiplies values from vertex lo on by S.
func (s *system) diagonal(lo int, x []float64) {
	if s.inverse != nil {
		for i, factor := range s.inverse[lo:][:len(x)] {
			x[i] *= factor
		}
	}
}

// measure computes for a block of vertices, from lo on, the square of the residual in the inner product of S, the sum
// of its absolute values, and that of the next step of the plain iteration.
func (s *system) measure(lo int, x, residual, parts []float64) {
	square, sum, next := 0.0, 0.0, 0.0
	for i, r := range residual {
		weighted := r
		if s.inverse != nil {
			weighted = float64(r * s.inverse[lo+i])
		}
		square += float64(r * weighted)
		sum += math.Abs(r)
		next += x[i] + r
	}
	parts[0], parts[1], parts[2] = square, sum, next
}

// expected bounds the number of iterations of solve, by that of a graph whose eigenvalues fill the whole
// range.
func (s *system) expected() int {
	root := math.Sqrt(1 - s.rho*s.rho)
	rate := (1 - root) / s.rho
	return max(1, min(s.most, int(math.Log(s.tolerance)/math.Log(rate))))
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
