package propagate

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"heavytail/embedding/eigen"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// combine returns a·x + b·y.
func combine(a float64, x [][]float64, b float64, y [][]float64) [][]float64 {
	sum := make([][]float64, len(x))
	for i := range x {
		sum[i] = make([]float64, len(x[i]))
		for j := range x[i] {
			sum[i][j] = a*x[i][j] + b*y[i][j]
		}
	}
	return sum
}

func unitMatrix(n int) [][]float64 {
	unit := make([][]float64, n)
	for i := range unit {
		unit[i] = make([]float64, n)
		unit[i][i] = 1
	}
	return unit
}

// transposed is the transpose of a matrix.
func transposed(a [][]float64) [][]float64 {
	t := make([][]float64, len(a[0]))
	for j := range t {
		t[j] = make([]float64, len(a))
		for i := range a {
			t[j][i] = a[i][j]
		}
	}
	return t
}

// rooted returns U·Σ^½ of a matrix in all dimensions, computed from the eigenvectors of
// x·xᵀ. Rows that are not 0 are scaled to length 1.
func rooted(t *testing.T, x [][]float64) [][]float64 {
	t.Helper()
	n := len(x)
	var flat []float64
	for _, row := range times(x, transposed(x)) {
		flat = append(flat, row...)
	}
	values, vectors, ok := eigen.Symmetric(flat, n)
	if !ok {
		t.Fatal("no eigenvalues")
	}
	u := make([][]float64, n)
	for v := range u {
		u[v] = make([]float64, n)
		length := 0.0
		for i := range n {
			u[v][i] = vectors[i*n+v] * math.Pow(math.Max(values[i], 0), 0.25)
			length += u[v][i] * u[v][i]
		}
		for i := range n {
			if length > 1e-9 {
				u[v][i] /= math.Sqrt(length)
			} else {
				u[v][i] = 0
			}
		}
	}
	return u
}

// simpleProNE is ProNE in n dimensions by dense matrices in float64, with exp(−θ·…) by
// its power series in place of the Chebyshev polynomials.
func simpleProNE(t *testing.T, g *csr.Graph, o ProNEOptions) [][]float64 {
	t.Helper()
	o = o.WithDefaults()
	a := dense(g, !o.IgnoreWeights)
	n := len(a)
	s, degrees := stepsOf(a)
	noise, sum := make([]float64, n), 0.0
	for u := range noise {
		for v := range s {
			noise[u] += s[v][u]
		}
		noise[u] = math.Pow(noise[u], 0.75)
		sum += noise[u]
	}
	m := make([][]float64, n)
	unit := meanWeight(a)
	for v := range m {
		m[v] = make([]float64, n)
		for u, x := range s[v] {
			if x > 0 {
				m[v][u] = math.Log(x) - math.Log(noise[u]/sum)
			}
		}
	}
	closed := combine(1, a, unit, unitMatrix(n))
	walk, _ := stepsOf(closed)
	shifted := combine(1-*o.Mu, unitMatrix(n), -1, walk)
	kernel := combine(0.5, times(shifted, shifted), -1, unitMatrix(n))
	power, series := unitMatrix(n), unitMatrix(n)
	for i := 1; i < 40; i++ {
		power = combine(-o.Theta/float64(i), times(power, kernel), 0, power)
		series = combine(1, series, 1, power)
	}
	x := rooted(t, m)
	y := rooted(t, times(closed, combine(1, x, -1, times(series, x))))
	for v := range y {
		for j := range y[v] {
			if degrees[v] == 0 {
				y[v][j] = 0
			} else {
				y[v][j] *= math.Pow(degrees[v]/unit, -*o.RowScale)
			}
		}
	}
	return y
}

// TestProNE_Dense compares the inner products of all rows, which do not depend on rotation.
func TestProNE_Dense(t *testing.T) {
	t.Parallel()
	for _, weights := range []bool{false, true} {
		g := sample(t, 40, weights)
		for _, o := range []ProNEOptions{{Dim: 40, Order: 24}, {Dim: 40, Order: 24, Mu: new(0.9), Theta: 2, RowScale: new(0.0), Seed: 5}, {Dim: 40, IgnoreWeights: true}} {
			m, stats, err := ProNE(t.Context(), g, o)
			if err != nil || stats.Weighted != (weights && !o.IgnoreWeights) {
				t.Fatalf("%+v, %v", stats, err)
			}
			want := simpleProNE(t, g, o)
			product := vec.NewMatrix(m.Rows, m.Rows)
			for v := range m.Rows {
				for u := range m.Rows {
					product.Row(v)[u] = vec.Dot(m.Row(v), m.Row(u))
				}
			}
			expectNear(t, "prone", product, times(want, transposed(want)), 2e-3)
		}
	}
}

