package vec

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
)

// Rates are in GFLOP/s, with two operations for each multiply-add, or in GB/s of the elements
// read and written.

func report(b *testing.B, perOp float64, unit string) {
	b.ReportMetric(perOp*float64(b.N)/b.Elapsed().Seconds()/1e9, unit)
}

func BenchmarkLevel1(b *testing.B) {
	rng := newRand(21)
	for _, k := range available() {
		for _, d := range []int{64, 128, 200} {
			x, y := fill(rng, make([]float32, d)), fill(rng, make([]float32, d))
			var wantDot, wantL2 float64
			for i := range x {
				wantDot += float64(x[i]) * float64(y[i])
				wantL2 += (float64(x[i]) - float64(y[i])) * (float64(x[i]) - float64(y[i]))
			}
			b.Run(fmt.Sprintf("op=dot/kind=%v/d=%d", k, d), func(b *testing.B) {
				var got float32
				for b.Loop() {
					got = dot(k, x, y)
				}
				if !near(float64(got), wantDot, d, wantL2+math.Abs(wantDot)) {
					b.Fatalf("%v, want %v", got, wantDot)
				}
				report(b, 8*float64(d), "GB/s")
			})
			b.Run(fmt.Sprintf("op=l2/kind=%v/d=%d", k, d), func(b *testing.B) {
				var got float32
				for b.Loop() {
					got = l2Squared(k, x, y)
				}
				if !near(float64(got), wantL2, d, wantL2) {
					b.Fatalf("%v, want %v", got, wantL2)
				}
				report(b, 8*float64(d), "GB/s")
			})
			b.Run(fmt.Sprintf("op=axpy/kind=%v/d=%d", k, d), func(b *testing.B) {
				z := slices.Clone(y)
				sign := float32(1)
				for b.Loop() {
					axpy(k, sign, x, z) // with alternating sign, so that nothing overflows
					sign = -sign
				}
				for i := range z {
					if off := math.Abs(float64(z[i] - y[i])); off > math.Abs(float64(x[i]))+1e-2 {
						b.Fatalf("element %d is %v, was %v", i, z[i], y[i])
					}
				}
				report(b, 12*float64(d), "GB/s")
			})
		}
	}
}

func BenchmarkGatherSum(b *testing.B) {
	rng := newRand(22)
	const degree = 22
	for _, k := range available() {
		for _, width := range []int{16, 32} {
			for _, rows := range []int{4_000, 20_000, 500_000} {
				b.Run(fmt.Sprintf("kind=%v/width=%d/rows=%d/degree=%d", k, width, rows, degree), func(b *testing.B) {
					x := make([]float32, rows*width)
					for i := range x {
						x[i] = float32(i / width % 8)
					}
					list := make([]uint32, 100_000*degree)
					for i := range list {
						list[i] = uint32(rng.IntN(rows))
					}
					dst := make([]float32, width)
					i := 0
					for b.Loop() {
						if !gatherSum(k, dst, x, width, list[i*degree:(i+1)*degree]) {
							b.Fatal("refused")
						}
						if i++; i == 100_000 {
							i = 0
						}
					}
					last := (i + 100_000 - 1) % 100_000
					var want float32
					for _, v := range list[last*degree : (last+1)*degree] {
						want += float32(v % 8)
					}
					for j, got := range dst {
						if got != want {
							b.Fatalf("column %d: %v, want %v", j, got, want)
						}
					}
					report(b, 4*degree*float64(width), "GB/s")
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/degree, "ns/entry")
				})
			}
		}
	}
}

func BenchmarkTile(b *testing.B) {
	rng := newRand(23)
	const n = 200
	for _, k := range available() {
		for _, order := range []string{"rows", "columns"} {
			b.Run(fmt.Sprintf("kind=%v/a=%s/k=%d", k, order, n), func(b *testing.B) {
				x, y := fill(rng, make([]float32, TileRows*n)), fill(rng, make([]float32, n*TileCols))
				rowStep, kStep := n, 1
				if order == "columns" {
					rowStep, kStep = 1, TileRows
				}
				var c [TileRows * TileCols]float32
				for b.Loop() {
					tile(k, &c, false, n, x, rowStep, kStep, y, fetch{})
				}
				var want, size float64
				for l := range n {
					p := float64(x[11*rowStep+l*kStep]) * float64(y[l*TileCols+31])
					want += p
					size += math.Abs(p)
				}
				if got := float64(c[len(c)-1]); !near(got, want, n+1, size) {
					b.Fatalf("%v, want %v", got, want)
				}
				report(b, 2*TileRows*TileCols*n, "GFLOP/s")
			})
		}
		b.Run(fmt.Sprintf("kind=%v/op=within", k), func(b *testing.B) {
			var (
				c        [TileRows * TileCols]float32
				rowNorms [TileRows]float32
				colNorms [TileCols]float32
				mask     [TileRows]uint32
			)
			c[100] = 1
			var some bool
			for b.Loop() {
				some = tileWithin(k, &mask, &c, &rowNorms, &colNorms, -1)
			}
			if !some || mask[3] != 1<<4 {
				b.Fatalf("%v %b", some, mask)
			}
		})
	}
}

