package storage

import (
	"context"
	"errors"
	"slices"
	"testing"

	"heavytail/storage/csr"
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
			for steps := range 4 {
				within := around(s.Graph, u, steps)
				cost := int64(0)
				for _, w := range within {
					cost += int64(rowCost + s.Graph.Degree(w))
				}
				if a, err := v.Around(u, steps, cost-1); err != nil || a.Graph != nil {
					t.Errorf("%d steps below the cost of vertex %d: %+v, %v", steps, u, a, err)
				}
				a, err := v.Around(u, steps, cost)
				if err != nil || a.Cost != cost || a.Vertices[a.Vertex] != u || !slices.Equal(a.Vertices, around(s.Graph, u, steps+1)) {
					t.Fatalf("%d steps around vertex %d: %+v, %v, expected cost %d", steps, u, a, err, cost)
				}
				for i, x := range a.Vertices {
					var row, want []uint32
					for _, w := range a.Graph.Neighbors(uint32(i)) {
						row = append(row, a.Vertices[w])
					}
					if slices.Contains(within, x) {
						want = s.Graph.Neighbors(x)
					}
					if !slices.Equal(row, want) {
						t.Errorf("%d steps around %d: vertex %d has %v, expected %v", steps, u, x, row, want)
					}
				}
			}
		}
		if _, err := v.Around(38, 1, 1000); !errors.Is(err, ErrInvalid) {
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

// around lists the vertices within steps edges of u, ascending.
func around(g *csr.Graph, u uint32, steps int) []uint32 {
	list := []uint32{u}
	for range steps {
		for _, w := range slices.Clone(list) {
			list = append(list, g.Neighbors(w)...)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
