package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"heavytail/.ci/repeat"
	"heavytail/index/internal/indextest"
	"heavytail/storage/vec"
)

// spectral returns rows like those of a spectral embedding: with decaying coordinates, on a few
// rays whose rows differ only by rounding errors, and with some hubs far from the origin.
func spectral(rows, dim int, seed uint64) *vec.Matrix {
	random := rand.New(rand.NewPCG(seed, 4))
	rays := vec.NewMatrix(max(1, rows/20), dim)
	for i := range rays.Data {
		rays.Data[i] = float32(random.NormFloat64() / float64(1+i%dim))
	}
	m := vec.NewMatrix(rows, dim)
	for v := range rows {
		ray, length := rays.Row(random.IntN(rays.Rows)), float32(math.Exp(random.NormFloat64()))
		if random.IntN(4) == 0 {
			length = 1
		}
		for l, x := range ray {
			m.Row(v)[l] = x*length + float32(random.NormFloat64()*1e-7)
		}
	}
	return m
}

// sortedRows sorts rows by cluster, by their products with a direction: the worst order in which
// to insert them into an index.
func sortedRows(m *vec.Matrix) *vec.Matrix {
	order := make([]int, m.Rows)
	for v := range order {
		order[v] = v
	}
	direction := indextest.Uniform(1, m.Dim, 1).Data
	slices.SortFunc(order, func(u, v int) int {
		return cmp.Compare(vec.Dot(direction, m.Row(u)), vec.Dot(direction, m.Row(v)))
	})
	sorted := vec.NewMatrix(m.Rows, m.Dim)
	for v, from := range order {
		copy(sorted.Row(v), m.Row(from))
	}
	return sorted
}

// mustHNSW builds an index.
func mustHNSW(t testing.TB, m *vec.Matrix, metric Metric, opts HNSWOptions) *HNSW {
	t.Helper()
	h, err := NewHNSW(context.Background(), m, metric, opts)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// recallOf returns the fraction of the k nearest of some rows that searches with ef find in the
// graph.
func recallOf(t testing.TB, h *HNSW, k, ef, queries int) float64 {
	t.Helper()
	found, all := 0, 0
	for i := range queries {
		query := h.exact.m.Row(i * h.Len() / queries)
		opts := SearchOptions{Ef: ef, GraphOnly: true, Workers: 1}
		want, err := h.exact.Search(context.Background(), query, k, h.without(opts))
		if err != nil {
			t.Fatal(err)
		}
		a, err := h.Find(context.Background(), query, k, opts)
		if err != nil || a.Exact != "" || len(a.Hits) != len(want) {
			t.Fatalf("query %d: %d of %d hits, %q, %v", i, len(a.Hits), len(want), a.Exact, err)
		}
		for j, hit := range a.Hits {
			if j > 0 && a.Hits[j-1].Vertex == hit.Vertex {
				t.Fatalf("query %d: vertex %d twice", i, hit.Vertex)
			}
			// Any row at the distance of the k-th nearest is right.
			last := want[len(want)-1].Distance
			if hit.Distance == last || (hit.Distance < last) != h.Metric().Similarity() {
				found++
			}
			all++
		}
	}
	return float64(found) / float64(all)
}

func hnswSets(n int) map[string]*vec.Matrix {
	return map[string]*vec.Matrix{
		"uniform":    indextest.Uniform(n, 16, 1),
		"normal":     indextest.Clustered(n, 24, 1, 0, 2),
		"clustered":  indextest.Clustered(n, 32, 30, 3, 3),
		"far apart":  indextest.Clustered(n, 16, 40, 1000, 4),
		"duplicates": indextest.Gridded(n, 6, 5),
		"spectral":   spectral(n, 24, 6),
		"sorted":     sortedRows(indextest.Clustered(n, 16, 20, 4, 7)),
	}
}

// linkings are the values of HNSWOptions.search.
func linkings() []bool { return []bool{false, true} }

func TestHNSW_Recall(t *testing.T) {
	rows := 2500
	if testing.Short() {
		rows = 400
	}
	sets := hnswSets(rows)
	for i, name := range slices.Sorted(maps.Keys(sets)) {
		m := sets[name]
		for j, metric := range Metrics() {
			if (i+j)%repeat.Every(2) > 0 {
				continue
			}
			for _, search := range linkings() {
				h := mustHNSW(t, m, metric, HNSWOptions{EfConstruction: 80, search: search})
				for _, c := range []struct {
					ef    int
					least float64
				}{{32, 0.5}, {64, 0.9}, {256, 0.98}} {
					got := recallOf(t, h, 10, c.ef, 40)
					if got < c.least {
						t.Errorf("%s, %v, search %v, ef %d: recall %.3f", name, metric, search, c.ef, got)
					}
				}
			}
		}
	}
}

// With ef equal to the number of vertices the answers equal those of a scan, bit for bit: every
// vertex can be reached.
func TestHNSW_Complete(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: builds many indexes")
	}
	ctx := context.Background()
	sets := indextest.Matrices()
	for name, m := range hnswSets(300) {
		sets["hnsw "+name] = m
	}
	for name, m := range sets {
		for _, metric := range Metrics() {
			h := mustHNSW(t, m, metric, HNSWOptions{M: 4, EfConstruction: 8, search: metric == Cosine})
			for i := range min(7, m.Rows) {
				query := m.Row(i * m.Rows / min(7, m.Rows))
				for _, k := range []int{1, 10, m.Rows + 3} {
					opts := SearchOptions{Ef: m.Rows, GraphOnly: true}
					if i%2 == 1 {
						opts.Filter = func(v uint32) bool { return v%3 == 1 }
					}
					want, err := h.exact.Search(ctx, query, k, opts)
					if err != nil {
						t.Fatal(err)
					}
					a, err := h.Find(ctx, query, k, opts)
					if err != nil || a.Exact != "" || !slices.Equal(a.Hits, want) {
						t.Fatalf("%s, %v, query %d, k %d: %v, %q, %v\nexpected %v", name, metric, i, k, a.Hits, a.Exact, err, want)
					}
				}
			}
		}
	}
}

