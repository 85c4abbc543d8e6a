package algorithms

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"heavytail/storage/csr"
)

// solvedDirected solves (I − factor·Aᵀ·S)x = c as a dense system, with S the inverse strengths of the arcs
// from each vertex if stochastic.
func solvedDirected(d *csr.Directed, factor float64, stochastic bool, c []float64) []float64 {
	n := d.Vertices()
	out := make([]float64, n)
	for _, a := range arcsOf(d) {
		out[a.from] += float64(a.weight)
	}
	m := mat.NewDense(n, n, nil)
	for v := range n {
		m.Set(v, v, 1)
	}
	for _, a := range arcsOf(d) {
		x := factor * float64(a.weight)
		if stochastic {
			x /= out[a.from]
		}
		m.Set(int(a.to), int(a.from), -x)
	}
	var x mat.VecDense
	if err := x.SolveVec(m, mat.NewVecDense(n, c)); err != nil {
		panic(err)
	}
	return x.RawVector().Data
}

func TestDirectedPageRank_DenseSystem(t *testing.T) {
	most := 0
	for _, d := range directedSamples(t) {
		n := d.Vertices()
		for _, from := range [][]uint32{nil, {0}, {0, uint32(max(1, n)) - 1}} {
			for _, damping := range []float64{0.3, 0.85, 0.99} {
				got, err := DirectedPageRank(t.Context(), d, PageRankOptions{Damping: damping, From: from})
				if n == 0 {
					if err != nil || len(got.Values) > 0 {
						t.Fatal(got, err)
					}
					continue
				}
				start, _ := starts(n, from)
				want := solvedDirected(d, damping, true, start)
				scale(want, 1/sumOf(want))
				if err != nil || math.Abs(sumOf(got.Values)-1) > 1e-14 {
					t.Fatal(err, sumOf(got.Values))
				}
				near(t, "pagerank", got.Values, want, 1e-10)
				most = max(most, got.Iterations)
			}
		}
	}
	if most > 200 {
		t.Errorf("%d iterations", most)
	}
}

// TestDirectedPageRank_Cycles has graphs whose other eigenvalues are on the circle of the largest.
func TestDirectedPageRank_Cycles(t *testing.T) {
	for _, n := range []int{2, 3, 50, 2000} {
		for _, chords := range []int{0, 1, 7} {
			var arcs []arc
			for v := range uint32(n) {
				arcs = append(arcs, arc{v, (v + 1) % uint32(n), 1})
			}
			for i := range uint32(chords) {
				arcs = append(arcs, arc{0, i * 13 % uint32(n), 1})
			}
			d := sparseDirected(n, arcs)
			for _, damping := range []float64{0.85, 0.999} {
				got, err := DirectedPageRank(t.Context(), d, PageRankOptions{Damping: damping, From: []uint32{0}})
				if err != nil {
					t.Fatal(n, chords, damping, err)
				}
				if chords > 0 {
					continue
				}
				for v, x := range got.Values { // a walk is at v after v steps, or after n more, and so on
					if want := math.Pow(damping, float64(v)) * (1 - damping) / (1 - math.Pow(damping, float64(n))); math.Abs(x-want) > 1e-9 {
						t.Fatalf("%d vertices, damping %v: vertex %d has %v, want %v", n, damping, v, x, want)
					}
				}
			}
		}
	}
}

// sparseDirected is directedOf without weights for many vertices.
func sparseDirected(n int, arcs []arc) *csr.Directed {
	rows := make([]map[uint32]bool, n)
	for _, a := range arcs {
		if rows[a.from] == nil {
			rows[a.from] = map[uint32]bool{}
		}
		rows[a.from][a.to] = true
	}
	out := csr.Rows{Offsets: make([]int64, n+1)}
	for v, row := range rows {
		for u := range uint32(n) {
			if len(row) > 0 && row[u] && int(u) != v {
				out.Targets = append(out.Targets, u)
			}
			if len(row) == 0 {
				break
			}
		}
		out.Offsets[v+1] = int64(len(out.Targets))
	}
	return csr.NewDirected(out)
}

func TestDirectedPageRank_Refused(t *testing.T) {
	d := directedOf(3, true, arc{0, 1, 1})
	for _, damping := range []float64{-1, 1, math.NaN()} {
		if _, err := DirectedPageRank(t.Context(), d, PageRankOptions{Damping: damping}); !errors.Is(err, ErrOption) {
			t.Errorf("damping %v: %v", damping, err)
		}
	}
	if _, err := DirectedPageRank(t.Context(), d, PageRankOptions{From: []uint32{3}}); !errors.Is(err, ErrOption) {
		t.Errorf("a vertex beyond the graph: %v", err)
	}
}
