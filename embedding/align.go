package embedding

import (
	"context"
	"fmt"
	"math"

	"heavytail/storage/vec"
)

// Align returns rows rotated to where those of another embedding are: rows·R for
// the orthogonal R that brings them nearest in the least squares of all entries,
// and how far they still are, ‖rows·R − onto‖ / ‖onto‖. Row v of both belongs to
// the same vertex. The coordinates of two runs of a method are not comparable
// otherwise: eigenvectors come with any sign and turn among near eigenvalues, and
// skip-gram begins anywhere. Scalar products and distances stay as they are.
//
// It takes O(n·k² + k³) and 4·n·k bytes. The result does not depend on the number
// of workers. Shapes that differ are ErrOptions.
func Align(ctx context.Context, rows, onto *vec.Matrix, workers int) (*vec.Matrix, float64, error) {
	if rows.Rows != onto.Rows || rows.Dim != onto.Dim {
		return nil, 0, fmt.Errorf("%w: %d rows of %d coordinates to be aligned with %d of %d", ErrOptions, rows.Rows, rows.Dim, onto.Rows, onto.Dim)
	}
	k := rows.Dim
	out := vec.NewMatrix(rows.Rows, k)
	cross := make([]float64, k*k)
	if err := vec.MulTNContext(ctx, cross, rows.Panel(0, k), onto.Panel(0, k), workers); err != nil {
		return nil, 0, fmt.Errorf("embedding: align: %w", err)
	}
	if err := vec.MulNNContext(ctx, out.Panel(0, k), 0, 1, rows.Panel(0, k), vec.Float32s(rotation(cross, k)), workers); err != nil {
		return nil, 0, fmt.Errorf("embedding: align: %w", err)
	}
	left, all := 0.0, 0.0
	for i, x := range onto.Data {
		d := float64(x) - float64(out.Data[i])
		left += d * d
		all += float64(x) * float64(x)
	}
	if all == 0 {
		return out, math.Sqrt(left), nil
	}
	return out, math.Sqrt(left / all), nil
}