func BenchmarkMulTN(b *testing.B) {
	rng := newRand(24)
	const rows = 100_000
	m := NewMatrix(rows, 256)
	fill(rng, m.Data)
	narrow := NewMatrix(rows, 32)
	fill(rng, narrow.Data)
	block := NewMatrix(rows, 16)
	fill(rng, block.Data)
	other := NewMatrix(rows, 256)
	copy(other.Data, m.Data)
	for _, k := range available()[max(0, len(available())-2):] {
		for _, c := range []struct {
			name string
			a, b Panel
		}{
			{"256x16", m.Panel(0, 256), block.Panel(0, 16)},
			{"16x16/b=a", block.Panel(0, 16), block.Panel(0, 16)},
			{"256x32", m.Panel(0, 256), narrow.Panel(0, 32)},
			{"256x32/b=column-range", m.Panel(0, 224), m.Panel(224, 256)},
			{"256x256", m.Panel(0, 256), other.Panel(0, 256)},
			{"256x256/b=a", m.Panel(0, 256), m.Panel(0, 256)},
			{"32x32/b=a", narrow.Panel(0, 32), narrow.Panel(0, 32)},
		} {
			for _, workers := range []int{1, 2} {
				b.Run(fmt.Sprintf("kind=%v/rows=%d/shape=%s/workers=%d", k, rows, c.name, workers), func(b *testing.B) {
					got := make([]float64, c.a.Cols*c.b.Cols)
					for b.Loop() {
						if err := mulTN(context.Background(), k, got, c.a, c.b, false, workers); err != nil {
							b.Fatal(err)
						}
					}
					var want, size float64
					for l := range rows {
						p := float64(c.a.Data[l*c.a.Stride+5]) * float64(c.b.Data[l*c.b.Stride+c.b.Cols-1])
						want += p
						size += math.Abs(p)
					}
					if at := got[5*c.b.Cols+c.b.Cols-1]; !near(at, want, runRows+1, size) {
						b.Fatalf("%v, want %v", at, want)
					}
					report(b, 2*rows*float64(c.a.Cols)*float64(c.b.Cols), "GFLOP/s")
				})
			}
		}
	}
}

func BenchmarkMulNN(b *testing.B) {
	rng := newRand(25)
	const rows = 100_000
	for _, k := range available()[max(0, len(available())-2):] {
		for _, shape := range []struct {
			inner, cols int
			alias       bool
		}{{256, 16, false}, {16, 16, true}, {256, 32, false}, {400, 200, false}, {400, 200, true}, {500, 256, false}, {32, 32, true}} {
			a := NewMatrix(rows, shape.inner)
			fill(rng, a.Data)
			y := a
			if !shape.alias {
				y = NewMatrix(rows, shape.cols)
			}
			c := make([]float32, shape.inner*shape.cols)
			for i := range min(shape.inner, shape.cols) {
				c[i*shape.cols+i] = 1 // an identity: repeating it in place changes nothing
			}
			for _, workers := range []int{1, 2} {
				b.Run(fmt.Sprintf("kind=%v/rows=%d/shape=%dx%d/inplace=%v/workers=%d", k, rows, shape.inner, shape.cols, shape.alias, workers), func(b *testing.B) {
					for b.Loop() {
						if err := new(Sums).mulNN(context.Background(), k, y.Panel(0, shape.cols), 0, 1, a.Panel(0, shape.inner), c, workers); err != nil {
							b.Fatal(err)
						}
					}
					for i := range rows {
						if j := i % shape.cols; y.Row(i)[j] != a.Row(i)[j] {
							b.Fatalf("(%d, %d): %v, want %v", i, j, y.Row(i)[j], a.Row(i)[j])
						}
					}
					report(b, 2*rows*float64(shape.inner)*float64(shape.cols), "GFLOP/s")
				})
			}
		}
	}
}
