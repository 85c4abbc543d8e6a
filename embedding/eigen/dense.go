package eigen

import (
	"context"
	"math"

	"heavytail/storage/vec"
)

// solveDense computes the entries of the matrix, from products with the unit
// vectors, and the eigenpairs with Symmetric. It is for orders up to slightly
// more than the number of columns of the Lanczos basis.
func solveDense(ctx context.Context, op Operator, known int, opts Options) (*Result, error) {
	n := op.Size()
	a := make([]float64, n*n)
	x := make([]float32, n*Width)
	y := make([]float32, n*Width)
	projector, _ := op.(Projector)
	products := 0
	// Known eigenvectors are moved below the spectrum: PNP − c·(I − P) with
	// c twice a bound of the spectrum.
	complement := make([]float64, 0, n*n)
	for lo := 0; lo < n; lo += Width {
		clear(x)
		for j := range min(Width, n-lo) {
			x[(lo+j)*Width+j] = 1
		}
		if known > 0 {
			projector.Project(x)
		}
		if err := op.Apply(ctx, y, x, 1, 0, 0); err != nil {
			return nil, err
		}
		products += min(Width, n-lo)
		if known > 0 {
			projector.Project(y)
		}
		for j := range min(Width, n-lo) {
			for i := range n {
				a[i*n+lo+j] = float64(y[i*Width+j])
			}
			if known > 0 {
				for i := range n {
					v := -float64(x[i*Width+j])
					if i == lo+j {
						v++
					}
					complement = append(complement, v)
				}
			}
		}
	}
	if known > 0 {
		vec.Axpy64(-2*(1+rowSumNorm(a, n)), complement, a)
	}
	_, vectors, err := eigenpairsOf(a, make([]float64, spaceOf(n)), n, opts.Workers, func([]float64) int { return opts.K })
	if err != nil {
		return nil, err
	}
	out := vec.NewMatrix(n, opts.Lead+opts.K)
	for j := range opts.K {
		for i := range n {
			out.Row(i)[opts.Lead+j] = float32(vectors[j*n+i])
		}
	}
	result, err := measureIn(ctx, op, out, opts.Lead, opts)
	if err != nil {
		return nil, err
	}
	result.Products += products
	return result, nil
}

// rowSumNorm returns the largest sum of magnitudes of a row, a bound on every
// eigenvalue.
func rowSumNorm(a []float64, n int) float64 {
	largest := 0.0
	for i := range n {
		sum := 0.0
		for _, v := range a[i*n : (i+1)*n] {
			sum += math.Abs(v)
		}
		largest = max(largest, sum)
	}
	return largest
}
