package vec

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// guardedRows returns n guarded rows of a width, of which the kernels may use the first dim
// columns, and a function that reports whether their guards are unchanged.
func guardedRows(rng interface{ NormFloat64() float64 }, n, width int) (rows [][]float32, intact func() bool) {
	var guards []func() bool
	for i := range n {
		row, ok := guarded[float32](width, i%3)
		for j := range row {
			row[j] = float32(rng.NormFloat64())
		}
		rows, guards = append(rows, row), append(guards, ok)
	}
	return rows, func() bool {
		for _, ok := range guards {
			if !ok() {
				return false
			}
		}
		return true
	}
}

func pointers(rows [][]float32) []*float32 {
	var list []*float32
	for _, row := range rows {
		list = append(list, unsafe.SliceData(row))
	}
	return list
}

func TestRowList_Dots_EveryLength(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		rng := newRand(5)
		for dim := range maxLen {
			if thinned(dim) {
				continue
			}
			for n := range 10 {
				rows, _ := guardedRows(rng, n, dim)
				x, _ := guarded[float32](dim, 1)
				fill(rng, x)
				dst, intact := guarded[float32](n, 2)
				rowDots(k, dst, x, pointers(rows))
				for i, row := range rows {
					want, size := 0.0, 0.0
					for j := range x {
						p := float64(x[j]) * float64(row[j])
						want += p
						size += math.Abs(p)
					}
					if !near(float64(dst[i]), want, dim+2, size) {
						t.Fatalf("dim %d, row %d of %d: %v, want %v", dim, i, n, dst[i], want)
					}
				}
				if !intact() {
					t.Fatalf("dim %d, %d rows: wrote outside", dim, n)
				}
			}
		}
	})
}

// learnOracle is RowList.Learn in float64.
func learnOracle(xs, rows [][]float64, targets []float32, alpha, limit float64) {
	for _, x := range xs {
		e := make([]float64, len(x))
		for i, row := range rows {
			product := 0.0
			for j := range x {
				product += x[j] * row[j]
			}
			if !(math.Abs(product) < limit) {
				continue
			}
			g := alpha * (float64(targets[i]) - 1/(1+math.Exp(-product)))
			for j := range x {
				e[j] += g * row[j]
				row[j] += g * x[j]
			}
		}
		for j := range x {
			x[j] += e[j]
		}
	}
}

func wide(rows [][]float32) [][]float64 {
	all := make([][]float64, len(rows))
	for i, row := range rows {
		for _, v := range row {
			all[i] = append(all[i], float64(v))
		}
	}
	return all
}

// TestRowList_Learn_EveryShape has widths from 1 to 30 lines, numbers of rows around multiples of
// four, which the kernels process together, and vectors that occur several times, consecutively
// or not.
func TestRowList_Learn_EveryShape(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		rng := newRand(6)
		for dim := rowLine; dim <= 30*rowLine; dim += rowLine {
			if thinned(dim) {
				continue
			}
			for _, n := range []int{1, 2, 3, 4, 5, 7, 8, 9, 12, 17, 33} {
				for _, order := range [][]int{{0}, {0, 1}, {0, 0}, {0, 1, 2, 0}, {0, 1, 1, 2}, {2, 2, 2}} {
					testLearn(t, k, rng, dim, n, order)
				}
			}
		}
	})
}

func testLearn(t *testing.T, k kind, rng *rand.Rand, dim, n int, order []int) {
	rows, intact := guardedRows(rng, n, dim)
	vectors, vectorsIntact := guardedRows(rng, 3, dim)
	for _, x := range vectors {
		for j := range x {
			x[j] /= float32(math.Sqrt(float64(dim))) // so that products are about 1
		}
	}
	targets := make([]float32, n)
	for i := range targets {
		targets[i] = float32(rng.IntN(2))
	}
	const alpha, limit = 0.05, 1.5
	wantRows, wantVectors := wide(rows), wide(vectors)
	var xs [][]float32
	var want [][]float64
	for _, i := range order {
		xs, want = append(xs, vectors[i]), append(want, wantVectors[i])
	}
	learnOracle(want, wantRows, targets, alpha, limit)
	l := &RowList{dim: dim, rows: pointers(rows)}
	learn(k, l, pointers(xs), targets, alpha, limit)
	const tolerance = 1e-5
	for i, row := range append(rows, vectors...) {
		for j, v := range append(wantRows, wantVectors...)[i] {
			if !(math.Abs(v-float64(row[j])) <= tolerance) {
				t.Fatalf("dim %d, %d rows, vectors %v: row %d, column %d: %v, want %v", dim, n, order, i, j, row[j], v)
			}
		}
	}
	if !intact() || !vectorsIntact() {
		t.Fatalf("dim %d, %d rows, vectors %v: wrote outside", dim, n, order)
	}
}

