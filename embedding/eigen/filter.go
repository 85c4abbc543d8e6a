package eigen

import (
	"context"
	"math"
)

// filter is the polynomial p of the matrix that the solver iterates with: the
// Chebyshev polynomial T_d of (N − center)/half, which stays within ±1 on
// [center − half, center + half] and grows as fast as a polynomial of degree d
// can above it. Degree 1 is N itself.
type filter struct {
	degree       int
	center, half float64
}

// apply computes p(N)·x; x and spare are overwritten, and the result is one of
// the two.
func (f filter) apply(ctx context.Context, s *solver, x, spare []float32) ([]float32, error) {
	s.products += f.degree * Width
	if f.degree == 1 {
		return spare, s.op.Apply(ctx, spare, x, 1, 0, 0)
	}
	scale, shift := float32(1/f.half), float32(-f.center/f.half)
	if err := s.op.Apply(ctx, spare, x, scale, shift, 0); err != nil {
		return nil, err
	}
	for range f.degree - 1 { // T_{i+1} = 2 z T_i − T_{i−1}
		if err := s.op.Apply(ctx, x, spare, 2*scale, 2*shift, -1); err != nil {
			return nil, err
		}
		x, spare = spare, x
	}
	return spare, nil
}

// inverse returns the λ ≥ center + half with p(λ) = value, and center + half
// for values that p takes inside the interval too.
func (f filter) inverse(value float64) float64 {
	if f.degree == 1 {
		return value
	}
	return f.center + f.half*math.Cosh(math.Acosh(max(value, 1))/float64(f.degree))
}

// slope is the least mean slope of p from the eigenvalue λ with p(λ) = value to
// an eigenvalue in the interval.
func (f filter) slope(value float64) float64 {
	if f.degree == 1 {
		return 1
	}
	return max(value-1, 0) / (f.inverse(value) - f.center + f.half)
}

// state is one node of an estimate of the density of states: about count
// eigenvalues are near value.
type state struct{ value, count float64 }

// density estimates the spectrum of N from the Ritz pairs of the first block
// Lanczos steps: with a random orthonormal first block of b columns, the
// squared first components of a Ritz vector, summed over the block, are its
// weight in a Gauss quadrature of the trace of any function of N, times b/n.
// (Golub and Meurant, Matrices, Moments and Quadrature.) Nodes descend. Eigenvectors that come
// before the first block in the basis, as many as kept says, count as one each.
func density(values, vectors []float64, n, kept int) []state {
	m := len(values)
	states := make([]state, m)
	for j := range states {
		row := vectors[j*m : (j+1)*m]
		known, random := 0.0, 0.0
		for _, v := range row[:kept] {
			known += v * v
		}
		for _, v := range row[kept : kept+Width] {
			random += v * v
		}
		states[j] = state{values[j], known + random*float64(n-kept)/Width}
	}
	return states
}

// quantile returns the value above which the density has count eigenvalues. It interpolates
// linearly between the nodes. Half of the weight of a node lies above it.
func quantile(states []state, count float64) float64 {
	above := 0.0
	for i, s := range states {
		middle := above + s.count/2
		if middle >= count {
			if i == 0 {
				return s.value
			}
			before := states[i-1]
			span := (before.count + s.count) / 2
			return s.value + (before.value-s.value)*(middle-count)/span
		}
		above += s.count
	}
	return states[len(states)-1].value
}

// surveySteps are the numbers of blocks of unfiltered Lanczos for the estimate
// of the density. The error at the upper end decreases with their square: 10
// blocks locate the end of the wanted part to within a few per cent of the
// width of the spectrum. If a filter of degree denseEdge or more is needed,
// the eigenvalues are closer than that, and the larger number saves time.
var surveySteps = [2]int{10, 16}

const denseEdge = 6

const (
	// margin·k is the number of eigenvalues that should lie above the filter's interval.
	// If the interval contained the k-th eigenvalue, the solver would not converge at
	// all, so the margin must be larger than the error of the estimate. A larger margin costs
	// little: the degree is lower, so that the eigenvalues above the interval stay apart for the
	// Lanczos steps. Of 22 solves of real and generated graphs, 20 took fewer products
	// with 2 than with 1.3.
	margin = 2

	// maxDegree bounds the degree of the filter. The cost model may ask for more, but at
	// higher degrees the rounding errors of the recurrence dominate.
	maxDegree = 30

	// maxGrowth bounds p at the largest eigenvalue. Squares must stay within
	// float32, and a filter that separates this much needs no higher degree.
	maxGrowth = 1e6

	// gatherCost is the time to read one element of a block in a sparse product, divided by
	// the time of one multiply-add of the orthogonalisation, its overhead included.
	// Measured: 0.2 to 0.5 ns for an element and 0.08 to 0.15 ns for a multiply-add. Half of it is
	// taken for blocks of up to cachedRows rows, which the second-level cache holds: it was chosen by
	// the time of solves of ego-facebook, the one graph of those tried whose degree it changed much.
	gatherCost = 3
	cachedRows = 1 << 20 / (4 * Width)
)

