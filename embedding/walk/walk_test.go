package walk

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"heavytail/.ci/realgraph"
	"heavytail/storage/csr"
)

// karate has reference transition probabilities of DP-Walker: by β, vertex and next vertex.
type karate struct {
	Edges      [][2]uint32
	Vertices   int
	Transition map[string]map[string]map[string]float64
}

func readKarate(t testing.TB) (karate, *csr.Graph) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(filepath.Dir(realgraph.Path(t, "ego-facebook.txt.gz")), "..", "reference", "karate_transitions.json"))
	if err != nil {
		t.Fatal(err)
	}
	var k karate
	if err := json.Unmarshal(data, &k); err != nil {
		t.Fatal(err)
	}
	var edges []csr.Edge
	for _, e := range k.Edges {
		edges = append(edges, csr.Edge{U: e[0], V: e[1]})
	}
	g, err := csr.FromEdges(k.Vertices, edges)
	if err != nil {
		t.Fatal(err)
	}
	return k, g
}

func newWalker(t testing.TB, g *csr.Graph, o Options) *Walker {
	t.Helper()
	w, err := New(context.Background(), g, o, 0)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestWalker_Transitions_Karate(t *testing.T) {
	k, g := readKarate(t)
	for text, rows := range k.Transition {
		beta, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		w := newWalker(t, g, Options{Kind: Penalized, Beta: beta})
		for vertex, want := range rows {
			v, _ := strconv.Atoi(vertex)
			got := w.Transitions(uint32(v))
			if len(got) != len(want) {
				t.Errorf("β %s, vertex %d: %d steps, want %d", text, v, len(got), len(want))
			}
			for _, s := range got {
				// The reference has 12 decimal digits.
				if p := want[strconv.Itoa(int(s.Vertex))]; math.Abs(p-s.Probability) > 1e-9 {
					t.Errorf("β %s, %d → %d: %.12f, want %.12f", text, v, s.Vertex, s.Probability, p)
				}
			}
		}
	}
}

// TestBytes compares the estimated memory with the size of the tables.
func TestBytes(t *testing.T) {
	_, plain := readKarate(t)
	for _, g := range []*csr.Graph{plain, withWeights(plain, 1)} {
		for _, kind := range []Kind{Uniform, Penalized, Biased} {
			for _, common := range []*float64{nil, new(0.0), new(0.5)} {
				o := Options{Kind: kind, Beta: 1, Common: common}
				w := newWalker(t, g, o)
				got := 8 * int64(len(w.targets)+len(w.ways)+len(w.penalty))
				if want := Bytes(g, o); got != want {
					t.Errorf("kind %d, weights %v, common %v: %d bytes, estimated %d", kind, g.Weighted(), common, got, want)
				}
			}
		}
	}
}

// withWeights gives the edges of a graph weights between 0.5 and 4.5 times a unit.
func withWeights(g *csr.Graph, unit float32) *csr.Graph {
	weighted := &csr.Graph{Offsets: g.Offsets, Targets: g.Targets, Weights: make([]float32, len(g.Targets))}
	for v := range uint32(g.Vertices()) {
		for i, u := range g.Neighbors(v) {
			weighted.Weights[g.Offsets[v]+int64(i)] = (0.5 + float32((u*v)%5)) * unit
		}
	}
	return weighted
}

// TestWalker_Transitions_Weighted compares steps on a weighted graph with those of the
// matrix C' = c·(A² − diag(A²)) + A, computed entry by entry.
func TestWalker_Transitions_Weighted(t *testing.T) {
	_, plain := readKarate(t)
	g := withWeights(plain, 3)
	n := g.Vertices()
	mean := 0.0
	for _, x := range g.Weights {
		mean += float64(x) / float64(len(g.Weights))
	}
	a := make([][]float64, n)
	degree := make([]float64, n)
	for v := range uint32(n) {
		a[v] = make([]float64, n)
		for i, u := range g.Neighbors(v) {
			a[v][u] = float64(g.WeightsOf(v)[i]) / mean
			degree[v] += a[v][u]
		}
	}
	for i, beta := range []float64{0, 1.5, -1, 4, 0, 0.25, 1.5, -1, 2, 0.5} {
		common := []float64{1, 1, 1, 1, 0, 0, 0.25, 3, 1e-3, 1e6}[i]
		w := newWalker(t, g, Options{Kind: Penalized, Beta: beta, Common: &common})
		for i := range n {
			want, sum := make([]float64, n), 0.0
			for j := range n {
				if i == j {
					continue
				}
				weight := a[i][j]
				for m := range n {
					weight += common * a[i][m] * a[m][j]
				}
				want[j] = weight / math.Pow(degree[i]*degree[j], beta)
				sum += want[j]
			}
			got := make([]float64, n)
			for _, s := range w.Transitions(uint32(i)) {
				got[s.Vertex] = s.Probability
			}
			for j := range n {
				if math.Abs(got[j]-want[j]/sum) > 1e-12 {
					t.Fatalf("β %v, common %v, %d → %d: %v, want %v", beta, common, i, j, got[j], want[j]/sum)
				}
			}
		}
	}
	// The unit of the weights does not matter.
	one, other := newWalker(t, g, Options{Kind: Penalized, Beta: 1.5}), newWalker(t, withWeights(plain, 96), Options{Kind: Penalized, Beta: 1.5})
	for v := range uint32(n) {
		if !slices.Equal(one.Append(nil, v, 0), other.Append(nil, v, 0)) {
			t.Errorf("another unit of the weights gives another walk from %d", v)
		}
	}
}

// TestNew_WeightsOutOfRange uses weights whose powers overflow, and weights whose powers
// just fit in float64.
func TestNew_WeightsOutOfRange(t *testing.T) {
	g, err := csr.FromEdges(4, []csr.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 3}})
	if err != nil {
		t.Fatal(err)
	}
	g.Weights = []float32{1e-38, 1e-38, 1, 1, 1e38, 1e38}
	for _, beta := range []float64{4, -4} {
		if _, err := New(context.Background(), g, Options{Kind: Penalized, Beta: beta}, 0); !errors.Is(err, ErrOptions) {
			t.Errorf("β %v: %v", beta, err)
		}
	}
	for _, beta := range []float64{2, -2} {
		w := newWalker(t, g, Options{Kind: Penalized, Beta: beta})
		for v := range uint32(4) {
			if path := w.Append(nil, v, 0); len(path) != 40 {
				t.Errorf("β %v: walk from %d: %v", beta, v, path)
			}
		}
	}
}

