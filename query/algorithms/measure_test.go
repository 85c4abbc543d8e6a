package algorithms

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/community"
	"gonum.org/v1/gonum/graph/network"
	"gonum.org/v1/gonum/graph/path"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
	"gonum.org/v1/gonum/mat"
	"heavytail/.ci/realgraph"
	"heavytail/.ci/testgraph"
	"heavytail/storage/csr"
)

// weighted gives the edges weights from 1 to 4, equal at both ends.
func weighted(g *csr.Graph) *csr.Graph {
	w := &csr.Graph{Offsets: g.Offsets, Targets: g.Targets, Weights: make([]float32, len(g.Targets))}
	for v := range uint32(g.Vertices()) {
		for i, u := range g.Neighbors(v) {
			w.Weights[int(g.Offsets[v])+i] = float32(1 + min(u, v)*7%3 + max(u, v)%2)
		}
	}
	return w
}

// peer is g as gonum has it.
func peer(g *csr.Graph) *simple.WeightedUndirectedGraph {
	p := simple.NewWeightedUndirectedGraph(0, math.Inf(1))
	for v := range g.Vertices() {
		p.AddNode(simple.Node(v))
	}
	for v := range uint32(g.Vertices()) {
		weights := g.WeightsOf(v)
		for i, u := range g.Neighbors(v) {
			if u < v {
				p.SetWeightedEdge(simple.WeightedEdge{F: simple.Node(u), T: simple.Node(v), W: lengthOf(weights, i)})
			}
		}
	}
	return p
}

// samples are random graphs with and without weights, some of several components.
func samples(t *testing.T) []*csr.Graph {
	var list []*csr.Graph
	for seed := range uint64(8) {
		n := 4 + int(seed)*9
		g := testgraph.Hubs(t, n, 3/float64(n), seed)
		list = append(list, g, weighted(g))
	}
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 5))
		var edges []csr.Edge
		for range 20 + 10*seed {
			edges = append(edges, csr.Edge{U: uint32(r.IntN(40)), V: uint32(r.IntN(40))})
		}
		g := testgraph.Of(t, 45, edges...)
		list = append(list, g, weighted(g))
	}
	return list
}

// near fails where two lists differ by more than a part of the largest value.
func near(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	largest := 1e-300
	for _, x := range want {
		largest = math.Max(largest, math.Abs(x))
	}
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for v := range want {
		if !(math.Abs(got[v]-want[v]) <= tolerance*largest) {
			t.Fatalf("%s: vertex %d has %v, want %v", what, v, got[v], want[v])
		}
	}
}

func listOf(n int, values map[int64]float64) []float64 {
	list := make([]float64, n)
	for v, x := range values {
		list[v] = x
	}
	return list
}

// solved solves (I − factor·A·S)x = c as a dense system, with S the inverse strengths if
// stochastic.
func solved(g *csr.Graph, factor float64, stochastic bool, c []float64) []float64 {
	n := g.Vertices()
	a := mat.NewDense(n, n, nil)
	for v := range uint32(n) {
		a.Set(int(v), int(v), 1)
		weights := g.WeightsOf(v)
		for i, u := range g.Neighbors(v) {
			x := factor * lengthOf(weights, i)
			if stochastic {
				x /= strength(g, u)
			}
			a.Set(int(v), int(u), -x)
		}
	}
	var x mat.VecDense
	if err := x.SolveVec(a, mat.NewVecDense(n, c)); err != nil {
		panic(err)
	}
	return x.RawVector().Data
}

func TestPageRank_DenseSystem(t *testing.T) {
	for _, g := range samples(t) {
		for _, from := range [][]uint32{nil, {1, 3}} {
			for _, damping := range []float64{0.3, 0.85, 0.99} {
				start, _ := starts(g.Vertices(), from)
				want := solved(g, damping, true, start)
				scale(want, 1/sumOf(want))
				got, err := PageRank(t.Context(), g, PageRankOptions{Damping: damping, From: from})
				if err != nil || math.Abs(sumOf(got.Values)-1) > 1e-14 {
					t.Fatal(err, sumOf(got.Values))
				}
				near(t, "pagerank", got.Values, want, 1e-10)
			}
		}
	}
}

