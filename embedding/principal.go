package embedding

import (
	"context"
	"math"

	"heavytail/embedding/eigen"
	"heavytail/storage/vec"
)

// Principal returns the first dim principal components of the vectors in the rows of m:
// row v of the result has the coordinates of row v, minus the mean of all rows, on the dim
// axes of largest variance, in descending order of variance. dim is from 1 to m.Dim. It
// takes n·k² + 4·k³ multiplications, a copy of the vectors and 24·k² bytes, k being m.Dim. The
// same vectors give the same bytes with any number of workers, on one kind of processor.
// Errors are that of ctx and eigen.ErrNotFinite.
func Principal(ctx context.Context, m *vec.Matrix, dim, workers int) (*vec.Matrix, error) {
	centred, c, err := covarianceOf(ctx, m, workers)
	if err != nil {
		return nil, err
	}
	for _, x := range c.entries {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, eigen.ErrNotFinite
		}
	}
	_, axes, ok := eigen.Symmetric(c.entries, c.k)
	if !ok {
		return nil, eigen.ErrNotFinite
	}
	projected := vec.NewMatrix(m.Rows, dim)
	for v := range m.Rows {
		if v%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		row, to := centred.Row(v), projected.Row(v)
		for i := range to {
			sum := 0.0
			for j, a := range axes[i*m.Dim : (i+1)*m.Dim] {
				sum += a * float64(row[j])
			}
			to[i] = float32(sum)
		}
	}
	return projected, nil
}
