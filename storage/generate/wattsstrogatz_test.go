package generate

import (
	"math"
	"testing"

	"heavytail/storage/csr"
)

// TestWattsStrogatz_Exact compares all graphs of a ring of six with their
// probabilities, found by following every choice.
func TestWattsStrogatz_Exact(t *testing.T) {
	const n, beta = 6, 0.4
	exact := map[uint64]float64{}
	var follow func(at int, key uint64, p float64)
	follow = func(at int, key uint64, p float64) {
		if at == n {
			exact[key] += p
			return
		}
		var free []int
		for w := range n {
			if w != at && key&pairBit(at, w) == 0 {
				free = append(free, w)
			}
		}
		if len(free) == 0 {
			follow(at+1, key, p)
			return
		}
		follow(at+1, key, p*(1-beta))
		for _, w := range free {
			follow(at+1, key&^pairBit(at, (at+1)%n)|pairBit(at, w), p*beta/float64(len(free)))
		}
	}
	ring := uint64(0)
	for v := range n {
		ring |= pairBit(v, (v+1)%n)
	}
	follow(0, ring, 1)
	expectGraphs(t, n, exact, func(seed uint64) Model { return WattsStrogatz{N: n, K: 2, Beta: beta, Seed: seed} })
}

// TestWattsStrogatz_Lattice checks the ring before anything is rewired: who
// knows whom, and its clustering in closed form.
func TestWattsStrogatz_Lattice(t *testing.T) {
	for _, c := range []struct{ n, k int }{{3, 2}, {5, 4}, {10, 4}, {40, 6}, {40, 20}} {
		g := generated(t, WattsStrogatz{N: c.n, K: c.k})
		if err := g.Validate(); err != nil {
			t.Fatal(err)
		}
		for u := range c.n {
			for v := range u {
				distance := min(u-v, c.n-u+v)
				if near := distance <= c.k/2; near != g.HasEdge(uint32(u), uint32(v)) {
					t.Fatalf("n %d, k %d: edge of %d and %d, %d apart, is %v", c.n, c.k, u, v, distance, !near)
				}
			}
		}
		if want := float64(3*(c.k-2)) / float64(4*(c.k-1)); 3*c.k <= 2*(c.n-1) && math.Abs(clustering(g)-want) > 1e-12 {
			t.Errorf("n %d, k %d: clustering %v, want %v", c.n, c.k, clustering(g), want)
		}
	}
}

// TestWattsStrogatz_Rewired expects the number of edges of the lattice, the
// rewired share of them, and the clustering that is left: a triangle lasts if
// none of its edges moves, (1-β)³ (Barrat and Weigt, 2000).
func TestWattsStrogatz_Rewired(t *testing.T) {
	const n, k = 5000, 10
	lattice := generated(t, WattsStrogatz{N: n, K: k})
	for _, beta := range []float64{0.01, 0.1, 0.5, 1} {
		g := generated(t, WattsStrogatz{N: n, K: k, Beta: beta, Seed: 2})
		if err := g.Validate(); err != nil {
			t.Fatal(err)
		}
		if g.Edges() != n*k/2 {
			t.Errorf("beta %v: %d edges", beta, g.Edges())
		}
		moved := 0
		for u := range uint32(n) {
			if g.Degree(u) < k/2 {
				t.Fatalf("beta %v: vertex %d has degree %d, and half its edges begin there", beta, u, g.Degree(u))
			}
			for _, v := range lattice.Neighbors(u) {
				if u < v && !g.HasEdge(u, v) {
					moved++
				}
			}
		}
		// Some few of the moved edges come to lie where another was.
		deviation := math.Sqrt(n*k/2*beta*(1-beta)) + 2*k*k*beta
		if want := n * k / 2 * beta; math.Abs(float64(moved)-want) > 5*deviation {
			t.Errorf("beta %v: %d edges of the lattice are gone, expected %.0f", beta, moved, want)
		}
		want := clustering(lattice) * math.Pow(1-beta, 3)
		if c := clustering(g); math.Abs(c-want) > 0.01 {
			t.Errorf("beta %v: clustering %.4f, expected about %.4f", beta, c, want)
		}
	}
}

// clustering is the mean over vertices of the share of pairs of neighbours that
// are neighbours, 0 for fewer than two.
func clustering(g *csr.Graph) float64 {
	sum := 0.0
	for v := range uint32(g.Vertices()) {
		row := g.Neighbors(v)
		closed := 0
		for i, a := range row {
			for _, b := range row[:i] {
				if g.HasEdge(a, b) {
					closed++
				}
			}
		}
		if len(row) > 1 {
			sum += float64(closed) / pairs(len(row))
		}
	}
	return sum / float64(g.Vertices())
}
