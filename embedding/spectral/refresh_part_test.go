package spectral

import (
	"math"
	"testing"

	"heavytail/embedding/internal/base"
	"heavytail/storage/csr"
)

// The ends of changed edges are counted by touched vertices, and by differences of degrees where
// they are larger. New vertices are not counted.
func TestRefresh_Scattered(t *testing.T) {
	const n = 60
	var ring, complete []csr.Edge
	for i := range uint32(n) {
		ring = append(ring, csr.Edge{U: i, V: (i + 1) % n})
		for j := range i {
			complete = append(complete, csr.Edge{U: j, V: i})
		}
	}
	for _, c := range []struct {
		name         string
		edges        []csr.Edge
		touched, new int
		difference   float64
		want         bool
	}{
		{"a third of a ring", ring, n / 3, 0, 0, true},
		{"fewer than a third", ring, n/3 - 1, 0, 0, false},
		{"new vertices", ring, n / 3, 1, 0, false},
		{"one edge of each vertex of a dense graph", complete, n, 0, 0, false},
		{"degrees that differ", complete, n / 3, 0, 9, true},
		{"degrees that differ less", complete, n / 3, 0, 8, false},
	} {
		g, err := csr.FromEdges(n, c.edges)
		if err != nil {
			t.Fatal(err)
		}
		list := make([]uint32, n)
		r := &refresh{solve: &solve{g: g}, touched: make([]bool, n), state: &State{Places: make([]uint32, n), Degrees: make([]float64, n)}}
		for v := range uint32(n) {
			list[v], r.state.Degrees[v] = v, float64(g.Degree(v))
			if int(v) < c.touched {
				r.touched[v] = true
				r.state.Degrees[v] -= c.difference
			}
			if int(v) < c.new {
				r.state.Places[v] = NoPlace
			}
		}
		if got := r.scattered(list); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// A part of ca-GrQc is foreseen to have more long directions after more changes: too many for a step
// where a tenth of the vertices are touched, and few where two are.
func TestRefresh_Foreseen(t *testing.T) {
	g := largestComponent(realGraph(t, "ca-GrQc"))
	n := g.Vertices()
	opts := Options{Workers: 1}.WithDefaults(MethodDPSpectral)
	m, err := spectralMethod(MethodDPSpectral, opts)
	if err != nil {
		t.Fatal(err)
	}
	rows, state, _, err := Embed(t.Context(), g, MethodDPSpectral, opts)
	if err != nil {
		t.Fatal(err)
	}
	before := 0
	for _, changed := range []int{1, 20, 200} {
		var touched []uint32
		for i := range 2 * changed {
			touched = append(touched, uint32(i*(n/(2*changed))))
		}
		r := newRefresh(g, m, opts, rows, state, touched, RefreshTolerance)
		got := r.foreseen(r.parts[0], 0)
		if got <= before && changed > 1 || (got > mostDirections(n, rows.Dim)) != (changed == 200) {
			t.Errorf("%d edges: %d directions after %d, and a step has at most %d", changed, got, before, mostDirections(n, rows.Dim))
		}
		before = got
		if r.tolerance = 2 * RefreshTolerance; r.foreseen(r.parts[0], 0) != 0 {
			t.Errorf("%d edges: directions with a larger tolerance", changed)
		}
	}
}

// The vectors of a star have few dimensions, because most of its eigenvalues are 0. A step finds all
// others, also a second time, and notices those of a graph that has more.
func TestRefresh_FewDimensions(t *testing.T) {
	const leaves = 80
	opts := Options{Dim: 8, Workers: 1}
	var edges []csr.Edge
	for v := range uint32(leaves) {
		edges = append(edges, csr.Edge{U: leaves, V: v})
	}
	graph := func() *csr.Graph {
		g, err := csr.FromEdges(leaves+1, edges)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	rows, state, _, err := Embed(t.Context(), graph(), MethodDPSpectral, opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		change  func() (touched []uint32)
		refined int
	}{
		{"a leaf fewer", func() []uint32 { edges = edges[1:]; return []uint32{0, leaves} }, 1},
		{"two leaves fewer", func() []uint32 { edges = edges[2:]; return []uint32{1, 2, leaves} }, 1},
		{"three groups of six leaves", func() (touched []uint32) {
			for v := range uint32(18) {
				touched = append(touched, 20+v)
				for u := v / 6 * 6; u < v; u++ {
					edges = append(edges, csr.Edge{U: 20 + u, V: 20 + v})
				}
			}
			return touched
		}, 0},
	} {
		touched := c.change()
		g := graph()
		var stats base.RefreshStats
		var got Stats
		rows, state, got, stats, err = Refresh(t.Context(), g, MethodDPSpectral, opts, rows, state, touched, 0)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Solve(t.Context(), g, MethodDPSpectral, opts)
		if err != nil {
			t.Fatal(err)
		}
		if stats.Refined != c.refined || stats.Refined+stats.Solved != 1 {
			t.Errorf("%s: %d parts refined and %d solved: %s", c.name, stats.Refined, stats.Solved, stats.Reason)
		}
		for j, value := range want.Stats.Eigenvalues {
			if math.Abs(value-got.Eigenvalues[j]) > RefreshTolerance {
				t.Errorf("%s: eigenvalue %d is %g, not %g", c.name, j, got.Eigenvalues[j], value)
			}
		}
	}
}
