package eigen

import (
	"context"
	"math"
	"slices"

	"heavytail/storage/vec"
)

// amplify replaces the start by p(N)·start for a polynomial p that is large at the eigenvalues of
// the start and small below them, and V by a basis of it: one step of subspace iteration with a
// Chebyshev filter (Zhou, Saad, Tiago and Chelikowsky, J. Comput. Phys. 219, 2006). It makes all
// directions of the residual shorter, where a step adds only the longest. The images of the start
// are its first products, so none is computed twice; squares are the squared lengths of the
// directions. It takes degree − 1 products for each column, and the time of three products of tall
// matrices with small ones. The result is false, and nothing has changed, if the eigenvalues of the
// start are too low.
func (r *refiner) amplify(ctx context.Context, squares []float64) (bool, error) {
	k := r.first
	values, vectors, err := eigenpairs(slices.Clone(r.h), k, k)
	if err != nil {
		return false, err
	}
	norm := max(r.norm(), values[0])
	last := values[min(k, r.opts.K)*amplifiedShare/100]
	upper := last - amplifiedGap*norm
	f := filter{center: (upper - norm) / 2, half: (upper + norm) / 2}
	if !(f.half > norm/4) {
		return false, nil
	}
	middle := math.Sqrt(max(squares[k/2], 0)) / (r.opts.Tolerance * r.norm())
	f.degree = int(min(max(math.Ceil(1.5*middle), 2), mostAmplified))

	start, images := columns(r.start, 0, r.cols), columns(r.images, 0, r.cols)
	if err := r.polynomial(ctx, f, start, images); err != nil {
		return false, err
	}
	toRitz := make([]float64, k*k) // from V, divided by what p makes of the lengths
	for j, value := range values {
		for i := range k {
			toRitz[i*k+j] = vectors[j*k+i] / f.at(max(value, last))
		}
	}
	toRitz = vec.Product64(r.c, toRitz, r.cols, k, k)
	if err := r.sums.MulNN(ctx, columns(images, 0, k), 0, 1, images, vec.Float32s(toRitz), r.opts.Workers); err != nil {
		return false, err
	}
	c, given := r.c, r.given
	r.start, r.images, r.cols = r.images, r.start, k
	if err := r.span(ctx); err != nil {
		return false, err
	}
	cross, err := r.inner(ctx, start, columns(r.start, 0, r.cols))
	if err != nil {
		return false, err
	}
	both := vec.Product64(transposedTimes(c, cross, k, start.Cols, r.cols), r.c, k, r.cols, r.first) // the old Vᵀ·V
	r.given = transposedTimes(both, given, r.first, k, r.asGiven)
	return true, nil
}

// Amplifiable reports whether Refine amplifies a start with so many rows and columns, instead of
// giving up.
func Amplifiable(rows, cols int) bool { return rows >= amplifiedRows*cols }

const (
	// amplifiedRows is the number of rows for each column from which amplifying a start and a step
	// take less time than a solve: half of it with 100 rows for a column, 0.8 to 1.06 with 32. With
	// fewer they take longer, because the matrices of the order of the columns do.
	amplifiedRows = 30

	// The polynomial stays within ±1 from −‖N‖ up to amplifiedGap·‖N‖ below an eigenvalue of the start
	// that a few others are below: the last ones may be of vectors that the change has broken.
	// Eigenvectors within the gap are hardly reduced, but leave a residual of at most the gap times
	// their share of a vector.
	amplifiedShare = 94 // per cent
	amplifiedGap   = 0.05

	// The degree of the polynomial is 1.5 times the length of the middle direction of the residual,
	// in tolerances, at least 2. Higher ones need too many products, and make the vectors too unequal.
	mostAmplified = 6
)

// polynomial sets images, the products of the columns of x, to p(N)·x.
func (r *refiner) polynomial(ctx context.Context, f filter, x, images vec.Panel) error {
	scale, shift := float32(1/f.half), float32(-f.center/f.half)
	r.products += (f.degree - 1) * x.Cols
	size := x.Rows * Width
	step := r.step()
	for lo := 0; lo < x.Cols; lo += step {
		hi := min(lo+step, x.Cols)
		r.load(r.x, columns(x, lo, hi))
		r.load(r.y, columns(images, lo, hi))
		before, now := r.x, r.y
		used := (hi - lo + Width - 1) / Width * size
		vec.Parallel(used, rowBlock*Width, r.opts.Workers, func(_, lo, hi int) {
			for i, value := range before[lo:hi] {
				now[lo+i] = scale*now[lo+i] + shift*value
			}
		})
		for range f.degree - 1 { // T_{i+1} = 2 z T_i − T_{i−1}
			for at := 0; at < used; at += size {
				if err := r.op.Apply(ctx, before[at:at+size], now[at:at+size], 2*scale, 2*shift, -1); err != nil {
					return err
				}
			}
			before, now = now, before
		}
		for at := 0; at < used; at += size {
			r.project(now[at : at+size]) // p makes much of rounding errors
		}
		r.store(columns(images, lo, hi), now)
	}
	return ctx.Err()
}
