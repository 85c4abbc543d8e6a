package eigen

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/storage/vec"
)

// changed adds a few entries to a matrix, on both sides of its diagonal.
func changed(d dense, count int, size float64, r *rand.Rand) dense {
	c := dense{a: slices.Clone(d.a), n: d.n}
	for range count {
		i, j := r.IntN(d.n), r.IntN(d.n)
		c.a[i*d.n+j] += size
		c.a[j*d.n+i] += size
	}
	return c
}

// A step from the eigenvectors of a matrix finds those of one that differs in
// some entries: their values and residuals are what products of the whole matrix
// give, and the vectors are orthonormal.
func TestRefine_FollowsAChange(t *testing.T) {
	const n, k = 400, 20
	r := rand.New(rand.NewPCG(5, 5))
	old := withSpectrum(decades(n, 3), n, r)
	solved, err := Solve(context.Background(), plain{old}, Options{K: k, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		start func() *vec.Matrix
	}{
		{"eigenvectors", func() *vec.Matrix { return cloneMatrix(solved.Vectors) }},
		{"other lengths, mixed, one twice, one zero", func() *vec.Matrix {
			m := vec.NewMatrix(n, k+2)
			for i := range n {
				from, to := solved.Vectors.Row(i), m.Row(i)
				for j := range k {
					to[j] = float32(j+1) * (from[j] + 0.5*from[(j+1)%k])
				}
				to[k] = to[3]
			}
			return m
		}},
	} {
		now := plain{changed(old, 6, 0.02, r)}
		want, err := Solve(context.Background(), now, Options{K: k, Seed: 1, Tolerance: 1e-6})
		if err != nil {
			t.Fatal(err)
		}
		start := c.start()
		got, err := Refine(context.Background(), now, start, Options{K: k, Tolerance: 4e-3})
		if err != nil {
			t.Fatal(err)
		}
		if !got.Converged || len(got.Values) != k || got.Added == 0 {
			t.Errorf("%s: %d values, %d directions added, %s", c.name, len(got.Values), got.Added, got.Reason)
		}
		for j, v := range got.Values {
			if math.Abs(v-want.Values[j]) > 2e-3 {
				t.Errorf("%s: value %d is %g, not %g", c.name, j, v, want.Values[j])
			}
		}
		gram := make([]float64, k*k)
		vec.MulTN(gram, got.Vectors.Panel(0, k), got.Vectors.Panel(0, k), 1)
		if off := fromOne(gram, k); off > 1e-5 {
			t.Errorf("%s: TᵀT − I is up to %g", c.name, off)
		}
		measured, err := Measure(context.Background(), now, cloneMatrix(got.Vectors), Options{})
		if err != nil {
			t.Fatal(err)
		}
		for j := range k {
			if math.Abs(measured.Residuals[j]-got.Residuals[j]) > 2e-5 || math.Abs(measured.Values[j]-got.Values[j]) > 2e-5 {
				t.Errorf("%s: pair %d has %g ± %g, measured %g ± %g", c.name, j, got.Values[j], got.Residuals[j], measured.Values[j], measured.Residuals[j])
			}
		}
	}
}

// What is known stays out of the result, and a start that spans too little gives
// fewer pairs.
func TestRefine_KnownAndShortStarts(t *testing.T) {
	const n, k = 300, 12
	r := rand.New(rand.NewPCG(8, 8))
	d := withSpectrum(decades(n, 2), n, r)
	start := vec.NewMatrix(n, 3)
	for i := range start.Data {
		start.Data[i] = float32(r.NormFloat64())
	}
	got, err := Refine(context.Background(), d, start, Options{K: k, Tolerance: 1e-3, Norm: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Values) != 3+got.Added || got.Added == 0 || got.Converged {
		t.Errorf("%d values from 3 columns and %d added, converged %v", len(got.Values), got.Added, got.Converged)
	}
	for j := range got.Values {
		sum := 0.0
		for i, v := range d.known {
			sum += v * float64(got.Vectors.Row(i)[j])
		}
		if math.Abs(sum) > 1e-5 {
			t.Errorf("vector %d has %g of the known one", j, sum)
		}
	}
	nothing, err := Refine(context.Background(), d, vec.NewMatrix(n, 4), Options{K: k})
	if err != nil || len(nothing.Values) != 0 {
		t.Errorf("from zeros: %v, %v", nothing, err)
	}
}

func TestRefine_Errors(t *testing.T) {
	d := plain{withSpectrum(linear(40), 100, rand.New(rand.NewPCG(1, 1)))}
	start := vec.NewMatrix(100, 2)
	start.Data[0], start.Data[5] = 1, 1
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Refine(ctx, d, cloneMatrix(start), Options{K: 2}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	d.d.a[3] = math.Inf(1)
	if _, err := Refine(context.Background(), d, start, Options{K: 2}); !errors.Is(err, ErrNotFinite) {
		t.Errorf("infinite entry: %v", err)
	}
}

func cloneMatrix(m *vec.Matrix) *vec.Matrix {
	return &vec.Matrix{Rows: m.Rows, Dim: m.Dim, Data: slices.Clone(m.Data)}
}

func fromOne(a []float64, n int) float64 {
	largest := 0.0
	for i, v := range a {
		if i%(n+1) == 0 {
			v--
		}
		largest = max(largest, math.Abs(v))
	}
	return largest
}
