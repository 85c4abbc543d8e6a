package vec

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// newPanel returns a panel of random elements within a wider matrix whose other columns are NaN,
// and a function that reports whether these columns are unchanged.
func newPanel(rng *rand.Rand, rows, cols int) (Panel, func() bool) {
	m := NewMatrix(rows, cols+5)
	for i := range m.Data {
		m.Data[i] = float32(math.NaN())
	}
	p := m.Panel(2, cols+2)
	if rows > 0 {
		p.Data = p.Data[:(rows-1)*p.Stride+cols]
	}
	for i := range rows {
		fill(rng, p.Data[i*p.Stride:][:cols])
	}
	return p, func() bool {
		for i, v := range m.Data {
			if j := i % m.Dim; (j < 2 || j >= cols+2) && v == v {
				return false
			}
		}
		return true
	}
}

func TestMulTN_RaggedShapes(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		rng := newRand(11)
		for _, rows := range []int{0, 1, 2, 11, 12, 13, 31, 33, 255, 256, 257, 1000} {
			for cols := 1; cols <= 70; cols++ {
				if rows > 100 && cols%7 != 0 || thinned(cols) {
					continue
				}
				a, _ := newPanel(rng, rows, cols)
				b, _ := newPanel(rng, rows, 1+(cols*29)%70)
				checkMulTN(t, k, a, b)
				checkMulTN(t, k, a, a)
			}
		}
	})
}

func checkMulTN(t *testing.T, k kind, a, b Panel) {
	t.Helper()
	c, intact := guarded[float64](a.Cols*b.Cols, 1)
	if err := mulTN(context.Background(), k, c, a, b, false, 1); err != nil {
		t.Fatal(err)
	}
	want, size := make([]float64, len(c)), make([]float64, len(c))
	for l := range a.Rows {
		for i, x := range a.Data[l*a.Stride:][:a.Cols] {
			for j, y := range b.Data[l*b.Stride:][:b.Cols] {
				p := float64(x) * float64(y)
				want[i*b.Cols+j] += p
				size[i*b.Cols+j] += math.Abs(p)
			}
		}
	}
	for i := range c {
		if !near(c[i], want[i], min(a.Rows, runRows)+1, size[i]) {
			t.Fatalf("%d rows, %d × %d, element %d: %v, want %v", a.Rows, a.Cols, b.Cols, i, c[i], want[i])
		}
	}
	if !intact() {
		t.Fatalf("%d rows, %d × %d: wrote outside c", a.Rows, a.Cols, b.Cols)
	}
}

func TestMulTN_WorkersAndPlacesDoNotMatter(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		rng := newRand(12)
		const rows, cols = 9001, 45
		a, _ := newPanel(rng, rows, cols)
		b, _ := newPanel(rng, rows, cols)
		multiply := func(a, b Panel, workers int) []float64 {
			c := make([]float64, a.Cols*b.Cols)
			if err := mulTN(context.Background(), k, c, a, b, false, workers); err != nil {
				t.Fatal(err)
			}
			return c
		}
		want := multiply(a, b, 1)
		for _, workers := range []int{2, 3, 7, 0} {
			if !slices.Equal(multiply(a, b, workers), want) {
				t.Fatalf("%d workers: different bits", workers)
			}
		}

		// A copy of the matrix takes the general path, which must give the bits of the symmetric path.
		same := a
		same.Data = slices.Clone(a.Data)
		if !slices.Equal(multiply(a, a, 2), multiply(a, same, 1)) {
			t.Fatal("the bits of the symmetric product differ from those of the general one")
		}

		// A product that is declared symmetric has the same bits on and above the diagonal.
		half := make([]float64, cols*cols)
		if err := mulTN(context.Background(), k, half, a, b, true, 2); err != nil {
			t.Fatal(err)
		}
		for i := range cols {
			for j := i; j < cols; j++ {
				if half[i*cols+j] != want[i*cols+j] || half[j*cols+i] != want[i*cols+j] {
					t.Fatalf("entry %d, %d of half a product is %v and %v, not %v", i, j, half[i*cols+j], half[j*cols+i], want[i*cols+j])
				}
			}
		}

		// A narrower panel of the same columns.
		const lo, hi = 9, 9 + 21
		part := a
		part.Data, part.Cols = a.Data[lo:], hi-lo
		for i, got := range multiply(part, b, 1) {
			if row, col := i/cols, i%cols; got != want[(row+lo)*cols+col] {
				t.Fatalf("(%d, %d) depends on its position", row, col)
			}
		}
	})
}

func TestMulNN_RaggedShapes(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		rng := newRand(13)
		for _, rows := range []int{0, 1, 11, 12, 13, 31, 33, 1000} {
			for cols := 0; cols <= 70; cols++ {
				if rows > 100 && cols%7 != 0 || thinned(cols) {
					continue
				}
				a, _ := newPanel(rng, rows, cols)
				y, intact := newPanel(rng, rows, 1+(cols*29)%70)
				c := fill(rng, make([]float32, cols*y.Cols))
				checkMulNN(t, k, y, 0, 1, a, c)
				checkMulNN(t, k, y, 1, -1, a, c)
				checkMulNN(t, k, y, 0.25, 3, a, c)
				if !intact() {
					t.Fatalf("%d rows, %d × %d: wrote outside y", rows, cols, y.Cols)
				}
			}
		}
	})
}

