package storage

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// Around has the rows of a vertex and of its neighbours as a snapshot has them, also after
// vertices were deleted, and its cost is that of its definition.
func TestGraphView_Around(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := newStore(t, nil)
	putRing(t, db, "ring", 40)
	s, err := db.Snapshot(ctx, "ring")
	if err != nil {
		t.Fatal(err)
	}
	update(t, db, func(x *Tx) error {
		_, err := x.DeleteVertices("ring", []string{s.Key(4), s.Key(20)})
		return err
	})
	if s, err = db.Snapshot(ctx, "ring"); err != nil {
		t.Fatal(err)
	}
	err = db.ViewGraph(ctx, "ring", func(v *GraphView) error {
		for u := range uint32(s.Info.Vertices) {
			neighbors := s.Graph.Neighbors(u)
			cost := int64(rowCost + len(neighbors))
			for _, w := range neighbors {
				cost += int64(rowCost + s.Graph.Degree(w))
			}
			if a, err := v.Around(u, cost-1); err != nil || a.Graph != nil {
				t.Errorf("below the cost of vertex %d: %+v, %v", u, a, err)
			}
			a, err := v.Around(u, cost)
			if err != nil || a.Cost != cost || a.Vertices[a.Vertex] != u || !slices.IsSorted(a.Vertices) {
				t.Fatalf("vertex %d: %+v, %v, expected cost %d", u, a, err, cost)
			}
			for i, x := range a.Vertices {
				var row, want []uint32
				for _, w := range a.Graph.Neighbors(uint32(i)) {
					row = append(row, a.Vertices[w])
				}
				if x == u || slices.Contains(neighbors, x) {
					want = s.Graph.Neighbors(x)
				}
				if !slices.Equal(row, want) {
					t.Errorf("around %d: vertex %d has %v, expected %v", u, x, row, want)
				}
			}
		}
		if _, err := v.Around(38, 1000); !errors.Is(err, ErrInvalid) {
			t.Errorf("a vertex that is not there: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.ViewGraph(ctx, "none", func(*GraphView) error { return nil }); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
}