func TestPageRank_RealGraphEqualsGonum(t *testing.T) {
	g := realgraph.Load(t, "ca-GrQc")
	directed := simple.NewDirectedGraph()
	for v := range uint32(g.Vertices()) {
		for _, u := range g.Neighbors(v) {
			directed.SetEdge(simple.Edge{F: simple.Node(v), T: simple.Node(u)})
		}
	}
	want := listOf(g.Vertices(), network.PageRankSparse(directed, 0.85, 1e-13))
	got, err := PageRank(t.Context(), g, PageRankOptions{})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "pagerank", got.Values, want, 1e-9)
	if got.Iterations > 60 {
		t.Errorf("%d iterations", got.Iterations)
	}
}

func TestKatz_DenseSystem(t *testing.T) {
	for _, g := range samples(t) {
		value, _, err := largestEigenpair(t.Context(), nil, &product{rows: g}, 1e-12)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []float64{0.1, 0.5, 0.99} {
			ones := make([]float64, g.Vertices())
			for v := range ones {
				ones[v] = 1
			}
			want := solved(g, part/value, false, ones)
			scale(want, 1/math.Sqrt(squaresOf(want)))
			got, err := Katz(t.Context(), g, KatzOptions{Alpha: part / value})
			if err != nil {
				t.Fatal(err)
			}
			near(t, "katz", got.Values, want, 1e-9)
		}
		if _, err := Katz(t.Context(), g, KatzOptions{Alpha: 1.01 / value}); !errors.Is(err, ErrOption) {
			t.Errorf("alpha that diverges: %v", err)
		}
	}
}

func TestEigenvector_DenseMatrix(t *testing.T) {
	for _, g := range samples(t)[:16] { // connected up to vertices without edges
		n := g.Vertices()
		a := mat.NewSymDense(n, nil)
		for v := range uint32(n) {
			weights := g.WeightsOf(v)
			for i, u := range g.Neighbors(v) {
				a.SetSym(int(v), int(u), lengthOf(weights, i))
			}
		}
		var e mat.EigenSym
		e.Factorize(a, true)
		var vectors mat.Dense
		e.VectorsTo(&vectors)
		want := mat.Col(nil, n-1, &vectors)
		if sumOf(want) < 0 {
			scale(want, -1)
		}
		got, err := Eigenvector(t.Context(), g, EigenvectorOptions{})
		if err != nil {
			t.Fatal(err)
		}
		near(t, "eigenvector", got.Values, want, 1e-7)
	}
	// Two equal components: both have the eigenvalue, and equal parts.
	got, err := Eigenvector(t.Context(), testgraph.Of(t, 5, csr.Edge{U: 0, V: 1}, csr.Edge{U: 2, V: 3}), EigenvectorOptions{})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "two edges", got.Values, []float64{.5, .5, .5, .5, 0}, 1e-12)
}

// TestEigenvector_Path compares with the eigenvector of a path, sin(πi/(n+1)): its two
// largest eigenvalues differ by 3·(π/n)².
func TestEigenvector_Path(t *testing.T) {
	t.Parallel()
	const n = 800
	var edges []csr.Edge
	want, square := make([]float64, n), 0.0
	for v := range want {
		want[v] = math.Sin(math.Pi * float64(v+1) / (n + 1))
		square += want[v] * want[v]
		if v > 0 {
			edges = append(edges, csr.Edge{U: uint32(v - 1), V: uint32(v)})
		}
	}
	scale(want, 1/math.Sqrt(square))
	got, err := Eigenvector(t.Context(), testgraph.Of(t, n, edges...), EigenvectorOptions{})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "path", got.Values, want, 1e-4) // 1e-10·λ₁ divided by the difference of the eigenvalues
}