// TestLeftFactor_LowRank expects the decomposition of a matrix of rank 3 in five columns.
func TestLeftFactor_LowRank(t *testing.T) {
	t.Parallel()
	const n, rank = 120, 3
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n)
		for j := range m[i] {
			for r := range rank {
				m[i][j] += math.Sin(float64((i+1)*(r+1))) * math.Cos(float64((j+2)*(2*r+1))) * float64(rank-r)
			}
		}
	}
	by := func(m [][]float64) multiply {
		return func(_ context.Context, to, from *vec.Matrix) error {
			for i := range m {
				row := make([]float64, from.Dim)
				for j, x := range m[i] {
					for c, y := range from.Row(j) {
						row[c] += x * float64(y)
					}
				}
				copy(to.Row(i), vec.Float32s(row))
			}
			return nil
		}
	}
	got, err := (&products{workers: 2}).leftFactor(t.Context(), n, 5, 2, 1, by(m), by(transposed(m)))
	if err != nil {
		t.Fatal(err)
	}
	squared := make([]float64, 0, n*n)
	for _, row := range times(m, transposed(m)) {
		squared = append(squared, row...)
	}
	values, vectors, _ := eigen.Symmetric(squared, n)
	for i := range n {
		for j := range n {
			want := 0.0
			for r := range rank {
				want += vectors[r*n+i] * vectors[r*n+j] * math.Sqrt(values[r])
			}
			if x := float64(vec.Dot(got.Row(i), got.Row(j))); !(math.Abs(x-want) < 1e-2) {
				t.Fatalf("(%d, %d) is %v, not %v", i, j, x, want)
			}
		}
	}
}

func TestBessel(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		i           int
		theta, want float64
	}{{0, 0.5, 1.0634833707413236}, {1, 0.5, 0.2578943053908963}, {0, 2, 2.2795853023360673}, {3, 2, 0.21273995923985267}} {
		if got := bessel(c.i, c.theta); !(math.Abs(got-c.want) < 1e-14) {
			t.Errorf("I%d(%v) is %v, not %v", c.i, c.theta, got, c.want)
		}
	}
	// e^x = I₀ + 2·ΣIᵢ at any x.
	sum := bessel(0, 3)
	for i := 1; i < 60; i++ {
		sum += 2 * bessel(i, 3)
	}
	if !(math.Abs(sum/math.Exp(3)-1) < 1e-14) {
		t.Errorf("the series of e³ gives %v", sum)
	}
}

func TestProNE_Workers(t *testing.T) {
	t.Parallel()
	g := sample(t, 3000, true)
	sameAtWorkers(t, func(workers int) (*vec.Matrix, Stats, error) {
		return ProNE(t.Context(), g, ProNEOptions{Dim: 8, Workers: workers})
	})
}

func TestProNE_Small(t *testing.T) {
	t.Parallel()
	finiteOnSmall(t, 7, func(g *csr.Graph) (*vec.Matrix, Stats, error) {
		return ProNE(t.Context(), g, ProNEOptions{Dim: 7})
	})
	g := sample(t, 30, true)
	for i := range g.Weights {
		g.Weights[i] *= 1e37
	}
	m, _, err := ProNE(t.Context(), g, ProNEOptions{Dim: 8})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range m.Data {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			t.Fatalf("large weights give %v", x)
		}
	}
}

func TestProNE_Errors(t *testing.T) {
	t.Parallel()
	g := sample(t, 30, false)
	for _, o := range []ProNEOptions{
		{Dim: -1}, {Dim: 5000}, {Order: 1}, {Order: 65}, {Mu: new(math.NaN())}, {Theta: -1}, {Theta: 17}, {RowScale: new(5.0)}, {Workers: -1},
	} {
		if _, _, err := ProNE(t.Context(), g, o); !errors.Is(err, ErrOptions) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	for _, stage := range []string{"factorising", "propagating"} {
		ctx, cancel := context.WithCancel(t.Context())
		_, _, err := ProNE(ctx, g, ProNEOptions{Dim: 40, Progress: func(at string, _, _ int64) {
			if at == stage {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled while %s: %v", stage, err)
		}
	}
}

// The product in the place of a matrix has the bits of one in a new matrix, with a last block of rows that is not full.
func TestInPlace(t *testing.T) {
	t.Parallel()
	const n, columns = spareRows + 101, 20
	x := vec.NewMatrix(n, columns)
	for i := range x.Data {
		x.Data[i] = float32(i%97) - 40
	}
	vectors := make([]float64, columns*columns)
	for i := range vectors {
		vectors[i] = float64(i%13) / 7
	}
	factor := func(i int) float64 { return 1 / float64(i+1) }
	p, want := &products{workers: 2}, vec.NewMatrix(n, columns)
	if err := p.combine(t.Context(), want, x, vectors, factor); err != nil {
		t.Fatal(err)
	}
	if err := p.inPlace(t.Context(), x, vectors, factor); err != nil || !slices.Equal(x.Data, want.Data) {
		t.Errorf("the product differs (%v)", err)
	}
}
