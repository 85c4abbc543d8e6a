package algorithms

import (
	"bufio"
	"fmt"
	"math"
	"math/big"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"heavytail/.ci/testgraph"
	"heavytail/storage/csr"
)

// exactGraph computes with rational numbers, the shortest decimals of the weights.
type exactGraph struct {
	g       *csr.Graph
	lengths []*big.Rat   // of each entry of Targets
	d       [][]*big.Rat // distances from each vertex, nil where not reached
}

func exactly(g *csr.Graph) *exactGraph {
	e := &exactGraph{g: g}
	for _, w := range g.Weights {
		x, _ := new(big.Rat).SetString(strconv.FormatFloat(float64(w), 'g', -1, 32))
		e.lengths = append(e.lengths, x)
	}
	for v := range uint32(g.Vertices()) {
		e.d = append(e.d, e.distances(v))
	}
	return e
}

// distances relaxes all edges until none helps.
func (e *exactGraph) distances(source uint32) []*big.Rat {
	d := make([]*big.Rat, e.g.Vertices())
	d[source] = new(big.Rat)
	for changed := true; changed; {
		changed = false
		e.edges(func(u, v uint32, length *big.Rat) {
			if d[u] == nil {
				return
			}
			if via := new(big.Rat).Add(d[u], length); d[v] == nil || via.Cmp(d[v]) < 0 {
				d[v], changed = via, true
			}
		})
	}
	return d
}

func (e *exactGraph) edges(f func(u, v uint32, length *big.Rat)) {
	for u := range uint32(e.g.Vertices()) {
		for i, v := range e.g.Neighbors(u) {
			f(u, v, e.lengths[e.g.Offsets[u]+int64(i)])
		}
	}
}

// betweenness adds the part of the shortest paths of each pair that pass through a vertex, by the
// definition: σ(s,v)·σ(v,t)/σ(s,t) for the vertices v for which d(s,v) + d(v,t) = d(s,t).
func (e *exactGraph) betweenness() []float64 {
	n, d := e.g.Vertices(), e.d
	paths := make([][]*big.Int, n)
	for s := range n {
		paths[s] = e.paths(uint32(s), d[s])
	}
	sums := make([]float64, n)
	for v := range n {
		sum, via := new(big.Rat), new(big.Rat)
		for s := range n {
			for t := range s {
				if s == v || t == v || d[s][t] == nil || d[s][v] == nil || via.Add(d[s][v], d[v][t]).Cmp(d[s][t]) != 0 {
					continue
				}
				sum.Add(sum, new(big.Rat).SetFrac(new(big.Int).Mul(paths[s][v], paths[v][t]), paths[s][t]))
			}
		}
		sums[v], _ = sum.Float64()
	}
	return sums
}

// paths are the numbers of shortest paths from a vertex.
func (e *exactGraph) paths(source uint32, d []*big.Rat) []*big.Int {
	counts, order := make([]*big.Int, len(d)), identity(len(d))
	order = slices.DeleteFunc(order, func(v uint32) bool { return d[v] == nil })
	slices.SortFunc(order, func(u, v uint32) int { return d[u].Cmp(d[v]) })
	for _, v := range order {
		counts[v] = new(big.Int)
		for i, u := range e.g.Neighbors(v) {
			if length := e.lengths[e.g.Offsets[v]+int64(i)]; d[u].Cmp(d[v]) < 0 && new(big.Rat).Add(d[u], length).Cmp(d[v]) == 0 {
				counts[v].Add(counts[v], counts[u])
			}
		}
		if v == source {
			counts[v].SetInt64(1)
		}
	}
	return counts
}

// decimalGraphs have many paths of the same length, if lengths are added as decimals.
func decimalGraphs(t *testing.T) map[string]*csr.Graph {
	graphs := map[string]*csr.Graph{}
	const side = 12
	var grid []csr.Edge
	for at := range uint32(side * side) {
		if at%side > 0 {
			grid = append(grid, csr.Edge{U: at - 1, V: at})
		}
		if at >= side {
			grid = append(grid, csr.Edge{U: at - side, V: at})
		}
	}
	graphs["grid"] = testgraph.Weighted(testgraph.Of(t, side*side, grid...), func(u, v uint32) float32 {
		return float32(1+(min(u, v)*7+max(u, v)*5)%3) / 10
	})
	edges, weight := miserables(t)
	g := testgraph.Of(t, 77, edges...)
	of := func(f func(chapters int) float32) *csr.Graph {
		return testgraph.Weighted(g, func(u, v uint32) float32 { return f(weight[csr.Edge{U: min(u, v), V: max(u, v)}]) })
	}
	graphs["miserables, .1 .2 .3"] = of(func(chapters int) float32 { return float32(1+chapters%3) / 10 })
	graphs["miserables"] = of(func(chapters int) float32 { return float32(chapters) / 10 })
	graphs["miserables, all scales"] = of(func(chapters int) float32 { return []float32{1e-7, 2e-7, 3e-7, 0.7, 1.4, 2.1, 1e6}[chapters%7] })
	return graphs
}

func miserables(t *testing.T) (edges []csr.Edge, weight map[csr.Edge]int) {
	f, err := os.Open("testdata/miserables.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	weight = map[csr.Edge]int{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var e csr.Edge
		var chapters int
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		if _, err := fmt.Sscan(lines.Text(), &e.U, &e.V, &chapters); err != nil {
			t.Fatal(err)
		}
		edges, weight[e] = append(edges, e), chapters
	}
	return edges, weight
}

