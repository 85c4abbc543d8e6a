package vec

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

// eachKind runs f for every kind of kernels that the processor supports.
func eachKind(t *testing.T, f func(t *testing.T, k kind)) {
	t.Helper()
	for _, k := range available() {
		t.Run("kind="+k.String(), func(t *testing.T) { f(t, k) })
	}
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// guarded returns a slice of n elements at an offset in a larger array filled with NaN, and a
// function that reports whether everything around the slice is unchanged.
func guarded[T float32 | float64](n, offset int) ([]T, func() bool) {
	const guard = 70
	buf := make([]T, guard+offset+n+guard)
	for i := range buf {
		buf[i] = T(math.NaN())
	}
	lo := guard + offset
	return buf[lo : lo+n], func() bool {
		for i, v := range buf {
			if (i < lo || i >= lo+n) && v == v {
				return false
			}
		}
		return true
	}
}

func fill[T float32 | float64](rng *rand.Rand, x []T) []T {
	for i := range x {
		x[i] = T(rng.NormFloat64())
	}
	return x
}

// near reports whether got differs from want by at most n rounding errors of float32, for a sum
// whose terms have the given total size.
func near(got, want float64, n int, size float64) bool {
	return math.Abs(got-want) <= float64(n)*0x1p-24*size+1e-44
}

const maxLen = 300

// thinned reports whether a short run leaves out size n: above 40 it runs every 13th.
func thinned(n int) bool { return testing.Short() && n > 26 && n%13 != 0 }

func TestDot_EveryLength(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		rng := newRand(1)
		for n := range maxLen {
			if thinned(n) {
				continue
			}
			for offset := range 4 {
				a, _ := guarded[float32](n, offset)
				b, _ := guarded[float32](n, 3*offset)
				fill(rng, a)
				fill(rng, b)
				var want, size, l2 float64
				for i := range a {
					p := float64(a[i]) * float64(b[i])
					want += p
					size += math.Abs(p)
					d := float64(a[i]) - float64(b[i])
					l2 += d * d
				}
				if got := dot(k, a, b); !near(float64(got), want, n/4+6, size) {
					t.Fatalf("dot of %d, offset %d: %v, want %v", n, offset, got, want)
				}
				got := l2Squared(k, a, b)
				if !near(float64(got), l2, n/4+8, l2) {
					t.Fatalf("squared distance of %d, offset %d: %v, want %v", n, offset, got, l2)
				}
				if back := l2Squared(k, b, a); back != got {
					t.Fatalf("squared distance of %d is not symmetric: %v, %v", n, got, back)
				}
				if l2Squared(k, a, a) != 0 {
					t.Fatalf("squared distance of %d elements from themselves is not 0", n)
				}
			}
		}
	})
}

func TestPairSum_EveryLength(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		rng := newRand(4)
		for n := range maxLen {
			if thinned(n) {
				continue
			}
			for offset := range 4 {
				a, _ := guarded[float32](n, offset)
				b, _ := guarded[float32](n, 3*offset)
				w, _ := guarded[float32](n, 2*offset)
				v, _ := guarded[float32](n, offset+1)
				for _, x := range [][]float32{a, b, w, v} {
					fill(rng, x)
				}
				var want, size float64
				for i := range a {
					p := float64(w[i]) * float64(a[i]) * float64(b[i])
					d := float64(v[i]) * math.Abs(float64(a[i])-float64(b[i]))
					want += p + d
					size += math.Abs(p) + math.Abs(d)
				}
				got := pairSum(k, w, v, a, b)
				if !near(float64(got), want, n+8, size) {
					t.Fatalf("length %d, offset %d: %v, want %v", n, offset, got, want)
				}
				if back := pairSum(k, w, v, b, a); back != got {
					t.Fatalf("length %d is not symmetric: %v, %v", n, got, back)
				}
			}
		}
	})
}

func TestAxpy_EveryLength(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		rng := newRand(2)
		for n := range maxLen {
			if thinned(n) {
				continue
			}
			for offset := range 4 {
				x, _ := guarded[float32](n, offset)
				y, intact := guarded[float32](n, 3*offset)
				fill(rng, x)
				fill(rng, y)
				before := append([]float32(nil), y...)
				alpha := float32(rng.NormFloat64())
				axpy(k, alpha, x, y)
				for i := range y {
					p := float64(alpha) * float64(x[i])
					want := float64(before[i]) + p
					if !near(float64(y[i]), want, 2, math.Abs(p)+math.Abs(float64(before[i]))) {
						t.Fatalf("length %d, offset %d, element %d: %v, want %v", n, offset, i, y[i], want)
					}
				}
				if !intact() {
					t.Fatalf("length %d, offset %d: wrote outside y", n, offset)
				}
			}
		}
	})
}

