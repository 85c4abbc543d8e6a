package spectral

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"heavytail/.ci/leaktest"
	"heavytail/.ci/realgraph"
	"heavytail/.ci/repeat"
	"heavytail/.ci/testgraph"
	"heavytail/embedding/eigen"
	"heavytail/embedding/internal/base"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// explicit computes all entries of the matrix of a method from its definition. It shares no
// code with the operator.
func explicit(g *csr.Graph, m method) *mat.SymDense {
	n := g.Vertices()
	a := mat.NewDense(n, n, nil)
	mean := 0.0
	for _, weight := range g.Weights {
		mean += float64(weight) / float64(len(g.Weights))
	}
	for u := range n {
		for i, v := range g.Neighbors(uint32(u)) {
			weight := 1.0
			if g.Weighted() {
				weight = float64(g.Weights[g.Offsets[u]+int64(i)]) / mean
			}
			a.Set(u, int(v), weight)
		}
	}
	w := mat.NewSymDense(n, nil)
	degree := func(v int) float64 { return mat.Sum(a.RowView(v)) }
	diagonal := make([]float64, n)
	var common mat.Dense
	common.Mul(a, a)
	for u := range n {
		for v := range u {
			if c := m.common*common.At(u, v) + a.At(u, v); c > 0 {
				w.SetSym(u, v, c*math.Pow(degree(u)*degree(v), -m.beta))
			}
		}
	}
	for u := range n {
		diagonal[u] = degree(u)
		if m.strength {
			diagonal[u] = 0
			for v := range n {
				diagonal[u] += w.At(u, v)
			}
		}
	}
	for u := range n {
		for v := range u {
			if x := w.At(u, v); x != 0 {
				w.SetSym(u, v, x/math.Sqrt(diagonal[u]*diagonal[v]))
			}
		}
	}
	return w
}

// methods returns the matrices that tests iterate over.
func methods() map[string]method {
	return map[string]method{
		"le":           {},
		"degree β=0":   {common: 1},
		"degree β=½":   {common: 1, beta: 0.5},
		"strength β=0": {common: 1, strength: true},
		"strength β=2": {common: 1, strength: true, beta: 2},

		"edges, strength β=0":    {strength: true},
		"edges, strength β=½":    {strength: true, beta: 0.5},
		"edges, degree β=½":      {beta: 0.5},
		"common ⅛, strength β=1": {common: 0.125, strength: true, beta: 1},
		"common 3, degree β=½":   {common: 3, beta: 0.5},
	}
}

func (m method) options() Options {
	o := Options{Beta: new(m.beta), Common: new(m.common), Scale: new(0.0), RowScale: new(0.0)}
	if !m.strength {
		o.Normalization = Degree
	}
	return o
}

func embed(tb testing.TB, g *csr.Graph, m method, o Options) (*vec.Matrix, Stats) {
	tb.Helper()
	f := DPSpectral
	if m == (method{}) {
		f = LaplacianEigenmaps
	}
	u, stats, err := f(context.Background(), g, o)
	if err != nil {
		tb.Fatal(err)
	}
	return u, stats
}

// randomGraph returns a graph of n vertices and about m edges, half of them at few
// vertices.
func randomGraph(tb testing.TB, n, m int, r *rand.Rand) *csr.Graph {
	edges := make([]csr.Edge, m)
	for i := range edges {
		edges[i] = csr.Edge{U: uint32(r.IntN(n)), V: uint32(r.IntN(n))}
		if i%2 == 0 {
			edges[i].U = uint32(r.IntN(n/10 + 1))
		}
	}
	return testgraph.Of(tb, n, edges...)
}

func path(tb testing.TB, n int) *csr.Graph {
	var edges []csr.Edge
	for v := 1; v < n; v++ {
		edges = append(edges, csr.Edge{U: uint32(v - 1), V: uint32(v)})
	}
	return testgraph.Of(tb, n, edges...)
}

func cycle(tb testing.TB, n int) *csr.Graph {
	edges := []csr.Edge{{U: 0, V: uint32(n - 1)}}
	for v := 1; v < n; v++ {
		edges = append(edges, csr.Edge{U: uint32(v - 1), V: uint32(v)})
	}
	return testgraph.Of(tb, n, edges...)
}

