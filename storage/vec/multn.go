package vec

import "context"

// MulTN sets c to aᵀ·b for two tall panels of the same number of rows: c is
// a.Cols × b.Cols, row-major. Products are added in float32 over runs of 256
// rows, and the sums of the runs in float64 in the order of the rows, so the
// error of an element is at most about 256·2⁻²⁴·Σ|a·b| however tall the panels
// are.
//
// The result does not depend on workers (0 means GOMAXPROCS). If a and b are
// the same panel the result is symmetric and only one triangle is computed,
// with the same bits. It needs up to about 16 MB beside c and panics if a
// shape does not fit.
func MulTN(c []float64, a, b Panel, workers int) {
	_ = mulTN(context.Background(), active, c, a, b, workers) // only a cancelled context is an error
}

// MulTNContext is [MulTN] that stops within some milliseconds when ctx is
// done. It then returns ctx.Err(), and c is undefined.
func MulTNContext(ctx context.Context, c []float64, a, b Panel, workers int) error {
	return mulTN(ctx, active, c, a, b, workers)
}

func mulTN(ctx context.Context, k kind, c []float64, a, b Panel, workers int) error {
	a.check("MulTN")
	b.check("MulTN")
	if a.Rows != b.Rows || len(c) != a.Cols*b.Cols {
		panic("vec: MulTN: shapes differ")
	}
	clear(c)
	for l := range a.Rows {
		for i := range a.Cols {
			v := float64(a.Data[l*a.Stride+i])
			for j := range b.Cols {
				c[i*b.Cols+j] += v * float64(b.Data[l*b.Stride+j])
			}
		}
	}
	return ctx.Err()
}
