package algorithms

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/storage/csr"
)

// allPaths lists the paths between two vertices that come to no vertex twice, in the order of
// ShortestPaths. Lengths are multiples of a quarter, whose sums are exact.
func allPaths(d *csr.Directed, from, to uint32, weighted bool) (list []Path) {
	var extend func(p Path)
	extend = func(p Path) {
		last := len(p.Vertices) - 1
		v := p.Vertices[last]
		if v == to {
			list = append(list, p)
			return
		}
		weights := d.Out.WeightsOf(v)
		for i, u := range d.Out.Neighbors(v) {
			if slices.Contains(p.Vertices, u) {
				continue
			}
			more := 1.0
			if weighted {
				more = lengthOf(weights, i)
			}
			extend(Path{append(slices.Clone(p.Vertices), u), append(slices.Clone(p.Lengths), p.Lengths[last]+more)})
		}
	}
	extend(Path{[]uint32{from}, []float64{0}})
	slices.SortFunc(list, func(a, b Path) int {
		return cmp.Or(cmp.Compare(a.Lengths[len(a.Lengths)-1], b.Lengths[len(b.Lengths)-1]), slices.Compare(a.Vertices, b.Vertices))
	})
	return list
}

func TestShortestPaths_Naive(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 21))
		n := 1 + r.IntN(9)
		var arcs []arc
		for range r.IntN(3*n + 1) {
			arcs = append(arcs, arc{uint32(r.IntN(n)), uint32(r.IntN(n)), float32(1+r.IntN(4)) / 4})
		}
		d := directedOf(n, seed%2 == 0, arcs...)
		g := d.Undirected()
		both := csr.NewDirected(csr.Rows{Offsets: g.Offsets, Targets: g.Targets, Weights: g.Weights})
		for range 6 {
			from, to, k, weighted := uint32(r.IntN(n)), uint32(r.IntN(n)), 1+r.IntN(12), r.IntN(2) == 0
			got, err := DirectedShortestPaths(t.Context(), d, from, to, k, weighted)
			checkPaths(t, seed, got, err, allPaths(d, from, to, weighted), k)
			along, found, err := DirectedShortestPath(t.Context(), d, from, to, weighted)
			if err != nil || found != (len(got) > 0) || found && !(slices.Equal(along.Vertices, got[0].Vertices) && slices.Equal(along.Lengths, got[0].Lengths)) {
				t.Fatalf("seed %d: DirectedShortestPath has %v, and DirectedShortestPaths %v", seed, along, got)
			}
			got, err = ShortestPaths(t.Context(), g, from, to, k, weighted)
			checkPaths(t, seed, got, err, allPaths(both, from, to, weighted), k)
			p, found, err := ShortestPath(t.Context(), g, from, to, weighted)
			if err != nil || found != (len(got) > 0) || found && !slices.Equal(p.Vertices, got[0].Vertices) {
				t.Fatalf("seed %d: ShortestPath has %v, and ShortestPaths %v", seed, p, got)
			}
		}
	}
}

func checkPaths(t *testing.T, seed uint64, got []Path, err error, want []Path, k int) {
	t.Helper()
	same := func(a, b Path) bool {
		return slices.Equal(a.Vertices, b.Vertices) && slices.Equal(a.Lengths, b.Lengths)
	}
	if want = want[:min(k, len(want))]; err != nil || !slices.EqualFunc(got, want, same) {
		t.Fatalf("seed %d: %v, %v, want %v", seed, got, err, want)
	}
}

func TestShortestPaths_Refused(t *testing.T) {
	d := directedOf(3, true, arc{0, 1, 1})
	if _, err := DirectedShortestPaths(t.Context(), d, 0, 3, 1, false); !errors.Is(err, ErrOption) {
		t.Error(err)
	}
	if _, _, err := DirectedShortestPath(t.Context(), d, 3, 0, false); !errors.Is(err, ErrOption) {
		t.Error(err)
	}
	d.Out.Weights[0] = -1
	if _, err := DirectedShortestPaths(t.Context(), d, 0, 1, 1, true); !errors.Is(err, ErrWeight) {
		t.Error(err)
	}
}
