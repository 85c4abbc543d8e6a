package vec

import "context"

// MulNN sets y to beta·y + alpha·a·c for a tall panel a and a small matrix c
// of a.Cols × y.Cols, row-major. With beta 0 the old y is not read and may
// hold anything.
//
// y may alias a if row i of both lies in the same row of one matrix, that is,
// if the two are column ranges, overlapping or not, of one matrix: every row
// is read before it is written. The result does not depend on workers (0 means
// GOMAXPROCS). The error of an element is at most about
// (a.Cols+2)·2⁻²⁴·Σ|a·c|·|alpha|. MulNN panics if a shape does not fit.
func MulNN(y Panel, beta, alpha float32, a Panel, c []float32, workers int) {
	_ = mulNN(context.Background(), active, y, beta, alpha, a, c, workers) // only a cancelled context is an error
}

// MulNNContext is [MulNN] that stops within some milliseconds when ctx is
// done. It then returns ctx.Err(), and y is undefined.
func MulNNContext(ctx context.Context, y Panel, beta, alpha float32, a Panel, c []float32, workers int) error {
	return mulNN(ctx, active, y, beta, alpha, a, c, workers)
}

func mulNN(ctx context.Context, k kind, y Panel, beta, alpha float32, a Panel, c []float32, workers int) error {
	y.check("MulNN")
	a.check("MulNN")
	if y.Rows != a.Rows || len(c) != a.Cols*y.Cols {
		panic("vec: MulNN: shapes differ")
	}
	sum := make([]float32, y.Cols)
	for l := range a.Rows {
		clear(sum)
		for i := range a.Cols {
			axpy(k, a.Data[l*a.Stride+i], c[i*y.Cols:][:y.Cols], sum)
		}
		row := y.Data[l*y.Stride:][:y.Cols]
		for j, v := range sum {
			if beta == 0 {
				row[j] = alpha * v
			} else {
				row[j] = beta*row[j] + alpha*v
			}
		}
	}
	return ctx.Err()
}
