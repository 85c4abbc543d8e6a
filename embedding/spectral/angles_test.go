package spectral_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/embedding/spectral"
	"heavytail/storage/vec"
)

// Angles do not depend on scale, order and rotation of the columns, and agree with the
// angles by which the columns were turned.
func TestAngles(t *testing.T) {
	const n = 200
	r := rand.New(rand.NewPCG(1, 9))
	a, mixed, turned := vec.NewMatrix(n, 3), vec.NewMatrix(n, 4), vec.NewMatrix(n, 3)
	// The columns are different unit vectors; the second is turned by 0.3 and the third by
	// a right angle.
	for j := range 3 {
		a.Row(10 * (j + 1))[j] = 1
	}
	for i := range n {
		x := a.Row(i)
		copy(mixed.Row(i), []float32{x[0] + 2*x[1], 5 * x[1], x[2] - x[0], x[0]})
	}
	turned.Row(10)[0] = 3
	turned.Row(20)[1], turned.Row(150)[1] = float32(math.Cos(0.3)), float32(math.Sin(0.3))
	turned.Row(160)[2] = 1
	for _, c := range []struct {
		b    *vec.Matrix
		want []float64
	}{{mixed, []float64{0, 0, 0}}, {turned, []float64{0, 0.3, math.Pi / 2}}} {
		got, err := spectral.Angles(context.Background(), a, c.b, 1+r.IntN(3))
		if err != nil || !slices.EqualFunc(got, c.want, func(x, y float64) bool { return math.Abs(x-y) < 2e-3 }) {
			t.Errorf("%v, not %v, %v", got, c.want, err)
		}
	}
}
