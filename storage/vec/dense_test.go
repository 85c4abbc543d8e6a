package vec

import (
	"math"
	"testing"
)

func TestUpdateTimes64_EveryOrder(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		rng := newRand(21)
		for n := range 45 {
			stride := n + n%3
			a, intact := guarded[float64](max(n-1, 0)*stride+n, 1)
			fill(rng, a)
			before := append([]float64(nil), a...)
			u, q, x, y := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
			fill(rng, u)
			fill(rng, q)
			fill(rng, x)
			updateTimes64(k, y, a, stride, u, q, x)
			want := make([]float64, n)
			for i := range n {
				for j := range stride {
					if at := i*stride + j; j > i && at < len(a) && a[at] != before[at] {
						t.Fatalf("order %d: wrote above the diagonal", n)
					}
				}
				for j := range i + 1 {
					value := before[i*stride+j] - u[i]*q[j] - q[i]*u[j]
					if math.Abs(a[i*stride+j]-value) > 1e-14 {
						t.Fatalf("order %d: (%d, %d) is %v, expected %v", n, i, j, a[i*stride+j], value)
					}
					want[i] += value * x[j]
					if j < i {
						want[j] += value * x[i]
					}
				}
			}
			for i, v := range want {
				if math.Abs(y[i]-v) > 1e-12 {
					t.Fatalf("order %d: product %d is %v, expected %v", n, i, y[i], v)
				}
			}
			if !intact() {
				t.Fatalf("order %d: wrote outside a", n)
			}
		}
	})
}

func TestRotateRows64_AsRot64(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		rng := newRand(22)
		const rows = 9
		for top := 1; top < rows; top++ {
			for n := range top + 1 {
				strip, intact := guarded[float64](rows*StripCols, 1)
				fill(rng, strip)
				turns := make([]float64, 2*n)
				for i := range n {
					turns[2*i+1], turns[2*i] = math.Sincos(rng.Float64() * 7)
				}
				want := append([]float64(nil), strip...)
				rotateRows64By(k, want, top, turns)
				if n > 0 {
					rotateRows64(k, strip, top, turns)
				}
				for i, v := range want {
					if math.Abs(strip[i]-v) > 1e-13 {
						t.Fatalf("%d rotations from row %d: element %d is %v, expected %v", n, top, i, strip[i], v)
					}
				}
				if !intact() {
					t.Fatal("wrote outside the strip")
				}
			}
		}
	})
}

func TestTile64_AsAxpy64(t *testing.T) {
	eachKind(t, func(t *testing.T, kind kind) {
		rng := newRand(23)
		for _, k := range []int{0, 1, 2, 16, 33} {
			for _, stride := range []int{0, 16, 50} {
				a := fill(rng, make([]float64, (Tile64Rows-1)*stride+k))
				b := fill(rng, make([]float64, k*StripCols))
				c, intact := guarded[float64](Tile64Rows*StripCols, 1)
				fill(rng, c)
				want := append([]float64(nil), c...)
				tile64By(kind, want, k, a, stride, b)
				tile64(kind, c, k, a, stride, b)
				for i, v := range want {
					if c[i] != v {
						t.Fatalf("%d products, stride %d: element %d is %v, expected %v", k, stride, i, c[i], v)
					}
				}
				if !intact() {
					t.Fatal("wrote outside c")
				}
			}
		}
	})
}
