package vec

import (
	"context"
	"math"
	"slices"
	"testing"
)

// Products of 16 columns are right, and have the bits of the same columns in a wider product,
// which has no tall tiles.
func TestTall(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		rng := newRand(15)
		heights := []int{1, 11, 12, 13, 23, 24, 25, 129, 256, 700, 5003}
		if testing.Short() {
			heights = []int{1, 12, 23, 129, 1003}
			t.Log("-short: fewer numbers of rows")
		}
		for _, rows := range heights {
			b, wide := NewMatrix(rows, tallCols), NewMatrix(rows, tallCols+1)
			fill(rng, b.Data)
			for i := range rows {
				copy(wide.Row(i), b.Row(i))
			}
			block := b.Panel(0, tallCols)
			for _, cols := range []int{0, 1, 11, 12, 13, 16, 23, 24, 25, 36, 47, 48, 61} {
				a, _ := newPanel(rng, rows, cols)
				if cols > 0 && rows <= 700 {
					checkMulTN(t, k, a, block)
				}
				c := fill(rng, make([]float32, cols*tallCols))
				if rows <= 700 {
					y, intact := newPanel(rng, rows, tallCols)
					checkMulNN(t, k, y, 0, 1, a, c)
					checkMulNN(t, k, y, 0.25, 3, a, c)
					if !intact() {
						t.Fatalf("%d rows, %d columns: wrote outside y", rows, cols)
					}
				}
				checkTall(t, k, a, b, wide, c)
			}
			checkMulTN(t, k, block, block)
			checkTall(t, k, block, b, wide, fill(rng, make([]float32, tallCols*tallCols)))
		}
	})
}

func checkTall(t *testing.T, k kind, a Panel, b, wide *Matrix, c []float32) {
	t.Helper()
	if a.Cols > 0 {
		got, want := make([]float64, a.Cols*tallCols), make([]float64, a.Cols*wide.Dim)
		for _, workers := range []int{1, 3} {
			if err := mulTN(context.Background(), k, got, a, b.Panel(0, tallCols), false, workers); err != nil {
				t.Fatal(err)
			}
			if err := mulTN(context.Background(), k, want, a, wide.Panel(0, wide.Dim), false, 1); err != nil {
				t.Fatal(err)
			}
			for i := range a.Cols {
				if !slices.Equal(got[i*tallCols:(i+1)*tallCols], want[i*wide.Dim:][:tallCols]) {
					t.Fatalf("%d × %d, %d workers: row %d of MulTN has other bits", a.Rows, a.Cols, workers, i)
				}
			}
		}
	}
	wider := make([]float32, a.Cols*wide.Dim)
	for i := range a.Cols {
		copy(wider[i*wide.Dim:], c[i*tallCols:(i+1)*tallCols])
	}
	for _, workers := range []int{1, 3} {
		y, more := &Matrix{a.Rows, b.Dim, slices.Clone(b.Data)}, &Matrix{a.Rows, wide.Dim, slices.Clone(wide.Data)}
		if err := new(Sums).mulNN(context.Background(), k, y.Panel(0, tallCols), 1, -1, a, c, workers); err != nil {
			t.Fatal(err)
		}
		if err := new(Sums).mulNN(context.Background(), k, more.Panel(0, wide.Dim), 1, -1, a, wider, 1); err != nil {
			t.Fatal(err)
		}
		for i := range a.Rows {
			if !slices.Equal(y.Row(i), more.Row(i)[:tallCols]) {
				t.Fatalf("%d × %d, %d workers: row %d of MulNN has other bits", a.Rows, a.Cols, workers, i)
			}
		}
	}
}

// The kernels of tall tiles compute the same as the portable code.
func TestTallKernels(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		rng := newRand(16)
		for _, n := range []int{0, 1, 2, 3, 128} {
			for _, by := range [][2]int{{1, 30}, {n + 9, 1}} { // columns and rows of a panel
				a := fill(rng, make([]float32, tallRows*by[0]+max(n, 1)*by[1]+30))
				b := fill(rng, make([]float32, n*tallCols))
				for _, add := range []bool{false, true} {
					for _, next := range []fetch{{}, {&a[0], 4}} {
						var got, want [TileRows * TileCols]float32
						fill(rng, got[:])
						want = got
						tileTall(k, &got, add, n, a, a[5*by[0]:], by[0], by[1], b, next)
						tileTallGo(&want, add, n, a, a[5*by[0]:], by[0], by[1], b)
						for i := range got {
							if !near(float64(got[i]), float64(want[i]), n+1, 20*math.Sqrt(float64(n+1))) {
								t.Fatalf("%d products, sum %d is %v, not %v", n, i, got[i], want[i])
							}
						}
					}
				}
			}
		}
	})
}

// Memory of an earlier product does not change the next.
func TestSums(t *testing.T) {
	rng := newRand(17)
	var s Sums
	for _, rows := range []int{9000, 300, 5000} {
		for _, cols := range []int{40, 16, 70} {
			a, _ := newPanel(rng, rows, cols)
			got, want := make([]float64, cols*cols), make([]float64, cols*cols)
			if err := s.MulTN(context.Background(), got, a, a, 2); err != nil {
				t.Fatal(err)
			}
			if MulTN(want, a, a, 1); !slices.Equal(got, want) {
				t.Fatalf("%d × %d: other bits", rows, cols)
			}
		}
	}
}

// Each entry of a product is written for one tile only: tiles are written from several
// goroutines.
func TestMulTN_WritesOnce(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		for _, cols := range []int{1, 11, 12, 13, 16, 23, 25, 35, 37, 200} {
			a := NewMatrix(3, cols).Panel(0, cols)
			for _, b := range []Panel{a, NewMatrix(3, tallCols).Panel(0, tallCols), NewMatrix(3, 41).Panel(0, 41)} {
				g := newGram(k, a, b, false)
				for i, writes := range writesOf(g) {
					if writes != 1 {
						t.Errorf("%d × %d, symmetric: %v: entry (%d, %d) is written for %d tiles",
							cols, b.Cols, g.symmetric, i/b.Cols, i%b.Cols, writes)
					}
				}
			}
		}
	})
}

// writesOf returns for how many tiles each entry of a product is written.
func writesOf(g *gram) []int {
	writes := make([]int, g.a.Cols*g.b.Cols)
	for _, at := range g.tiles {
		c := make([]float64, len(writes))
		var sums tileSums
		for i := range sums {
			sums[i] = 1
		}
		g.put(c, at, &sums)
		for i, x := range c {
			writes[i] += int(x)
		}
	}
	return writes
}
