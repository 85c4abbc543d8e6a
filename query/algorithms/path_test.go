package algorithms

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/graph/path"
	"heavytail/.ci/testgraph"
	"heavytail/storage/csr"
)

func TestShortestPath_EqualsGonum(t *testing.T) {
	for _, g := range samples(t) {
		all := path.DijkstraAllPaths(peer(g))
		n := uint32(g.Vertices())
		for from := range n {
			for to := range n {
				want := all.Weight(int64(from), int64(to))
				p, found, err := ShortestPath(t.Context(), g, from, to, true)
				if err != nil || found == math.IsInf(want, 1) {
					t.Fatalf("%d to %d: %v, %v", from, to, found, err)
				}
				if !found {
					continue
				}
				last := len(p.Vertices) - 1
				if p.Vertices[0] != from || p.Vertices[last] != to || p.Lengths[last] != want {
					t.Fatalf("%d to %d: %+v, want %v", from, to, p, want)
				}
				for i, v := range p.Vertices[1:] {
					if !g.HasEdge(p.Vertices[i], v) {
						t.Fatalf("%d to %d: no edge from %d to %d", from, to, p.Vertices[i], v)
					}
				}
			}
		}
	}
}

func TestWithin_EqualsDistances(t *testing.T) {
	for _, g := range samples(t) {
		for v := range uint32(g.Vertices()) {
			s := newSearch(t.Context(), lengthsOf(weightless(g), Work{}))
			s.from(v)
			for edges := range 5 {
				vertices, distances, err := Within(t.Context(), g, v, edges)
				if err != nil || len(vertices) != len(distances) {
					t.Fatal(err)
				}
				count := 0
				for _, d := range s.distances {
					if d > 0 && d <= float64(edges) {
						count++
					}
				}
				if len(vertices) != count {
					t.Fatalf("%d vertices within %d of %d, want %d", len(vertices), edges, v, count)
				}
				for i, u := range vertices {
					if s.distances[u] != float64(distances[i]) || i > 0 && distances[i-1] == distances[i] && vertices[i-1] >= u {
						t.Fatalf("vertices %v at %v", vertices, distances)
					}
				}
			}
		}
	}
}

// TestPaths_LostLength has a length that is lost by rounding when it is added to the other.
func TestPaths_LostLength(t *testing.T) {
	g := testgraph.Of(t, 3, csr.Edge{U: 0, V: 1}, csr.Edge{U: 1, V: 2})
	g.Weights = []float32{1e-20, 1e-20, 1, 1} // of 0 to 1; of 1 to 0 and 2; of 2 to 1
	got, err := Betweenness(t.Context(), g, DistanceOptions{Weighted: true})
	if want := []float64{0, 1, 0}; err != nil || !slices.Equal(got.Values, want) {
		t.Fatalf("betweenness is %v, %v, want %v", got.Values, err, want)
	}
	for from, want := range [][]uint32{{0, 1, 2}, {1, 2}} {
		p, _, err := ShortestPath(t.Context(), g, uint32(from), 2, true)
		if err != nil || !slices.Equal(p.Vertices, want) {
			t.Errorf("path is %v, %v, want %v", p, err, want)
		}
	}
}
