package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"heavytail/storage/csr"
	"heavytail/storage/format"

	"heavytail/storage/internal/sample"
)

// testPile is a pile with a buffer of a limit in bytes, 0 for much; small ones hold
// leastPileFull edges.
func testPile(t *testing.T, how Repeated, limit int64) *edgePile {
	if limit == 0 {
		limit = 1 << 30
	}
	dir := t.TempDir()
	p := newEdgePile(how, limit, func() (spillFile, error) {
		f, err := os.CreateTemp(dir, "run")
		if err != nil {
			return spillFile{}, err
		}
		return spillFile{File: f, remove: f.Name()}, nil
	})
	t.Cleanup(func() {
		p.close()
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%d temporary files are left", len(left))
		}
	})
	return p
}

// settled is the graph of a pile and a base.
func settled(t *testing.T, p *edgePile, n int, number []uint32, base *csr.Graph) *csr.Graph {
	t.Helper()
	ctx := context.Background()
	if err := p.settle(ctx, number); err != nil {
		t.Fatal(err)
	}
	g, err := edgeRows(ctx, n, p.how, func() []edgeSource {
		if base == nil {
			return p.sources()
		}
		return append([]edgeSource{graphSource(base)}, p.sources()...)
	}, func(int64, bool, bool) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// The graph of a pile, with buffers that hold everything and with ones that hold
// next to nothing, is the one that package csr makes.
func TestEdgePile_Graph(t *testing.T) {
	t.Parallel()
	const n, m = 500, 20_000
	for _, limit := range []int64{0, 1, 5000} {
		random := rand.New(rand.NewPCG(4, 4))
		base := sample.Graph(n-100, 1000, 3)
		p := testPile(t, RepeatedLast, limit)
		var plain []csr.Edge
		for i := range m {
			u, v := uint32(random.IntN(n)), uint32(random.IntN(n))
			if u == v {
				continue
			}
			if err := p.add(context.Background(), u, v); err != nil {
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

// A full buffer that may grow is sorted where half of its edges or fewer are
// different, whatever they look like, and only then.
func TestEdgePile_SortsRepeatsOnly(t *testing.T) {
	t.Parallel()
	const full = 1 << 17
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
				p := testPile(t, RepeatedLast, 0)
				p.full, p.withValues = full, values
				different := max(1, uint32(share*full))
				for i := range uint32(full + 1) {
					u, v := edge(i % different)
					if err := p.add(context.Background(), u, v); err != nil {
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

// Sums are exact, and so they are the same however the occurrences are cut into
// parts, also where a float64 cannot hold them.
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

// endless is a text that is repeated until there are n pieces of it.
type endless struct {
	piece func(i int) string // valid lines
	i, n  int
	rest  string
	look  func(i int)
}

func (e *endless) Read(p []byte) (int, error) {
	if e.rest == "" {
		if e.i == e.n {
			return 0, io.EOF
		}
		if e.rest = e.piece(e.i); e.look != nil {
			e.look(e.i)
		}
		e.i++
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// Memory depends on the graph, not on the length of the text: millions of repeats
// take no more than the first ones.
func TestImport_RepeatsTakeNoMemory(t *testing.T) {
	const lines = 10_000 // of a piece
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapInuse)
	}
	for name, c := range map[string]struct {
		lines int64
		line  func(i int) string
	}{
		"plain":    {5_000_000, func(int) string { return "1 2\n" }},
		"weighted": {1_500_000, func(i int) string { return [2]string{"1 2 3\n", "2 1 4\n"}[i%2] }},
		"several":  {1_500_000, func(i int) string { return fmt.Sprintf("%d %d\n", i%400, i%401) }},
	} {
		var b strings.Builder
		for i := range lines {
			b.WriteString(c.line(i))
		}
		db := newStore(t, nil)
		most, before := int64(0), heap()
		text := &endless{n: int(c.lines / lines), piece: func(int) string { return b.String() }, look: func(i int) {
			if i%20 == 19 {
				most = max(most, heap()-before)
			}
		}}
		opts := ImportOptions{MemoryLimit: 1}
		if name == "weighted" {
			opts.Format.Weight = "3"
		}
		stats, err := db.Import(context.Background(), "g", text, opts)
		if err != nil || stats.ReadStats.Edges != c.lines || stats.Added+stats.Duplicates+stats.SelfLoops != c.lines {
			t.Fatalf("%s: %+v, %v", name, stats, err)
		}
		if most > leastImport {
			t.Errorf("%s: %d bytes in use, and the limit is %d", name, most, leastImport)
		}
	}
}

// Imports at any limit write the same records, whatever the edges have and
// wherever they are cut into runs, and leave no file behind.
func TestImport_MemoryLimits(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(8, 8))
	texts := map[string]string{}
	for _, name := range []string{"plain", "values", "late values", "header"} {
		var b strings.Builder
		const m = 2000
		if name == "header" {
			fmt.Fprintf(&b, "400 %d\n", m)
		}
		for i := range m {
			u, v := random.IntN(300), random.IntN(300)
			fmt.Fprintf(&b, "%d %d", u, v)
			if name == "values" || name == "late values" && i > m/2 {
				if random.IntN(2) == 0 {
					fmt.Fprintf(&b, " %v", float32(math.Ldexp(1+random.Float64(), random.IntN(90)-50)))
					if random.IntN(2) == 0 {
						fmt.Fprintf(&b, " %d", random.IntN(1000))
					}
				}
			}
			b.WriteByte('\n')
		}
		texts[name] = b.String()
	}
	for name, text := range texts {
		for _, how := range Repeats() {
			if how != RepeatedLast && name != "values" {
				continue
			}
			var want []byte
			var wantStats ImportStats
			for _, room := range []int64{0, 1, 10_000} {
				dir := t.TempDir()
				db := openStore(t, filepath.Join(dir, "store"), nil)
				opts := ImportOptions{Repeated: how, edgeRoom: room}
				if strings.Contains(name, "values") {
					opts.Format = format.Options{EdgeListOptions: format.EdgeListOptions{Weight: "3", Time: "4"}}
				}
				// The graph exists, so that vertices get other numbers than the text's.
				importText(t, db, "g", "x 3\n200 y\n3 200\n")
				stats, err := db.Import(context.Background(), "g", strings.NewReader(text), opts)
				if err != nil {
					t.Fatal(err)
				}
				stats.Seconds = 0
				got := graphRecords(t, db, "g")
				if want == nil {
					want, wantStats = got, stats
				}
				if !bytes.Equal(got, want) || stats != wantStats {
					t.Errorf("%s, %s, room %d: another result: %+v, want %+v", name, how, room, stats, wantStats)
				}
				if left, _ := filepath.Glob(filepath.Join(dir, ".*import*")); len(left) > 0 {
					t.Errorf("left: %q", left)
				}
			}
		}
	}
}

// A graph that does not fit is refused with the figures, and nothing is left of it.
func TestImport_MemoryRefused(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := newStore(t, nil)
	text := &endless{n: 600_000, piece: func(i int) string { return fmt.Sprintf("some-key-%d some-key-%d\n", i, i+1) }}
	_, err := db.Import(ctx, "g", text, ImportOptions{MemoryLimit: 1})
	var short *MemoryError
	if !errors.As(err, &short) || !errors.Is(err, ErrLimit) || short.Limit != leastImport || short.Need <= short.Limit || !strings.Contains(err.Error(), "the keys of the first") {
		t.Fatalf("%v", err)
	}
	table := &endless{n: 600_000, piece: func(i int) string {
		if i == 0 {
			return "key,name\n"
		}
		return fmt.Sprintf("%d,the name of %d is long enough\n", i, i)
	}}
	_, err = db.Import(ctx, "g", table, ImportOptions{MemoryLimit: 1, Format: format.Options{Layout: format.LayoutVertices}})
	if !errors.As(err, &short) || !strings.Contains(err.Error(), "attributes") {
		t.Fatalf("%v", err)
	}
	if _, err := db.Graph(ctx, "g"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
}

func TestRadixSort(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, width := range []int{0, 1, 11, 12, 22, 32} {
		list := make([]uint64, 10_000)
		for i := range list {
			list[i] = uint64(random.Uint32()>>(32-width))<<32 | uint64(random.Uint32()>>(32-width))
		}
		want := slices.Sorted(slices.Values(list))
		got, _, err := radixSort(context.Background(), list, nil)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("width %d: not sorted, %v", width, err)
		}
	}
}
