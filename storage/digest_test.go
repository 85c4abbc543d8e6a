package storage

import (
	"context"
	"errors"
	"slices"
	"testing"

	"heavytail/storage/vec"
)

// Each part of the digest changes exactly when its part of the content changes, wherever
// the change is in a long list, and neither with the version nor with the slots of the
// vertices.
func TestSnapshot_Digest(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: reads a graph again and again")
	}
	t.Parallel()
	ctx := context.Background()
	db := newStore(t, nil)
	const long = 70_000 // more than one piece
	putRing(t, db, "a", long)
	putRing(t, db, "b", long)
	digest := func(name string) (GraphDigest, *Snapshot) {
		t.Helper()
		s, err := db.Snapshot(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		d, err := s.Digest(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return d, s
	}
	a, s := digest("a")
	if b, _ := digest("b"); a != b || len(a.Keys) != 32 || len(a.Edges) != 32 || a.Weights != "" || a.Times != "" || a.Keys == a.Edges {
		t.Errorf("%+v and %+v of equal graphs", a, b)
	}
	update(t, db, func(x *Tx) error { // a vertex that comes and goes leaves an empty slot and two versions
		_, err := x.InsertEdges("b", []Edge{{Source: "comes", Target: s.Key(0)}})
		return err
	})
	if b, _ := digest("b"); a.Keys == b.Keys || a.Edges == b.Edges {
		t.Errorf("%+v after a new vertex", b)
	}
	update(t, db, func(x *Tx) error {
		_, err := x.DeleteVertices("b", []string{"comes"})
		return err
	})
	if b, other := digest("b"); a != b || other.Info.Version == s.Info.Version {
		t.Errorf("%+v and %+v of equal graphs in versions %d and %d", a, b, s.Info.Version, other.Info.Version)
	}
	update(t, db, func(x *Tx) error {
		if _, err := x.DeleteEdges("b", []Edge{{Source: s.Key(0), Target: s.Key(1)}}); err != nil {
			return err
		}
		_, err := x.InsertEdges("b", []Edge{{Source: s.Key(0), Target: s.Key(2)}})
		return err
	})
	if b, _ := digest("b"); a.Keys != b.Keys || a.Edges == b.Edges {
		t.Errorf("%+v and %+v of graphs with other edges", a, b)
	}

	// What storage cannot easily change is changed in copies of the snapshot.
	w := &Snapshot{Info: s.Info, keys: s.keys, slots: s.slots}
	graph := *s.Graph
	w.Graph = &graph
	graph.Weights, graph.Times = make([]float32, len(graph.Targets)), make([]int64, len(graph.Targets))
	first, err := w.Digest(ctx)
	if err != nil || first.Keys != a.Keys || first.Edges != a.Edges || first.Weights == "" || first.Times == "" {
		t.Fatalf("%+v, %v", first, err)
	}
	for _, at := range []int{0, 1<<16 - 1, 1 << 16, len(graph.Targets) - 1} {
		graph.Weights[at]++
		d, _ := w.Digest(ctx)
		graph.Weights[at]--
		graph.Times[at]++
		e, _ := w.Digest(ctx)
		graph.Times[at]--
		if d.Weights == first.Weights || d.Times != first.Times || e.Times == first.Times || e.Weights != first.Weights {
			t.Errorf("place %d: %+v and %+v, %+v before", at, d, e, first)
		}
	}
	w.keys.Blob = slices.Clone(w.keys.Blob)
	w.keys.Blob[len(w.keys.Blob)-1]++
	if d, _ := w.Digest(ctx); d.Keys == first.Keys || d.Edges != first.Edges {
		t.Errorf("%+v with another key", d)
	}

	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := s.Digest(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestMatrixDigest(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	m := vec.NewMatrix(3, 4)
	seen := map[string]bool{}
	add := func(what string) {
		t.Helper()
		d, err := MatrixDigest(ctx, m)
		if err != nil || len(d) != 32 || seen[d] {
			t.Errorf("%s: %s, %v", what, d, err)
		}
		seen[d] = true
	}
	add("zeros")
	for i := range m.Data {
		m.Data[i] = 1
		add("a one more")
	}
	m.Rows, m.Dim = 4, 3
	add("another shape")
}

// The time of the digest next to that of loading the same graph.
func BenchmarkSnapshot_Digest(b *testing.B) {
	ctx := context.Background()
	db := newStore(b, nil)
	putRing(b, db, "g", 200_000)
	s, err := db.Snapshot(ctx, "g")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("of=load", func(b *testing.B) {
		for b.Loop() {
			if _, err := db.Snapshot(ctx, "g"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("of=digest", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Digest(ctx); err != nil {
				b.Fatal(err)
			}
		}
	})
}