// checkPairs compares the columns of an embedding with γ = δ = 0 with the explicit matrix:
// the k largest eigenvalues, in order; residuals; T'T = I.
func checkPairs(t *testing.T, g *csr.Graph, m method, u *vec.Matrix, values []float64) {
	t.Helper()
	n, k := u.Rows, u.Dim
	matrix := explicit(g, m)
	var all mat.EigenSym
	if !all.Factorize(matrix, false) {
		t.Fatal("gonum found no eigenvalues")
	}
	want := all.Values(nil)
	slices.Reverse(want)
	norm := math.Max(want[0], 1e-12)
	for j := range k {
		if math.Abs(values[j]-want[j]) > 1e-5*norm {
			t.Fatalf("eigenvalue %d is %.8g, not %.8g", j, values[j], want[j])
		}
	}
	dense := mat.NewDense(n, k, nil)
	for i := range n {
		for j, x := range u.Row(i) {
			dense.Set(i, j, float64(x))
		}
	}
	var product, gram mat.Dense
	product.Mul(matrix, dense)
	gram.Mul(dense.T(), dense)
	for j := range k {
		sum := 0.0
		for i := range n {
			d := product.At(i, j) - values[j]*dense.At(i, j)
			sum += d * d
		}
		if math.Sqrt(sum) > 1e-4*norm {
			t.Fatalf("residual of pair %d is %.3g", j, math.Sqrt(sum)/norm)
		}
		for i := range k {
			want := 0.0
			if i == j {
				want = 1
			}
			if math.Abs(gram.At(i, j)-want) > 1e-4 {
				t.Fatalf("columns %d and %d: scalar product %.3g", i, j, gram.At(i, j))
			}
		}
	}
}

// The note on a solve that did not converge names its residual. If the eigenvalues are
// closer to each other than the residual, it adds that the vectors are not the
// eigenvectors, and what to do.
func TestUnconverged(t *testing.T) {
	strength := method{common: 1, strength: true}
	opts := Options{Tolerance: 1e-4}
	for _, c := range []struct {
		m              method
		last, residual float64
		mixed, degree  bool
	}{
		{strength, 0.99, 0.01, true, true},
		{method{common: 1}, 0.99, 0.01, true, false},
		{strength, 0.2, 0.0002, false, false},
	} {
		stats := &Stats{Eigenvalues: []float64{1, c.last}, Residuals: []float64{0, c.residual}, Reason: "so"}
		note := unconverged(c.m, opts, stats)
		if !strings.Contains(note, fmt.Sprintf("the largest residual is %.2g", c.residual)) ||
			strings.Contains(note, "not the eigenvectors") != c.mixed || strings.Contains(note, "normalization := 'degree'") != c.degree {
			t.Errorf("%+v: %s", c, note)
		}
	}
}

func TestSpectral_AgreesWithExplicitMatrix(t *testing.T) {
	for name, m := range methods() {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			for i, size := range []struct{ n, m, k int }{
				{2, 1, 2}, {17, 40, 5}, {60, 90, 60}, {150, 700, 30}, // dense
				{400, 1500, 20}, {700, 2500, 40}, {500, 20000, 12}, // Lanczos
			} {
				g := largestComponent(randomGraph(t, size.n, size.m, r))
				if g.Vertices() < 2 || testing.Short() && size.n >= 500 {
					continue
				}
				o := m.options()
				o.Dim, o.Seed = size.k, uint64(i)
				u, stats := embed(t, g, m, o)
				if !stats.Converged {
					t.Fatalf("n %d k %d: %s", size.n, size.k, stats.Reason)
				}
				checkPairs(t, g, m, u, stats.Eigenvalues)
			}
		})
	}
}

// Joint mode has the known vectors of all components at once.
func TestSpectral_JointAgreesWithExplicitMatrix(t *testing.T) {
	for name, m := range methods() {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, 4))
			for _, size := range []struct{ n, m, k int }{{40, 40, 12}, {250, 240, 30}, {600, 700, 80}} {
				if testing.Short() && size.n == 600 {
					continue
				}
				g := randomGraph(t, size.n, size.m, r)
				o := m.options()
				o.Dim, o.Components = size.k, Joint
				u, stats := embed(t, g, m, o)
				if stats.Components < 5 || !stats.Converged {
					t.Fatalf("%d components, %s", stats.Components, stats.Reason)
				}
				checkPairs(t, g, m, u, stats.Eigenvalues)
			}
		})
	}
}