func TestFloat64_EveryLength(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		rng := newRand(3)
		near := func(got, want, n, size float64) bool { return math.Abs(got-want) <= n*0x1p-52*size }
		for n := range maxLen {
			if thinned(n) {
				continue
			}
			for offset := range 4 {
				x, xIntact := guarded[float64](n, offset)
				y, yIntact := guarded[float64](n, 3*offset)
				fill(rng, x)
				fill(rng, y)
				x0, y0 := append([]float64(nil), x...), append([]float64(nil), y...)

				var want, size float64
				for i := range x {
					want += x[i] * y[i]
					size += math.Abs(x[i] * y[i])
				}
				if got := dot64(k, x, y); !near(got, want, float64(n)+2, size) {
					t.Fatalf("dot of %d, offset %d: %v, want %v", n, offset, got, want)
				}

				alpha := rng.NormFloat64()
				axpy64(k, alpha, x, y)
				for i := range y {
					if p := alpha * x0[i]; !near(y[i], y0[i]+p, 2, math.Abs(y0[i])+math.Abs(p)) {
						t.Fatalf("axpy of %d, offset %d, element %d: %v, want %v", n, offset, i, y[i], y0[i]+p)
					}
				}

				copy(y, y0)
				s, c := math.Sincos(rng.Float64() * 7)
				rot64(k, x, y, c, s)
				for i := range x {
					size := math.Abs(x0[i]) + math.Abs(y0[i])
					if !near(x[i], c*x0[i]+s*y0[i], 2, size) || !near(y[i], c*y0[i]-s*x0[i], 2, size) {
						t.Fatalf("rotation of %d, offset %d, element %d: (%v, %v)", n, offset, i, x[i], y[i])
					}
				}
				if !xIntact() || !yIntact() {
					t.Fatalf("length %d, offset %d: wrote outside x or y", n, offset)
				}
			}
		}
	})
}

// Every kind rounds after each operation, as the scalar code does, and does not read the old
// rows if their factor is 0.
func TestStepRows_SameBits(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		rng := newRand(11)
		for trial := range 100 {
			rows := trial % 23
			block := func() []float32 { return fill(rng, make([]float32, rows*blockCols)) }
			sums, once, scaled, x, before := block(), block(), block(), block(), block()
			s, offsets := fill(rng, make([]float32, rows)), make([]int64, rows+1)
			for i := range rows {
				offsets[i+1] = offsets[i] + int64(rng.IntN(100))
			}
			alpha, beta, gamma := float32(rng.NormFloat64()), float32(rng.NormFloat64()), float32(rng.NormFloat64())
			if trial%3 == 0 {
				once = nil
			}
			if rng.IntN(2) == 0 {
				gamma = 0
				for i := range before {
					before[i] = float32(math.NaN())
				}
			}
			y, intact := guarded[float32](rows*blockCols, rng.IntN(16))
			copy(y, before)
			stepRows(k, y, sums, once, scaled, x, offsets, s, alpha, beta, gamma)
			for i := range y {
				sum, row := sums[i], i/blockCols
				if once != nil {
					away := once[i] - float32(float32(offsets[row+1]-offsets[row])*scaled[i]) // without conversions, arm64 fuses operations
					sum += away
				}
				next := float32(float32(alpha*s[row])*sum) + float32(beta*x[i])
				if gamma != 0 {
					next += float32(gamma * before[i])
				}
				if math.IsNaN(float64(next)) || y[i] != next {
					t.Fatalf("%d rows, gamma %v, element %d: %v, want %v", rows, gamma, i, y[i], next)
				}
			}
			if !intact() {
				t.Fatal("wrote outside y")
			}
		}
	})
}