// TestWalker_Append_Frequencies compares how often each step is taken with its
// probability, by chi-square over all vertices together.
func TestWalker_Append_Frequencies(t *testing.T) {
	_, g := readKarate(t)
	weighted := withWeights(g, 1)
	for _, c := range []struct {
		name  string
		graph *csr.Graph
		Options
	}{
		{"uniform", g, Options{}},
		{"uniform weighted", weighted, Options{}},
		{"penalized 0", g, Options{Kind: Penalized}},
		{"penalized 1.5", g, Options{Kind: Penalized, Beta: 1.5}},
		{"penalized 4", g, Options{Kind: Penalized, Beta: 4}},
		{"penalized weighted", weighted, Options{Kind: Penalized, Beta: 1}},
		{"edges 0.25", g, Options{Kind: Penalized, Beta: 0.25, Common: new(0.0)}},
		{"edges weighted", weighted, Options{Kind: Penalized, Beta: 1, Common: new(0.0)}},
		{"common 0.1", g, Options{Kind: Penalized, Beta: 0.5, Common: new(0.1)}},
		{"common 5 weighted", weighted, Options{Kind: Penalized, Beta: 1, Common: new(5.0)}},
		{"biased 1 1", weighted, Options{Kind: Biased}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.Length, c.Walks, c.Seed = 100, 200, 3
			w := newWalker(t, c.graph, c.Options)
			n := c.graph.Vertices()
			counts := make([]float64, n*n)
			var path []uint32
			for v := range uint32(n) {
				for round := range c.Walks {
					path = w.Append(path[:0], v, round)
					for i := range path[1:] {
						counts[int(path[i])*n+int(path[i+1])]++
					}
				}
			}
			chi, freedom := 0.0, 0
			for v := range n {
				row := counts[v*n : (v+1)*n]
				visits := 0.0
				for _, x := range row {
					visits += x
				}
				seen := 0.0
				for _, s := range w.Transitions(uint32(v)) {
					seen += row[s.Vertex]
					if e := visits * s.Probability; e >= 5 {
						d := row[s.Vertex] - e
						chi += d * d / e
						freedom++
					}
				}
				if seen != visits {
					t.Errorf("%v of %v steps from %d are impossible", visits-seen, visits, v)
				}
			}
			// Six standard deviations of a chi-square with that many degrees of freedom.
			if limit := float64(freedom) + 6*math.Sqrt(2*float64(freedom)); chi > limit {
				t.Errorf("chi-square %.0f of %d steps, at most %.0f expected", chi, freedom, limit)
			}
		})
	}
}