func checkMulNN(t *testing.T, k kind, y Panel, beta, alpha float32, a Panel, c []float32) {
	t.Helper()
	old := slices.Clone(y.Data)
	if beta == 0 {
		for i := range y.Rows {
			for j := range y.Cols {
				y.Data[i*y.Stride+j] = float32(math.NaN())
			}
		}
	}
	if err := new(Sums).mulNN(context.Background(), k, y, beta, alpha, a, c, 1); err != nil {
		t.Fatal(err)
	}
	for i := range y.Rows {
		for j := range y.Cols {
			var want, size float64
			for l := range a.Cols {
				p := float64(alpha) * float64(a.Data[i*a.Stride+l]) * float64(c[l*y.Cols+j])
				want += p
				size += math.Abs(p)
			}
			if beta != 0 {
				p := float64(beta) * float64(old[i*y.Stride+j])
				want += p
				size += math.Abs(p)
			}
			if got := y.Data[i*y.Stride+j]; !near(float64(got), want, a.Cols+3, size) {
				t.Fatalf("%d rows, %d × %d, beta %v: (%d, %d) is %v, want %v", a.Rows, a.Cols, y.Cols, beta, i, j, got, want)
			}
		}
	}
}

func TestMulNN_WorkersAndAliasing(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		rng := newRand(14)
		const rows, dim = 3001, 50
		m := NewMatrix(rows, dim)
		fill(rng, m.Data)
		for _, at := range []struct{ a0, a1, y0, y1 int }{
			{0, 50, 0, 50}, // in place
			{0, 50, 0, 20},
			{10, 40, 0, 35}, // overlapping column ranges
			{0, 35, 10, 50},
			{0, 30, 30, 50}, // apart
		} {
			c := fill(rng, make([]float32, (at.a1-at.a0)*(at.y1-at.y0)))
			source := &Matrix{Rows: rows, Dim: dim, Data: slices.Clone(m.Data)}
			want := &Matrix{Rows: rows, Dim: dim, Data: slices.Clone(m.Data)}
			if err := new(Sums).mulNN(context.Background(), k, want.Panel(at.y0, at.y1), 0.5, 2, source.Panel(at.a0, at.a1), c, 1); err != nil {
				t.Fatal(err)
			}
			for _, workers := range []int{1, 2, 3, 7, 0} {
				got := &Matrix{Rows: rows, Dim: dim, Data: slices.Clone(m.Data)}
				if err := new(Sums).mulNN(context.Background(), k, got.Panel(at.y0, at.y1), 0.5, 2, got.Panel(at.a0, at.a1), c, workers); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got.Data, want.Data) {
					t.Fatalf("%+v, %d workers: the bits differ from those without aliasing", at, workers)
				}
			}
		}
	})
}

func TestMul_Cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	m := NewMatrix(5000, 40)
	p := m.Panel(0, 40)
	if err := MulTNContext(ctx, make([]float64, 1600), p, p, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("MulTN: %v", err)
	}
	if err := MulNNContext(ctx, p, 0, 1, p, make([]float32, 1600), 2); !errors.Is(err, context.Canceled) {
		t.Errorf("MulNN: %v", err)
	}
}

func TestParallel_CoversEachBlockOnce(t *testing.T) {
	for _, n := range []int{-1, 0, 1, 5, 12, 13, 1000} {
		for _, block := range []int{1, 5, 12, 2000, math.MaxInt} {
			for _, workers := range []int{0, 1, 2, 3, 7} {
				t.Run(fmt.Sprintf("n=%d/block=%d/workers=%d", n, block, workers), func(t *testing.T) {
					seen := make([]int, max(n, 0))
					Parallel(n, block, workers, func(i, lo, hi int) {
						if lo != i*block || hi <= lo || hi > n || (hi != n && hi-lo != block) {
							t.Errorf("block %d is [%d, %d)", i, lo, hi)
						}
						for j := lo; j < hi; j++ {
							seen[j]++ // blocks are disjoint: no race
						}
					})
					for j, times := range seen {
						if times != 1 {
							t.Fatalf("%d was visited %d times", j, times)
						}
					}
				})
			}
		}
	}
}

func TestParallel_PanicReachesTheCaller(t *testing.T) {
	for _, workers := range []int{1, 2, 7} {
		func() {
			defer func() {
				if got := recover(); got != "block 3" {
					t.Errorf("%d workers: recovered %v", workers, got)
				}
			}()
			Parallel(100, 1, workers, func(i, _, _ int) {
				if i == 3 {
					panic("block 3")
				}
			})
		}()
	}
}
