package spectral

import (
	"context"
	"math"

	"heavytail/embedding/eigen"
	"heavytail/storage/vec"
)

// weighted are products with the matrix of a method for a graph with weights.
//
// They are computed in float64, unlike products without weights. The diagonal of A² is
// added and subtracted again. Where a vertex has one heavy edge among light ones, as is
// common, the diagonal exceeds the result by more than the precision of float32. The
// vectors of the solver are still float32.
//
// Scratch is 128 bytes per vertex, or 256 for DP-Spectral.
type weighted struct {
	op           *operator
	a            *adjacency
	s            []float64 // the same as s of the operator, in float64
	scaled, once []float64 // s·x and A·s·x; nil before the first product
}

func newWeighted(op *operator, a *adjacency, s []float64) *weighted {
	return &weighted{op: op, a: a, s: s}
}

// unitSize scales s so that the largest eigenvalue of the matrix is 1 or somewhat more,
// because the vectors are float32. It returns the factor by which eigenvalues then have to
// be multiplied. If the largest eigenvalue is 1 already, it changes nothing.
func unitSize(ctx context.Context, a *adjacency, m method, s []float64) (float64, error) {
	if !m.twoHops || m.strength || len(s) == 0 {
		return 1, nil
	}
	// Two bounds from below: the eigenvalue is at least every entry.
	largest, err := largestAtLeast(ctx, a, m, s)
	if err != nil {
		return 0, err
	}
	if err := a.each(ctx, func(v int, targets []uint32, weights []float32) {
		for i, u := range targets {
			largest = max(largest, s[v]*s[u]*float64(weights[i])*a.unit)
		}
	}); err != nil {
		return 0, err
	}
	if !(largest > 0) {
		return 1, nil
	}
	for v := range s {
		s[v] /= math.Sqrt(largest)
	}
	return largest, nil
}

// apply is operator.Apply.
func (w *weighted) apply(ctx context.Context, y, x []float32, alpha, beta, gamma float32) error {
	const b = eigen.Width
	if w.scaled == nil {
		w.scaled = vec.Zeros[float64](len(x))
		if w.op.twoHops {
			w.once = vec.Zeros[float64](len(x))
		}
	}
	if err := w.op.each(ctx, func(v int) {
		s := w.s[v]
		to, from := (*[b]float64)(w.scaled[v*b:]), (*[b]float32)(x[v*b:])
		for j := range to {
			to[j] = s * float64(from[j])
		}
	}); err != nil {
		return err
	}
	source := w.scaled
	if w.op.twoHops {
		if err := w.sums(ctx, w.scaled, func(v int, sum *[b]float64) { copy(w.once[v*b:], sum[:]) }); err != nil {
			return err
		}
		source = w.once
	}
	return w.sums(ctx, source, func(v int, sum *[b]float64) {
		if w.op.twoHops { // A² − diag(A²) + A
			d := w.a.squares[v]
			scaled, once := (*[b]float64)(w.scaled[v*b:]), (*[b]float64)(w.once[v*b:])
			for j := range sum {
				sum[j] += once[j] - d*scaled[j]
			}
		}
		s := w.s[v]
		to, from := (*[b]float32)(y[v*b:]), (*[b]float32)(x[v*b:])
		for j := range sum {
			product := alpha*float32(s*sum[j]) + beta*from[j]
			if gamma != 0 {
				product += gamma * to[j]
			}
			to[j] = product
		}
	})
}

// sums calls finish with every row of A·x.
func (w *weighted) sums(ctx context.Context, x []float64, finish func(v int, sum *[eigen.Width]float64)) error {
	return w.a.weightedSums(ctx, w.op.rows, w.op.workers, w.a.unit, x, finish)
}
