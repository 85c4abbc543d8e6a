package graphs_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"heavytail/query/graphs"
	"heavytail/query/internal/querytest"
	"heavytail/storage"
)

// TestEachVertex expects the iterators to yield what the lists have, to begin only
// when they are read, to end early with the loop, and
// to end with the error of a cancelled context.
func TestEachVertex(t *testing.T) {
	t.Parallel()
	db, ctx := querytest.Open(t, nil), t.Context()
	if _, err := db.Graphs().Create(ctx, "g"); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Graphs().InsertEdges(ctx, "g", []storage.Edge{{Source: "a", Target: "b"}, {Source: "a", Target: "c"}, {Source: "c", Target: "d"}}); err != nil {
		t.Fatal(err)
	}
	all, err := db.Graphs().Vertices(ctx, graphs.VerticesRequest{})
	if err != nil || len(all.Vertices) != 4 {
		t.Fatalf("%+v, %v", all, err)
	}
	var list []graphs.VertexRow
	for v, err := range db.Graphs().EachVertex(ctx, graphs.VerticesRequest{}) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, v)
	}
	if !reflect.DeepEqual(list, all.Vertices) {
		t.Errorf("%+v, want %+v", list, all.Vertices)
	}
	near, err := db.Graphs().Neighbors(ctx, graphs.NeighborsRequest{Vertex: "a"})
	if err != nil || len(near.Neighbors) != 2 {
		t.Fatalf("%+v, %v", near, err)
	}
	var first []graphs.NeighborRow
	for n, err := range db.Graphs().EachNeighbor(ctx, graphs.NeighborsRequest{Vertex: "a"}) {
		if err != nil {
			t.Fatal(err)
		}
		first = append(first, n)
		break
	}
	if !reflect.DeepEqual(first, near.Neighbors[:1]) {
		t.Errorf("%+v, want %+v", first, near.Neighbors[:1])
	}

	stopped, cancel := context.WithCancel(ctx)
	later := db.Graphs().EachVertex(stopped, graphs.VerticesRequest{})
	cancel()
	rows := 0
	for v, err := range later {
		rows++
		if !errors.Is(err, context.Canceled) || v.Vertex != "" {
			t.Errorf("%+v, %v", v, err)
		}
	}
	unknown := 0
	for _, err := range db.Graphs().EachNeighbor(ctx, graphs.NeighborsRequest{Vertex: "x"}) {
		unknown++
		if !errors.Is(err, storage.ErrNotFound) {
			t.Error(err)
		}
	}
	if rows != 1 || unknown != 1 {
		t.Errorf("%d and %d rows with an error", rows, unknown)
	}
}
