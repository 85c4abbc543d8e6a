package netmf

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"heavytail/.ci/testgraph"
	"heavytail/embedding/eigen"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// union puts graphs next to each other, and adds isolated vertices between them.
func union(t testing.TB, graphs ...*csr.Graph) *csr.Graph {
	t.Helper()
	n := 1
	var edges []csr.Edge
	for _, g := range graphs {
		for u := range uint32(g.Vertices()) {
			for _, v := range g.Neighbors(u) {
				edges = append(edges, csr.Edge{U: uint32(n) + u, V: uint32(n) + v})
			}
		}
		n += g.Vertices() + 1
	}
	return testgraph.Of(t, n, edges...)
}

// copies returns many copies of a graph.
func copies(g *csr.Graph, times int) []*csr.Graph {
	return slices.Repeat([]*csr.Graph{g}, times)
}

// dense returns N by dense matrices in float64, from its definition.
func dense(g *csr.Graph, o Options) *mat.Dense {
	o = o.WithDefaults()
	n := g.Vertices()
	p, volume := mat.NewDense(n, n, nil), 0.0
	degrees := make([]float64, n)
	for u := range n {
		for i, v := range g.Neighbors(uint32(u)) {
			w := 1.0
			if g.Weighted() && !o.IgnoreWeights {
				w = float64(g.WeightsOf(uint32(u))[i])
			}
			p.Set(u, int(v), w)
			degrees[u] += w
		}
		volume += degrees[u]
	}
	p.Apply(func(u, _ int, x float64) float64 { return x / math.Max(degrees[u], math.SmallestNonzeroFloat64) }, p)
	power, sum := mat.DenseCopyOf(p), mat.DenseCopyOf(p)
	for range o.Window - 1 {
		var next mat.Dense
		next.Mul(power, p)
		power = &next
		sum.Add(sum, power)
	}
	sum.Apply(func(_, v int, x float64) float64 {
		if x == 0 {
			return 0
		}
		return math.Log(math.Max(x*volume/float64(o.Negative)/float64(o.Window)/degrees[v], 1))
	}, sum)
	return sum
}

// graphs are small graphs of every kind that makes a difference to the matrix or the
// solver.
func graphs(t testing.TB) map[string]*csr.Graph {
	hubs := testgraph.Hubs(t, 150, 0.03, 4)
	bipartite := testgraph.Of(t, 6, csr.Edge{U: 0, V: 3}, csr.Edge{U: 0, V: 4}, csr.Edge{U: 0, V: 5}, csr.Edge{U: 1, V: 3},
		csr.Edge{U: 1, V: 4}, csr.Edge{U: 1, V: 5}, csr.Edge{U: 2, V: 3}, csr.Edge{U: 2, V: 4}, csr.Edge{U: 2, V: 5})
	return map[string]*csr.Graph{
		"hubs":         hubs,
		"weights":      testgraph.RandomWeights(hubs, 3, 9),
		"star":         testgraph.Star(t, 60),
		"complete":     testgraph.Complete(t, 40),
		"components":   union(t, testgraph.Hubs(t, 60, 0.1, 2), testgraph.Star(t, 20), testgraph.Hubs(t, 60, 0.1, 2), testgraph.Complete(t, 5)),
		"edges":        union(t, copies(testgraph.Of(t, 2, csr.Edge{U: 0, V: 1}), 60)...),
		"bipartite":    union(t, copies(bipartite, 25)...),
		"two of three": testgraph.Of(t, 3, csr.Edge{U: 0, V: 2}),
	}
}

// residue returns ‖N − U·sign·Uᵀ‖² of the first columns of an embedding.
func residue(n *mat.Dense, rows *vec.Matrix, values []float64) float64 {
	size, _ := n.Dims()
	sum := 0.0
	for u := range size {
		for v := range size {
			x := n.At(u, v)
			for j, value := range values {
				x -= math.Copysign(1, value) * float64(rows.Row(u)[j]) * float64(rows.Row(v)[j])
			}
			sum += x * x
		}
	}
	return sum
}