// TestWalker_Biased_Frequencies compares second steps of node2vec with the
// formula of its paper.
func TestWalker_Biased_Frequencies(t *testing.T) {
	_, g := readKarate(t)
	for _, o := range []Options{{P: 0.25, Q: 4}, {P: 4, Q: 0.25}, {P: 1e-3, Q: 1}, {P: 1, Q: 1e-4}} {
		o.Kind, o.Length, o.Seed = Biased, 3, 9
		w := newWalker(t, g, o)
		n := g.Vertices()
		counts := map[[3]uint32]float64{}
		visits := map[[2]uint32]float64{}
		var path []uint32
		for v := range uint32(n) {
			for round := range 4000 {
				path = w.Append(path[:0], v, round)
				visits[[2]uint32(path[:2])]++
				counts[[3]uint32(path)]++
			}
		}
		chi, freedom := 0.0, 0
		for u := range uint32(n) {
			for _, v := range g.Neighbors(u) {
				sum := 0.0
				weight := func(j uint32) float64 {
					switch {
					case j == u:
						return 1 / o.P
					case g.HasEdge(u, j):
						return 1
					}
					return 1 / o.Q
				}
				for _, j := range g.Neighbors(v) {
					sum += weight(j)
				}
				for _, j := range g.Neighbors(v) {
					if e := visits[[2]uint32{u, v}] * weight(j) / sum; e >= 5 {
						d := counts[[3]uint32{u, v, j}] - e
						chi += d * d / e
						freedom++
					}
				}
			}
		}
		if limit := float64(freedom) + 6*math.Sqrt(2*float64(freedom)); chi > limit {
			t.Errorf("p %v, q %v: chi-square %.0f of %d steps, at most %.0f expected", o.P, o.Q, chi, freedom, limit)
		}
	}
}

// TestWalker_Append_Corners covers vertices without neighbours, a pair, a star whose centre
// has nearly all the weight, and rows in which nearly all draws lead back.
func TestWalker_Append_Corners(t *testing.T) {
	edges := []csr.Edge{{U: 1, V: 2}}
	for v := uint32(4); v < 604; v++ {
		edges = append(edges, csr.Edge{U: 3, V: v})
	}
	edges = append(edges, csr.Edge{U: 4, V: 5}, csr.Edge{U: 4, V: 604})
	g, err := csr.FromEdges(605, edges)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{{}, {Kind: Penalized}, {Kind: Penalized, Beta: 16}, {Kind: Penalized, Beta: -16}, {Kind: Penalized, Beta: 16, Common: new(0.0)}, {Kind: Penalized, Common: new(1e6)}, {Kind: Biased, P: 1e6, Q: 1e-6}} {
		w := newWalker(t, g, o)
		if path := w.Append(nil, 0, 0); !slices.Equal(path, []uint32{0}) {
			t.Errorf("%+v: the walk of a vertex without neighbours is %v", o, path)
		}
		for v := uint32(1); v < 605; v++ {
			path := w.Append(nil, v, 0)
			if len(path) != 40 || path[0] != v {
				t.Fatalf("%+v: walk from %d: %v", o, v, path)
			}
			for i := range path[1:] {
				two := false
				for _, m := range g.Neighbors(path[i]) {
					two = two || g.HasEdge(m, path[i+1])
				}
				if path[i] == path[i+1] || !g.HasEdge(path[i], path[i+1]) && (o.direct() || !two) {
					t.Fatalf("%+v: step from %d to %d", o, path[i], path[i+1])
				}
			}
		}
	}
}

