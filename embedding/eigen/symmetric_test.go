package eigen

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// matrices returns symmetric matrices of every kind that is known to be hard.
func matrices(r *rand.Rand) map[string]*mat.SymDense {
	fill := func(n int, f func(i, j int) float64) *mat.SymDense {
		a := mat.NewSymDense(n, nil)
		for i := range n {
			for j := range i + 1 {
				a.SetSym(i, j, f(i, j))
			}
		}
		return a
	}
	all := map[string]*mat.SymDense{
		"zero":     fill(9, func(i, j int) float64 { return 0 }),
		"ones":     fill(20, func(i, j int) float64 { return 1 }),
		"identity": fill(17, func(i, j int) float64 { return float64((i + j + 1) % 2 * b(i == j)) }),
		"diagonal": fill(30, func(i, j int) float64 { return float64(b(i == j) * (i%5 - 2)) }),
		"huge":     fill(12, func(i, j int) float64 { return 1e100 * r.NormFloat64() }),
		"tiny":     fill(12, func(i, j int) float64 { return 1e-100 * r.NormFloat64() }),
		"graded":   fill(25, func(i, j int) float64 { return r.NormFloat64() * math.Pow(10, -float64(i+j)/4) }),
		"split":    fill(24, func(i, j int) float64 { return r.NormFloat64() * float64(b(i/8 == j/8)) }),
		"wilkinson": fill(21, func(i, j int) float64 {
			if i == j {
				return math.Abs(float64(i - 10))
			}
			return float64(b(i-j == 1))
		}),
	}
	for _, n := range []int{1, 2, 3, 5, 16, 33, 130} {
		all["random "+string(rune('a'+len(all)))] = fill(n, func(i, j int) float64 { return r.NormFloat64() })
	}
	return all
}

func b(x bool) int {
	if x {
		return 1
	}
	return 0
}

// Gonum's dsyev is the oracle for the values; residuals and orthonormality show
// the vectors right.
func TestSymmetric_AgreesWithGonum(t *testing.T) {
	for name, a := range matrices(rand.New(rand.NewPCG(1, 1))) {
		n := a.SymmetricDim()
		data := make([]float64, n*n)
		norm := 0.0
		for i := range n {
			for j := range n {
				data[i*n+j] = a.At(i, j)
				if j > i {
					data[i*n+j] = math.NaN() // only the lower triangle is read
				}
				norm = max(norm, math.Abs(a.At(i, j)))
			}
		}
		values, vectors, ok := Symmetric(data, n)
		if !ok {
			t.Fatalf("%s: no convergence", name)
		}
		var oracle mat.EigenSym
		if !oracle.Factorize(a, false) {
			t.Fatal("gonum found no eigenvalues")
		}
		want := oracle.Values(nil)
		slices.Reverse(want)
		limit := 1e-13 * float64(n) * norm
		for i, v := range values {
			if !(math.Abs(v-want[i]) <= limit) {
				t.Errorf("%s: value %d is %g, not %g", name, i, v, want[i])
			}
			row := vectors[i*n : (i+1)*n]
			for r := range n {
				sum := -v * row[r]
				for c := range n {
					sum += a.At(r, c) * row[c]
				}
				if !(math.Abs(sum) <= limit) {
					t.Fatalf("%s: pair %d has residual %g", name, i, sum)
				}
			}
			for j := range i + 1 {
				dot := 0.0
				for c := range n {
					dot += row[c] * vectors[j*n+c]
				}
				if !(math.Abs(dot-float64(b(i == j))) <= 1e-13*float64(n)) {
					t.Fatalf("%s: vectors %d and %d have scalar product %g", name, i, j, dot)
				}
			}
		}
	}
}

// The order is large enough for rotations to be applied before the last one is known.
func TestSymmetric_WorkersDoNotMatter(t *testing.T) {
	const n, count = 130, 50
	r := rand.New(rand.NewPCG(2, 2))
	a := make([]float64, n*n)
	for i := range a {
		a[i] = r.NormFloat64()
	}
	dirty := make([]float64, spaceOf(n))
	for i := range dirty {
		dirty[i] = math.NaN()
	}
	values, vectors, ok := Symmetric(slices.Clone(a), n)
	others, first, okToo := symmetric(slices.Clone(a), dirty, n, 2, func([]float64) int { return count })
	if !ok || !okToo || !slices.Equal(values, others) || !slices.Equal(vectors[:count*n], first[:count*n]) {
		t.Error("another number of workers, of vectors or other memory changed the result")
	}
}

func TestSymmetric_Empty(t *testing.T) {
	if values, vectors, ok := Symmetric(nil, 0); !ok || len(values)+len(vectors) != 0 {
		t.Error("the empty matrix has eigenpairs")
	}
}

func BenchmarkSymmetric(bench *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	const n = 384
	a := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			a[i*n+j] = r.NormFloat64()
			a[j*n+i] = a[i*n+j]
		}
	}
	bench.Run("solver=own/n=384", func(bench *testing.B) {
		work := make([]float64, n*n)
		for bench.Loop() {
			copy(work, a)
			if _, _, ok := Symmetric(work, n); !ok {
				bench.Fatal("no convergence")
			}
		}
	})
	bench.Run("solver=gonum/n=384", func(bench *testing.B) {
		sym := mat.NewSymDense(n, a)
		for bench.Loop() {
			var e mat.EigenSym
			if !e.Factorize(sym, true) {
				bench.Fatal("no convergence")
			}
		}
	})
}
