package eigen

import (
	"context"
	"math"
	"slices"

	"heavytail/storage/vec"
)

// Polar returns the factor with orthonormal rows of the polar decomposition of the row-major matrix m,
// of rows × cols and not taller than wide, to the precision of float32. Where singular values are less
// than about 1e-5 of the largest, it is completed. It is rows of the identity for a matrix of
// zeros, or one that is not finite.
//
// It is Newton–Schulz iteration (Higham, Functions of Matrices, 8.3), which consists of products
// alone. A step maps a singular value s to 1.5·ρs − 0.5·(ρs)³, with a factor ρ that makes it longer
// at first (Chen and Chow, A Stable Scaling of Newton–Schulz for Improving the Sign Function
// Computation, 2014): after settled steps, values from 0.01 of the largest are 1. If others are left,
// as many steps more take those from 1e-5 to 1, before the rest is completed.
func Polar(ctx context.Context, m []float64, rows, cols int) ([]float64, error) {
	tall, err := polar(ctx, transposed(m, rows, cols), cols, rows)
	if err != nil {
		return nil, err
	}
	return transposed(tall, cols, rows), nil
}

// polar is Polar of the transposed matrix, which has at least as many rows as columns.
func polar(ctx context.Context, m []float64, rows, cols int) ([]float64, error) {
	const least, settled, near, most = 0.01, 8, 1e-3, 100
	x := &vec.Matrix{Rows: rows, Dim: cols, Data: make([]float32, rows*cols)}
	if size := 1.1 * math.Sqrt(power(m, rows, cols)); size > 0 && !math.IsInf(size, 0) { // power estimates from below
		for i, value := range m {
			x.Data[i] = float32(value / size)
		}
	}
	var sums vec.Sums
	panel, gram, c := x.Panel(0, cols), make([]float64, cols*cols), make([]float32, cols*cols)
	for low, step := least, 0; step < most; step++ {
		if err := sums.MulTN(ctx, gram, panel, panel, 1); err != nil {
			return nil, err
		}
		far := vec.Dot64(gram, gram) + float64(cols) // ‖I − XᵀX‖², the sum of (1 − s²)²
		for i := 0; i < len(gram); i += cols + 1 {
			far -= 2 * gram[i]
		}
		if step == 2*settled && far > missing {
			complete(x, gram)
			continue
		}
		if step == settled && far > missing {
			low = least
		}
		rho := math.Sqrt(3 / (1 + low + low*low))
		for i, value := range gram {
			c[i] = float32(-0.5 * rho * rho * rho * value)
		}
		for i := 0; i < len(c); i += cols + 1 {
			c[i] += float32(1.5 * rho)
		}
		if err := sums.MulNN(ctx, panel, 0, 1, panel, c, 1); err != nil {
			return nil, err
		}
		if far < near*near {
			break
		}
		low = rho * low * (3 - square(rho*low)) / 2
	}
	return float64s(x.Data), nil
}

// missing is the part of the trace of I − XᵀX that counts as rounding errors.
const missing = 0.3

// complete adds to X an orthogonal map from the directions that it maps to nearly 0 to directions that
// it reaches nowhere, given XᵀX, which it overwrites.
func complete(x *vec.Matrix, gram []float64) {
	wide := float64s(x.Data)
	z := remainder(gram, x.Dim)
	w := remainder(timesTransposed(wide, wide, x.Rows, x.Dim, x.Rows), x.Rows)
	rank := min(len(z)/x.Dim, len(w)/x.Rows)
	for i, value := range transposedTimes(w[:rank*x.Rows], z[:rank*x.Dim], x.Rows, rank, x.Dim) {
		x.Data[i] += float32(value)
	}
}

// remainder returns rows l with lᵀ·l near I − gram, by Cholesky's factorisation with pivots. They are
// orthonormal if I − gram is a projection.
func remainder(gram []float64, k int) (rows []float64) {
	for i := range gram {
		gram[i] = -gram[i]
	}
	for i := 0; i < len(gram); i += k + 1 {
		gram[i]++
	}
	for range k {
		trace, best := 0.0, 0
		for i := 0; i < len(gram); i += k + 1 {
			if trace += gram[i]; gram[i] > gram[best] {
				best = i
			}
		}
		if trace <= missing {
			break
		}
		pivot := slices.Clone(gram[best/k*k:][:k])
		for i, length := 0, math.Sqrt(gram[best]); i < k; i++ {
			pivot[i] /= length
		}
		for i, value := range pivot {
			vec.Axpy64(-value, pivot, gram[i*k:(i+1)*k])
		}
		rows = append(rows, pivot...)
	}
	return rows
}

func float64s(a []float32) []float64 {
	b := make([]float64, len(a))
	for i, x := range a {
		b[i] = float64(x)
	}
	return b
}