func TestDistances_EqualGonum(t *testing.T) {
	for _, g := range samples(t) {
		p := peer(g)
		n := g.Vertices()
		all := path.DijkstraAllPaths(p)
		opts := DistanceOptions{Weighted: true}
		h, err := Harmonic(t.Context(), g, opts)
		if err != nil || h.Sources != n || h.Error != 0 {
			t.Fatal(h, err)
		}
		near(t, "harmonic", h.Values, listOf(n, network.Harmonic(p, all)), 1e-12)
		closeness, err := Closeness(t.Context(), g, opts)
		if err != nil || closeness.Sources != n || closeness.Error != 0 {
			t.Fatal(closeness, err)
		}
		wanted := make([]float64, n)
		for v := range wanted {
			sum, reached := 0.0, 0.0
			for u := range n {
				if d := all.Weight(int64(v), int64(u)); u != v && !math.IsInf(d, 1) {
					sum, reached = sum+d, reached+1
				}
			}
			if reached > 0 {
				wanted[v] = reached / sum * reached / float64(n-1)
			}
		}
		near(t, "closeness", closeness.Values, wanted, 1e-12)
		// gonum counts every pair from both ends.
		want := listOf(n, network.Betweenness(p))
		if g.Weights != nil {
			want = listOf(n, network.BetweennessWeighted(p, all))
		}
		scale(want, 0.5)
		b, err := Betweenness(t.Context(), g, opts)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "betweenness", b.Values, want, 1e-9)
		if g.Weights != nil {
			continue
		}
		far := make([]int64, n)
		for v := range far {
			for u := range n {
				if d := all.Weight(int64(v), int64(u)); !math.IsInf(d, 1) {
					far[v] = max(far[v], int64(d))
				}
			}
		}
		got, err := Eccentricity(t.Context(), g, EccentricityOptions{})
		if err != nil || !slices.Equal(got, far) {
			t.Fatalf("eccentricity %v, want %v, %v", got, far, err)
		}
		wide := int64(0)
		if components := g.Components().Vertices(); len(components) > 0 {
			for _, v := range components[0] {
				wide = max(wide, far[v])
			}
		}
		if least, most, err := Diameter(t.Context(), g); err != nil || least > wide || most < wide {
			t.Errorf("diameter %d to %d, want %d: %v", least, most, wide, err)
		}
	}
}

// TestDistances_Sampled holds estimates against the bound of their error, and against
// all sources, which are exact.
func TestDistances_Sampled(t *testing.T) {
	g, seeds := realgraph.Load(t, "ca-GrQc"), uint64(5)
	if testing.Short() { // the exact values of a smaller graph are soon computed
		var first []uint32
		for v := range uint32(1500) {
			first = append(first, v)
		}
		g, seeds = g.Induced(first), 1
	}
	for name, within := range map[string][2]float64{"harmonic": {0.01, 0.12}, "betweenness": {0.0004, 0.02}} {
		measure := Harmonic
		if name == "betweenness" {
			measure = Betweenness
		}
		exact, err := measure(t.Context(), g, DistanceOptions{Normalized: true})
		if err != nil || exact.Sources != g.Vertices() {
			t.Fatal(exact.Sources, err)
		}
		for seed := range seeds {
			some, err := measure(t.Context(), g, DistanceOptions{Normalized: true, Sources: 500, Seed: seed})
			if err != nil || some.Sources != 500 || some.Error < within[0] || some.Error > within[1] {
				t.Fatal(some.Sources, some.Error, err)
			}
			for v, x := range some.Values {
				if math.Abs(x-exact.Values[v]) > some.Error {
					t.Fatalf("%s: vertex %d has %v, exactly %v, and a bound of %v", name, v, x, exact.Values[v], some.Error)
				}
			}
		}
		for v, x := range exact.Values {
			if x < 0 || x > 1 {
				t.Fatalf("%s: vertex %d has %v", name, v, x)
			}
		}
	}
}