// factors are the options of rows that are not scaled.
func factors(o Options) Options {
	o.RowNorm, o.RowScale = new(0.0), new(0.0)
	return o
}

// TestNetMF_Dense compares with the singular value decomposition of the dense matrix: the
// squares that the approximation leaves, and every singular value.
func TestNetMF_Dense(t *testing.T) {
	t.Parallel()
	for name, g := range graphs(t) {
		for i, o := range []Options{
			{Dim: 1, Window: 1}, {Dim: 16, Window: 1, Seed: 3}, {Dim: 40, Window: 1, Negative: 2}, {Dim: 16}, {Dim: 64, Window: 3}, {Dim: 250, Window: 2, IgnoreWeights: true},
			{Dim: 5, Window: 10, Negative: 4}, {Dim: 33, Window: 5, Seed: 8},
		} {
			if testing.Short() && i%4 > 0 {
				continue
			}
			rows, stats, err := NetMF(t.Context(), g, factors(o))
			if err != nil || rows.Rows != g.Vertices() || rows.Dim != o.Dim || stats.Weighted != (g.Weighted() && !o.IgnoreWeights) || !stats.Converged {
				t.Fatalf("%s, %+v: %+v, %v", name, o, stats, err)
			}
			n := dense(g, o)
			var svd mat.SVD
			if !svd.Factorize(n, mat.SVDNone) {
				t.Fatalf("%s, %+v: no singular values", name, o)
			}
			singular := svd.Values(nil)
			rounding := sumError * float64(g.Vertices()) // of the singular values, from those of the entries
			best, all := 0.0, 0.0
			for i, x := range singular {
				if all += x * x; i >= o.Dim {
					best += x * x
				}
			}
			if got := residue(n, rows, stats.Eigenvalues); !(got <= best*(1+1e-3)+1e-9*all+rounding*rounding) {
				t.Errorf("%s, %+v: the rest is %g of %g, and at best %g", name, o, got, all, best)
			}
			for i, x := range singular[:min(o.Dim, len(singular))] {
				got := 0.0
				if i < len(stats.Eigenvalues) {
					got = math.Abs(stats.Eigenvalues[i])
				}
				if !(math.Abs(got-x) <= 1e-5*singular[0]+rounding) {
					t.Errorf("%s, %+v: singular value %d is %g, not %g", name, o, i, got, x)
				}
			}
			for v := range g.Vertices() {
				if g.Degree(uint32(v)) == 0 && slices.ContainsFunc(rows.Row(v), func(x float32) bool { return x != 0 }) {
					t.Errorf("%s, %+v: isolated vertex %d is at %v", name, o, v, rows.Row(v))
				}
			}
		}
	}
}

// TestSteps_Matrix compares every entry, in the order of s.order, with the dense matrix.
func TestSteps_Matrix(t *testing.T) {
	t.Parallel()
	for name, g := range graphs(t) {
		for _, o := range []Options{{Window: 1}, {Window: 2, Negative: 3}, {Window: 7}, {}} {
			s := newSteps(g, o.WithDefaults())
			m, fits, err := s.matrix(t.Context(), math.MaxInt64, nil)
			if err != nil || !fits {
				t.Fatal(err)
			}
			n, entries := dense(g, o), int64(0)
			for i, vertex := range s.order {
				u := int(vertex)
				targets, values := m.of(i)
				if !slices.IsSorted(targets) {
					t.Fatalf("%s, %+v: row %d is %v", name, o, u, targets)
				}
				for j, target := range targets {
					v := int(s.order[target])
					if x := float64(values[j]); !(math.Abs(x-n.At(u, v)) <= 2*sumError) {
						t.Fatalf("%s, %+v: entry %d, %d is %g, not %g", name, o, u, v, x, n.At(u, v))
					}
					n.Set(u, v, 0)
					entries++
				}
			}
			if rest := mat.Max(n); rest > 2*sumError || entries != m.entries {
				t.Errorf("%s, %+v: an entry of %g is missing, or %d entries are %d", name, o, rest, m.entries, entries)
			}
			if estimate, err := s.estimate(t.Context()); err != nil || m.n <= sampleGroups*width && (estimate.entries != entries || estimate.least != entries) {
				t.Errorf("%s, %+v: %d entries, estimated %+v, %v", name, o, entries, estimate, err)
			}
		}
	}
}