// The links do not depend on the number of workers.
func TestHNSW_Workers(t *testing.T) {
	for name, m := range hnswSets(300) {
		for _, search := range linkings() {
			want := mustHNSW(t, m, L2, HNSWOptions{EfConstruction: 40, search: search, Workers: 1})
			for _, workers := range []int{2, 5} {
				got := mustHNSW(t, m, L2, HNSWOptions{EfConstruction: 40, search: search, Workers: workers})
				if !slices.Equal(got.base, want.base) || !slices.Equal(got.upper, want.upper) || !slices.Equal(got.bridges, want.bridges) {
					t.Fatalf("%s, search %v: %d workers made different links", name, search, workers)
				}
			}
		}
	}
}

// A thousand equal rows, more than a list has links, disconnect neither each other nor other
// rows from the graph.
func TestHNSW_Twins(t *testing.T) {
	m := indextest.Uniform(2000, 8, 3)
	for v := 500; v < 1500; v++ {
		copy(m.Row(v), m.Row(0))
	}
	h := mustHNSW(t, m, L2, HNSWOptions{M: 12, EfConstruction: 60})
	for _, v := range []int{0, 3, 700, 1999} {
		for _, k := range []int{1, 10, 900} {
			want, err := h.exact.Search(context.Background(), m.Row(v), k, SearchOptions{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := h.Find(context.Background(), m.Row(v), k, SearchOptions{Ef: 2 * k, GraphOnly: true})
			if err != nil || !slices.Equal(got.Hits, want) {
				t.Errorf("vertex %d, k %d: not the %d nearest (%v)", v, k, k, err)
			}
		}
	}
}

// A filter that accepts few vertices does not reduce recall: if a search of the graph would take
// long, the answer is exact and says so.
func TestHNSW_Filter(t *testing.T) {
	ctx := context.Background()
	m := indextest.Clustered(2400, 16, 20, 2, 1)
	h := mustHNSW(t, m, L2, HNSWOptions{M: 8, EfConstruction: 40})
	for _, c := range []struct {
		every uint32
		exact string
	}{{2, ""}, {1200, exactFilter}, {1 << 31, exactFilter}} {
		opts := SearchOptions{Filter: func(v uint32) bool { return v%c.every == 1 }}
		found, all := 0, 0
		for v := range 40 {
			want, err := h.exact.Search(ctx, m.Row(v), 10, opts)
			if err != nil {
				t.Fatal(err)
			}
			a, err := h.Find(ctx, m.Row(v), 10, opts)
			if err != nil || a.Exact != c.exact {
				t.Fatalf("one in %d: %q, %v", c.every, a.Exact, err)
			}
			if c.exact != "" && !slices.Equal(a.Hits, want) {
				t.Fatalf("one in %d: %v, expected %v", c.every, a.Hits, want)
			}
			for _, hit := range want {
				all++
				if slices.Contains(a.Hits, hit) {
					found++
				}
			}
		}
		if found < all*95/100 {
			t.Errorf("one in %d: %d of %d found", c.every, found, all)
		}
	}
}

// Within finds nearly all rows within any radius, and no other rows.
func TestHNSW_Within(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: builds an index of 3,500 rows for each metric")
	}
	ctx := context.Background()
	const rows = 3500
	m := indextest.Clustered(rows, 16, 20, 2, 1)
	for _, metric := range Metrics() {
		h := mustHNSW(t, m, metric, HNSWOptions{M: 12, EfConstruction: 80, Ef: 32})
		ways := map[string]int{}
		for _, k := range []int{1, 5, 30, 200, rows - 500} {
			found, all := 0, 0
			for v := range 20 {
				near, err := h.exact.Search(ctx, m.Row(v), k, SearchOptions{})
				if err != nil {
					t.Fatal(err)
				}
				radius := float64(near[k-1].Distance)
				want, err := h.exact.Within(ctx, m.Row(v), radius, SearchOptions{})
				if err != nil {
					t.Fatal(err)
				}
				a, err := h.Within(ctx, m.Row(v), radius, SearchOptions{})
				if err != nil || a.Exact != "" && !slices.Equal(a.Hits, want) {
					t.Fatalf("%v, radius %v: %v", metric, radius, err)
				}
				ways[a.Exact]++
				for _, hit := range a.Hits {
					if !slices.Contains(want, hit) {
						t.Fatalf("%v, radius %v: %v is not within", metric, radius, hit)
					}
				}
				found, all = found+len(a.Hits), all+len(want)
			}
			if found < all*98/100 {
				t.Errorf("%v, %d within: %d of %d found", metric, k, found, all)
			}
		}
		if ways[""] == 0 || ways[exactMany] == 0 {
			t.Errorf("%v: answered by %v", metric, ways)
		}
	}
}

func TestHNSW_Errors(t *testing.T) {
	ctx := context.Background()
	m := indextest.Uniform(100, 3, 1)
	h := mustHNSW(t, m, Cosine, HNSWOptions{})
	nan := float32(math.NaN())
	for _, c := range []struct {
		query []float32
		k     int
		want  error
	}{
		{[]float32{1, 2}, 1, ErrDimension},
		{[]float32{1, 2, 3}, 0, ErrK},
		{[]float32{1, nan, 3}, 1, ErrNotFinite},
	} {
		if _, err := h.Search(ctx, c.query, c.k, SearchOptions{}); !errors.Is(err, c.want) {
			t.Errorf("query %v, k %d: %v", c.query, c.k, err)
		}
	}
	if _, err := h.Within(ctx, m.Row(0), math.NaN(), SearchOptions{}); !errors.Is(err, ErrRadius) {
		t.Errorf("radius NaN: %v", err)
	}
	zero, err := h.Search(ctx, make([]float32, 3), 3, SearchOptions{GraphOnly: true, Ef: 100})
	if want := []Hit{{0, 0}, {1, 0}, {2, 0}}; err != nil || !slices.Equal(zero, want) {
		t.Errorf("zero query: %v, expected %v (%v)", zero, want, err)
	}
	for _, opts := range []HNSWOptions{{M: 1}, {M: 101}, {M: -1}, {EfConstruction: -1}, {EfConstruction: 10_001}, {Ef: -1}} {
		if _, err := NewHNSW(ctx, m, L2, opts); !errors.Is(err, ErrOption) {
			t.Errorf("%+v: %v", opts, err)
		}
	}
	bad := indextest.Uniform(100, 3, 1)
	bad.Data[17] = nan
	if _, err := NewHNSW(ctx, bad, L2, HNSWOptions{}); !errors.Is(err, ErrNotFinite) {
		t.Errorf("matrix with NaN: %v", err)
	}
	if _, err := NewHNSW(ctx, m, 9, HNSWOptions{}); !errors.Is(err, ErrMetric) {
		t.Errorf("metric 9: %v", err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := NewHNSW(ended, m, L2, HNSWOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled build: %v", err)
	}
	if _, err := h.Search(ended, m.Row(0), 1, SearchOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled search: %v", err)
	}
}

// Concurrent searches of one index do not influence each other.
func TestHNSW_Concurrent(t *testing.T) {
	m := indextest.Clustered(2000, 8, 10, 2, 1)
	h := mustHNSW(t, m, L2, HNSWOptions{EfConstruction: 40})
	want := make([][]Hit, 50)
	for v := range want {
		want[v], _ = h.Search(context.Background(), m.Row(v), 10, SearchOptions{})
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for v := range want {
				if got, err := h.Search(context.Background(), m.Row(v), 10, SearchOptions{}); err != nil || !slices.Equal(got, want[v]) {
					t.Errorf("vertex %d: a different answer in concurrent searches (%v)", v, err)
				}
			}
		})
	}
	group.Wait()
}

func TestHNSW_Recall_Measured(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: builds an index for each metric; TestHNSW_Recall does too")
	}
	ctx := context.Background()
	h := mustHNSW(t, indextest.Clustered(3000, 32, 1, 0, 2), L2, HNSWOptions{M: 4, EfConstruction: 20})
	r, err := h.Recall(ctx, 10, 50, 10, 100, 3000)
	if r[0].Compared[9] < r[0].Compared[0] || r[0].Compared[9] >= r[1].Compared[0] || r[2].Compared[0] < 3000 {
		t.Errorf("compared %v, %v and %v", r[0].Compared, r[1].Compared, r[2].Compared)
	}
	r[2].Compared = [10]uint32{}
	if err != nil || r[0].Mean < 0.1 || r[0].Mean > 0.95 || r[1].Mean < r[0].Mean || r[2] != (Recall{Queries: 50, Mean: 1, Lowest: 1}) {
		t.Errorf("recall %v with ef 10, 100 and n (%v)", r, err)
	}
	got, err := h.Calibrate(ctx, 10, 50, 0.9)
	again, err2 := h.Recall(ctx, 10, 50, h.opts.Ef, h.opts.Ef/2)
	if err != nil || err2 != nil || got.Mean < 0.9 || again[0] != got || again[1].Mean >= 0.9 {
		t.Errorf("recall %v with ef %d, second measurement %v (%v, %v)", got, h.opts.Ef, again, err, err2)
	}
}

