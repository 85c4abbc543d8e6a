package vec

import (
	"fmt"
	"math"
	"math/bits"
	"testing"
)

func TestTile_BothSteps(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		rng := newRand(5)
		for _, n := range []int{0, 1, 2, 3, 4, 5, 7, 8, 17, 63, 64, 65, 200, 257} {
			for _, steps := range []struct {
				name         string
				row, product int
			}{
				{"rows", n + 3, 1},
				{"columns", 1, 12},
				{"wide columns", 1, 61},
				{"both", 5, 70},
				{"one row twelve times", 0, 1},
			} {
				t.Run(fmt.Sprintf("k=%d/%s", n, steps.name), func(t *testing.T) {
					length := 0
					if n > 0 {
						length = (TileRows-1)*steps.row + (n-1)*steps.product + 1
					}
					a, _ := guarded[float32](length, 1)
					b, _ := guarded[float32](n*TileCols, 1)
					fill(rng, a)
					fill(rng, b)
					c, intact := guarded[float32](TileRows*TileCols, 1)
					tile(k, (*[TileRows * TileCols]float32)(c), false, n, a, steps.row, steps.product, b, fetch{})
					fetched := new([TileRows * TileCols]float32)
					tile(k, fetched, false, n, a, steps.row, steps.product, b, fetch{&fetched[0], 40})
					split := new([TileRows * TileCols]float32)
					tile(k, split, false, n/3, a, steps.row, steps.product, b, fetch{})
					tile(k, split, true, n-n/3, a[min(n/3*steps.product, len(a)):], steps.row, steps.product, b[n/3*TileCols:], fetch{})
					for i := range TileRows {
						for j := range TileCols {
							var want, size float64
							for l := range n {
								p := float64(a[i*steps.row+l*steps.product]) * float64(b[l*TileCols+j])
								want += p
								size += math.Abs(p)
							}
							got := c[i*TileCols+j]
							if !near(float64(got), want, n+1, size) {
								t.Fatalf("(%d, %d): %v, want %v", i, j, got, want)
							}
							if split[i*TileCols+j] != got || fetched[i*TileCols+j] != got {
								t.Fatalf("(%d, %d): %v in one call, %v in two, %v with prefetching", i, j, got, split[i*TileCols+j], fetched[i*TileCols+j])
							}
						}
					}
					if !intact() {
						t.Fatal("wrote outside c")
					}
				})
			}
		}
	})
}

func TestTile_PlaceDoesNotMatter(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		rng := newRand(6)
		const n = 101
		row, col := fill(rng, make([]float32, n)), fill(rng, make([]float32, n))
		a, b := make([]float32, TileRows*n), make([]float32, n*TileCols)
		for i := range a {
			a[i] = row[i%n]
		}
		for i := range b {
			b[i] = col[i/TileCols]
		}
		var c [TileRows * TileCols]float32
		tile(k, &c, false, n, a, n, 1, b, fetch{})
		for i, v := range c {
			if v != c[0] {
				t.Fatalf("the same product is %v at 0 and %v at %d", c[0], v, i)
			}
		}
	})
}

func TestTileWithin_Masks(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	eachKind(t, func(t *testing.T, k kind) {
		rng := newRand(7)
		for round := range 300 {
			var (
				c        [TileRows * TileCols]float32
				rowNorms [TileRows]float32
				colNorms [TileCols]float32
				mask     [TileRows]uint32
				want     [TileRows]uint32
			)
			fill(rng, c[:])
			fill(rng, rowNorms[:])
			fill(rng, colNorms[:])
			limit := float32(rng.NormFloat64()*2 - 4)
			if round%3 == 0 {
				limit = -50 // none
			}
			if round%5 == 1 {
				c[rng.IntN(len(c))] = nan
				rowNorms[rng.IntN(TileRows)] = inf
				colNorms[rng.IntN(TileCols)] = inf
			}
			if round%7 == 2 { // exactly at the limit
				i, j := rng.IntN(TileRows), rng.IntN(TileCols)
				limit = rowNorms[i] + colNorms[j] - 2*c[i*TileCols+j]
			}
			some := false
			for i := range TileRows {
				for j := range TileCols {
					d := (rowNorms[i] + colNorms[j]) - 2*c[i*TileCols+j]
					if !(d > limit) {
						want[i] |= 1 << j
						some = true
					}
				}
			}
			for i := range mask {
				mask[i] = rng.Uint32()
			}
			if got := tileWithin(k, &mask, &c, &rowNorms, &colNorms, limit); got != some {
				t.Fatalf("round %d: %v, want %v", round, got, some)
			}
			for i := range mask {
				if mask[i] != want[i] {
					t.Fatalf("round %d, row %d: %032b, want %032b", round, i, mask[i], want[i])
				}
			}
		}
	})
}

