package walk

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/storage/csr"
)

// arcs are directed graphs: a random one with vertices without arcs, others whose shape is special, and weights that
// differ between the two arcs of a pair.
func arcs() map[string]*csr.Directed {
	random := rand.New(rand.NewPCG(2, 7))
	has := map[csr.Edge]bool{}
	add := func(u, v int) {
		if u != v {
			has[csr.Edge{U: uint32(u), V: uint32(v)}] = true
		}
	}
	take := func(n int, weighted bool) *csr.Directed {
		list := make([]csr.Edge, 0, len(has))
		for a := range has { // in any order, which the rows do not depend on
			list = append(list, a)
		}
		has = map[csr.Edge]bool{}
		out := csr.RowsOf(n, list)
		if weighted {
			out.Weights = make([]float32, len(out.Targets))
			for i := range out.Weights {
				out.Weights[i] = float32(1 + i*i%9)
			}
		}
		return csr.NewDirected(out)
	}
	list := map[string]*csr.Directed{}
	for _, weighted := range []bool{false, true} {
		for i := range 140 {
			u, v := random.IntN(30), int(30*math.Pow(random.Float64(), 2))
			if add(u, v); i%4 == 0 {
				add(v, u)
			}
		}
		list[fmt.Sprint("random, weighted ", weighted)] = take(35, weighted)
	}
	list["no arcs"] = take(9, false)
	for v := range 40 {
		add(v, 40)
	}
	list["a hub that all lead to"] = take(41, true)
	for v := range 40 {
		add(40, v)
	}
	list["a hub that leads to all"] = take(41, true)
	for v := range 60 {
		add(v, v+1+random.IntN(5))
		add(v, v+1+random.IntN(5))
	}
	list["no cycles"] = take(66, true)
	for c := range 20 {
		add(3*c, 3*c+1)
		add(3*c+1, 3*c+2)
		if c%2 == 0 {
			add(3*c+2, 3*c)
		}
	}
	list["many components"] = take(60, false)
	return list
}

// TestWalker_Arcs expects that each step of a walk follows an arc, and that a walk ends early only at a vertex without
// arcs, for Append and AppendEach.
func TestWalker_Arcs(t *testing.T) {
	for name, d := range arcs() {
		n := d.Vertices()
		for _, o := range []Options{{}, {Kind: Biased}, {Kind: Biased, P: 0.1, Q: 5}, {Kind: Biased, P: 8, Q: 0.2, Length: 1}, {Length: 2}, {Kind: Biased, Q: 3, Length: 2}} {
			o.Arcs, o.Seed = true, 5
			if o.Length == 0 {
				o.Length = 13
			}
			w := newWalker(t, (*csr.Graph)(&d.Out), o)
			for round := range 6 {
				starts, got := make([]Start, n), make([][]uint32, n)
				for v := range starts {
					starts[v] = Start{uint32(v), round}
				}
				w.AppendEach(got, starts)
				for v, path := range got {
					if alone := w.Append(nil, uint32(v), round); !slices.Equal(path, alone) {
						t.Fatalf("%s, %+v: %v, and alone %v", name, o, path, alone)
					}
					for i := range path[1:] {
						if !d.HasArc(path[i], path[i+1]) {
							t.Fatalf("%s, %+v: no arc from %d to %d", name, o, path[i], path[i+1])
						}
					}
					if last := path[len(path)-1]; path[0] != uint32(v) || len(path) > o.Length || len(path) < o.Length && d.Out.Degree(last) > 0 {
						t.Fatalf("%s, %+v: the walk from %d is %v", name, o, v, path)
					}
				}
			}
		}
	}
}

// TestWalker_Arcs_Frequencies compares how often each pair of consecutive steps is taken with the definition, by
// chi-square over all pairs of a graph.
func TestWalker_Arcs_Frequencies(t *testing.T) {
	for name, d := range arcs() {
		for _, o := range []Options{{}, {Kind: Biased}, {Kind: Biased, P: 0.25, Q: 4}, {Kind: Biased, P: 4, Q: 0.25}, {Kind: Biased, P: 1, Q: 1e-3}} {
			o.Arcs, o.Length, o.Seed = true, 3, 9
			w := newWalker(t, (*csr.Graph)(&d.Out), o)
			p, q := w.options.P, w.options.Q
			counts, visits := map[[3]uint32]float64{}, map[[2]uint32]float64{}
			firsts := map[[2]uint32]float64{}
			const rounds = 3000
			for v := range uint32(d.Vertices()) {
				for round := range rounds {
					path := w.Append(nil, v, round)
					if len(path) > 1 {
						firsts[[2]uint32(path)]++
					}
					if len(path) > 2 {
						visits[[2]uint32(path)]++
						counts[[3]uint32(path)]++
					}
				}
			}
			chi, freedom := 0.0, 0
			compare := func(seen, visits float64, list []float64, k int) {
				sum := 0.0
				for _, x := range list {
					sum += x
				}
				if e := visits * list[k] / sum; e >= 5 {
					chi += (seen - e) * (seen - e) / e
					freedom++
				}
			}
			for u := range uint32(d.Vertices()) {
				for i, v := range d.Out.Neighbors(u) {
					compare(firsts[[2]uint32{u, v}], rounds, stepWeights(d, u, nil), i)
					for k, x := range d.Out.Neighbors(v) {
						compare(counts[[3]uint32{u, v, x}], visits[[2]uint32{u, v}], stepWeights(d, v, func(x uint32) float64 {
							switch {
							case x == u:
								return 1 / p
							case d.HasArc(u, x):
								return 1
							}
							return 1 / q
						}), k)
					}
				}
			}
			if limit := float64(freedom) + 6*math.Sqrt(2*float64(freedom)); chi > limit || name != "no arcs" && freedom == 0 {
				t.Errorf("%s, %+v: chi-square %.0f of %d steps, at most %.0f expected", name, o, chi, freedom, limit)
			}
		}
	}
}

// stepWeights are the weights of the arcs of v times a factor of their targets.
func stepWeights(d *csr.Directed, v uint32, factor func(x uint32) float64) []float64 {
	var list []float64
	for i, x := range d.Out.Neighbors(v) {
		weight := 1.0
		if d.Weighted() {
			weight = float64(d.Out.WeightsOf(v)[i])
		}
		if factor != nil {
			weight *= factor(x)
		}
		list = append(list, weight)
	}
	return list
}