// Some searches of an index with few links have low recall, which the mean hides. The lowest
// recall and the fraction of poor searches equal those of separate searches.
func TestHNSW_Recall_Worst(t *testing.T) {
	ctx := context.Background()
	h := mustHNSW(t, indextest.Clustered(1000, 32, 1, 0, 2), L2, HNSWOptions{M: 2, EfConstruction: 10})
	const k, queries, ef = 10, 60, 10
	recalls, err := h.Recall(ctx, k, queries, ef)
	if err != nil {
		t.Fatal(err)
	}
	found, poor, lowest := 0, 0, k
	for i := range queries {
		v := uint32(i * h.Len() / queries)
		opts := SearchOptions{Filter: func(u uint32) bool { return u != v }}
		want, err := h.exact.Search(ctx, h.exact.m.Row(int(v)), k, opts)
		if err != nil {
			t.Fatal(err)
		}
		opts.GraphOnly, opts.Ef = true, ef
		got, err := h.Search(ctx, h.exact.m.Row(int(v)), k, opts)
		if err != nil {
			t.Fatal(err)
		}
		of := 0
		for _, hit := range got {
			if slices.ContainsFunc(want, func(w Hit) bool { return w.Vertex == hit.Vertex }) {
				of++
			}
		}
		found, lowest = found+of, min(lowest, of)
		if of < k/2 {
			poor++
		}
	}
	if poor == 0 || lowest >= k/2 {
		t.Fatalf("%d poor searches, the worst found %d: the index is too good for this test", poor, lowest)
	}
	want := Recall{Queries: queries, Mean: float64(found) / (k * queries), Lowest: float64(lowest) / k, Poor: float64(poor) / queries}
	want.Compared = recalls[0].Compared
	if recalls[0] != want {
		t.Errorf("%+v, want %+v", recalls[0], want)
	}
}

func BenchmarkHNSW(b *testing.B) {
	n, dim := 20_000, 128
	m := indextest.Clustered(n, dim, 20, 1, 1)
	var h *HNSW
	b.Run(fmt.Sprintf("build/n=%d/dim=%d", n, dim), func(b *testing.B) {
		for b.Loop() {
			h = mustHNSW(b, m, L2, HNSWOptions{Workers: 1})
		}
	})
	if h == nil {
		h = mustHNSW(b, m, L2, HNSWOptions{Workers: 1})
	}
	for _, ef := range []int{16, 64, 256} {
		b.Run(fmt.Sprintf("search/n=%d/dim=%d/ef=%d", n, dim, ef), func(b *testing.B) {
			r := recallOf(b, h, 10, ef, 100)
			i, scored := 0, 0
			for b.Loop() {
				a, err := h.Find(context.Background(), m.Row(i*997%n), 10, SearchOptions{Ef: ef, GraphOnly: true})
				if err != nil {
					b.Fatal(err)
				}
				scored += a.Scored
				i++
			}
			b.ReportMetric(r, "recall@10")
			b.ReportMetric(float64(scored)/float64(b.N), "rows/op")
		})
	}
}
