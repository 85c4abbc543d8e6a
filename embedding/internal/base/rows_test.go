package base

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"testing"

	"heavytail/.ci/testgraph"
)

func TestRows_Parts(t *testing.T) {
	t.Parallel()
	g := testgraph.Star(t, 4999)
	rows := rowsOf(g, 1000)
	if rows[0] != 0 || rows[len(rows)-1] != 5000 {
		t.Fatalf("parts %v", rows)
	}
	for i := 1; i < len(rows); i++ {
		work := g.Offsets[rows[i]-1] - g.Offsets[rows[i-1]]
		if rows[i] <= rows[i-1] || work > 1000 && rows[i]-rows[i-1] > 1 {
			t.Fatalf("part %d is [%d, %d) with %d arcs before its last vertex", i, rows[i-1], rows[i], work)
		}
	}
}

func TestRows_Each(t *testing.T) {
	t.Parallel()
	for _, n := range []uint32{0, 1, 3000} {
		g := testgraph.Star(t, int(n)-1)
		seen := make([]atomic.Int32, n)
		if err := rowsOf(g, 100).Each(t.Context(), 3, func(v int) { seen[v].Add(1) }); err != nil {
			t.Fatal(err)
		}
		for v := range seen {
			if seen[v].Load() != 1 {
				t.Fatalf("vertex %d of %d: %d calls", v, n, seen[v].Load())
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := NewRows(testgraph.Star(t, 9)).Each(ctx, 1, func(int) { t.Error("called after the end") }); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// A measurement ends with the error of the measured function or of its context, and is
// divided by the units of work.
func TestMedianSeconds(t *testing.T) {
	calls := 0
	seconds, err := MedianSeconds(context.Background(), func() (float64, error) { calls++; return math.Inf(1), nil })
	if err != nil || seconds != 0 || calls < 9 {
		t.Errorf("%g seconds for a unit of endless work, %d calls, %v", seconds, calls, err)
	}
	wrong := errors.New("wrong")
	if _, err := MedianSeconds(context.Background(), func() (float64, error) { return 1, wrong }); !errors.Is(err, wrong) {
		t.Errorf("error is %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := MedianSeconds(ctx, func() (float64, error) { return 1, nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("error of a cancelled context is %v", err)
	}
}