// planFilter chooses the filter for k wanted pairs from the density of states. About
// margin·k eigenvalues should lie above the interval of the filter.
//
// Lanczos with p of degree d needs about k/b steps to span the wanted space and D/d more,
// with D = ln(1/ε) / acosh(x_k), x_k the place of the k-th eigenvalue relative to the
// interval: a step amplifies by T_d(x_k) ≈ e^(d·acosh x_k). A step costs d·c + o, where c
// is the cost of a product and o that of the orthogonalisation. The total (k/b + D/d)(d·c +
// o) is least at d = √(D·o·b / (k·c)).
//
// A product p(N)x has rounding errors of ε·p(λ₁) if x has a part of the largest
// eigenvector. The vectors that a restart keeps also keep their rounding errors, and p
// amplifies the smallest wanted eigenvectors less than the largest. The errors, divided by
// the slope of p at the smallest wanted eigenvalue, must be well within the tolerance,
// which bounds the degree where λ₁ ≫ λ_k. The known eigenvectors are removed from x, but a
// remainder of the size of ε is left, which p amplifies too. So are the leading eigenvectors that
// the basis keeps, as many as kept says; these are exact to [attainable].
func (s *solver) planFilter(kept int) filter {
	k := float64(s.k)
	return s.filterBetween(quantile(s.states, k), quantile(s.states, s.margin*k), kept)
}

// filterBetween is planFilter for given places of the k-th eigenvalue and of the
// upper end of the interval.
func (s *solver) filterBetween(kth, upper float64, kept int) filter {
	states, k, n := s.states, s.k, s.n
	tolerance := max(s.opts.Tolerance, attainable)
	lowest, top := states[len(states)-1].value, max(states[0].value, kth)
	largest := max(states[min(kept, len(states)-1)].value, kth) // that is not kept
	// Ritz values lie inside the spectrum. The interval begins a little below the lowest
	// one, since p grows below the interval as fast as above it.
	lower := lowest - 0.05*(top-lowest)
	f := filter{degree: 1, center: (lower + upper) / 2, half: (upper - lower) / 2}
	norm := s.opts.norm(top)
	// Without a gap between the interval and the k-th eigenvalue no filter can separate
	// them. A spectrum narrower than the tolerance may consist of rounding errors.
	if !(kth > upper) || f.half <= tolerance*norm {
		return filter{degree: 1}
	}
	const lnEpsilon = 14 // of a residual of 1e-6
	steps := lnEpsilon / math.Acosh((kth-f.center)/f.half)
	// Multiply-adds for one column: twice the mean size of the basis, and its fraction of
	// the projected problem of each restart.
	m := float64(basisColumns(k))
	orthogonalization := 2*0.8*m*float64(n) + 2*m*m*m/((m-float64(k))*(100-keepShare)/100)
	product := gatherCost * float64(max(s.opts.Gathers, int64(n)))
	if n <= cachedRows {
		product /= 2
	}
	best := math.Sqrt(steps * orthogonalization * Width / (float64(k) * product))
	f.degree = int(min(max(math.Round(best), 1), maxDegree))
	roundings := func() float64 {
		return max(epsilon*f.at(largest), square(epsilon)*f.at(norm), square(attainable)*f.at(top)) / f.at(kth) * (kth - lower) / norm
	}
	for f.degree > 1 && (f.at(largest) > maxGrowth || roundings() > tolerance/5) {
		f.degree--
	}
	return f
}

// epsilon is the relative rounding error of float32.
const epsilon = 0x1p-24

// at returns p(value) for a value above the interval.
func (f filter) at(value float64) float64 {
	if f.degree == 1 {
		return value
	}
	return math.Cosh(float64(f.degree) * math.Acosh((value-f.center)/f.half))
}

// attainable is the least relative residual that is worth iterating for: float32
// vectors have residuals of 1e-7 at best.
const attainable = 3e-7