// Spectra in closed form (Chung, Spectral Graph Theory, 1.2, as 1 − λ).
func TestLaplacianEigenmaps_KnownSpectra(t *testing.T) {
	const n, k = 400, 24
	descending := func(f func(j int) float64) []float64 {
		values := make([]float64, n)
		for j := range values {
			values[j] = f(j)
		}
		slices.Sort(values)
		slices.Reverse(values)
		return values
	}
	for _, test := range []struct {
		name string
		g    *csr.Graph
		want []float64
	}{
		{"path", path(t, n), descending(func(j int) float64 { return math.Cos(math.Pi * float64(j) / (n - 1)) })},
		{"cycle", cycle(t, n), descending(func(j int) float64 { return math.Cos(2 * math.Pi * float64(j) / n) })},
		{"complete", testgraph.Complete(t, n), descending(func(j int) float64 {
			if j == 0 {
				return 1
			}
			return -1.0 / (n - 1)
		})},
		{"star", testgraph.Star(t, n-1), descending(func(j int) float64 {
			switch j {
			case 0:
				return 1
			case 1:
				return -1
			}
			return 0
		})},
	} {
		t.Run(test.name, func(t *testing.T) {
			u, stats := embed(t, test.g, method{}, Options{Dim: k, Scale: new(0.0), RowScale: new(0.0)})
			for j, value := range stats.Eigenvalues {
				if math.Abs(value-test.want[j]) > 2e-6 {
					t.Errorf("eigenvalue %d is %.9f, not %.9f", j, value, test.want[j])
				}
			}
			checkPairs(t, test.g, method{}, u, stats.Eigenvalues)
		})
	}
}

func TestSpectral_EdgeCases(t *testing.T) {
	for name, m := range methods() {
		t.Run(name, func(t *testing.T) {
			for _, test := range []struct {
				name string
				g    *csr.Graph
			}{
				{"no graph", &csr.Graph{}},
				{"no vertices", testgraph.Of(t, 0)},
				{"one vertex", testgraph.Of(t, 1)},
				{"no edges", testgraph.Of(t, 5)},
				{"one edge", path(t, 2)},
				{"an edge and a vertex", testgraph.Of(t, 3, csr.Edge{U: 1, V: 2})},
				{"two triangles", testgraph.Of(t, 6, csr.Edge{U: 0, V: 1}, csr.Edge{U: 1, V: 2}, csr.Edge{U: 2, V: 0},
					csr.Edge{U: 3, V: 4}, csr.Edge{U: 4, V: 5}, csr.Edge{U: 5, V: 3})},
				{"star", testgraph.Star(t, 599)},
			} {
				for _, mode := range []ComponentMode{Apart, Joint} {
					for _, dim := range []int{1, 2, 7} {
						o := Options{Dim: dim, Components: mode, Beta: new(m.beta)}
						if !m.strength {
							o.Normalization = Degree
						}
						u, stats := embed(t, test.g, m, o)
						n := test.g.Vertices()
						if u.Rows != n || u.Dim != min(dim, n) || stats.Dim != u.Dim {
							t.Fatalf("%s: %d × %d", test.name, u.Rows, u.Dim)
						}
						if n < dim && len(stats.Notes) != 1 {
							t.Errorf("%s: no note of the smaller dimension: %q", test.name, stats.Notes)
						}
						if !stats.Converged {
							t.Errorf("%s, %s, dim %d: %s", test.name, mode, dim, stats.Reason)
						}
						for i, x := range u.Data {
							if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
								t.Fatalf("%s: element %d is %v", test.name, i, x)
							}
						}
					}
				}
			}
		})
	}
}

