package algorithms

import (
	"errors"
	"math"
	"math/cmplx"
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

// TestFlow_Shared solves with products that workers share, as in large graphs.
func TestFlow_Shared(t *testing.T) {
	for _, d := range directedSamples(t) {
		n := d.Vertices()
		if n == 0 {
			continue
		}
		for _, damping := range []float64{0.85, 0.99} {
			start, _ := starts(n, []uint32{uint32(n / 2)})
			f := flow{
				in: rowsOf(&d.In), out: rowsOf(&d.Out), factor: damping, inverse: inverseStrengths(Work{}, rowsOf(&d.Out)), c: start,
				tolerance: 1e-12, most: maxIterations, shared: true,
			}
			want := solvedDirected(d, damping, true, start)
			got, err := f.solve(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			near(t, "values", got.Values, want, 1e-9)
		}
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

// spectrum returns the largest absolute value of the eigenvalues of the matrix of the arcs.
func spectrum(d *csr.Directed) float64 {
	n := d.Vertices()
	if n == 0 {
		return 0
	}
	m := mat.NewDense(n, n, nil)
	for _, a := range arcsOf(d) {
		m.Set(int(a.to), int(a.from), float64(a.weight))
	}
	var e mat.Eigen
	if !e.Factorize(m, mat.EigenNone) {
		panic("no eigenvalues")
	}
	largest := 0.0
	for _, x := range e.Values(nil) {
		largest = math.Max(largest, cmplx.Abs(x))
	}
	return largest
}

func TestDirectedKatz_DenseSystem(t *testing.T) {
	for i, d := range directedSamples(t) {
		n, largest := d.Vertices(), spectrum(d)
		cyclic := n > 0 && d.StrongComponents().Sizes[0] > 1
		if !cyclic {
			largest = 1
		}
		ones := make([]float64, n)
		for v := range ones {
			ones[v] = 1
		}
		for _, part := range []float64{0, 0.1, 0.5, 0.99} {
			got, err := DirectedKatz(t.Context(), d, KatzOptions{Alpha: part / largest})
			if err != nil {
				t.Fatal(err)
			}
			if n == 0 {
				continue
			}
			if part == 0 {
				part = 0.5
			}
			want := solvedDirected(d, part/largest, false, ones)
			scale(want, 1/math.Sqrt(squaresOf(want)))
			tolerance := 1e-9
			if part == 0.5 { // by default of the eigenvalue, which is known to a millionth
				tolerance = 1e-5
			}
			near(t, "katz", got.Values, want, tolerance)
		}
		if _, err := DirectedKatz(t.Context(), d, KatzOptions{Alpha: 1.01 / largest}); cyclic && !errors.Is(err, ErrOption) {
			t.Errorf("graph %d: alpha that diverges: %v", i, err)
		}
	}
}

// TestDirectedKatz_Circle has a long cycle with a chord, whose eigenvalues are almost on a circle.
func TestDirectedKatz_Circle(t *testing.T) {
	const n = 300
	var arcs []arc
	for v := range uint32(n) {
		arcs = append(arcs, arc{v, (v + 1) % n, 1})
	}
	d := sparseDirected(n, append(arcs, arc{0, 150, 1}))
	largest := spectrum(d)
	for _, part := range []float64{0.5, 0.999} {
		if _, err := DirectedKatz(t.Context(), d, KatzOptions{Alpha: part / largest}); err != nil {
			t.Error(part, err)
		}
	}
	if _, err := DirectedKatz(t.Context(), d, KatzOptions{Alpha: 1.0001 / largest}); !errors.Is(err, ErrOption) {
		t.Error(err)
	}
}

func TestHits_DenseMatrix(t *testing.T) {
	for i, d := range directedSamples(t) {
		n := d.Vertices()
		hubs, authorities, err := Hits(t.Context(), d, EigenvectorOptions{})
		if d.Arcs() == 0 {
			if !errors.Is(err, ErrEdges) {
				t.Errorf("graph %d without arcs: %v", i, err)
			}
			continue
		}
		if err != nil || math.Abs(sumOf(hubs.Values)-1) > 1e-12 || math.Abs(sumOf(authorities.Values)-1) > 1e-12 {
			t.Fatal(i, err, hubs, authorities)
		}
		a := mat.NewDense(n, n, nil)
		for _, e := range arcsOf(d) {
			a.Set(int(e.from), int(e.to), float64(e.weight))
		}
		var svd mat.SVD
		svd.Factorize(a, mat.SVDNone)
		largest := svd.Values(nil)[0]
		// Authorities are an eigenvector, and hubs belong to them.
		var product, back mat.VecDense
		product.MulVec(a, mat.NewVecDense(n, authorities.Values))
		back.MulVec(a.T(), &product)
		want := back.RawVector().Data
		scale(want, 1/(largest*largest))
		near(t, "authorities", authorities.Values, want, 1e-8)
		image := product.RawVector().Data
		scale(image, 1/sumOf(image))
		near(t, "hubs", hubs.Values, image, 1e-8)
		for v, x := range authorities.Values {
			if d.In.Degree(uint32(v)) == 0 && x != 0 || d.Out.Degree(uint32(v)) == 0 && hubs.Values[v] != 0 {
				t.Errorf("graph %d: vertex %d has %v as authority and %v as hub", i, v, x, hubs.Values[v])
			}
		}
	}
}
