package propagate

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// sample returns a random graph with a hub, a second component and a vertex without edges.
func sample(t testing.TB, n int, weights bool) *csr.Graph {
	t.Helper()
	random := rand.New(rand.NewPCG(5, 6))
	var edges []csr.Edge
	for v := 1; v < n-3; v++ {
		edges = append(edges, csr.Edge{U: uint32(v), V: uint32(random.IntN(v))}, csr.Edge{U: uint32(v), V: 0})
	}
	edges = append(edges, csr.Edge{U: uint32(n - 3), V: uint32(n - 2)})
	g, err := csr.FromEdges(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	if !weights {
		return g
	}
	heavy := &csr.Graph{Offsets: g.Offsets, Targets: g.Targets}
	for u := range uint32(n) {
		for _, v := range g.Neighbors(u) {
			heavy.Weights = append(heavy.Weights, float32(1+(u*v+u+v)%7)/3)
		}
	}
	return heavy
}

// dense is the matrix A in float64.
func dense(g *csr.Graph, weights bool) [][]float64 {
	a := make([][]float64, g.Vertices())
	for u := range a {
		a[u] = make([]float64, len(a))
		for i, v := range g.Neighbors(uint32(u)) {
			a[u][v] = 1
			if weights && g.Weighted() {
				a[u][v] = float64(g.WeightsOf(uint32(u))[i])
			}
		}
	}
	return a
}

// times is the product of two matrices.
func times(a, b [][]float64) [][]float64 {
	c := make([][]float64, len(a))
	for i := range a {
		c[i] = make([]float64, len(b[0]))
		for k, x := range a[i] {
			for j, y := range b[k] {
				c[i][j] += x * y
			}
		}
	}
	return c
}

// stepsOf divides the rows of A by their sums, which it returns.
func stepsOf(a [][]float64) (s [][]float64, sums []float64) {
	s, sums = make([][]float64, len(a)), make([]float64, len(a))
	for i, row := range a {
		for _, x := range row {
			sums[i] += x
		}
		s[i] = slices.Clone(row)
		for j := range row {
			if sums[i] > 0 {
				s[i][j] /= sums[i]
			}
		}
	}
	return s, sums
}

// meanWeight is the mean of the entries that are not 0.
func meanWeight(a [][]float64) float64 {
	sum, edges := 0.0, 0.0
	for _, row := range a {
		for _, x := range row {
			if x > 0 {
				sum, edges = sum+x, edges+1
			}
		}
	}
	return sum / max(1, edges)
}

// simpleFastRP is FastRP by dense matrices in float64.
func simpleFastRP(g *csr.Graph, o FastRPOptions) [][]float64 {
	o = o.WithDefaults()
	a := dense(g, !o.IgnoreWeights)
	s, degrees := stepsOf(a)
	n := len(s)
	for v := range degrees {
		degrees[v] /= meanWeight(a)
	}
	u, sum := make([][]float64, n), make([][]float64, n)
	for v := range u {
		u[v], sum[v] = make([]float64, o.Dim), make([]float64, o.Dim)
		for b := 0; b*width < o.Dim; b++ {
			row := make([]float32, width)
			randomRow(row, o.Seed, uint64(b)<<32|uint64(v), 1)
			for j := b * width; j < min(o.Dim, (b+1)*width); j++ {
				if degrees[v] > 0 {
					u[v][j] = math.Pow(degrees[v], *o.Beta) * float64(row[j-b*width])
				}
			}
		}
	}
	for _, alpha := range o.alphas() {
		u = times(s, u)
		for v := range u {
			length := 0.0
			for _, x := range u[v] {
				length += x * x
			}
			for j, x := range u[v] {
				if length > 0 {
					sum[v][j] += alpha * x / math.Sqrt(length) * math.Pow(degrees[v], -*o.RowScale)
				}
			}
		}
	}
	return sum
}

// expectNear compares a matrix with the expected one in float64.
func expectNear(t *testing.T, what string, got *vec.Matrix, want [][]float64, tolerance float64) {
	t.Helper()
	for v := range want {
		for j, x := range want[v] {
			if !(math.Abs(float64(got.Row(v)[j])-x) <= tolerance*(1+math.Abs(x))) {
				t.Fatalf("%s: coordinate %d of vertex %d is %v, not %v", what, j, v, got.Row(v)[j], x)
			}
		}
	}
}

func TestFastRP_Dense(t *testing.T) {
	t.Parallel()
	for _, weights := range []bool{false, true} {
		g := sample(t, 60, weights)
		for _, o := range []FastRPOptions{
			{}, {Dim: 1, Seed: 3}, {Dim: 16, Alpha1: new(1.0), Alpha4: new(-2.5), Seed: 9}, {Dim: 17, Beta: new(1.5), RowScale: new(0.0)},
			{Dim: 40, Alpha2: new(0.0), Alpha3: new(0.0), Alpha1: new(3.0), IgnoreWeights: true},
		} {
			m, stats, err := FastRP(t.Context(), g, o)
			if err != nil || stats.Weighted != (weights && !o.IgnoreWeights) {
				t.Fatalf("%+v, %v", stats, err)
			}
			expectNear(t, "fastrp", m, simpleFastRP(g, o), 1e-4)
		}
	}
}

// TestFastRP_Entries expects a sixth of the entries to be 1 and as many −1.
func TestFastRP_Entries(t *testing.T) {
	t.Parallel()
	counts := map[float32]int{}
	row := make([]float32, width)
	const rows = 6000
	for v := range uint64(rows) {
		randomRow(row, 1, v, 1)
		for _, x := range row {
			counts[x]++
		}
	}
	for value, p := range map[float32]float64{1: 1. / 6, -1: 1. / 6, 0: 2. / 3} {
		n := float64(rows * width)
		if z := (float64(counts[value]) - n*p) / math.Sqrt(n*p*(1-p)); !(math.Abs(z) < 4) {
			t.Errorf("%v is drawn %d times of %v, %.1f standard errors off", value, counts[value], n, z)
		}
	}
}

// sameAtWorkers expects the same bytes from a method at any number of workers.
func sameAtWorkers(t *testing.T, method func(workers int) (*vec.Matrix, Stats, error)) {
	t.Helper()
	var first *vec.Matrix
	for _, workers := range []int{1, 2, 5} {
		m, _, err := method(workers)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = m
		} else if !slices.Equal(m.Data, first.Data) {
			t.Errorf("%d workers give other bytes", workers)
		}
	}
}

