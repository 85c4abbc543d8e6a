package gather

import (
	"cmp"
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"testing"

	"heavytail/storage/csr"
	"heavytail/storage/internal/sample"
)

// testList is a list whose buffer has a limit in bytes, 0 for much; small ones hold
// leastPileFull edges.
func testList(t *testing.T, how Repeated, room int64) *List {
	dir := t.TempDir()
	l := NewList(context.Background(), Options{Repeated: how, Limit: 4 << 30, EdgeRoom: room, Dir: dir, Pattern: "run"})
	t.Cleanup(func() {
		l.Close()
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%d temporary files are left", len(left))
		}
	})
	return l
}

func testBuffer(t *testing.T, how Repeated, room int64) *edgeBuffer {
	return testList(t, how, room).buffer
}

// settled is the graph of a buffer and a base.
func settled(t *testing.T, p *edgeBuffer, n int, number []uint32, base *csr.Graph) *csr.Graph {
	t.Helper()
	ctx := context.Background()
	if err := p.settle(ctx, number); err != nil {
		t.Fatal(err)
	}
	g, err := edgeRows(ctx, n, p.how, p.directed, func() []edgeSource {
		if base == nil {
			return p.sources()
		}
		return append([]edgeSource{graphSource(base, p.how, p.directed)}, p.sources()...)
	}, func(int64, bool, bool) error { return nil }, func(uint64) {})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// The graph of a buffer equals the one that package csr makes, with buffers that hold
// everything and with very small ones.
func TestEdgePile_Graph(t *testing.T) {
	t.Parallel()
	const n, m = 500, 20_000
	for _, limit := range []int64{0, 1, 5000} {
		random := rand.New(rand.NewPCG(4, 4))
		base := sample.Graph(n-100, 1000, 3)
		p := testBuffer(t, RepeatedLast, limit)
		var plain []csr.Edge
		for i := range m {
			u, v := uint32(random.IntN(n)), uint32(random.IntN(n))
			if u == v {
				continue
			}
			if err := p.add(context.Background(), p.join(u, v)); err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				p.held = 1
			}
			plain = append(plain, csr.Edge{U: u, V: v})
		}
		for u := range uint32(n - 100) {
			for _, v := range base.Neighbors(u) {
				plain = append(plain, csr.Edge{U: u, V: v})
			}
		}
		want, err := csr.FromEdges(n, plain)
		if err != nil {
			t.Fatal(err)
		}
		got := settled(t, p, n, nil, base)
		if !slices.Equal(got.Offsets, want.Offsets) || !slices.Equal(got.Targets, want.Targets) {
			t.Errorf("limit %d: rows differ", limit)
		}
		if spilled := len(p.runs) > 0; spilled != (limit > 0) {
			t.Errorf("limit %d: spilled %t", limit, spilled)
		}
	}
}

// A full buffer that may grow is sorted if half of its edges or fewer are different,
// whatever the edges are, and only then.
func TestEdgePile_SortsRepeatsOnly(t *testing.T) {
	t.Parallel()
	full := 1 << 17
	if testing.Short() {
		full = 1 << 13
		t.Log("-short: a buffer that is full sooner")
	}
	for name, edge := range map[string]func(i uint32) (u, v uint32){
		"path":    func(i uint32) (u, v uint32) { return i, i + 1 },
		"star":    func(i uint32) (u, v uint32) { return 0, i + 1 },
		"grid":    func(i uint32) (u, v uint32) { return i / 2, i/2 + 1 + i%2*1024 },
		"clique":  func(i uint32) (u, v uint32) { return i / 1024, 1<<16 + i%1024 },
		"stride":  func(i uint32) (u, v uint32) { return i << 8, 1<<31 + i<<8 },
		"highest": func(i uint32) (u, v uint32) { return math.MaxUint32 - 1 - i, math.MaxUint32 - i },
	} {
		for share, sorts := range map[float64]bool{0: true, 0.35: true, 0.65: false, 1: false} {
			for _, values := range []bool{false, true} {
				p := testBuffer(t, RepeatedLast, 0)
				p.full, p.withValues = full, values
				different := max(1, uint32(share*float64(full)))
				for i := range uint32(full + 1) {
					u, v := edge(i % different)
					if err := p.add(context.Background(), p.join(u, v)); err != nil {
						t.Fatal(err)
					}
				}
				wantLen, wantFull := full+1, 2*full
				if sorts {
					wantLen, wantFull = int(different)+1, full
				}
				if p.len() != wantLen || p.full != wantFull {
					t.Errorf("%s, %v different, values %t: %d edges, full at %d; want %d, %d", name, share, values, p.len(), p.full, wantLen, wantFull)
				}
			}
		}
	}
}

