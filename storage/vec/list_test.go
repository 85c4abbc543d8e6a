package vec

import (
	"fmt"
	"math"
	"testing"
)

// The kernels for lists of rows give the bits of the kernels for one row, for every length of
// rows and lists, and write nothing outside.
func TestList_EveryLength(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		rng := newRand(8)
		for dim := range maxLen {
			if thinned(dim) {
				continue
			}
			const rows = 7
			stride := dim + dim%3
			block, _ := guarded[float32](max(0, (rows-1)*stride+dim), 1)
			fill(rng, block)
			x, _ := guarded[float32](dim, 3)
			fill(rng, x)
			for n := range 14 {
				idx := make([]uint32, n)
				for i := range idx {
					idx[i] = uint32(rng.IntN(rows))
				}
				dst, intact := guarded[float32](n, 2)
				listDots(k, dst, x, block, stride, idx)
				for i, v := range idx {
					if want := dot(k, x, block[int(v)*stride:][:dim]); math.Float32bits(dst[i]) != math.Float32bits(want) {
						t.Fatalf("dim %d, product %d of %d: %v, want %v", dim, i, n, dst[i], want)
					}
				}
				listL2Squared(k, dst, x, block, stride, idx)
				for i, v := range idx {
					if want := l2Squared(k, x, block[int(v)*stride:][:dim]); math.Float32bits(dst[i]) != math.Float32bits(want) {
						t.Fatalf("dim %d, distance %d of %d: %v, want %v", dim, i, n, dst[i], want)
					}
				}
				if !intact() {
					t.Fatalf("dim %d, %d rows: wrote outside", dim, n)
				}
			}
		}
	})
}

func TestList_Panics(t *testing.T) {
	block := make([]float32, 12)
	for _, c := range []struct {
		name   string
		dst, x int
		stride int
		idx    []uint32
	}{
		{"short dst", 1, 4, 4, []uint32{0, 1}},
		{"short stride", 1, 4, 3, []uint32{0}},
		{"row outside", 2, 4, 4, []uint32{0, 3}},
	} {
		for _, f := range []func(dst, x, block []float32, stride int, idx []uint32){ListDots, ListL2Squared} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: no panic", c.name)
					}
				}()
				f(make([]float32, c.dst), make([]float32, c.x), block, c.stride, c.idx)
			}()
		}
	}
}

// BenchmarkListL2Squared measures lists of 16 rows in random order, as a search in a graph does,
// and for comparison calls of the kernel for one row.
func BenchmarkListL2Squared(b *testing.B) {
	for _, rows := range []int{1000, 200_000} {
		for _, dim := range []int{128, 200} {
			rng := newRand(9)
			block, x, dst := make([]float32, rows*dim), make([]float32, dim), make([]float32, 16)
			for i := range block {
				block[i] = float32(i % 1021) // arbitrary values: unwritten pages would share one page of memory
			}
			order := make([]uint32, 1<<16)
			for i := range order {
				order[i] = uint32(rng.IntN(rows))
			}
			run := func(name string, f func(idx []uint32)) {
				b.Run(fmt.Sprintf("rows=%d/dim=%d/%s", rows, dim, name), func(b *testing.B) {
					at := 0
					for b.Loop() {
						f(order[at : at+16])
						at = (at + 16) % len(order)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/16/float64(b.N), "ns/row")
				})
			}
			for _, k := range available() {
				run(k.String()+"/list", func(idx []uint32) { listL2Squared(k, dst, x, block, dim, idx) })
				run(k.String()+"/single", func(idx []uint32) { listL2SquaredBy(k, dst, x, block, dim, idx) })
			}
		}
	}
}