// AppendEach generates the same walks as Append, and appends them to the previous contents
// of the lists.
func TestWalker_AppendEach_AsAppend(t *testing.T) {
	k, _ := readKarate(t)
	edges := []csr.Edge{}
	for _, e := range k.Edges {
		edges = append(edges, csr.Edge{U: e[0], V: e[1]})
	}
	g, err := csr.FromEdges(k.Vertices+2, edges) // two vertices are isolated
	if err != nil {
		t.Fatal(err)
	}
	for i, kind := range []Kind{Uniform, Penalized, Biased, Penalized} {
		w := newWalker(t, g, Options{Kind: kind, Beta: 1.5, P: 0.5, Q: 2, Length: 17, Seed: 3, Common: new(float64(i % 3))})
		for n := range 2*Abreast + 2 {
			got, starts := make([][]uint32, n), make([]Start, n)
			for i := range starts {
				starts[i] = Start{uint32(i * 5 % g.Vertices()), i / 3}
				got[i] = []uint32{uint32(i)}
			}
			w.AppendEach(got, starts)
			for i, s := range starts {
				if want := w.Append([]uint32{uint32(i)}, s.Vertex, s.Round); !slices.Equal(got[i], want) {
					t.Fatalf("%v, walk %d of %d: %v, want %v", kind, i, n, got[i], want)
				}
			}
		}
	}
}

func TestWalker_Append_DependsOnSeedVertexRoundAlone(t *testing.T) {
	_, g := readKarate(t)
	for _, kind := range []Kind{Uniform, Penalized, Biased} {
		o := Options{Kind: kind, Beta: 1, Q: 2}
		a, b := newWalker(t, g, o), newWalker(t, g, o)
		if !slices.Equal(a.targets, b.targets) || !slices.Equal(a.ways, b.ways) {
			t.Error("tables differ between runs")
		}
		if first := a.Append(nil, 3, 5); !slices.Equal(first, b.Append(b.Append(nil, 7, 1)[:0], 3, 5)) {
			t.Error("a walk depends on the walks before it")
		} else if slices.Equal(first, a.Append(nil, 3, 6)) {
			t.Error("two rounds have the same walk")
		}
	}
}

func TestOptions_Validate(t *testing.T) {
	if err := (Options{}).Validate(); err != nil {
		t.Error(err)
	}
	for _, o := range []Options{{Kind: 3}, {Kind: Penalized, Arcs: true}, {Length: -1}, {Walks: 1 << 30}, {Beta: math.NaN()}, {Beta: 17}, {P: -1}, {Q: math.Inf(1)}, {Common: new(-1.0)}, {Common: new(math.NaN())}, {Common: new(2e6)}} {
		if o.Validate() == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

func TestNew_Cancelled(t *testing.T) {
	_, g := readKarate(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := New(ctx, g, Options{Kind: Penalized}, 0); err == nil {
		t.Error("made under a cancelled context")
	}
}

func BenchmarkWalker(b *testing.B) {
	for _, name := range []string{"ego-facebook", "ego-twitter"} {
		if testing.Short() && name != "ego-facebook" {
			continue
		}
		g := realgraph.Load(b, name)
		for _, c := range []struct {
			name string
			Options
		}{{"deepwalk", Options{}}, {"dp_walker", Options{Kind: Penalized, Beta: 0.25, Common: new(0.0)}}, {"common", Options{Kind: Penalized, Beta: 1.5}}, {"node2vec", Options{Kind: Biased, P: 0.5, Q: 2}}} {
			w := newWalker(b, g, c.Options)
			b.Run("graph="+name+"/walk="+c.name, func(b *testing.B) {
				path := make([]uint32, 0, 40)
				steps := 0
				for i := 0; b.Loop(); i++ {
					path = w.Append(path[:0], uint32(i%g.Vertices()), i/g.Vertices())
					steps += len(path)
				}
				b.ReportMetric(float64(steps)/b.Elapsed().Seconds()/1e6, "Msteps/s")
			})
		}
	}
}