// finiteOnSmall runs a method on graphs of at most two edges and five vertices, and expects
// finite vectors, at the origin for vertices without edges.
func finiteOnSmall(t *testing.T, dim int, method func(g *csr.Graph) (*vec.Matrix, Stats, error)) {
	t.Helper()
	for _, edges := range [][]csr.Edge{nil, {{U: 0, V: 1}}, {{U: 0, V: 1}, {U: 1, V: 2}}} {
		for n := len(edges) * 2; n < 6; n++ {
			g, err := csr.FromEdges(n, edges)
			if err != nil {
				t.Fatal(err)
			}
			m, _, err := method(g)
			if err != nil || m.Rows != n || m.Dim != dim {
				t.Fatalf("%d vertices: %v", n, err)
			}
			for v := range n {
				for _, x := range m.Row(v) {
					if g.Degree(uint32(v)) == 0 && x != 0 || math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
						t.Errorf("%d edges, vertex %d: %v", len(edges), v, m.Row(v))
					}
				}
			}
		}
	}
}

func TestFastRP_Workers(t *testing.T) {
	t.Parallel()
	for _, weights := range []bool{false, true} {
		g := sample(t, 20_000, weights)
		sameAtWorkers(t, func(workers int) (*vec.Matrix, Stats, error) {
			return FastRP(t.Context(), g, FastRPOptions{Dim: 20, Workers: workers})
		})
	}
}