// The reference eigenvalues are LAPACK's, computed with scipy from explicit
// matrices.
func TestSpectral_ReferenceEigenvalues(t *testing.T) {
	file := filepath.Join(filepath.Dir(filepath.Dir(realgraph.Path(t, "ego-facebook.txt.gz"))), "reference", "eigenvalues.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Skipf("no reference eigenvalues: %v", err)
	}
	var reference map[string]map[string]json.RawMessage
	if err := json.Unmarshal(text, &reference); err != nil {
		t.Fatal(err)
	}
	cases := map[string]method{"le": {}}
	for _, beta := range []float64{0.5, 1, 2} {
		if beta < 2 {
			cases[fmt.Sprintf("degree beta=%.1f", beta)] = method{common: 1, beta: beta}
		}
		cases[fmt.Sprintf("strength beta=%.1f", beta)] = method{common: 1, strength: true, beta: beta}
	}
	for graph, g := range map[string]*csr.Graph{
		"ego-facebook":              realGraph(t, "ego-facebook"),
		"ca-GrQc-largest-component": largestComponent(realGraph(t, "ca-GrQc")),
	} {
		for key, m := range cases {
			if short := graph + " " + key; testing.Short() && short != "ego-facebook degree beta=0.5" {
				continue // one solve of 200 pairs
			}
			t.Run(graph+"/"+key, func(t *testing.T) {
				var want []float64
				if err := json.Unmarshal(reference[graph][key], &want); err != nil {
					t.Fatal(err)
				}
				u, stats := embed(t, g, m, m.options())
				if !stats.Converged || len(want) != 200 || len(stats.Eigenvalues) != 200 {
					t.Fatalf("%s; %d and %d eigenvalues", stats.Reason, len(stats.Eigenvalues), len(want))
				}
				for j, value := range stats.Eigenvalues {
					if math.Abs(value-want[j]) > 1e-4*math.Abs(want[j]) {
						t.Errorf("eigenvalue %d is %.8g, not %.8g", j, value, want[j])
					}
				}
				if r := slices.Max(stats.Residuals); r > 1e-4 {
					t.Errorf("residual %g", r)
				}
				checkOrthonormal(t, u)
			})
		}
	}
}

func checkOrthonormal(t *testing.T, u *vec.Matrix) {
	t.Helper()
	gram := make([]float64, u.Dim*u.Dim)
	vec.MulTN(gram, u.Panel(0, u.Dim), u.Panel(0, u.Dim), 0)
	for i, x := range gram {
		if i%(u.Dim+1) == 0 {
			x--
		}
		if math.Abs(x) > 1e-4 {
			t.Fatalf("T'T differs from I by %g at %d", x, i)
		}
	}
}

func TestSpectral_SameBytesForAnyWorkers(t *testing.T) {
	g := realGraph(t, "ca-GrQc") // many components, one of them large
	for _, name := range []string{"le", "degree β=½", "strength β=2"} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name == "degree β=½" {
				t.Skip("the test with weights has it")
			}
			m := methods()[name]
			o := m.options()
			o.Dim, o.Workers = 32, 1
			if testing.Short() {
				o.Dim = 12
			}
			first, _ := embed(t, g, m, o)
			check := func(workers int) {
				o.Workers = workers
				if u, _ := embed(t, g, m, o); !slices.Equal(u.Data, first.Data) {
					t.Errorf("%d workers with GOMAXPROCS %d give different bytes", workers, runtime.GOMAXPROCS(0))
				}
			}
			check(4)
			if testing.Short() {
				return
			}
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
			check(0)
			runtime.GOMAXPROCS(1)
			check(0)
		})
	}
}

// Rows of different components are further apart than twice the widest
// distance within one, in any number of dimensions.
func TestSpectral_ApartKeepsComponentsApart(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	g := randomGraph(t, 300, 250, r)
	labels := g.Components().Label
	for _, dim := range []int{1, 2, 3, 20} {
		for name, m := range methods() {
			o := m.options()
			o.Dim = dim
			u, _ := embed(t, g, m, o)
			within, between := 0.0, math.Inf(1)
			for i := range u.Rows {
				for j := range i {
					d := math.Sqrt(float64(vec.L2Squared(u.Row(i), u.Row(j))))
					if labels[i] == labels[j] {
						within = max(within, d)
					} else {
						between = min(between, d)
					}
				}
			}
			if between < 2*within+4.6 {
				t.Errorf("%s, dim %d: %g between components, %g within", name, dim, between, within)
			}
		}
	}
}

// Relabelling the vertices permutes the rows. Distances are compared, since
// eigenvectors of equal eigenvalues may be rotated.
func TestSpectral_RelabellingPermutesRows(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	g := largestComponent(randomGraph(t, 450, 4000, r))
	n := g.Vertices()
	to := r.Perm(n)
	var edges []csr.Edge
	for v := range n {
		for _, u := range g.Neighbors(uint32(v)) {
			edges = append(edges, csr.Edge{U: uint32(to[v]), V: uint32(to[u])})
		}
	}
	relabelled := testgraph.Of(t, n, edges...)
	for name, m := range methods() {
		o := m.options()
		o.Dim, o.Tolerance = 10, 1e-6
		a, _ := embed(t, g, m, o)
		b, _ := embed(t, relabelled, m, o)
		for v := range n {
			x := vec.L2Squared(a.Row(v), a.Row(0))
			y := vec.L2Squared(b.Row(to[v]), b.Row(to[0]))
			if math.Abs(math.Sqrt(float64(x))-math.Sqrt(float64(y))) > 1e-3 {
				t.Fatalf("%s: distance of vertex %d from 0 is %g, after relabelling %g", name, v, x, y)
			}
		}
	}
}

