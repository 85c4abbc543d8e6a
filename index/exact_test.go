package index

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"heavytail/index/internal/indextest"
	"heavytail/index/pairs"
	"heavytail/storage/vec"
)

// bruteHits scores every row in float64 and sorts. It is the oracle for integer values, for
// which float32 is exact.
func bruteHits(m *vec.Matrix, metric Metric, query []float32, filter func(uint32) bool) []Hit {
	var hits []Hit
	for v := range m.Rows {
		if filter != nil && !filter(uint32(v)) {
			continue
		}
		row, s := m.Row(v), 0.0
		switch metric {
		case L2:
			for l := range row {
				d := float64(query[l]) - float64(row[l])
				s += d * d
			}
			s = math.Sqrt(s)
		case Dot:
			s = dot64(query, row)
		case Cosine:
			if n := norm64(query) * norm64(row); n != 0 {
				s = dot64(query, row) / n
			}
		}
		hits = append(hits, Hit{uint32(v), float32(s)})
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		d := cmp.Compare(a.Distance, b.Distance)
		if metric.Similarity() {
			d = -d
		}
		return cmp.Or(d, cmp.Compare(a.Vertex, b.Vertex))
	})
	return hits
}

// TestExact_Random compares Search and Within with a sorted list of all rows. Integer
// coordinates make many ties.
func TestExact_Random(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, dim := rapid.IntRange(0, 200).Draw(t, "n"), rapid.IntRange(1, 20).Draw(t, "dim")
		m := indextest.Gridded(n, dim, rapid.Uint64().Draw(t, "seed"))
		query := indextest.Gridded(1, dim, rapid.Uint64().Draw(t, "query")).Data
		metric := rapid.SampledFrom([]Metric{L2, Dot}).Draw(t, "metric")
		x, err := NewExact(m, metric)
		if err != nil {
			t.Fatal(err)
		}
		var opts SearchOptions
		if every := rapid.IntRange(1, 50).Draw(t, "filter"); every > 1 {
			opts.Filter = func(v uint32) bool { return v%uint32(every) == 1 }
		}
		want := bruteHits(m, metric, query, opts.Filter)
		k := rapid.IntRange(1, 250).Draw(t, "k")
		got, err := x.Search(context.Background(), query, k, opts)
		if err != nil || !slices.Equal(got, want[:min(k, len(want))]) {
			t.Fatalf("%v: the %d nearest differ from brute force (%v)", metric, k, err)
		}
		radius := float64(rapid.IntRange(0, 9).Draw(t, "radius"))
		within, err := x.Within(context.Background(), query, radius, opts)
		want = slices.DeleteFunc(want, func(h Hit) bool {
			return (float64(h.Distance) > radius) != metric.Similarity() && float64(h.Distance) != radius
		})
		if err != nil || !slices.Equal(within, want) {
			t.Fatalf("%v within %v: %d hits, brute force has %d (%v)", metric, radius, len(within), len(want), err)
		}
	})
}

// TestExact_Workers has rows for many blocks, many of them equal, so that ties are in the blocks
// of different workers.
func TestExact_Workers(t *testing.T) {
	m := indextest.Gridded(60_000, 4, 1)
	for _, metric := range Metrics() {
		x, err := NewExact(m, metric)
		if err != nil {
			t.Fatal(err)
		}
		for v := range 3 {
			for _, k := range []int{1, 10, 5000} {
				want, err := x.Search(context.Background(), m.Row(v), k, SearchOptions{Workers: 1})
				if err != nil {
					t.Fatal(err)
				}
				for _, workers := range []int{2, 5} {
					got, err := x.Search(context.Background(), m.Row(v), k, SearchOptions{Workers: workers})
					if err != nil || !slices.Equal(got, want) {
						t.Fatalf("%v, k %d: %d workers differ from one (%v)", metric, k, workers, err)
					}
				}
			}
		}
	}
}

func TestExact_Cosine(t *testing.T) {
	ctx := context.Background()
	m := &vec.Matrix{Rows: 7, Dim: 2, Data: []float32{
		1, 0, // 0
		0, 0, // 1: zero
		-2, 0, // 2
		1e-40, 1e-40, // 3: subnormal
		3e38, 3e38, // 4: products overflow
		0, 5, // 5
		7, 0, // 6: parallel to 0
	}}
	x, err := NewExact(m, Cosine)
	if err != nil {
		t.Fatal(err)
	}
	half := float32(math.Sqrt(0.5))
	for _, scale := range []float32{1, 1e-44, 1e38} {
		got, err := x.Search(ctx, []float32{scale, 0}, 10, SearchOptions{})
		want := []Hit{{0, 1}, {6, 1}, {3, half}, {4, half}, {1, 0}, {5, 0}, {2, -1}}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("scale %v: %v, expected %v (%v)", scale, got, want, err)
		}
		within, err := x.Within(ctx, []float32{scale, 0}, 0, SearchOptions{})
		if err != nil || !slices.Equal(within, want[:6]) {
			t.Errorf("scale %v: within 0: %v", scale, within)
		}
	}
	got, err := x.Search(ctx, []float32{0, 0}, 3, SearchOptions{})
	if want := []Hit{{0, 0}, {1, 0}, {2, 0}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("zero query: %v, expected %v (%v)", got, want, err)
	}
}