// TestRowList_Learn_Logistic checks the step for single products, with rows and a vector of one
// column.
func TestRowList_Learn_Logistic(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	products := []float32{nan, inf, -inf, -6, 6, 300, -300, 5.999999, -5.999999, 0, 1e-30, 88, -88, 127, -127, 3e38, -3e38}
	rng := newRand(7)
	for range 200 {
		products = append(products, float32(rng.NormFloat64()*4))
	}
	eachKind(t, func(t *testing.T, k kind) {
		for i, product := range products {
			for _, limit := range []float32{6, 1000} {
				target := float32(i % 2)
				row, x := make([]float32, rowLine), make([]float32, rowLine)
				row[0], x[0], x[1] = product, 1, 1
				l := &RowList{dim: rowLine, rows: pointers([][]float32{row})}
				learn(k, l, pointers([][]float32{x}), []float32{target}, 0.025, limit)
				want := 0.0
				if math.Abs(float64(product)) < float64(limit) {
					want = 0.025 * (float64(target) - 1/(1+math.Exp(-float64(product))))
				}
				if got := float64(row[1]); !(math.Abs(got-want) <= 0.025*4*0x1p-23) {
					t.Fatalf("product %v, target %v, limit %v: %v, want %v", product, target, limit, got, want)
				}
			}
		}
	})
}

// TestRowList_Rows makes a list of the rows of another.
func TestRowList_Rows(t *testing.T) {
	rows := [][]float32{{1}, {2}, {3}, {4}}
	var from, l RowList
	from.Reset(1)
	l.Reset(1)
	for _, row := range rows {
		from.Add(row)
	}
	l.Append(&from, 1, 3)
	l.Pick(&from, 0)
	l.Append(&from, 4, 4)
	from.Set(1, rows[3])
	l.Pick(&from, 1)
	l.Row(3)[0] = 5
	got := []float32{}
	for i := range l.Len() {
		got = append(got, l.Row(i)[0])
	}
	if want := []float32{2, 3, 1, 5}; !slices.Equal(got, want) || rows[3][0] != 5 {
		t.Errorf("rows %v, want %v; %v", got, want, rows)
	}
}

func TestRowList_WrongShapes(t *testing.T) {
	x := make([]float32, 16)
	list := func(dim int, rows ...[]float32) *RowList {
		l := &RowList{}
		l.Reset(dim)
		for _, row := range rows {
			l.Add(row)
		}
		return l
	}
	for name, f := range map[string]func(){
		"short dst":    func() { list(16, x).Dots(nil, x) },
		"short x":      func() { list(16, x).Dots(x, x[:3]) },
		"short row":    func() { list(16, x[:3]) },
		"targets":      func() { list(16, x, x).Learn(list(16, x), x[:1], 1, 6) },
		"width":        func() { list(15, x).Learn(list(15, x), x, 1, 6) },
		"other widths": func() { list(16, x).Learn(list(0, x), x, 1, 6) },
		"wider":        func() { list(16, x).Append(list(8, x), 0, 1) },
		"wider row":    func() { list(16, x).Pick(list(8, x), 0) },
		"no such row":  func() { list(16, x).Pick(list(16, x), 1) },
		"short set":    func() { list(16, x).Set(0, x[:3]) },
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
	// An empty list changes nothing.
	list(0).Dots(nil, nil)
	list(0, x).Learn(list(0, x), x, 1, 6)
	list(16).Learn(list(16, x), nil, 1, 6)
	list(16, x).Learn(list(16), x, 1, 6)
	for _, v := range x {
		if v != 0 {
			t.Errorf("x is %v", x)
		}
	}
}

// BenchmarkRowList_Learn has the shape of a skip-gram step: a centre, the other vertices in its
// window, and a path of the tree.
func BenchmarkRowList_Learn(b *testing.B) {
	for _, k := range available() {
		b.Run("kind="+k.String()+"/dim=208/rows=12/vectors=10", func(b *testing.B) {
			rng := newRand(1)
			var rows, xs RowList
			rows.Reset(208)
			for range 12 {
				rows.Add(fill(rng, make([]float32, 208)))
			}
			xs.Reset(208)
			for range 10 {
				xs.Add(make([]float32, 208))
			}
			targets := make([]float32, 12)
			for b.Loop() {
				learn(k, &rows, xs.rows, targets, 1e-7, 6)
			}
			b.ReportMetric(float64(b.N)*10*12*6*208/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}