// U = D^-δ T Λ^γ, and columns of eigenvalues that are not positive vanish.
func TestSpectral_Scales(t *testing.T) {
	g := largestComponent(randomGraph(t, 50, 200, rand.New(rand.NewPCG(9, 1))))
	m := method{common: 1, beta: 0.5}
	o := m.options()
	o.Dim = g.Vertices()
	plain, stats := embed(t, g, m, o)
	o.Scale, o.RowScale = new(0.5), new(0.25)
	scaled, _ := embed(t, g, m, o)
	if last := stats.Eigenvalues[len(stats.Eigenvalues)-1]; last >= 0 {
		t.Fatalf("the test needs a negative eigenvalue, not %g", last)
	}
	for v := range g.Vertices() {
		for j, value := range stats.Eigenvalues {
			want := float64(plain.Row(v)[j]) * math.Pow(float64(g.Degree(uint32(v))), -0.25) * math.Sqrt(max(value, 0))
			if got := float64(scaled.Row(v)[j]); math.Abs(got-want) > 1e-6 {
				t.Fatalf("element (%d, %d) is %g, not %g", v, j, got, want)
			}
		}
	}
}

func TestSpectral_ToleranceBelowPrecision(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: solves many matrices")
	}
	g := largestComponent(randomGraph(t, 1500, 8000, rand.New(rand.NewPCG(2, 2))))
	_, stats := embed(t, g, method{}, Options{Dim: 20, Tolerance: 1e-11})
	if stats.Converged || stats.Reason != eigen.ReasonPrecision {
		t.Errorf("converged %v, %s", stats.Converged, stats.Reason)
	}
	if len(stats.Notes) != 1 || !strings.Contains(stats.Notes[0], "1e-11 was not reached") {
		t.Errorf("notes are %q", stats.Notes)
	}
	if r := slices.Max(stats.Residuals); r > 1e-5 {
		t.Errorf("the best result has residual %g", r)
	}
	_, stats = embed(t, realGraph(t, "ca-GrQc"), method{}, Options{MaxIterations: 1, Tolerance: 1e-7})
	if stats.Converged || stats.Reason != eigen.ReasonRestarts {
		t.Errorf("converged %v, %s", stats.Converged, stats.Reason)
	}
}

