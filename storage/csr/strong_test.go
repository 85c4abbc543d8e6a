package csr_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"heavytail/storage/csr"
)

// reachable are the pairs of vertices of which the first has a way to the second.
func reachable(d *csr.Directed) [][]bool {
	n := d.Vertices()
	reaches := make([][]bool, n)
	for v := range reaches {
		reaches[v] = make([]bool, n)
		reaches[v][v] = true
		for _, u := range d.Out.Neighbors(uint32(v)) {
			reaches[v][u] = true
		}
	}
	for via := range n {
		for v := range n {
			for u := range n {
				reaches[v][u] = reaches[v][u] || reaches[v][via] && reaches[via][u]
			}
		}
	}
	return reaches
}

// TestStrongComponents_Naive compares with the pairs that reach each other, by the numbers of the
// undirected graph in which each such pair is an edge.
func TestStrongComponents_Naive(t *testing.T) {
	for seed := range uint64(300) {
		d, _, _ := randomDirected(rand.New(rand.NewPCG(seed, 2)))
		reaches := reachable(d)
		var mutual []csr.Edge
		for v := range reaches {
			for u := range v {
				if reaches[v][u] && reaches[u][v] {
					mutual = append(mutual, csr.Edge{U: uint32(u), V: uint32(v)})
				}
			}
		}
		g, err := csr.FromEdges(d.Vertices(), mutual)
		if err != nil {
			t.Fatal(err)
		}
		want := g.Components()
		if got := d.StrongComponents(); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: %v, want %v", seed, got, want)
		}
		if got := d.Reversed().StrongComponents(); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d, reversed: %v, want %v", seed, got, want)
		}
		if got, want := d.WeakComponents(), d.Undirected().Components(); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: weak %v, want %v", seed, got, want)
		}
	}
}

// TestStrongComponents_Deep has a way through all vertices, which a recursion would not survive, and
// then closes it.
func TestStrongComponents_Deep(t *testing.T) {
	const n = 1_000_000
	out := csr.Rows{Offsets: make([]int64, n+1), Targets: make([]uint32, n-1, n)}
	for v := range n - 1 {
		out.Targets[v] = uint32(v + 1)
		out.Offsets[v+1] = int64(v + 1)
	}
	out.Offsets[n] = n - 1
	if c := csr.NewDirected(out).StrongComponents(); c.Count() != n || c.Label[n-1] != n-1 {
		t.Errorf("%d components", c.Count())
	}
	out.Targets, out.Offsets[n] = append(out.Targets, 0), n
	if c := csr.NewDirected(out).StrongComponents(); c.Count() != 1 {
		t.Errorf("%d components of a cycle", c.Count())
	}
}

func TestStrongComponents_Empty(t *testing.T) {
	for _, out := range []csr.Rows{{}, {Offsets: []int64{0}}} {
		d := csr.NewDirected(out)
		if c := d.StrongComponents(); c.Count() != 0 {
			t.Error(c)
		}
		if c := d.WeakComponents(); c.Count() != 0 {
			t.Error(c)
		}
	}
}
