package index

import (
	"context"
	"fmt"
	"math"

	"heavytail/storage/vec"
)

// JoinOptions sets how a pass over all pairs runs. The zero value works.
type JoinOptions struct {
	Workers int // number of goroutines, 0 means GOMAXPROCS

	// Progress, if not nil, is told how many of the pairs of rows are done,
	// under the stage "joining", from one goroutine at a time and at most about
	// 20 times a second.
	Progress func(stage string, done, total int64)
}

// Join calls yield for every row u in ascending order with its neighbours: all
// v > u within the radius, ascending. Each pair within the radius so comes
// once. The slice is valid during the call only. An error of yield ends the
// join and is returned as it is.
//
// A pair is within if float64(vec.L2Squared(row u, row v)) ≤ radius².
func Join(ctx context.Context, m *vec.Matrix, radius float64, opts JoinOptions, yield func(u uint32, neighbours []uint32) error) error {
	if err := checkShape(m); err != nil {
		return err
	}
	if err := checkRadius(radius); err != nil {
		return err
	}
	var row []uint32
	for u := range m.Rows {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("index: join: %w", err)
		}
		row = row[:0]
		for v := u + 1; v < m.Rows; v++ {
			if float64(vec.L2Squared(m.Row(u), m.Row(v))) <= radius*radius {
				row = append(row, uint32(v))
			}
		}
		if err := yield(uint32(u), row); err != nil {
			return err
		}
	}
	return nil
}

func checkRadius(radius float64) error {
	if !(radius >= 0) || math.IsInf(radius, 1) {
		return fmt.Errorf("index: radius %v: %w", radius, ErrRadius)
	}
	return nil
}
