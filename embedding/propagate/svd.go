package propagate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"heavytail/embedding/eigen"
	"heavytail/storage/vec"
)

// oversampling is the number of columns that a randomised factorisation computes in
// addition to the wanted ones.
const oversampling = 16

// multiply sets a matrix to a product with another one.
type multiply func(ctx context.Context, to, from *vec.Matrix) error

// leftFactor returns n × k the vectors U·Σ^½ of the truncated singular value decomposition
// of an n × n matrix, by randomised subspace iteration (Halko, Martinsson and Tropp,
// "Finding Structure with Randomness", SIAM Review 2011, algorithms 4.4 and 5.1): times
// and transposed are the products with the matrix and with its transpose.
//
// Columns beyond the rank are zero. Cost: 2·iterations + 2 products with k + 16 columns,
// and as many Gram matrices. Memory: two matrices of these columns; the result is in that of one.
func (p *products) leftFactor(ctx context.Context, n, k, iterations int, seed uint64, times, transposed multiply) (*vec.Matrix, error) {
	columns := min(n, k+oversampling)
	q, other := vec.NewMatrix(n, columns), vec.NewMatrix(n, columns)
	random := rand.New(rand.NewPCG(seed, 0x5bd))
	for i := range other.Data {
		other.Data[i] = float32(random.NormFloat64())
	}
	for range iterations + 1 {
		if err := times(ctx, q, other); err != nil {
			return nil, err
		}
		// Twice, because the first pass is inexact if columns are nearly parallel.
		for range 2 {
			if err := p.orthonormal(ctx, q); err != nil {
				return nil, err
			}
		}
		if err := transposed(ctx, other, q); err != nil {
			return nil, err
		}
	}
	// M ≈ Q·(MᵀQ)ᵀ, whose left vectors are Q times the eigenvectors of (MᵀQ)ᵀ(MᵀQ).
	squares, vectors, err := p.gram(ctx, other)
	if err != nil {
		return nil, err
	}
	to := other // which is not needed any more
	if k < columns {
		to = &vec.Matrix{Rows: n, Dim: k, Data: other.Data[:n*k]}
	} else if k > columns {
		to = vec.NewMatrix(n, k)
	}
	return to, p.combine(ctx, to, q, vectors, func(i int) float64 { return math.Pow(max(squares[i], 0), 0.25) })
}

// products computes products of matrices, in memory that it keeps from one to the next.
type products struct {
	workers int
	sums    vec.Sums
	spare   []float32 // of inPlace
}

// gram returns the eigenvalues of xᵀx, descending, and its eigenvectors as rows.
func (p *products) gram(ctx context.Context, x *vec.Matrix) (values, vectors []float64, err error) {
	c := make([]float64, x.Dim*x.Dim)
	if err := p.sums.MulTN(ctx, c, x.Panel(0, x.Dim), x.Panel(0, x.Dim), p.workers); err != nil {
		return nil, nil, err
	}
	values, vectors, ok := eigen.Symmetric(c, x.Dim)
	if !ok {
		return nil, nil, fmt.Errorf("%w: the eigenvalues of a Gram matrix did not converge", ErrOptions)
	}
	return values, vectors, nil
}

// combine sets column i of a matrix to x times row i of vectors times factor(i).
func (p *products) combine(ctx context.Context, to, x *vec.Matrix, vectors []float64, factor func(i int) float64) error {
	return p.sums.MulNN(ctx, to.Panel(0, to.Dim), 0, 1, x.Panel(0, x.Dim), coefficients(x.Dim, to.Dim, vectors, factor), p.workers)
}

// coefficients returns columns × k numbers, of which column i is row i of vectors times factor(i).
func coefficients(columns, k int, vectors []float64, factor func(i int) float64) []float32 {
	c := make([]float32, columns*k)
	for i := range min(k, columns) {
		f := factor(i)
		for j := range columns {
			c[j*k+i] = float32(f * vectors[i*columns+j])
		}
	}
	return c
}

// spareRows is the number of rows that inPlace copies at a time: some megabytes.
const spareRows = 1 << 13

// inPlace is combine for as many columns as x has, in the place of x.
func (p *products) inPlace(ctx context.Context, x *vec.Matrix, vectors []float64, factor func(i int) float64) error {
	c := coefficients(x.Dim, x.Dim, vectors, factor)
	if most := min(x.Rows, spareRows) * x.Dim; len(p.spare) < most {
		p.spare = make([]float32, most)
	}
	for lo := 0; lo < x.Rows; lo += spareRows {
		rows := min(spareRows, x.Rows-lo)
		to := vec.Panel{Data: x.Data[lo*x.Dim:], Rows: rows, Cols: x.Dim, Stride: x.Dim}
		from := vec.Panel{Data: p.spare, Rows: rows, Cols: x.Dim, Stride: x.Dim}
		copy(p.spare, x.Data[lo*x.Dim:(lo+rows)*x.Dim])
		if err := p.sums.MulNN(ctx, to, 0, 1, from, c, p.workers); err != nil {
			return err
		}
	}
	return nil
}

// orthonormal makes the columns of x orthonormal. Linearly dependent columns become 0.
func (p *products) orthonormal(ctx context.Context, x *vec.Matrix) error {
	values, vectors, err := p.gram(ctx, x)
	if err != nil {
		return err
	}
	return p.inPlace(ctx, x, vectors, func(i int) float64 { return inverseRoot(values, i, 0.5) })
}

// inverseRoot returns eigenvalue i of a descending list to the power −exponent, or 0 if the
// eigenvalue is only a rounding error of float32.
func inverseRoot(values []float64, i int, exponent float64) float64 {
	const rounding = 1e-10
	if !(values[i] > rounding*values[0]) {
		return 0
	}
	return math.Pow(values[i], -exponent)
}