// TestBetweenness_ManyPaths has a chain of 1,030 squares, joined at their corners: there are
// 2^1030 shortest paths from end to end, more than a float64 can count.
func TestBetweenness_ManyPaths(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: counts the paths of a large grid")
	}
	const squares = 1030
	const n = 3*squares + 1
	var edges []csr.Edge
	for i := range uint32(squares) {
		for side := range uint32(2) {
			edges = append(edges, csr.Edge{U: 3 * i, V: 3*i + 1 + side}, csr.Edge{U: 3*i + 1 + side, V: 3*i + 3})
		}
	}
	g := testgraph.Of(t, n, edges...)
	lengths := &csr.Graph{Offsets: g.Offsets, Targets: g.Targets, Weights: make([]float32, len(g.Targets))}
	for i := range lengths.Weights {
		lengths.Weights[i] = 0.5
	}
	for _, g := range []*csr.Graph{lengths, g} {
		b, err := Betweenness(t.Context(), g, DistanceOptions{Weighted: true})
		if err != nil {
			t.Fatal(err)
		}
		for v, x := range b.Values {
			left := float64(v / 3 * 3) // vertices before the square, or before the corner
			// Half of the paths between the two sides of a square pass through each corner.
			want := left*(n-1-left) + 1
			if v == 0 || v == n-1 {
				want = 0.5
			}
			if v%3 > 0 { // half of the paths that pass through the square
				want = (left + 1) * (n - 3 - left) / 2
			}
			if math.Abs(x-want) > 1e-9*want {
				t.Fatalf("vertex %d: %v, expected %v", v, x, want)
			}
		}
		some, err := Betweenness(t.Context(), g, DistanceOptions{Weighted: true, Sources: 40})
		if err != nil {
			t.Fatal(err)
		}
		for v, x := range some.Values {
			if math.IsNaN(x) || math.Abs(x-b.Values[v]) > some.Error {
				t.Fatalf("vertex %d: %v of 40 sources, %v of all, and a bound of %v", v, x, b.Values[v], some.Error)
			}
		}
	}
}

// TestPathSearch_Uniform counts random paths of a graph with several paths between most pairs,
// several components and isolated vertices: every vertex is on the fraction that its betweenness
// is of all pairs, within five standard errors.
func TestPathSearch_Uniform(t *testing.T) {
	paths := 200_000
	if testing.Short() {
		paths = 20_000
		t.Log("-short: 20,000 paths")
	}
	for i, g := range samples(t) {
		n := g.Vertices()
		if n < 2 {
			continue
		}
		exact, err := Betweenness(t.Context(), weightless(g), DistanceOptions{})
		if err != nil {
			t.Fatal(err)
		}
		w, err := waysOf(g, DistanceOptions{})
		if err != nil {
			t.Fatal(err)
		}
		p, counts, o := newPathSearch(t.Context(), w), make([]float64, n), DistanceOptions{Seed: 3}
		for path := range uint64(paths) {
			p.add(o.Seed, path, counts)
		}
		for v, count := range counts {
			want := exact.Values[v] / (float64(n) * float64(n-1) / 2)
			if off := math.Abs(count/float64(paths) - want); off > 5*math.Sqrt(want*(1-want)/float64(paths))+1e-12 {
				t.Errorf("graph %d, vertex %d: %v of the paths, expected %v", i, v, count/float64(paths), want)
			}
		}
	}
}

func TestCores_EqualGonum(t *testing.T) {
	for _, g := range append(samples(t), realgraph.Load(t, "ca-GrQc")) {
		want := make([]int64, g.Vertices())
		_, cores := topo.DegeneracyOrdering(peer(g))
		for k, core := range cores {
			for _, v := range core {
				want[v.ID()] = int64(k)
			}
		}
		if got := Cores(g); !slices.Equal(got, want) {
			t.Fatalf("%v, gonum %v", got, want)
		}
	}
}

// groupsOf are communities as gonum has them.
func groupsOf(labels []uint32) (groups [][]graph.Node) {
	for v, c := range labels {
		for int(c) >= len(groups) {
			groups = append(groups, nil)
		}
		groups[c] = append(groups[c], simple.Node(v))
	}
	return groups
}