// hubs returns a path of hubs that share so many leaves, and have so many of their own each.
func hubs(t testing.TB, count, shared, own int) *csr.Graph {
	t.Helper()
	var edges []csr.Edge
	next := uint32(count)
	for range shared {
		for hub := range uint32(count) {
			edges = append(edges, csr.Edge{U: hub, V: next})
		}
		next++
	}
	for hub := range uint32(count) {
		if hub > 0 {
			edges = append(edges, csr.Edge{U: hub, V: hub - 1})
		}
		for range own {
			edges = append(edges, csr.Edge{U: hub, V: next})
			next++
		}
	}
	return testgraph.Of(t, int(next), edges...)
}

// TestSteps_Twins expects one row for all vertices with the same neighbours and weights, with the bits
// of the row that each of them has when it is computed alone.
func TestSteps_Twins(t *testing.T) {
	t.Parallel()
	double := hubs(t, 2, 0, 40)
	for name, c := range map[string]struct {
		g    *csr.Graph
		rows int // that are computed; 0 is one for each vertex
	}{
		"star":            {testgraph.Star(t, 70), 2},
		"double star":     {double, 4},
		"shared leaves":   {hubs(t, 3, 50, 0), 3}, // the outer hubs are twins
		"both":            {hubs(t, 4, 30, 20), 9},
		"weights by hub":  {testgraph.Weighted(double, func(u, v uint32) float32 { return 1 + float32(min(u, v)) }), 4},
		"weights by leaf": {testgraph.Weighted(double, func(u, v uint32) float32 { return 1 + float32(max(u, v)) }), 0},
		"no twins":        {testgraph.Wheel(t, 60), 0},
	} {
		for _, o := range []Options{{Window: 1}, {Window: 3, Negative: 2}, {}} {
			s := newSteps(c.g, o.WithDefaults())
			if rows := len(s.twins.first); c.rows > 0 && rows != c.rows || c.rows == 0 && rows != len(s.order) {
				t.Errorf("%s: %d rows are computed, expected %d", name, rows, c.rows)
			}
			m, _, err := s.matrix(t.Context(), math.MaxInt64, nil)
			if err != nil {
				t.Fatal(err)
			}
			alone := newScratch(c.g.Vertices())
			for i, v := range s.order {
				if err := alone.rows(t.Context(), s, []uint32{v}); err != nil {
					t.Fatal(err)
				}
				if targets, values := m.of(i); !slices.Equal(targets, alone.targets[0]) || !slices.Equal(values, alone.values[0]) {
					t.Fatalf("%s, %+v: row %d is %v %v, and alone %v %v", name, o, v, targets, values, alone.targets[0], alone.values[0])
				}
			}
		}
	}
}

// TestNetMF_Star expects no entry above 1: over an even number of steps every entry of M is 1.
func TestNetMF_Star(t *testing.T) {
	t.Parallel()
	n := 3000
	if testing.Short() {
		n = 1000
	}
	for _, weight := range []float32{1, 0.3} {
		// One different weight makes the method use the weights.
		g := testgraph.Weighted(testgraph.Star(t, n), func(_, v uint32) float32 {
			if v == 7 {
				return 1
			}
			return weight
		})
		_, stats, err := NetMF(t.Context(), g, Options{Dim: 2})
		if err != nil || stats.Entries != 0 || stats.Weighted != (weight != 1) {
			t.Errorf("%+v, %v", stats, err)
		}
	}
}

