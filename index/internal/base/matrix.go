package base

import (
	"context"
	"fmt"
	"heavytail/storage/vec"
	"math"
	"runtime"
)

// CheckShape returns an error if the data of a matrix do not match its sizes.
func CheckShape(m *vec.Matrix) error {
	if m.Rows < 0 || m.Dim < 0 || len(m.Data) != m.Rows*m.Dim {
		return fmt.Errorf("matrix of %d × %d with %d values: %w", m.Rows, m.Dim, len(m.Data), ErrDimension)
	}
	if uint64(m.Rows) > math.MaxUint32 {
		return fmt.Errorf("matrix of %d rows: %w", m.Rows, ErrDimension)
	}
	return nil
}

func Finite(x float32) bool {
	const exponent = 0x7f800000
	return math.Float32bits(x)&exponent != exponent
}

// CheckFinite looks for the first value that is NaN or infinite. When ctx ends
// it returns no error.
func CheckFinite(ctx context.Context, m *vec.Matrix, workers int) error {
	block := ScanRows(m.Dim)
	bad := make([]int, (m.Rows+block-1)/block)
	vec.Parallel(m.Rows, block, workers, func(b, lo, hi int) {
		bad[b] = -1
		if ctx.Err() != nil {
			return
		}
		for i, x := range m.Data[lo*m.Dim : hi*m.Dim] {
			if !Finite(x) {
				bad[b] = lo*m.Dim + i
				return
			}
		}
	})
	for _, at := range bad {
		if at >= 0 {
			return fmt.Errorf("matrix: row %d, column %d is %v: %w", at/m.Dim, at%m.Dim, m.Data[at], ErrNotFinite)
		}
	}
	return nil
}

// ScanRows is the number of vectors of one block of a scan: about 256 KB, 15
// µs of memory traffic, between two checks of the context.
func ScanRows(dim int) int { return max(1, (1<<16)/max(dim, 1)) }

// Processors returns how many goroutines are asked for; 0 means GOMAXPROCS.
func Processors(asked int) int {
	if asked <= 0 {
		return runtime.GOMAXPROCS(0)
	}
	return asked
}
