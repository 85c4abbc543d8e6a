package base

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"heavytail/storage/csr"
)

func star(t *testing.T, n uint32) *csr.Graph {
	t.Helper()
	var edges []csr.Edge
	for v := uint32(1); v < n; v++ {
		edges = append(edges, csr.Edge{U: 0, V: v})
	}
	g, err := csr.FromEdges(int(n), edges)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestRows_Parts(t *testing.T) {
	t.Parallel()
	g := star(t, 5000)
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
		g := star(t, n)
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
	if err := NewRows(star(t, 10)).Each(ctx, 1, func(int) { t.Error("called after the end") }); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