// TestNetMF_Signs expects columns of descending length in which the entry of largest
// magnitude is positive.
func TestNetMF_Signs(t *testing.T) {
	t.Parallel()
	g := testgraph.Hubs(t, 400, 0.02, 7)
	for _, window := range []int{1, 10} {
		rows, stats, err := NetMF(t.Context(), g, factors(Options{Dim: 30, Window: window}))
		if err != nil || len(stats.Eigenvalues) != 30 {
			t.Fatalf("%+v, %v", stats, err)
		}
		for j, value := range stats.Eigenvalues {
			most, squares := float32(0), 0.0
			for v := range rows.Rows {
				x := rows.Row(v)[j]
				squares += float64(x) * float64(x)
				if math.Abs(float64(x)) > math.Abs(float64(most)) {
					most = x
				}
			}
			if !(most > 0) || !(math.Abs(squares-math.Abs(value)) < 1e-4*squares) || j > 0 && math.Abs(value) > math.Abs(stats.Eigenvalues[j-1]) {
				t.Errorf("window %d, column %d: eigenvalue %g, squares %g, largest entry %g", window, j, value, squares, most)
			}
		}
	}
}

// TestNetMF_Workers expects the same bytes at any number of workers, from a graph that
// needs the iterative solver.
func TestNetMF_Workers(t *testing.T) {
	t.Parallel()
	g := testgraph.RandomWeights(union(t, testgraph.Hubs(t, 450, 0.015, 3), testgraph.Hubs(t, 200, 0.03, 5)), 2, 4)
	var first *vec.Matrix
	for _, workers := range []int{1, 3} {
		rows, stats, err := NetMF(t.Context(), g, Options{Dim: 24, Window: 4, Workers: workers})
		if err != nil || stats.Iterations == 0 {
			t.Fatalf("%+v, %v", stats, err)
		}
		if first == nil {
			first = rows
		} else if !slices.Equal(first.Data, rows.Data) {
			t.Errorf("%d workers give other bytes", workers)
		}
	}
}

// TestNetMF_Small runs graphs without edges or with few of them, and extreme weights.
func TestNetMF_Small(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 5} {
		rows, stats, err := NetMF(t.Context(), testgraph.Of(t, n), Options{Dim: 3})
		if err != nil || rows.Rows != n || len(stats.Eigenvalues) != 0 || len(stats.Notes) != 1 || slices.ContainsFunc(rows.Data, func(x float32) bool { return x != 0 }) {
			t.Errorf("%d vertices: %v, %+v, %v", n, rows, stats, err)
		}
	}
	// The matrix of one edge with one step is vol·A/d² = 2·A.
	rows, stats, err := NetMF(t.Context(), testgraph.Of(t, 2, csr.Edge{U: 0, V: 1}), factors(Options{Dim: 3, Window: 1}))
	root := math.Sqrt(math.Ln2 / 2)
	want := []float64{root, root, 0, root, -root, 0}
	for i, x := range rows.Data {
		if !(math.Abs(float64(x)-want[i]) < 1e-6) {
			t.Errorf("an edge is at %v, not %v; %+v, %v", rows.Data, want, stats, err)
		}
	}
	g := testgraph.Hubs(t, 50, 0.1, 1)
	for _, factor := range []float32{1e-37, 1e36} {
		heavy := testgraph.Weighted(g, func(u, v uint32) float32 { return factor * float32(1+(u*v)%3) })
		light := testgraph.Weighted(g, func(u, v uint32) float32 { return float32(1 + (u*v)%3) })
		m, _, err := NetMF(t.Context(), heavy, Options{Dim: 4})
		if err != nil {
			t.Fatal(err)
		}
		same, _, err := NetMF(t.Context(), light, Options{Dim: 4})
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range m.Data {
			if !(math.Abs(float64(x-same.Data[i])) < 1e-3) {
				t.Fatalf("weights times %g: %v, not %v", factor, x, same.Data[i])
			}
		}
	}
}