func TestTileWithin_OneBit(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		for at := range TileRows * TileCols {
			var c [TileRows * TileCols]float32
			c[at] = 1
			var mask [TileRows]uint32
			if !tileWithin(k, &mask, &c, new([TileRows]float32), new([TileCols]float32), -1.5) {
				t.Fatalf("element %d was not found", at)
			}
			for i, m := range mask {
				if i == at/TileCols && bits.TrailingZeros32(m) == at%TileCols && bits.OnesCount32(m) == 1 {
					continue
				}
				if m != 0 || i == at/TileCols {
					t.Fatalf("element %d: mask of row %d is %032b", at, i, m)
				}
			}
		}
	})
}

func TestTileAdd64_AddsExactly(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		rng := newRand(8)
		var c [TileRows * TileCols]float32
		acc, intact := guarded[float64](TileRows*TileCols, 1)
		fill(rng, c[:])
		fill(rng, acc)
		want := make([]float64, len(acc))
		for i := range want {
			want[i] = acc[i] + float64(c[i])
		}
		tileAdd64(k, (*tileSums)(acc), &c)
		for i := range want {
			if acc[i] != want[i] {
				t.Fatalf("element %d: %v, want %v", i, acc[i], want[i])
			}
		}
		if !intact() {
			t.Fatal("wrote outside the sums")
		}
	})
}

func TestTileStore_EveryShape(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		rng := newRand(9)
		var c [TileRows * TileCols]float32
		fill(rng, c[:])
		for rows := 1; rows <= TileRows; rows++ {
			for cols := 1; cols <= TileCols; cols++ {
				for _, beta := range []float32{0, 1, -0.5, float32(math.Copysign(0, -1))} {
					stride := cols + rng.IntN(3)
					y, intact := guarded[float32](rows*stride, 1)
					for i := range rows * stride {
						if i%stride < cols && beta != 0 {
							y[i] = float32(rng.NormFloat64())
						}
					}
					old := append([]float32(nil), y...)
					tileStore(k, y, stride, rows, cols, beta, 3, &c)
					for i := range rows * stride {
						if i%stride >= cols {
							if y[i] == y[i] {
								t.Fatalf("%d × %d: wrote between the rows", rows, cols)
							}
							continue
						}
						p := 3 * float64(c[i/stride*TileCols+i%stride])
						want, size := p, math.Abs(p)
						if beta != 0 {
							want += float64(beta) * float64(old[i])
							size += math.Abs(float64(beta) * float64(old[i]))
						}
						if !near(float64(y[i]), want, 3, size) {
							t.Fatalf("%d × %d, beta %v, element %d: %v, want %v", rows, cols, beta, i, y[i], want)
						}
					}
					if !intact() {
						t.Fatalf("%d × %d: wrote outside y", rows, cols)
					}
				}
			}
		}
	})
}

func TestPack_ColumnsAndRows(t *testing.T) {
	rng := newRand(10)
	for _, n := range []int{0, 1, 2, 31, 32, 33, 200} {
		for width := range TileCols + 1 {
			src := Panel{Rows: n, Cols: width, Stride: width + 3, Data: fill(rng, make([]float32, n*(width+3)))}
			dst, intact := guarded[float32](n*TileCols, 1)
			PackCols(dst, src)
			for i, got := range dst {
				l, j := i/TileCols, i%TileCols
				want := float32(0)
				if j < width {
					want = src.Data[l*src.Stride+j]
				}
				if got != want {
					t.Fatalf("columns of %d × %d: (%d, %d) is %v, want %v", n, width, l, j, got, want)
				}
			}

			rows := Panel{Rows: width, Cols: n, Stride: n + 3, Data: fill(rng, make([]float32, width*(n+3)))}
			for i := range dst {
				dst[i] = float32(math.NaN())
			}
			PackRows(dst, rows)
			for i, got := range dst {
				l, j := i/TileCols, i%TileCols
				want := float32(0)
				if j < width {
					want = rows.Data[j*rows.Stride+l]
				}
				if got != want {
					t.Fatalf("rows of %d × %d: (%d, %d) is %v, want %v", width, n, l, j, got, want)
				}
			}
			if !intact() {
				t.Fatalf("%d, %d: wrote outside dst", n, width)
			}
		}
	}
}

func TestTileLeast(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		rng := newRand(5)
		for round := range 300 {
			var c [TileRows * TileCols]float32
			var rowNorms [TileRows]float32
			var colNorms [TileCols]float32
			for i := range c {
				c[i] = float32(rng.NormFloat64())
			}
			for i := range rowNorms {
				rowNorms[i] = float32(rng.NormFloat64())
			}
			for j := range colNorms {
				colNorms[j] = float32(rng.NormFloat64())
			}
			c[rng.IntN(len(c))] += 10 // any place can have the least
			if round%3 == 0 {         // padding has no least
				rowNorms[TileRows-1], colNorms[TileCols-1] = float32(math.Inf(1)), float32(math.Inf(1))
			}
			want := float32(math.Inf(1))
			for i := range c {
				want = min(want, rowNorms[i/TileCols]+colNorms[i%TileCols]-2*c[i])
			}
			if got := tileLeast(k, &c, &rowNorms, &colNorms); got != want {
				t.Fatalf("round %d: %v, want %v", round, got, want)
			}
		}
	})
}