func TestFastRP_Small(t *testing.T) {
	t.Parallel()
	finiteOnSmall(t, 3, func(g *csr.Graph) (*vec.Matrix, Stats, error) {
		return FastRP(t.Context(), g, FastRPOptions{Dim: 3})
	})
	// Weights whose products exceed float32.
	g := sample(t, 30, true)
	for i := range g.Weights {
		g.Weights[i] *= 1e38
	}
	for _, beta := range []float64{-4, 4} {
		m, _, err := FastRP(t.Context(), g, FastRPOptions{Dim: 8, Beta: &beta, RowScale: new(4.0)})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range m.Data {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				t.Fatalf("β = %v: %v", beta, x)
			}
		}
	}
}

func TestFastRP_Errors(t *testing.T) {
	t.Parallel()
	g := sample(t, 30, false)
	for _, o := range []FastRPOptions{
		{Dim: -1}, {Dim: 5000}, {Beta: new(math.NaN())}, {Beta: new(-5.0)}, {RowScale: new(-0.1)}, {Alpha1: new(1e9)}, {Workers: -1},
		{Alpha2: new(0.0), Alpha3: new(0.0)}, {Start: []uint32{1}},
	} {
		if _, _, err := FastRP(t.Context(), g, o); !errors.Is(err, ErrOptions) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, _, err := FastRP(ctx, g, FastRPOptions{Dim: 64, Progress: func(_ string, done, _ int64) {
		if done == 2 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestRefreshFastRP renumbers vertices, removes one and adds one. The vectors of vertices
// that the change does not reach keep their bytes.
func TestRefreshFastRP(t *testing.T) {
	t.Parallel()
	const n = 40
	var ring []csr.Edge
	for v := range uint32(n) {
		ring = append(ring, csr.Edge{U: v, V: (v + 1) % n})
	}
	g, err := csr.FromEdges(n, ring)
	if err != nil {
		t.Fatal(err)
	}
	o := FastRPOptions{Dim: 24, Seed: 4}
	before, _, err := FastRP(t.Context(), g, o)
	if err != nil {
		t.Fatal(err)
	}
	// Vertex 0 is replaced by a new one between its neighbours, which has the last number.
	old, added := vec.NewMatrix(n, o.Dim), make([]bool, n)
	o.Start = make([]uint32, n)
	for v := range n {
		o.Start[v] = uint32(v + 1)
		if added[v] = v == n-1; !added[v] {
			copy(old.Row(v), before.Row(v+1))
		}
	}
	visit := func(f func(v int, old []float32)) error {
		for v := range n {
			if !added[v] {
				f(v, old.Row(v))
			}
		}
		return nil
	}
	m, _, refresh, err := RefreshFastRP(t.Context(), g, o, visit)
	if err != nil || refresh.Full || !refresh.Mostly() || !(refresh.MeanDrift > 0) {
		t.Fatalf("%+v, %v", refresh, err)
	}
	for v := range n - 1 {
		far := v >= 4 && v < n-5
		if same := slices.Equal(m.Row(v), old.Row(v)); far && !same {
			t.Errorf("vertex %d, out of reach, has moved", v)
		}
	}
	if slices.Equal(m.Row(0), old.Row(0)) {
		t.Error("a neighbour of the new vertex has not moved")
	}
	if _, _, _, err := RefreshFastRP(t.Context(), g, o, func(func(int, []float32)) error { return errors.ErrUnsupported }); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("old vectors that cannot be read: %v", err)
	}
}

func BenchmarkFastRP(b *testing.B) {
	g := sample(b, 50_000, false)
	for b.Loop() {
		if _, _, err := FastRP(b.Context(), g, FastRPOptions{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(g.Targets))*3*200*float64(b.N)/b.Elapsed().Seconds(), "adds/s")
}
