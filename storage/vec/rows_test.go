package vec

import (
	"math"
	"testing"
	"unsafe"
)

// rowsOf makes n rows of a width, each guarded, of which the kernels are to use
// the first dim columns.
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

func TestRowList_Steps_EveryLength(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		rng := newRand(6)
		for dim := range maxLen {
			if thinned(dim) {
				continue
			}
			for _, n := range []int{0, 1, 2, 5, 12} {
				rows, intact := guardedRows(rng, n, dim)
				before := make([][]float32, n)
				for i, row := range rows {
					before[i] = append([]float32(nil), row...)
				}
				x, xIntact := guarded[float32](dim, 1)
				fill(rng, x)
				old := append([]float32(nil), x...)
				g := fill(rng, make([]float32, n))
				rowSteps(k, x, pointers(rows), g)
				for j := range x {
					sum, size := float64(old[j]), math.Abs(float64(old[j]))
					for i := range rows {
						p := float64(g[i]) * float64(before[i][j])
						sum += p
						size += math.Abs(p)
						q := float64(g[i]) * float64(old[j])
						if !near(float64(rows[i][j]), float64(before[i][j])+q, 2, math.Abs(float64(before[i][j]))+math.Abs(q)) {
							t.Fatalf("dim %d, row %d, column %d: %v", dim, i, j, rows[i][j])
						}
					}
					if !near(float64(x[j]), sum, n+2, size) {
						t.Fatalf("dim %d, %d rows, column %d of x: %v, want %v", dim, n, j, x[j], sum)
					}
				}
				if !intact() || !xIntact() {
					t.Fatalf("dim %d, %d rows: wrote outside", dim, n)
				}
			}
		}
	})
}

func TestRowList_WrongShapes(t *testing.T) {
	var l RowList
	x := make([]float32, 4)
	l.Reset(4)
	l.Add(make([]float32, 5))
	for name, f := range map[string]func(){
		"short dst": func() { l.Dots(nil, x) },
		"short x":   func() { l.Dots(make([]float32, 1), x[:3]) },
		"short g":   func() { l.Steps(x, nil) },
		"long x":    func() { l.Steps(make([]float32, 5), make([]float32, 1)) },
		"short row": func() { l.Add(x[:3]) },
		"targets":   func() { LogisticSteps(x, x[:3], 1, 6) },
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
	if l.Len() != 1 {
		t.Errorf("%d rows, want 1", l.Len())
	}
	l.Reset(0)
	l.Dots(nil, nil)
	l.Steps(nil, nil)
}

func TestLogisticSteps(t *testing.T) {
	eachKind(t, func(t *testing.T, k kind) {
		rng := newRand(7)
		for n := range 40 {
			g, intact := guarded[float32](n, 1)
			targets := make([]float32, n)
			for i := range g {
				g[i] = float32(rng.NormFloat64() * 4)
				targets[i] = float32(rng.IntN(2))
			}
			if n > 3 {
				g[0], g[1], g[2] = float32(math.NaN()), float32(math.Inf(1)), -6
			}
			limit := float32(6)
			if n%2 == 1 {
				limit = 1000
			}
			if n > 20 {
				g[3], g[4] = 300, -300
			}
			before := append([]float32(nil), g...)
			logisticSteps(k, g, targets, 0.025, limit)
			for i, x := range before {
				want := 0.0
				if math.Abs(float64(x)) < float64(limit) {
					want = 0.025 * (float64(targets[i]) - 1/(1+math.Exp(-float64(x))))
				}
				if !(math.Abs(float64(g[i])-want) <= 0.025*4*0x1p-23) {
					t.Fatalf("product %v, target %v: %v, want %v", x, targets[i], g[i], want)
				}
			}
			if !intact() {
				t.Fatalf("%d products: wrote outside", n)
			}
		}
	})
}

// BenchmarkRowList is one pair of skip-gram: the scalar products of a path of
// the tree, and the step.
func BenchmarkRowList(b *testing.B) {
	for _, k := range available() {
		b.Run("kind="+k.String()+"/dim=200/rows=12", func(b *testing.B) {
			rng := newRand(1)
			rows := make([][]float32, 12)
			for i := range rows {
				rows[i] = fill(rng, make([]float32, 208))[:200]
			}
			x := fill(rng, make([]float32, 200))
			dots, g := make([]float32, 12), make([]float32, 12)
			for i := range g {
				g[i] = 1e-6 * float32(i%2*2-1)
			}
			list := pointers(rows)
			for b.Loop() {
				rowDots(k, dots, x, list)
				rowSteps(k, x, list, g)
			}
			b.ReportMetric(float64(b.N)*12*6*200/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}