// TestExact_Overflow has scores beyond the range of float32: no score is NaN, and the order is
// right.
func TestExact_Overflow(t *testing.T) {
	m := &vec.Matrix{Rows: 3, Dim: 2, Data: []float32{3e38, -3e38, 3e38, 3e38, 1, 1}}
	x, err := NewExact(m, Dot)
	if err != nil {
		t.Fatal(err)
	}
	got, err := x.Search(context.Background(), []float32{10, 10}, 3, SearchOptions{})
	if want := []Hit{{1, math.MaxFloat32}, {2, 20}, {0, 0}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, expected %v (%v)", got, want, err)
	}
	y, err := NewExact(m, L2)
	if err != nil {
		t.Fatal(err)
	}
	got, err = y.Search(context.Background(), []float32{1, 1}, 3, SearchOptions{})
	inf := float32(math.Inf(1))
	if want := []Hit{{2, 0}, {0, inf}, {1, inf}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, expected %v (%v)", got, want, err)
	}
}

// TestExact_JoinAgrees checks that Within and Join find the same pairs.
func TestExact_JoinAgrees(t *testing.T) {
	m := indextest.Clustered(200, 30, 4, 50, 3)
	x, err := NewExact(m, L2)
	if err != nil {
		t.Fatal(err)
	}
	for _, radius := range indextest.RadiiOf(m) {
		err := pairs.Join(context.Background(), m, radius, pairs.Options{}, func(u uint32, neighbors []uint32) error {
			hits, err := x.Within(context.Background(), m.Row(int(u)), radius, SearchOptions{Filter: func(v uint32) bool { return v > u }})
			var found []uint32
			for _, h := range hits {
				found = append(found, h.Vertex)
			}
			slices.Sort(found)
			if !slices.Equal(found, neighbors) {
				t.Fatalf("row %d, radius %v: %d hits within, %d joined", u, radius, len(found), len(neighbors))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestExact_Errors(t *testing.T) {
	ctx := context.Background()
	m := indextest.Uniform(10, 3, 1)
	x, err := NewExact(m, L2)
	if err != nil {
		t.Fatal(err)
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		query []float32
		k     int
		want  error
	}{
		{[]float32{1, 2}, 1, ErrDimension},
		{nil, 1, ErrDimension},
		{[]float32{1, 2, 3}, 0, ErrK},
		{[]float32{1, 2, 3}, -5, ErrK},
		{[]float32{1, nan, 3}, 1, ErrNotFinite},
		{[]float32{1, 2, inf}, 1, ErrNotFinite},
		{[]float32{-inf, 2, 3}, 1, ErrNotFinite},
	} {
		if _, err := x.Search(ctx, c.query, c.k, SearchOptions{}); !errors.Is(err, c.want) {
			t.Errorf("query %v, k %d: %v", c.query, c.k, err)
		}
	}
	for _, radius := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := x.Within(ctx, m.Row(0), radius, SearchOptions{}); !errors.Is(err, ErrRadius) {
			t.Errorf("radius %v: %v", radius, err)
		}
	}
	if _, err := NewExact(m, 9); !errors.Is(err, ErrMetric) {
		t.Errorf("metric 9: %v", err)
	}
	if _, err := NewExact(&vec.Matrix{Rows: 2, Dim: 2}, L2); !errors.Is(err, ErrDimension) {
		t.Errorf("matrix without data: %v", err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := x.Search(ended, m.Row(0), 1, SearchOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if hits, err := x.Search(ctx, m.Row(0), 1000, SearchOptions{}); err != nil || len(hits) != 10 {
		t.Errorf("k above n: %d hits, %v", len(hits), err)
	}
}

// TestExact_Cancel cancels in a filter; TestMain finds leaked goroutines.
func TestExact_Cancel(t *testing.T) {
	m := indextest.Gridded(100_000, 4, 1)
	x, err := NewExact(m, L2)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 1))
	for range 10 {
		ctx, cancel := context.WithCancel(context.Background())
		last := random.Uint32N(50_000)
		_, err := x.Search(ctx, m.Row(0), 10, SearchOptions{Workers: 3, Filter: func(v uint32) bool {
			if v >= last {
				cancel()
			}
			return false
		}})
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("cancelled at vertex %d: %v", last, err)
		}
	}
}

func TestMetric_Parse(t *testing.T) {
	for _, m := range Metrics() {
		if got, err := ParseMetric(m.String()); got != m || err != nil {
			t.Errorf("%v: %v, %v", m, got, err)
		}
	}
	if _, err := ParseMetric("L2"); !errors.Is(err, ErrMetric) {
		t.Errorf("L2: %v", err)
	}
}

func TestEpsilonToRadius(t *testing.T) {
	if r, err := EpsilonToRadius(0.5); r != 0 || err != nil {
		t.Errorf("ε ½: %v, %v", r, err)
	}
	for _, eps := range []float64{0, -0.1, 0.5000001, 1, math.NaN(), math.Inf(1)} {
		if _, err := EpsilonToRadius(eps); !errors.Is(err, ErrEpsilon) {
			t.Errorf("ε %v: %v", eps, err)
		}
	}
	last := math.Inf(1)
	for _, eps := range []float64{1e-300, 1e-10, 0.01, 0.2, 0.25, 0.47, 0.4999, 0.499999999} {
		r, err := EpsilonToRadius(eps)
		if err != nil || r >= last || r <= 0 {
			t.Errorf("ε %v: radius %v after %v, %v", eps, r, last, err)
		}
		if back := RadiusToEpsilon(r); math.Abs(back-eps) > 1e-13*eps {
			t.Errorf("ε %v becomes %v after a round trip", eps, back)
		}
		last = r
	}
	// Near ½ the radius is 4(½−ε) to first order, without cancellation of digits.
	if r, _ := EpsilonToRadius(0.5 - 0x1p-40); math.Abs(r/0x1p-38-1) > 1e-9 {
		t.Errorf("radius %v just below ½", r)
	}
}

// TestScan_Runs passes the rows to several workers in runs of any size and in any order, and
// expects the hits of an index of the matrix.
func TestScan_Runs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, dim := rapid.IntRange(0, 1500).Draw(t, "n"), rapid.IntRange(1, 20).Draw(t, "dim")
		m := indextest.Gridded(n, dim, rapid.Uint64().Draw(t, "seed"))
		if rapid.Bool().Draw(t, "odd") && n > 4 {
			clear(m.Row(1))
			for i := range m.Row(2) {
				m.Row(2)[i], m.Row(3)[i] = 3e38, -1e-40
			}
		}
		query := indextest.Gridded(1, dim, rapid.Uint64().Draw(t, "query")).Data
		metric := rapid.SampledFrom(Metrics()).Draw(t, "metric")
		workers := rapid.IntRange(1, 3).Draw(t, "workers")
		var opts SearchOptions
		if every := rapid.IntRange(1, 5).Draw(t, "filter"); every > 1 {
			opts.Filter = func(v uint32) bool { return v%uint32(every) == 1 }
		}
		x, err := NewExact(m, metric)
		if err != nil {
			t.Fatal(err)
		}
		k := rapid.IntRange(1, 300).Draw(t, "k")
		radius := float64(rapid.IntRange(0, 9).Draw(t, "radius"))
		if metric == Cosine {
			radius /= 10
		}
		nearest, err := x.Search(context.Background(), query, k, opts)
		if err != nil {
			t.Fatal(err)
		}
		within, err := x.Within(context.Background(), query, radius, opts)
		if err != nil {
			t.Fatal(err)
		}
		opts.Workers = workers
		a, err := NewScan(metric, dim, query, k, opts)
		if err != nil {
			t.Fatal(err)
		}
		b, err := NewScanWithin(metric, dim, query, radius, opts)
		if err != nil {
			t.Fatal(err)
		}
		var starts []int
		for lo := 0; lo < n; lo += rapid.IntRange(1, 700).Draw(t, "run") {
			starts = append(starts, lo)
		}
		ends := append(slices.Clone(starts[min(1, len(starts)):]), n)
		order := rapid.Permutation(starts).Draw(t, "order")
		for i, lo := range order {
			rows := m.Data[lo*dim : ends[slices.Index(starts, lo)]*dim]
			a.Add(i%workers, uint32(lo), rows)
			b.Add(i%workers, uint32(lo), rows)
		}
		if got := a.Hits(); !slices.Equal(got, nearest) {
			t.Fatalf("%v: %d nearest differ: %v, expected %v", metric, k, got, nearest)
		}
		if got := b.Hits(); !slices.Equal(got, within) {
			t.Fatalf("%v within %v: %v, expected %v", metric, radius, got, within)
		}
	})
}

// TestExact_CosineRounding has cosines that differ by a unit in the last place: a row that is
// skipped by its float32 score must not be an answer.
func TestExact_CosineRounding(t *testing.T) {
	m := indextest.Uniform(3000, 7, 5)
	for v := range m.Rows { // all nearly parallel
		for l := range m.Row(v) {
			m.Row(v)[l] = 1 + m.Row(v)[l]*1e-3
		}
	}
	x, err := NewExact(m, Cosine)
	if err != nil {
		t.Fatal(err)
	}
	for q := range 20 {
		var s scorer
		s.aim(Cosine, m.Row(q))
		s.x = x
		var all []candidate
		for v := range uint32(m.Rows) {
			all = append(all, candidateOf(s.one(v), v))
		}
		want := Cosine.hits(all, 50)
		got, err := x.Search(context.Background(), m.Row(q), 50, SearchOptions{})
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("query %d: %v, expected %v (%v)", q, got, want, err)
		}
	}
}