func TestGatherSum_EveryWidth(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		rng := newRand(4)
		const rows = 50
		for width := range 100 {
			if thinned(width) {
				continue
			}
			stride := width + rng.IntN(5)
			x := make([]float32, max(0, (rows-1)*stride+width)) // the last row ends with the block
			fill(rng, x)
			for n := range 70 {
				list := make([]uint32, n+rng.IntN(40))
				for i := range list {
					list[i] = uint32(rng.IntN(rows))
					if i >= n {
						list[i] = rng.Uint32() // indices beyond the list are prefetched at most
					}
				}
				idx := list[:n]
				dst, intact := guarded[float32](width, rng.IntN(16))
				if !gatherSum(k, dst, x, stride, idx) {
					t.Fatalf("width %d, %d entries: refused", width, n)
				}
				if !intact() {
					t.Fatalf("width %d, %d entries: wrote outside dst", width, n)
				}
				want := make([]float32, width)
				for j := range want {
					var s [4]float32
					var exact, size float64
					for i, v := range idx {
						e := x[int(v)*stride+j]
						s[i%4] += e
						exact += float64(e)
						size += math.Abs(float64(e))
					}
					// All kinds add in the same order, so the bits are equal.
					want[j] = (s[0] + s[1]) + (s[2] + s[3])
					if math.Float32bits(dst[j]) != math.Float32bits(want[j]) {
						t.Fatalf("width %d, %d entries, column %d: %v, want the bits of %v", width, n, j, dst[j], want[j])
					}
					if !near(float64(dst[j]), exact, n/4+3, size) {
						t.Fatalf("width %d, %d entries, column %d: %v, want %v", width, n, j, dst[j], exact)
					}
				}
			}
		}
	})
}

func TestGatherSum_RowOutside(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		for _, width := range []int{1, 8, 15, 16, 17, 32, 48, 64} {
			x := make([]float32, 10*width)
			dst := make([]float32, width)
			for n := 1; n < 12; n++ {
				for at := range n {
					for _, bad := range []uint32{10, 11, 1 << 31, math.MaxUint32} {
						idx := make([]uint32, n)
						idx[at] = bad
						if gatherSum(k, dst, x, width, idx) {
							t.Fatalf("width %d: entry %d of %d is row %d of 10, and was accepted", width, at, n, bad)
						}
					}
				}
			}
			if gatherSum(k, dst, x[:width-1], width, []uint32{0}) {
				t.Fatalf("width %d: a row longer than the block was accepted", width)
			}
			for _, stride := range []int{width + 1, 1 << 29, math.MaxInt / 8} {
				y := x[:width+3]
				if !gatherSum(k, dst, y, stride, []uint32{0, 0}) || gatherSum(k, dst, y, stride, []uint32{0, 8}) {
					t.Fatalf("width %d, stride %d: the only row was refused, or a different one accepted", width, stride)
				}
			}
			if !gatherSum(k, dst, nil, width, nil) {
				t.Fatalf("width %d: an empty list was refused", width)
			}
		}
	})
}

// The sums of all rows of a graph have the bits of those of single rows, with and without fetching ahead.
func TestGatherSums_AsSingly(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		rng := newRand(12)
		for _, rows := range []int{1, 50, 1<<13 + 1} {
			x := make([]float32, rows*blockCols)
			fill(rng, x)
			for range 20 {
				offsets := []int64{int64(rng.IntN(100))}
				for range 1 + rng.IntN(40) {
					offsets = append(offsets, offsets[len(offsets)-1]+int64(rng.IntN(3)*rng.IntN(20)))
				}
				n := int(offsets[len(offsets)-1] - offsets[0])
				list := make([]uint32, n+rng.IntN(3)*rng.IntN(30))
				for i := range list {
					list[i] = uint32(rng.IntN(rows))
					if i >= n {
						list[i] = rng.Uint32() // fetched at most
					}
				}
				got, intact := guarded[float32]((len(offsets)-1)*blockCols, rng.IntN(16))
				if !gatherSums(k, got, x, offsets, list[:n]) {
					t.Fatalf("%d rows: refused", rows)
				}
				want := make([]float32, blockCols)
				for i := range len(offsets) - 1 {
					gatherSumGo(want, x, blockCols, list[offsets[i]-offsets[0]:offsets[i+1]-offsets[0]])
					for j, w := range want {
						if math.Float32bits(got[i*blockCols+j]) != math.Float32bits(w) {
							t.Fatalf("row %d of offsets %v, column %d: %v, want the bits of %v", i, offsets, j, got[i*blockCols+j], w)
						}
					}
				}
				if !intact() {
					t.Fatal("wrote outside dst")
				}
				if n > 0 {
					list[rng.IntN(n)] = uint32(rows)
					if gatherSums(k, got, x, offsets, list[:n]) {
						t.Fatalf("an entry that is not one of %d rows was accepted", rows)
					}
				}
			}
		}
	})
}

