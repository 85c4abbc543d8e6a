package vec

import (
	"fmt"
	"math"
	"testing"
)

// Scans give the bits of the kernels for one row, for every length and number of rows, and write
// nothing outside.
func TestScan_EveryLength(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		rng := newRand(10)
		for dim := range maxLen {
			if thinned(dim) {
				continue
			}
			for n := range 10 {
				rows, _ := guarded[float32](n*dim, 1)
				fill(rng, rows)
				x, _ := guarded[float32](dim, 3)
				fill(rng, x)
				dst, intact := guarded[float32](n, 2)
				scanDots(k, dst, x, rows)
				for i := range dst {
					if want := dot(k, x, rows[i*dim:][:dim]); math.Float32bits(dst[i]) != math.Float32bits(want) {
						t.Fatalf("dim %d, product %d of %d: %v, want %v", dim, i, n, dst[i], want)
					}
				}
				scanL2Squared(k, dst, x, rows)
				for i := range dst {
					if want := l2Squared(k, x, rows[i*dim:][:dim]); math.Float32bits(dst[i]) != math.Float32bits(want) {
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

func TestScan_Panics(t *testing.T) {
	for _, c := range []struct{ dst, x, rows int }{{1, 4, 8}, {3, 4, 8}, {2, 4, 9}, {2, 0, 8}} {
		for _, f := range []func(dst, x, rows []float32){ScanDots, ScanL2Squared} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%+v: no panic", c)
					}
				}()
				f(make([]float32, c.dst), make([]float32, c.x), make([]float32, c.rows))
			}()
		}
	}
}

// BenchmarkScan reads rows that exceed the cache of a core, and for comparison copies them. The
// rate of the copy counts the bytes read and the bytes written.
func BenchmarkScan(b *testing.B) {
	for _, rows := range []int{81_306, 500_000} {
		const dim = 128
		block, to := make([]float32, rows*dim), make([]float32, rows*dim)
		for i := range block {
			block[i] = float32(i % 1021) // arbitrary values: unwritten pages would share one page of memory
		}
		x, dst := make([]float32, dim), make([]float32, 256)
		scan := func(f func(dst, x, rows []float32)) func() {
			return func() {
				for lo := 0; lo < rows; lo += len(dst) {
					hi := min(lo+len(dst), rows)
					f(dst[:hi-lo], x, block[lo*dim:hi*dim])
				}
			}
		}
		for _, c := range []struct {
			name  string
			bytes int
			f     func()
		}{
			{"copy", 8 * len(block), func() { copy(to, block) }},
			{"l2", 4 * len(block), scan(ScanL2Squared)},
			{"dot", 4 * len(block), scan(ScanDots)},
			{"single", 4 * len(block), scan(func(dst, x, rows []float32) { scanL2SquaredBy(active, dst, x, rows) })},
		} {
			b.Run(fmt.Sprintf("rows=%d/dim=%d/%s", rows, dim, c.name), func(b *testing.B) {
				for b.Loop() {
					c.f()
				}
				b.ReportMetric(float64(c.bytes)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GB/s")
			})
		}
	}
}
