package csr_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/storage/csr"
)

// randomDirected returns a graph and its arcs as they were drawn.
func randomDirected(r *rand.Rand) (*csr.Directed, map[[2]uint32]float32, map[[2]uint32]int64) {
	n := 1 + r.IntN(30)
	weights, times := map[[2]uint32]float32{}, map[[2]uint32]int64{}
	for range r.IntN(4 * n) {
		u, v := uint32(r.IntN(n)), uint32(r.IntN(n))
		if u != v {
			weights[[2]uint32{u, v}] = float32(1 + r.IntN(5))
			times[[2]uint32{u, v}] = int64(r.IntN(9))
		}
	}
	out := csr.Rows{Offsets: make([]int64, n+1), Weights: []float32{}, Times: []int64{}}
	for u := range uint32(n) {
		for v := range uint32(n) {
			if w, there := weights[[2]uint32{u, v}]; there {
				out.Targets, out.Weights, out.Times = append(out.Targets, v), append(out.Weights, w), append(out.Times, times[[2]uint32{u, v}])
			}
		}
		out.Offsets[u+1] = int64(len(out.Targets))
	}
	return csr.NewDirected(out), weights, times
}

func TestDirected_Naive(t *testing.T) {
	for seed := range uint64(200) {
		d, weights, times := randomDirected(rand.New(rand.NewPCG(seed, 1)))
		if err := d.Validate(); err != nil {
			t.Fatal(err)
		}
		if err := d.Reversed().Validate(); err != nil {
			t.Fatal(err)
		}
		if d.Arcs() != int64(len(weights)) {
			t.Fatalf("%d arcs, want %d", d.Arcs(), len(weights))
		}
		g := d.Undirected()
		if err := g.Validate(); err != nil {
			t.Fatal(err)
		}
		if d.Pairs() != g.Edges() {
			t.Fatalf("%d pairs, want %d", d.Pairs(), g.Edges())
		}
		n := uint32(d.Vertices())
		var arcs []csr.Edge // in any order
		for a := range times {
			arcs = append(arcs, csr.Edge{U: a[0], V: a[1]})
		}
		if rows := csr.RowsOf(int(n), arcs); !slices.Equal(rows.Offsets, d.Out.Offsets) || !slices.Equal(rows.Targets, d.Out.Targets) {
			t.Fatalf("rows of arcs in another order: %v", rows)
		}
		before := d.Before(4)
		if err := before.Validate(); err != nil {
			t.Fatal(err)
		}
		for v := range n {
			for u := range n {
				time, there := times[[2]uint32{v, u}]
				if d.HasArc(v, u) != there || before.HasArc(v, u) != (there && time < 4) {
					t.Fatalf("arc (%d, %d) at %d: %v and %v", v, u, time, d.HasArc(v, u), before.HasArc(v, u))
				}
			}
			var row, out, in []uint32
			var sums []float32
			var latest []int64
			for u := range n {
				a, b := [2]uint32{v, u}, [2]uint32{u, v}
				if weights[a] > 0 {
					out = append(out, u)
				}
				if weights[b] > 0 {
					in = append(in, u)
				}
				if w := weights[a] + weights[b]; w > 0 {
					row, sums, latest = append(row, u), append(sums, w), append(latest, max(times[a], times[b]))
				}
			}
			if !slices.Equal(out, d.Out.Neighbors(v)) || !slices.Equal(in, d.In.Neighbors(v)) || !slices.Equal(row, g.Neighbors(v)) {
				t.Fatalf("vertex %d: out %v in %v row %v", v, d.Out.Neighbors(v), d.In.Neighbors(v), g.Neighbors(v))
			}
			lo, hi := g.Offsets[v], g.Offsets[v+1]
			if !slices.Equal(sums, g.Weights[lo:hi]) || !slices.Equal(latest, g.Times[lo:hi]) {
				t.Fatalf("vertex %d: weights %v, want %v; times %v, want %v", v, g.Weights[lo:hi], sums, g.Times[lo:hi], latest)
			}
		}
	}
}

func TestDirected_Validate(t *testing.T) {
	good := func() csr.Rows {
		return csr.Rows{Offsets: []int64{0, 2, 3, 3}, Targets: []uint32{1, 2, 0}, Weights: []float32{1, 2, 3}}
	}
	for name, spoil := range map[string]func(d *csr.Directed){
		"order":   func(d *csr.Directed) { d.Out.Targets[0], d.Out.Targets[1] = 2, 1 },
		"range":   func(d *csr.Directed) { d.Out.Targets[1] = 3 },
		"loop":    func(d *csr.Directed) { d.Out.Targets[2] = 1 },
		"weight":  func(d *csr.Directed) { d.Out.Weights[1] = 0 },
		"reverse": func(d *csr.Directed) { d.In.Weights[0] = 7 },
		"target":  func(d *csr.Directed) { d.In.Targets[0] = 2 },
		"offsets": func(d *csr.Directed) { d.Out.Offsets[1] = 9 },
		"rows":    func(d *csr.Directed) { d.In.Offsets = d.In.Offsets[:2] },
	} {
		d := csr.NewDirected(good())
		if err := d.Validate(); err != nil {
			t.Fatal(err)
		}
		spoil(d)
		if err := d.Validate(); !errors.Is(err, csr.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