func TestLeiden_AgainstGonum(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: takes large inputs")
	}
	for _, g := range append(samples(t), realgraph.Load(t, "ca-GrQc")) {
		p := peer(g)
		for _, resolution := range []float64{1, 0.4, 3} {
			got, err := Leiden(t.Context(), g, LeidenOptions{Resolution: resolution})
			if err != nil {
				t.Fatal(err)
			}
			checkCommunities(t, g, got)
			q := community.Q(p, groupsOf(got.Label), resolution)
			if math.Abs(q-got.Modularity) > 1e-9 {
				t.Errorf("modularity %v, gonum %v", got.Modularity, q)
			}
			louvain := community.Modularize(p, resolution, rand.NewPCG(1, 1))
			if best := community.Q(p, louvain.Communities(), resolution); q < best-0.02 {
				t.Errorf("%d vertices, resolution %v: modularity %v, Louvain %v", g.Vertices(), resolution, q, best)
			}
		}
		all, err := LabelPropagation(t.Context(), g, LabelOptions{})
		if err != nil || all.Iterations == maxRounds {
			t.Fatal(all.Iterations, err)
		}
		checkCommunities(t, nil, all)
	}
}

// checkCommunities checks that communities are numbered by size, and connected in g if
// that is not nil.
func checkCommunities(t *testing.T, g *csr.Graph, c Communities) {
	t.Helper()
	if !slices.IsSortedFunc(c.Sizes, func(a, b int) int { return b - a }) {
		t.Fatalf("sizes %v", c.Sizes)
	}
	members, first := membersOf(c.Label, len(c.Sizes))
	for i, size := range c.Sizes {
		list := members[first[i]:first[i+1]]
		if len(list) != size {
			t.Fatalf("community %d has %d vertices, not %d", i, len(list), size)
		}
		if g != nil && g.Induced(list).Components().Count() != 1 {
			t.Fatalf("community %d of %d vertices is not connected", i, size)
		}
	}
}

func TestLeiden_Planted(t *testing.T) {
	var edges []csr.Edge
	r := rand.New(rand.NewPCG(3, 3))
	for v := range uint32(400) {
		for u := range v {
			if p := r.Float64(); p < 0.005 || v/100 == u/100 && p < 0.2 {
				edges = append(edges, csr.Edge{U: u, V: v})
			}
		}
	}
	g := testgraph.Of(t, 400, edges...)
	for _, opts := range []LeidenOptions{{}, {CPM: true, Resolution: 0.05}} {
		c, err := Leiden(t.Context(), g, opts)
		if err != nil || !slices.Equal(c.Sizes, []int{100, 100, 100, 100}) {
			t.Errorf("sizes %v, %v", c.Sizes, err)
		}
		for v, l := range c.Label {
			if l != c.Label[v/100*100] {
				t.Fatalf("vertex %d is in %d", v, l)
			}
		}
	}
}

// half has both arcs of a third of the edges of a graph, and one of the others.
func half(g *csr.Graph) *csr.Directed {
	out := csr.Rows{Offsets: []int64{0}}
	for v := range uint32(g.Vertices()) {
		for i, u := range g.Neighbors(v) {
			if mix := (min(u, v)*7 + max(u, v)*5) % 3; mix == 0 || (mix == 1) == (u < v) {
				out.Targets = append(out.Targets, u)
				out.Weights = append(out.Weights, float32(lengthOf(g.WeightsOf(v), i)))
			}
		}
		out.Offsets = append(out.Offsets, int64(len(out.Targets)))
	}
	return csr.NewDirected(out)
}

