package eigen

import (
	"math"
	"math/rand/v2"
	"testing"

	"heavytail/storage/vec"
)

// basis gives orthonormal columns that span the given ones, and leaves out a column that depends on
// the others, wherever it is; columns that are nearly dependent are refused.
func TestBasis(t *testing.T) {
	const rows, n = 40, 9
	random := rand.New(rand.NewPCG(3, 1))
	for dependent := range n {
		x := make([]float64, rows*n) // row-major
		for i := range rows {
			sum := 0.0
			for j := range n {
				if j != dependent {
					x[i*n+j] = random.NormFloat64()
					sum += x[i*n+j]
				}
			}
			x[i*n+dependent] = sum / n
		}
		gram := transposedTimes(x, x, n, rows, n)
		c, given, rank, ok := basis(gram, n, n-1, 1e-3, 0.1)
		if !ok || rank != n-1 {
			t.Fatalf("column %d: rank %d, %t", dependent, rank, ok)
		}
		v := vec.Product64(x, c, rows, n, rank)
		for i, got := range transposedTimes(v, v, rank, rows, rank) {
			if math.Abs(got-identity(rank)[i]) > 1e-10 {
				t.Fatalf("column %d: VᵀV[%d] is %g", dependent, i, got)
			}
		}
		for i, got := range transposedTimes(v, x, rank, rows, n) {
			if math.Abs(got-given[i]) > 1e-9 {
				t.Fatalf("column %d: VᵀX[%d] is %g, not %g", dependent, i, given[i], got)
			}
		}
		for i, got := range vec.Product64(v, given, rows, rank, n) {
			if math.Abs(got-x[i]) > 1e-9 {
				t.Fatalf("column %d: the span lacks entry %d", dependent, i)
			}
		}
		for i := range rows {
			x[i*n+dependent] += 0.02 * random.NormFloat64()
		}
		if _, _, rank, ok := basis(transposedTimes(x, x, n, rows, n), n, n, 1e-3, 0.1); ok {
			t.Errorf("column %d nearly depends on the others, and the rank is %d", dependent, rank)
		}
	}
	if _, _, _, ok := basis(make([]float64, 4), 2, 2, 1e-3, 0.1); ok {
		t.Error("columns of zeros have a basis")
	}
	if _, _, _, ok := basis([]float64{math.NaN(), 0, 0, 1}, 2, 2, 1e-3, 0.1); ok {
		t.Error("not a number has a basis")
	}
}
