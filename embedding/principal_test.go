package embedding

import (
	"math"
	"math/rand/v2"
	"testing"

	"heavytail/storage/vec"
)

// TestPrincipal compares the first two components with Project, which finds them by an
// iteration, and expects all components together to keep every distance.
func TestPrincipal(t *testing.T) {
	t.Parallel()
	const n, k = 60, 5
	m, random := vec.NewMatrix(n, k), rand.New(rand.NewPCG(1, 2))
	for i := range m.Data {
		m.Data[i] = 3 + float32(random.NormFloat64())*float32(1+i%k)
	}
	plane, err := Project(t.Context(), m, 1)
	if err != nil {
		t.Fatal(err)
	}
	two, err := Principal(t.Context(), m, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	all, err := Principal(t.Context(), m, k, 1)
	if err != nil {
		t.Fatal(err)
	}
	for v := range n {
		for i, want := range []float64{plane.X[v], plane.Y[v]} {
			if got := math.Abs(float64(two.Row(v)[i])); math.Abs(got-math.Abs(want)) > 1e-3 || two.Row(v)[i] != all.Row(v)[i] {
				t.Fatalf("component %d of row %d is %g, by Project %g", i, v, got, want)
			}
		}
		if a, b := vec.L2Squared(m.Row(0), m.Row(v)), vec.L2Squared(all.Row(0), all.Row(v)); math.Abs(float64(a-b)) > 1e-3 {
			t.Fatalf("the squared distance of row %d is %g, and was %g", v, b, a)
		}
	}
}