// TestMeasures_Workers holds all measures to the same bytes at any number of workers, and
// to the errors of contexts.
func TestMeasures_Workers(t *testing.T) {
	g := weighted(realgraph.Load(t, "ca-GrQc"))
	d := half(g)
	others := []int{3, 2, 4}
	if testing.Short() {
		others = others[:1]
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, f := range map[string]func(context.Context, Work) (any, error){
		"pagerank": func(ctx context.Context, w Work) (any, error) { return PageRank(ctx, g, PageRankOptions{Work: w}) },
		"eigenvector": func(ctx context.Context, w Work) (any, error) {
			return Eigenvector(ctx, g, EigenvectorOptions{Work: w})
		},
		"katz":      func(ctx context.Context, w Work) (any, error) { return Katz(ctx, g, KatzOptions{Work: w}) },
		"harmonic":  func(ctx context.Context, w Work) (any, error) { return Harmonic(ctx, g, DistanceOptions{Work: w}) },
		"closeness": func(ctx context.Context, w Work) (any, error) { return Closeness(ctx, g, DistanceOptions{Work: w}) },
		"lengths": func(ctx context.Context, w Work) (any, error) {
			return Harmonic(ctx, g, DistanceOptions{Work: w, Weighted: true, Sources: 50})
		},
		"betweenness": func(ctx context.Context, w Work) (any, error) {
			return Betweenness(ctx, g, DistanceOptions{Work: w, Sources: 50})
		},
		"triangles": func(ctx context.Context, w Work) (any, error) { return Triangles(ctx, g, w) },
		"eccentricity": func(ctx context.Context, w Work) (any, error) {
			return Eccentricity(ctx, g, EccentricityOptions{Work: w})
		},
		"leiden": func(ctx context.Context, w Work) (any, error) { return Leiden(ctx, g, LeidenOptions{Work: w, Seed: 7}) },
		"labels": func(ctx context.Context, w Work) (any, error) {
			return LabelPropagation(ctx, g, LabelOptions{Work: w, Seed: 7})
		},
		"directed pagerank": func(ctx context.Context, w Work) (any, error) {
			return DirectedPageRank(ctx, d, PageRankOptions{Work: w})
		},
		"directed katz": func(ctx context.Context, w Work) (any, error) { return DirectedKatz(ctx, d, KatzOptions{Work: w}) },
		"hits": func(ctx context.Context, w Work) (any, error) {
			hubs, authorities, err := Hits(ctx, d, EigenvectorOptions{Work: w})
			return []Scores{hubs, authorities}, err
		},
		"directed harmonic": func(ctx context.Context, w Work) (any, error) {
			return DirectedHarmonic(ctx, d, DistanceOptions{Work: w})
		},
		"directed closeness": func(ctx context.Context, w Work) (any, error) {
			return DirectedCloseness(ctx, d, DistanceOptions{Work: w})
		},
		"directed betweenness": func(ctx context.Context, w Work) (any, error) {
			return DirectedBetweenness(ctx, d, DistanceOptions{Work: w, Sources: 50})
		},
		"directed lengths": func(ctx context.Context, w Work) (any, error) {
			return DirectedBetweenness(ctx, d, DistanceOptions{Work: w, Weighted: true, Sources: 50})
		},
		"directed eccentricity": func(ctx context.Context, w Work) (any, error) {
			return DirectedEccentricity(ctx, d, EccentricityOptions{Work: w})
		},
		"directed leiden": func(ctx context.Context, w Work) (any, error) {
			return DirectedLeiden(ctx, d, LeidenOptions{Work: w, Seed: 7})
		},
	} {
		last, total := int64(0), int64(-1)
		want, err := f(t.Context(), Work{Workers: 1, Progress: func(_ string, done, of int64) {
			if done < last || done > of {
				t.Errorf("%s: %d of %d after %d", name, done, of, last)
			}
			last, total = done, of
			if done == of {
				last = 0 // another stage may follow
			}
		}})
		if err != nil || last != 0 || total < 0 {
			t.Errorf("%s: ended at %d of %d: %v", name, last, total, err)
		}
		for _, workers := range others {
			if got, err := f(t.Context(), Work{Workers: workers}); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %d workers give another result: %v", name, workers, err)
			}
		}
		if _, err := f(ctx, Work{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled: %v", name, err)
		}
	}
}

// TestMeasures_Refused has the mistakes and the smallest graphs.
func TestMeasures_Refused(t *testing.T) {
	negative := &csr.Graph{Offsets: []int64{0, 1, 2}, Targets: []uint32{1, 0}, Weights: []float32{-1, -1}}
	empty, lone := testgraph.Of(t, 0), testgraph.Of(t, 3)
	for name, f := range map[string]func(*csr.Graph) (any, error){
		"strength":    func(g *csr.Graph) (any, error) { return Strength(g, Work{}) },
		"pagerank":    func(g *csr.Graph) (any, error) { return PageRank(t.Context(), g, PageRankOptions{}) },
		"eigenvector": func(g *csr.Graph) (any, error) { return Eigenvector(t.Context(), g, EigenvectorOptions{}) },
		"katz":        func(g *csr.Graph) (any, error) { return Katz(t.Context(), g, KatzOptions{}) },
		"harmonic":    func(g *csr.Graph) (any, error) { return Harmonic(t.Context(), g, DistanceOptions{Weighted: true}) },
		"closeness":   func(g *csr.Graph) (any, error) { return Closeness(t.Context(), g, DistanceOptions{Weighted: true}) },
		"betweenness": func(g *csr.Graph) (any, error) { return Betweenness(t.Context(), g, DistanceOptions{Weighted: true}) },
		"leiden":      func(g *csr.Graph) (any, error) { return Leiden(t.Context(), g, LeidenOptions{}) },
		"labels":      func(g *csr.Graph) (any, error) { return LabelPropagation(t.Context(), g, LabelOptions{}) },
	} {
		if _, err := f(negative); !errors.Is(err, ErrWeight) {
			t.Errorf("%s of a negative weight: %v", name, err)
		}
		for _, g := range []*csr.Graph{empty, lone} {
			if _, err := f(g); err != nil && (name != "eigenvector" || !errors.Is(err, ErrEdges)) {
				t.Errorf("%s of %d vertices without edges: %v", name, g.Vertices(), err)
			}
		}
	}
	bad := csr.NewDirected(csr.Rows{Offsets: []int64{0, 1, 1}, Targets: []uint32{1}, Weights: []float32{-1}})
	for name, f := range map[string]func(*csr.Directed) (any, error){
		"strength": func(d *csr.Directed) (any, error) { return OutStrength(d, Work{}) },
		"pagerank": func(d *csr.Directed) (any, error) { return DirectedPageRank(t.Context(), d, PageRankOptions{}) },
		"katz":     func(d *csr.Directed) (any, error) { return DirectedKatz(t.Context(), d, KatzOptions{}) },
		"harmonic": func(d *csr.Directed) (any, error) {
			return DirectedHarmonic(t.Context(), d, DistanceOptions{Weighted: true})
		},
		"closeness": func(d *csr.Directed) (any, error) {
			return DirectedCloseness(t.Context(), d, DistanceOptions{Weighted: true})
		},
		"betweenness": func(d *csr.Directed) (any, error) {
			return DirectedBetweenness(t.Context(), d, DistanceOptions{Weighted: true})
		},
		"leiden": func(d *csr.Directed) (any, error) { return DirectedLeiden(t.Context(), d, LeidenOptions{}) },
		"hits": func(d *csr.Directed) (any, error) {
			_, _, err := Hits(t.Context(), d, EigenvectorOptions{})
			return nil, err
		},
		"eccentricity": func(d *csr.Directed) (any, error) { return DirectedEccentricity(t.Context(), d, EccentricityOptions{}) },
	} {
		if _, err := f(bad); !errors.Is(err, ErrWeight) && name != "eccentricity" {
			t.Errorf("directed %s of a negative weight: %v", name, err)
		}
		for _, out := range []csr.Rows{{}, {Offsets: []int64{0}}, {Offsets: []int64{0, 0}}, {Offsets: []int64{0, 0, 0, 0}}} {
			if _, err := f(csr.NewDirected(out)); err != nil && (name != "hits" || !errors.Is(err, ErrEdges)) {
				t.Errorf("directed %s of %d vertices without arcs: %v", name, len(out.Offsets)-1, err)
			}
		}
	}
	for _, damping := range []float64{-1, 1, math.NaN()} {
		if _, err := PageRank(t.Context(), lone, PageRankOptions{Damping: damping}); !errors.Is(err, ErrOption) {
			t.Errorf("damping %v: %v", damping, err)
		}
	}
	if _, err := PageRank(t.Context(), lone, PageRankOptions{From: []uint32{3}}); !errors.Is(err, ErrOption) {
		t.Errorf("a vertex beyond the graph: %v", err)
	}
	if _, err := Leiden(t.Context(), lone, LeidenOptions{Resolution: -1}); !errors.Is(err, ErrOption) {
		t.Errorf("resolution: %v", err)
	}
}