func TestGatherSums_Refuses(t *testing.T) {
	x := make([]float32, 2*blockCols)
	for name, call := range map[string]func(){
		"descending": func() { GatherSums(x, x, []int64{0, 2, 1}, []uint32{0, 0}) },
		"short list": func() { GatherSums(x, x, []int64{0, 2}, []uint32{0}) },
		"short dst":  func() { GatherSums(x[:1], x, []int64{0, 1}, []uint32{0}) },
		"outside":    func() { GatherSums(x, x, []int64{0, 1}, []uint32{2}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("accepted")
				}
			}()
			call()
		})
	}
}

func TestChoose(t *testing.T) {
	kinds := []kind{portable, avx2, avx512}
	for name, want := range map[string]kind{"": avx512, "avx512": avx512, "avx2": avx2, "portable": portable, "neon": avx512, "AVX2": avx512} {
		of, unknown := choose(name, kinds)
		if of != want || unknown != (name == "neon" || name == "AVX2") {
			t.Errorf("%q: %v, %v", name, of, unknown)
		}
	}
	all := available()
	if name := os.Getenv("HEAVYTAIL_KERNELS"); name != "" {
		if Kind() != name || CheckKind() != nil {
			t.Errorf("Kind() is %s, with HEAVYTAIL_KERNELS=%s: %v", Kind(), name, CheckKind())
		}
	} else if all[0] != portable || Kind() != all[len(all)-1].String() || CheckKind() != nil {
		t.Errorf("Kind() is %s of %v: %v", Kind(), all, CheckKind())
	}
}

func TestKernels_PanicOnWrongLengths(t *testing.T) {
	for name, f := range map[string]func(){
		"Dot":       func() { Dot(make([]float32, 2), make([]float32, 3)) },
		"L2Squared": func() { L2Squared(make([]float32, 3), make([]float32, 2)) },
		"Axpy":      func() { Axpy(1, make([]float32, 2), nil) },
		"Dot64":     func() { Dot64(make([]float64, 2), nil) },
		"Axpy64":    func() { Axpy64(1, nil, make([]float64, 1)) },
		"UpdateTimes64": func() {
			UpdateTimes64(make([]float64, 2), make([]float64, 3), 2, make([]float64, 2), make([]float64, 2), make([]float64, 2))
		},
		"StepRows": func() {
			StepRows(make([]float32, 16), make([]float32, 16), nil, nil, nil, nil, make([]float32, 1), 1, 0, 0)
		},
		"RotateRows64": func() { RotateRows64(make([]float64, 16), 1, make([]float64, 2)) },
		"Tile64":       func() { Tile64(make([]float64, 192), 2, make([]float64, 23), 2, make([]float64, 32)) },
		"GatherSum":    func() { GatherSum(make([]float32, 16), make([]float32, 16), 16, []uint32{1}) },
		"stride":       func() { GatherSum(make([]float32, 1), make([]float32, 16), -1, []uint32{1}) },
		"Tile a":       func() { Tile(new([TileRows * TileCols]float32), 2, make([]float32, 23), 2, 1, make([]float32, 64)) },
		"Tile b":       func() { Tile(new([TileRows * TileCols]float32), 2, make([]float32, 24), 2, 1, make([]float32, 63)) },
		"PackCols":     func() { PackCols(make([]float32, 99), Panel{Data: make([]float32, 33), Rows: 1, Cols: 33, Stride: 33}) },
		"PackRows":     func() { PackRows(make([]float32, 31), Panel{Data: make([]float32, 1), Rows: 1, Cols: 1, Stride: 1}) },
		"panel": func() {
			MulTN(make([]float64, 1), Panel{Rows: 2, Cols: 1, Stride: 1}, Panel{Rows: 2, Cols: 1, Stride: 1}, 1)
		},
		"MulTN": func() { MulTN(make([]float64, 2), Panel{Cols: 1, Stride: 1}, Panel{Cols: 1, Stride: 1}, 1) },
		"MulNN": func() {
			_ = MulNNContext(context.Background(), Panel{Cols: 1, Stride: 1}, 0, 1, Panel{Cols: 1, Stride: 1}, nil, 1)
		},
		"Parallel": func() { Parallel(1, 0, 1, func(int, int, int) {}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}