// Sums are exact, so they do not depend on how the occurrences are divided into parts, also
// if a float64 cannot hold them.
func TestEdgeFold_Exact(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 5))
	for range 200 {
		weights := make([]float64, 2+random.IntN(40))
		exact := new(big.Float).SetPrec(2000)
		for i := range weights {
			weights[i] = float64(float32(math.Ldexp(1+random.Float64(), random.IntN(200)-120)))
			exact.Add(exact, big.NewFloat(weights[i]))
		}
		want, _ := exact.Float32()
		cut := random.IntN(len(weights))
		whole, parts := newFold(RepeatedSum), newFold(RepeatedSum)
		for _, part := range [][]float64{weights[:cut], weights[cut:]} {
			f := newFold(RepeatedSum)
			for _, w := range part {
				f.add(w, csr.NoTime)
				whole.add(w, csr.NoTime)
			}
			f.each(1, func(o occurrence) error {
				parts.add(o.weight, o.time)
				return nil
			})
		}
		a, err := whole.result()
		b, err2 := parts.result()
		if err != nil || err2 != nil || a != want || b != want {
			t.Fatalf("%v and %v, want %v; %v, %v", a, b, want, err, err2)
		}
	}
}

// Weights are added up as they were written: nine times 0.1 is 0.9, in an import and in a
// union. The largest weight is no overflow.
func TestFold_Decimals(t *testing.T) {
	t.Parallel()
	for n := 2; n < 200; n++ {
		for _, w := range []float32{0.1, 0.7, 0.007, 12.3} {
			weights, times := make([]float32, n), make([]int64, n)
			for i := range weights {
				weights[i] = w
			}
			want := float32(csr.Sum(weights))
			if got, _, err := RepeatedSum.Fold(weights, times); got != want || err != nil {
				t.Fatalf("%d times %v is %v, %v, want %v", n, w, got, err, want)
			}
		}
	}
	for _, how := range Repeats() {
		if got, _, err := how.Fold([]float32{math.MaxFloat32}, []int64{csr.NoTime}); err != nil || how != RepeatedCount && got != math.MaxFloat32 {
			t.Errorf("%s of the largest weight: %v, %v", how, got, err)
		}
	}
}

// Lists of several parts are sorted as short ones, at any number of processors; occurrences of an
// edge keep their order.
func TestRadixSort(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	random := rand.New(rand.NewPCG(1, 1))
	const long = 3*leastPart + 1
	for _, n := range []int{10_000, long} {
		for _, width := range []int{0, 1, 11, 12, 22, 32} {
			if n == long && width != 22 {
				continue
			}
			list := make([]uint64, n)
			valued := make([]occurrence, n)
			for i := range list {
				list[i] = uint64(random.Uint32()>>(32-width))<<32 | uint64(random.Uint32()>>(32-width))
				valued[i] = occurrence{edge: list[i], time: int64(i)}
			}
			want := slices.Sorted(slices.Values(list))
			got, _, err := radixSort(context.Background(), list, nil)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%d of width %d: not sorted, %v", n, width, err)
			}
			wantValued := slices.Clone(valued)
			slices.SortFunc(wantValued, func(a, b occurrence) int { return cmp.Or(cmp.Compare(a.edge, b.edge), cmp.Compare(a.time, b.time)) })
			gotValued, _, err := sortOccurrences(context.Background(), valued, nil)
			if err != nil || !slices.Equal(gotValued, wantValued) {
				t.Errorf("%d occurrences of width %d: not sorted, %v", n, width, err)
			}
		}
	}
}

// Rows that several processors fill are those of package csr.
func TestRowsOf(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	const n = 1000
	for _, m := range []int{0, 5 * leastPart} {
		want := sample.Graph(n, m, 5)
		var edges []uint64
		for u := range uint32(n) {
			for _, v := range want.Neighbors(u) {
				if u < v {
					edges = append(edges, uint64(u)<<32|uint64(v))
				}
			}
		}
		got, err := rowsOf(context.Background(), n, edges)
		if err != nil || !slices.Equal(got.Offsets, want.Offsets) || !slices.Equal(got.Targets, want.Targets) {
			t.Errorf("%d edges: other rows, %v", len(edges), err)
		}
		if parts := newPartition(len(edges), max(leastPart, n)); m > 0 && parts.count() < 2 {
			t.Errorf("%d edges are in one part", len(edges))
		}
	}
}
