package pairs

import (
	"context"
	"testing"

	"heavytail/index/internal/indextest"
	"heavytail/storage/vec"
)

func TestEntries(t *testing.T) {
	t.Parallel()
	m := vec.NewMatrix(50, 3)
	for i := range m.Data {
		m.Data[i] = float32(i*i%17) + 1
	}
	yield := func(uint32, []uint32) error { return nil }
	indextest.TryEntries(t, map[string]indextest.Entry{
		"Join": {Numbers: []int{1}, Do: func(ctx context.Context, n []int) error { return Join(ctx, m, .5, Options{Workers: n[0]}, yield) }},
		"JoinRange": {Numbers: []int{1, 0, 9}, Do: func(ctx context.Context, n []int) error {
			return JoinRange(ctx, m, .5, n[1], n[2], Options{Workers: n[0]}, yield)
		}},
		"Moving.Join": {Numbers: []int{1}, Do: func(ctx context.Context, n []int) error {
			_, _, err := NewMoving(m.Rows, m.Dim).Join(ctx, m, .5, MovingOptions{Workers: n[0]}, yield)
			return err
		}},
		"SampleDistances": {Numbers: []int{5}, Do: func(ctx context.Context, n []int) error { _, err := SampleDistances(ctx, m, n[0], 1); return err }},
		"NewSweep": {Numbers: []int{1}, Do: func(ctx context.Context, n []int) error {
			_, err := NewSweep(ctx, m, []float64{.5}, Options{Workers: n[0]})
			return err
		}},
	})
}