// TestPaths_Decimals compares weighted paths with rational arithmetic.
func TestPaths_Decimals(t *testing.T) {
	t.Parallel()
	for name, g := range decimalGraphs(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := exactly(g)
			want := e.betweenness()
			near(t, "betweenness", weightedBetweenness(t, g), want, 1e-12)
			e.checkLengths(t)
			// Weights that a float32 does not hold, because they were multiplied or divided, keep
			// the ties of the numbers before, also of short paths behind long edges.
			for _, by := range []float64{1. / 7, 1. / 31, 0x1p-80, 0x1p60, 0.3, 1e-30 / 3} {
				s := &csr.Graph{Offsets: g.Offsets, Targets: g.Targets, Weights: make([]float32, len(g.Weights))}
				for i, w := range g.Weights {
					s.Weights[i] = float32(csr.Decimal(w) * by)
				}
				near(t, fmt.Sprintf("betweenness, times %v", by), weightedBetweenness(t, s), want, 1e-12)
			}
		})
	}
}

func weightedBetweenness(t *testing.T, g *csr.Graph) []float64 {
	s, err := Betweenness(t.Context(), g, DistanceOptions{Weighted: true})
	if err != nil {
		t.Fatal(err)
	}
	return s.Values
}

// checkLengths compares harmonic closeness and the lengths of paths.
func (e *exactGraph) checkLengths(t *testing.T) {
	harmonic, err := Harmonic(t.Context(), e.g, DistanceOptions{Weighted: true})
	if err != nil {
		t.Fatal(err)
	}
	for v, d := range e.d {
		sum := 0.0
		for u, x := range d {
			if x == nil || u == v {
				continue
			}
			length, _ := x.Float64()
			sum += 1 / length
			if u > v && u%5 == 0 {
				p, _, err := ShortestPath(t.Context(), e.g, uint32(v), uint32(u), true)
				if last := len(p.Lengths) - 1; err != nil || p.Lengths[last] != length {
					t.Fatalf("the length from %d to %d is %v, want %v", v, u, p.Lengths[last], length)
				}
			}
		}
		near(t, "harmonic", harmonic.Values[v:v+1], []float64{sum}, 1e-12)
	}
}

// TestBrandes_RoundedSums has two paths with the same lengths in another order, whose sums differ.
func TestBrandes_RoundedSums(t *testing.T) {
	t.Parallel()
	const small = 11 * 0x1p-55 // after 1 it counts as 2⁻⁵², twice, and before 1 as three of them together
	g := testgraph.Of(t, 6, csr.Edge{U: 0, V: 1}, csr.Edge{U: 1, V: 2}, csr.Edge{U: 2, V: 5}, csr.Edge{U: 0, V: 3}, csr.Edge{U: 3, V: 4}, csr.Edge{U: 4, V: 5})
	g = testgraph.Weighted(g, func(u, v uint32) float32 {
		if u == 0 && v == 1 || u == 4 {
			return 1
		}
		return small
	})
	w, err := waysOf(g, DistanceOptions{Weighted: true})
	if err != nil {
		t.Fatal(err)
	}
	b := newBrandes(t.Context(), w)
	if b.add(0, make([]float64, 6)); b.paths[5] != 2 {
		t.Errorf("%v paths, want 2, of lengths %v", b.paths[5], b.distances)
	}
}

// TestBetweenness_Ties has a way by 1 and an edge between the vertices 0 and 5.
func TestBetweenness_Ties(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		ends   []uint32
		weight []float32
		want   float64 // betweenness of 1
	}{
		{"whole numbers that differ by 1", []uint32{0, 1, 1, 5, 0, 5, 5, 2, 5, 3, 5, 4}, []float32{5_000_000, 1, 5_000_002, 1, 1, 1}, 4},
		{"equal up to the rounding of weights", []uint32{0, 1, 1, 5, 0, 5, 5, 2, 5, 3, 5, 4}, []float32{1. / 3, 2. / 3, 1, 1, 1, 1}, 2},
	} {
		weight := map[csr.Edge]float32{}
		var edges []csr.Edge
		for i, w := range c.weight {
			e := csr.Edge{U: c.ends[2*i], V: c.ends[2*i+1]}
			edges, weight[csr.Edge{U: min(e.U, e.V), V: max(e.U, e.V)}] = append(edges, e), w
		}
		g := testgraph.Weighted(testgraph.Of(t, 6, edges...), func(u, v uint32) float32 { return weight[csr.Edge{U: u, V: v}] })
		if got := weightedBetweenness(t, g)[1]; got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestPropagation_Ties has a vertex whose label has as much weight as another, of one edge or of two,
// in units in which weights are rounded: it stays.
func TestPropagation_Ties(t *testing.T) {
	t.Parallel()
	for k := -80; k <= 60; k++ {
		by := math.Ldexp(1, k)
		g := testgraph.Weighted(testgraph.Of(t, 4, csr.Edge{V: 1}, csr.Edge{V: 2}, csr.Edge{V: 3}),
			func(_, v uint32) float32 { return float32(float64(v) / 10 * by) })
		for _, own := range []uint32{2, 3} { // the label of 1 and 2, or of 3
			p := &propagation{at: newLevel(g, Work{}, true), labels: []uint32{own, 2, 2, 3}}
			if to := p.propose(new(neighborhood), 0, 0).to; to != own {
				t.Errorf("times 2^%d: it goes from %d to %d", k, own, to)
			}
		}
	}
}
