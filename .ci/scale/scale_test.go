package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heavytail/storage"
	"heavytail/storage/csr"
)

// pair is an arc, or a machine and a vertex.
type pair struct{ a, b uint32 }

// The counts of every division are those that sets of rows give.
func TestDivision_Count(t *testing.T) {
	c := PartitionConfig{Vertices: []int{300}, M: 3, Hub: 0.5, Machines: 9, Seed: 4}
	g, err := c.graph(t.Context(), 300)
	if err != nil {
		t.Fatal(err)
	}
	if d := g.Degree(299); d < 100 || d > 200 {
		t.Fatalf("the hub has %d neighbours", d)
	}
	list := divisions(g, c)
	if len(list) != 7 {
		t.Fatalf("%d divisions", len(list))
	}
	for _, d := range list {
		got, err := d.count(t.Context(), g, c.Machines)
		if err != nil {
			t.Fatal(err)
		}
		arcs, received := make([]int64, c.Machines), make([]int64, c.Machines)
		rows, sums := map[pair]bool{}, map[pair]bool{}
		at := int64(0)
		for _, u := range d.order {
			for _, v := range g.Neighbors(u) {
				p := d.arc(u, v, at)
				at++
				arcs[p]++
				if d.owner[v] != p {
					rows[pair{uint32(p), v}] = true
				}
				if d.owner[u] != p {
					sums[pair{uint32(p), u}] = true
				}
			}
		}
		for r := range rows {
			received[r.a]++
		}
		for s := range sums {
			received[d.owner[s.b]]++
		}
		if !slices.Equal(got.arcs, arcs) || !slices.Equal(got.received, received) {
			t.Errorf("%s: arcs %v, rows %v; want %v, %v", d.name, got.arcs, got.received, arcs, received)
		}
		if want := float64(300+len(rows)) / 300; got.copies != want {
			t.Errorf("%s: %g copies, want %g", d.name, got.copies, want)
		}
		if strings.Contains(d.name, "equal blocks") && slices.Max(got.arcs)-slices.Min(got.arcs) > 1 {
			t.Errorf("%s: blocks of %v arcs", d.name, got.arcs)
		}
		if strings.HasPrefix(d.name, "equal rows") && slices.Max(got.owned)-slices.Min(got.owned) > 1 {
			t.Errorf("%s: %v vertices", d.name, got.owned)
		}
		if strings.Contains(d.name, "grid") && got.copies > 3 {
			t.Errorf("%s: %g copies of a vertex, where a column has 3 machines", d.name, got.copies)
		}
	}
}

// A table is the same each time, and a run that is cancelled ends.
func TestPartition(t *testing.T) {
	c := PartitionConfig{Vertices: []int{500, 1000}, M: 4, Machines: 16, Seed: 1}
	first, err := Partition(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if rows := strings.Count(first, "\n| "); rows != 2*7+1 {
		t.Errorf("%d rows:\n%s", rows, first)
	}
	if again, err := Partition(t.Context(), c); err != nil || again != first {
		t.Errorf("another table, %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Partition(ctx, c); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	for _, wrong := range []PartitionConfig{
		{Vertices: []int{500}, M: 4, Machines: 1},
		{Vertices: []int{500}, M: 4, Machines: 4, Hub: 2},
		{Vertices: []int{3}, M: 1, Machines: 4},
		{Vertices: []int{500}, M: 500, Machines: 4},
		{M: 1, Machines: 4},
	} {
		if _, err := Partition(t.Context(), wrong); err == nil {
			t.Errorf("%+v is accepted", wrong)
		}
	}
}

// Both sides of Disk give the same vectors within the memory for edges, for a hub whose edges
// do not fit into a buffer, for weights, and for deleted vertices.
func TestDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: measures files of 12,000 edges")
	}
	path := filepath.Join(t.TempDir(), "g.ht")
	db, err := storage.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	var edges []csr.Edge
	for v := uint32(1); v < 4000; v++ {
		edges = append(edges, csr.Edge{U: 0, V: v}, csr.Edge{U: v, V: v * 7 % 4000}, csr.Edge{U: v, V: v * v % 3999})
	}
	g, err := csr.FromEdges(4000, edges)
	if err != nil {
		t.Fatal(err)
	}
	keys := func(v uint32) string { return fmt.Sprint(v) }
	for _, name := range []string{"plain", "weights"} {
		if name == "weights" {
			g.Weights = make([]float32, len(g.Targets))
			for v := range uint32(4000) {
				for i, u := range g.Neighbors(v) {
					g.Weights[g.Offsets[v]+int64(i)] = 1 + float32((u+v)%5)
				}
			}
		}
		if _, err := db.PutGraph(t.Context(), name, storage.PutGraphRequest{Graph: g, Keys: keys}); err != nil {
			t.Fatal(err)
		}
		if err := db.Update(t.Context(), func(x *storage.Tx) error {
			_, err := x.DeleteVertices(name, []string{"17", "3000"})
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"plain", "weights"} {
		report, err := Disk(t.Context(), DiskConfig{File: path, Graph: name, Dim: 4, Fraction: 0.1, Side: Both})
		if err != nil || !strings.Contains(report, "coordinates are equal, bit for bit") {
			t.Errorf("%s: %v\n%s", name, err, report)
		}
	}
	for _, side := range []string{InMemory, OnDisk} {
		report, err := Disk(t.Context(), DiskConfig{File: path, Graph: "plain", Dim: 2, Fraction: 1, Side: side, Workers: 1})
		if err != nil || strings.Count(report, "\n| ") != 2 {
			t.Errorf("%s: %v\n%s", side, err, report)
		}
	}
	if _, err := Disk(t.Context(), DiskConfig{File: path, Graph: "none", Dim: 2, Fraction: 1, Side: Both}); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("no such graph: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Disk(ctx, DiskConfig{File: path, Graph: "plain", Dim: 2, Fraction: 1, Side: Both}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