func TestSpectral_OptionErrors(t *testing.T) {
	g := path(t, 3)
	_, _, err := DPSpectral(context.Background(), g, Options{
		Dim: -1, Beta: new(math.NaN()), Scale: new(-1.0), RowScale: new(math.Inf(1)), Tolerance: -1,
		MaxIterations: -1, Workers: -1, Normalization: 7, Components: 9,
	})
	if !errors.Is(err, base.ErrOptions) {
		t.Fatalf("error is %v", err)
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || len(joined.Unwrap()) != 9 {
		t.Errorf("not all nine faults are reported: %v", err)
	}
}

// A cancelled context ends a solve, whenever it comes, with its error.
func TestSpectral_Cancel(t *testing.T) {
	g := realGraph(t, "ego-facebook")
	r := rand.New(rand.NewPCG(1, 1))
	start := time.Now()
	embed(t, g, method{}, Options{Dim: 20})
	whole := time.Since(start)
	rounds := 12
	if testing.Short() {
		rounds = 4
	}
	for range rounds {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(r.Float64()*float64(whole)*0.8))
		u, _, err := LaplacianEigenmaps(ctx, g, Options{Dim: 20})
		cancel()
		if err == nil { // the machine was quicker than before
			continue
		}
		if u != nil || !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("error is %v", err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, mode := range []ComponentMode{Apart, Joint} {
		if _, _, err := LaplacianEigenmaps(ctx, g, Options{Components: mode}); !errors.Is(err, context.Canceled) {
			t.Fatalf("%s: error is %v", mode, err)
		}
	}
}

func TestSpectral_Progress(t *testing.T) {
	var last, whole int64
	_, stats := embed(t, realGraph(t, "ego-facebook"), method{}, Options{Dim: 64, Progress: func(stage string, done, total int64) {
		if stage != "solving" || done < last || total != 64 {
			t.Errorf("%s %d of %d after %d", stage, done, total, last)
		}
		last, whole = done, total
	}})
	if last != whole || whole == 0 || !stats.Converged {
		t.Errorf("ended at %d of %d", last, whole)
	}
}

// webLike is a tree of hubs, each with the given number of leaves. Under the degree
// penalty, the edges between hubs connect their leaves only weakly.
func webLike(hubs, leaves int, seed uint64) *csr.Graph {
	r := rand.New(rand.NewPCG(seed, 1))
	var edges []csr.Edge
	for hub := range uint32(hubs) {
		if hub > 0 {
			edges = append(edges, csr.Edge{U: hub, V: r.Uint32N(hub)})
		}
		for i := range uint32(leaves) {
			edges = append(edges, csr.Edge{U: hub, V: uint32(hubs) + hub*uint32(leaves) + i})
		}
	}
	g, err := csr.FromEdges(hubs*(1+leaves), edges)
	if err != nil {
		panic(err)
	}
	return g
}

// If too many eigenvalues of strength are close together, its solve ends early with a note,
// and Auto uses degree: the bytes equal those of degree given explicitly, also after an
// interruption. On other graphs Auto uses strength.
func TestDPSpectral_Auto(t *testing.T) {
	if !repeat.Long() {
		t.Skip("solves with crowded eigenvalues take long; HEAVYTAIL_REPEAT=20 runs them")
	}
	ctx := context.Background()
	g := webLike(150, 40, 1)
	_, stats, err := DPSpectral(ctx, g, Options{Dim: 6, Normalization: Strength})
	if err != nil || stats.Converged || stats.Iterations > 30 || !strings.Contains(strings.Join(stats.Notes, ""), "normalization := 'degree'") {
		t.Fatalf("strength: %d restarts, converged %v, %q, %v", stats.Iterations, stats.Converged, stats.Notes, err)
	}
	want, _, err := DPSpectral(ctx, g, Options{Dim: 6, Normalization: Degree})
	if err != nil {
		t.Fatal(err)
	}
	var saved [][]byte // only some of the states, since they are large
	calls := 0
	opts := Options{Dim: 6}
	opts.Checkpoints.Save = func(write func(w io.Writer) error) error {
		if calls++; calls%8 != 0 {
			return nil
		}
		var out bytes.Buffer
		err := write(&out)
		saved = append(saved, out.Bytes())
		return err
	}
	got, auto, err := DPSpectral(ctx, g, opts)
	if err != nil || !auto.Converged || auto.Normalization != Degree || auto.Beta != 0.5 || !slices.Equal(got.Data, want.Data) ||
		!strings.Contains(strings.Join(auto.Notes, ""), "normalization is 'degree', with beta 0.5") {
		t.Fatalf("auto: %v with beta %g, converged %v, %q, %v", auto.Normalization, auto.Beta, auto.Converged, auto.Notes, err)
	}
	if !bytes.HasPrefix(saved[0], solveMagic[:]) || !bytes.HasPrefix(saved[len(saved)-1], switchedMagic[:]) {
		t.Fatal("the checkpoints are not of both solves")
	}
	for _, i := range []int{len(saved) - 1} {
		again, stats, err := DPSpectral(ctx, g, Options{Dim: 6, Checkpoints: base.Checkpoints{From: bytes.NewReader(saved[i])}})
		if err != nil || !slices.Equal(again.Data, want.Data) || !slices.Equal(stats.Notes, auto.Notes) {
			t.Errorf("from checkpoint %d of %d: different rows or notes %q, %v", i, len(saved), stats.Notes, err)
		}
	}
	given, stats, err := DPSpectral(ctx, g, Options{Dim: 6, Beta: new(1.5)})
	if err != nil || stats.Normalization != Degree || stats.Beta != 1.5 || slices.Equal(given.Data, want.Data) {
		t.Errorf("the given beta became %g, %v", stats.Beta, err)
	}
	ring := largestComponent(randomGraph(t, 300, 900, rand.New(rand.NewPCG(1, 2))))
	a, stats, err := DPSpectral(ctx, ring, Options{Dim: 8})
	b, _, err2 := DPSpectral(ctx, ring, Options{Dim: 8, Normalization: Strength})
	if err != nil || err2 != nil || stats.Normalization != Strength || stats.Beta != 1.5 || !slices.Equal(a.Data, b.Data) {
		t.Errorf("another graph: %v with beta %g, %v, %v", stats.Normalization, stats.Beta, err, err2)
	}
}
