package vec

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// TestTileBytes compares the tile with sums of integers, with bytes of all values.
func TestTileBytes(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		rng := newRand(9)
		for _, steps := range []int{0, 1, 2, 3, 16, 33, 256} {
			t.Run(fmt.Sprintf("steps=%d", steps), func(t *testing.T) {
				a, b := make([]uint32, steps*TileRows), make([]uint32, steps*TileCols)
				for i := range a {
					a[i] = rng.Uint32()
				}
				for i := range b {
					b[i] = rng.Uint32()
				}
				if steps == 2 { // the largest products, which must not saturate
					for i := range a {
						a[i] = 0xffffffff
					}
					for i := range b {
						b[i] = []uint32{0x80808080, 0x7f7f7f7f}[i%2]
					}
				}
				var base [TileCols]int32
				for j := range base {
					base[j] = int32(rng.IntN(1<<20) - 1<<19)
				}
				c, intact := guarded[float32](TileRows*TileCols, 1)
				tileBytes(k, (*[TileRows * TileCols]float32)(c), steps, a, b, &base)
				for i := range TileRows {
					for j := range TileCols {
						want := int64(base[j])
						for l := range steps {
							for t := range 4 {
								want += int64(uint8(a[l*TileRows+i]>>(8*t))) * int64(int8(b[l*TileCols+j]>>(8*t)))
							}
						}
						if got := c[i*TileCols+j]; got != float32(want) {
							t.Fatalf("(%d, %d): %v, want %d", i, j, got, want)
						}
					}
				}
				if !intact() {
					t.Fatal("wrote outside c")
				}
			})
		}
	})
}

// TestTileBytesNear compares the masks with the inequality in float64, for terms about which the
// products scatter, and infinite and NaN ones.
func TestTileBytesNear(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		rng := newRand(10)
		for steps := range 20 {
			a, b := make([]uint32, steps*TileRows), make([]uint32, steps*TileCols)
			for i := range a {
				a[i] = rng.Uint32()
			}
			for i := range b {
				b[i] = rng.Uint32()
			}
			var base [TileCols]int32
			var products [TileRows * TileCols]float32
			tileBytes(k, &products, steps, a, b, &base)
			var rows RowTerms
			var columns ColumnTerms
			far := steps%4 == 3
			for i := range TileRows {
				rows[0][i], rows[1][i] = float32(rng.NormFloat64()), float32(rng.NormFloat64())
			}
			for j := range TileCols {
				columns[0][j], columns[1][j] = float32(rng.NormFloat64()*1e4), float32(rng.NormFloat64()*1e4)
				columns[2][j] = float32(rng.NormFloat64() * 1e4)
				if far {
					columns[2][j] = 1e9
				}
			}
			infinite := float32(math.Inf(1))
			if !far {
				columns[2][3], columns[2][30], rows[1][5] = -infinite, infinite, infinite-infinite
			}
			var mask [TileRows]uint32
			c, intact := guarded[float32](TileRows*TileCols, 1)
			got := tileBytesNear(k, &mask, (*[TileRows * TileCols]float32)(c), steps, a, b, &base, &rows, &columns)
			if got == far || got && !slices.Equal(c, products[:]) || !intact() {
				t.Fatalf("%d steps: reports %v, or wrong products", steps, got)
			}
			for i := range TileRows {
				for j := range TileCols {
					product, x, y, z := float64(products[i*TileCols+j]), float64(rows[0][i])*float64(columns[0][j]), float64(rows[1][i])*float64(columns[1][j]), float64(columns[2][j])
					near, least := mask[i]>>j&1 != 0, x+y+z
					if doubt := 1e-6 * (math.Abs(x) + math.Abs(y) + math.Abs(z)); math.Abs(product-least) > doubt || math.IsNaN(least) {
						if want := !(product < least); near != want {
							t.Fatalf("%d steps, (%d, %d): near %v, expected %v", steps, i, j, near, want)
						}
					}
				}
			}
		}
	})
}

// BenchmarkTileBytes compares the tiles of bytes and of float32 with as many columns.
func BenchmarkTileBytes(b *testing.B) {
	for _, dim := range []int{64, 128} {
		var c [TileRows * TileCols]float32
		b.Run(fmt.Sprintf("dim=%d/bytes", dim), func(b *testing.B) {
			x, y := make([]uint32, dim/4*TileRows), make([]uint32, dim/4*TileCols)
			var base [TileCols]int32
			for b.Loop() {
				TileBytes(&c, dim/4, x, y, &base)
			}
		})
		b.Run(fmt.Sprintf("dim=%d/near", dim), func(b *testing.B) {
			x, y := make([]uint32, dim/4*TileRows), make([]uint32, dim/4*TileCols)
			var (
				base    [TileCols]int32
				mask    [TileRows]uint32
				rows    RowTerms
				columns ColumnTerms
			)
			for j := range columns[2] {
				columns[2][j] = 1
			}
			for b.Loop() {
				TileBytesNear(&mask, &c, dim/4, x, y, &base, &rows, &columns)
			}
		})
		b.Run(fmt.Sprintf("dim=%d/float32", dim), func(b *testing.B) {
			x, y := make([]float32, dim*TileRows), make([]float32, dim*TileCols)
			for b.Loop() {
				Tile(&c, dim, x, 1, TileRows, y)
			}
		})
	}
}
