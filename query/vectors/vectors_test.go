package vectors_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"heavytail/index"
	"heavytail/query/fault"
	"heavytail/query/graphs"
	"heavytail/query/internal/querytest"
	"heavytail/query/vectors"
	"heavytail/storage"
)

// TestVectors compares vectors with the stored ones, and the distances between them, computed
// here, with those of NEAREST. Then it deletes a vertex and inserts one.
func TestVectors(t *testing.T) {
	t.Parallel()
	db, ctx := querytest.Open(t, nil), t.Context()
	querytest.TwoTriangles(t, db)
	want := map[string][]float32{"a": {0, 0}, "b": {3, 0}, "c": {0, 4}, "d": {6, 8}, "e": {6, 9}, "f": {7, 8}}
	compare := func(order ...string) {
		t.Helper()
		var keys []string
		stored := map[string][]float32{}
		for v, err := range db.Vectors().Each(ctx, "pos") {
			if err != nil {
				t.Fatal(err)
			}
			one, err := db.Vectors().Vector(ctx, "pos", v.Key)
			if err != nil || !slices.Equal(one, want[v.Key]) || !slices.Equal(v.Vector, want[v.Key]) {
				t.Errorf("%s: %v and %v, want %v, %v", v.Key, v.Vector, one, want[v.Key], err)
			}
			keys, stored[v.Key] = append(keys, v.Key), slices.Clone(one)
			one[0], v.Vector[1] = 99, 99 // the stored vectors must not change
		}
		if !slices.Equal(keys, order) {
			t.Fatalf("vertices %v, want %v", keys, order)
		}
		for _, from := range keys {
			near, err := db.Vectors().Nearest(ctx, vectors.NearestRequest{Embedding: "pos", Vertex: from, K: len(keys) - 1, Metric: index.L2})
			if err != nil || len(near.Neighbors) != len(keys)-1 {
				t.Fatalf("%+v, %v", near, err)
			}
			for _, n := range near.Neighbors {
				square := 0.0
				for i, x := range stored[from] {
					d := float64(x) - float64(stored[n.Vertex][i])
					square += d * d
				}
				if math.Abs(n.Value-math.Sqrt(square)) > 1e-5 {
					t.Errorf("%s to %s: %g, want %g", from, n.Vertex, n.Value, math.Sqrt(square))
				}
			}
		}
	}
	compare("a", "b", "c", "d", "e", "f")

	before, err := db.Graphs().Snapshot(ctx, "social")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Graphs().DeleteVertices(ctx, graphs.DeleteVerticesRequest{Graph: "social", Keys: []string{"b"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Graphs().InsertEdges(ctx, "social", []storage.Edge{{Source: "a", Target: "newer"}}); err != nil {
		t.Fatal(err)
	}
	compare("a", "c", "d", "e", "f")
	after, err := db.Graphs().Snapshot(ctx, "social")
	if err != nil {
		t.Fatal(err)
	}
	stored, err := querytest.Engine(db).Store.Snapshot(ctx, "social")
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(after.Info, stored.Info) || !reflect.DeepEqual(after.Graph, stored.Graph) || after.Key(5) != "newer" {
		t.Errorf("%+v, want %+v", after.Info, stored.Info)
	}
	if before.Info.Vertices != 6 || before.Key(1) != "b" || before.Graph.Degree(1) != 2 {
		t.Errorf("the earlier snapshot has changed: %+v", before.Info)
	}
	var mistake *fault.Error
	if _, err := db.Vectors().Vector(ctx, "pos", "newer"); !errors.As(err, &mistake) || !strings.Contains(err.Error(), "newer than embedding pos") {
		t.Error(err)
	}
	if _, err := db.Vectors().Vector(ctx, "pos", "b"); !errors.Is(err, storage.ErrNotFound) {
		t.Error(err)
	}
}

// TestVectors_Mistakes expects the nearest name for an unknown name, and the error of a context
// that ends before or during the iteration.
func TestVectors_Mistakes(t *testing.T) {
	t.Parallel()
	db, ctx := querytest.Open(t, nil), t.Context()
	querytest.ImportText(t, db, "social", "alice bob\nbob carol\n")
	if _, err := querytest.PutVectors(db, "social", "pos", "alice 0 0\nbob 3 0\ncarol 0 4"); err != nil {
		t.Fatal(err)
	}
	_, noGraph := db.Graphs().Snapshot(ctx, "socal")
	_, noEmbedding := db.Vectors().Vector(ctx, "poss", "alice")
	_, noVertex := db.Vectors().Vector(ctx, "pos", "alic")
	var noVectors error
	rows := 0
	for _, noVectors = range db.Vectors().Each(ctx, "poss") {
		rows++
	}
	for nearest, err := range map[string]error{"social": noGraph, "pos": noEmbedding, "alice": noVertex, "pos ": noVectors} {
		var mistake *fault.Error
		if !errors.As(err, &mistake) || strings.Trim(mistake.Nearest, `"'`) != strings.TrimSpace(nearest) || !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("expected the nearest name %q: %v", nearest, err)
		}
	}
	if rows != 1 {
		t.Errorf("%d rows before the error", rows)
	}

	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := db.Graphs().Snapshot(stopped, "social"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := db.Vectors().Vector(stopped, "pos", "alice"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for v, err := range db.Vectors().Each(stopped, "pos") {
		if !errors.Is(err, context.Canceled) || v.Key != "" || v.Vector != nil {
			t.Errorf("%+v, %v", v, err)
		}
	}
}