func TestNetMF_Errors(t *testing.T) {
	t.Parallel()
	g := testgraph.Hubs(t, 300, 0.05, 1)
	for _, o := range []Options{
		{Dim: -1}, {Dim: 5000}, {Window: -1}, {Window: MaxWindow + 1}, {Negative: -1}, {Negative: MaxNegative + 1}, {Entries: -1}, {Workers: -1},
	} {
		if _, _, err := NetMF(t.Context(), g, o); !errors.Is(err, ErrOptions) {
			t.Errorf("%+v: %v", o, err)
		}
		if _, err := Seconds(t.Context(), g, o); !errors.Is(err, ErrOptions) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	for _, stage := range []string{"multiplying", "solving: largest", "solving: smallest"} {
		ctx, cancel := context.WithCancel(t.Context())
		_, _, err := NetMF(ctx, g, Options{Dim: 4, Window: 2, Progress: func(at string, done, total int64) {
			if done < 0 || done > total {
				t.Errorf("%s: %d of %d", at, done, total)
			}
			if at == stage {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled while %s: %v", stage, err)
		}
	}
}

// TestNetMF_Entries sets a limit one below the number of entries, which the count refuses,
// and a much lower one, which the sample refuses, with the same error.
func TestNetMF_Entries(t *testing.T) {
	t.Parallel()
	g := testgraph.Hubs(t, 500, 0.02, 6)
	_, stats, err := NetMF(t.Context(), g, Options{Dim: 2, Window: 3})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := NetMF(t.Context(), g, Options{Dim: 2, Window: 3, Entries: int(stats.Entries)}); err != nil {
		t.Error(err)
	}
	for _, limit := range []int{int(stats.Entries) - 1, 10} {
		_, _, err := NetMF(t.Context(), g, Options{Dim: 2, Window: 3, Entries: limit})
		var e *EntriesError
		if !errors.Is(err, ErrEntries) || !errors.As(err, &e) || e.Limit != int64(limit) || e.Entries <= e.Limit ||
			!strings.Contains(err.Error(), "use fastrp or deepwalk") {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
	if _, err := Seconds(t.Context(), g, Options{Window: 3, Entries: 10}); !errors.Is(err, ErrEntries) {
		t.Errorf("the time of a run that is refused: %v", err)
	}
}

// TestBytes compares the sampled number of entries with the true one, and expects the
// memory estimate to cover the entries and the solver.
func TestBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: makes five matrices of the method")
	}
	t.Parallel()
	for _, density := range []float64{0.002, 0.02} {
		g := testgraph.Hubs(t, 2000, density, 8)
		for _, window := range []int{1, 2, 10} {
			o := Options{Dim: 16, Window: window}.WithDefaults()
			s := newSteps(g, o)
			m, _, err := s.matrix(t.Context(), math.MaxInt64, nil)
			if err != nil {
				t.Fatal(err)
			}
			e, err := s.estimate(t.Context())
			if ratio := float64(e.entries) / float64(m.entries); err != nil || !(ratio > 0.9 && ratio < 1.5) || e.least > m.entries {
				t.Errorf("density %g, window %d: %+v of %d entries, %v", density, window, e, m.entries, err)
			}
			if bytes, least := Bytes(g, o), 8*e.entries+eigen.Bytes(m.n, 16, 0); bytes < least || bytes > 2*least+1<<20 {
				t.Errorf("density %g, window %d: %d bytes, at least %d", density, window, bytes, least)
			}
			if seconds, err := Seconds(t.Context(), g, o); err != nil || !(seconds > 0) || math.IsInf(seconds, 0) {
				t.Errorf("density %g, window %d: %g seconds, %v", density, window, seconds, err)
			}
		}
	}
}
