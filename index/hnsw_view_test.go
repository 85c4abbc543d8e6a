package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"heavytail/.ci/repeat"
	"heavytail/index/internal/indextest"
	"heavytail/storage/vec"
)

// viewOf opens a stored index in place.
func viewOf(b []byte, m *vec.Matrix) (*View, error) {
	return NewView(Source{Stream: bytes.NewReader(b), Size: int64(len(b))}, m.Dim, m.Rows, func(v uint32, row []float32) error {
		copy(row, m.Row(int(v)))
		return nil
	})
}

// A search in place has the same hits as a search of the loaded index, to the last bit, and
// measures as many vectors.
func TestView_Agrees(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	sets := indextest.Matrices()
	for name, m := range hnswSets(150) {
		sets["hnsw "+name] = m
	}
	random := rand.New(rand.NewPCG(5, 6))
	searches, byGraph := 0, 0
	for name, m := range sets {
		for _, metric := range Metrics() {
			h := mustHNSW(t, m, metric, HNSWOptions{M: 2 + random.IntN(6), EfConstruction: 12, Ef: 10, Seed: random.Uint64()})
			if m.Rows > 20 && random.IntN(2) == 0 {
				var err error
				if h, err = h.Apply(ctx, m, Changes{Deleted: []uint32{0, 3, uint32(m.Rows - 1)}, Changed: []uint32{5}}, HNSWOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			b := stored(t, h)
			loaded, err := ReadHNSW(bytes.NewReader(b), m)
			if err != nil {
				t.Fatal(err)
			}
			view, err := viewOf(b, m)
			if m.Dim == 0 && errors.Is(err, ErrMismatch) {
				continue
			}
			if err != nil || view.Metric() != metric || view.Live() != h.Live() {
				t.Fatalf("%s, %v: %v", name, metric, err)
			}
			for range 8 {
				query := make([]float32, m.Dim)
				for i := range query {
					query[i] = float32(random.NormFloat64())
				}
				if m.Rows > 0 && random.IntN(3) > 0 {
					copy(query, m.Row(random.IntN(m.Rows)))
				}
				opts := SearchOptions{Ef: random.IntN(40), GraphOnly: random.IntN(3) > 0}
				if random.IntN(3) == 0 {
					opts.Filter = func(v uint32) bool { return v%3 != 1 }
				}
				k, radius := 1+random.IntN(20), random.Float64()
				for what, f := range map[string][2]func() (Answer, error){
					"find": {func() (Answer, error) { return loaded.Find(ctx, query, k, opts) },
						func() (Answer, error) { return view.Find(ctx, query, k, opts) }},
					"within": {func() (Answer, error) { return loaded.Within(ctx, query, radius, opts) },
						func() (Answer, error) { return view.Within(ctx, query, radius, opts) }},
				} {
					want, err1 := f[0]()
					have, err2 := f[1]()
					if have.Exact == exactPlace && want.Exact != "" {
						have.Exact = want.Exact // the reasons differ
					}
					if searches++; want.Exact != "" {
						want.Hits = nil // the caller scans
					} else {
						byGraph++
					}
					if err1 != nil || err2 != nil || !reflect.DeepEqual(have, want) {
						t.Fatalf("%s, %v, %s: %+v in place, %+v loaded (%v, %v)", name, metric, what, have, want, err2, err1)
					}
				}
			}
		}
	}
	if byGraph < searches/2 {
		t.Errorf("only %d of %d searches used the graph", byGraph, searches)
	}
}

// A byte that changes after the stream was verified is detected by the checksum of its page: a
// search ends with an error, or has the right answer because it did not read that page.
func TestView_DamagedPages(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: damages an index in many places")
	}
	t.Parallel()
	ctx := context.Background()
	m := indextest.Gridded(400, 3, 1)
	b := stored(t, mustHNSW(t, m, L2, HNSWOptions{M: 4}))
	sound, err := viewOf(b, m)
	if err != nil {
		t.Fatal(err)
	}
	want, err := sound.Find(ctx, m.Row(7), 5, SearchOptions{Ef: 5, GraphOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	raw := slices.Clone(b)
	found, right := 0, 0
	for at := headSize; at < int(sound.head.pagesAt()); at += 3 * repeat.Every(5) {
		raw[at] ^= 0x10
		view, err := NewView(Source{Stream: bytes.NewReader(b), Raw: bytes.NewReader(raw), Size: int64(len(b))}, m.Dim, m.Rows, func(v uint32, row []float32) error {
			copy(row, m.Row(int(v)))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		a, err := view.Find(ctx, m.Row(7), 5, SearchOptions{Ef: 5, GraphOnly: true})
		switch {
		case errors.Is(err, ErrFormat):
			found++
		case err == nil && reflect.DeepEqual(a, want):
			right++
		default:
			t.Fatalf("byte %d: %+v, %v", at, a, err)
		}
		raw[at] ^= 0x10
	}
	if found == 0 || right == 0 {
		t.Errorf("%d errors and %d answers", found, right)
	}
}

// searchDamaged searches a possibly damaged index in place. Whatever the damage, a search
// returns distinct vertices or a typed error.
func searchDamaged(t *testing.T, b []byte, m *vec.Matrix) {
	view, err := viewOf(b, m)
	for i := 0; err == nil && i < 3; i++ {
		var a Answer
		opts := SearchOptions{Ef: []int{1, 8, 60}[i], GraphOnly: true}
		if i == 2 {
			a, err = view.Within(context.Background(), m.Row(i), 1, opts)
		} else {
			a, err = view.Find(context.Background(), m.Row(3*i), 60, opts)
		}
		for _, h := range a.Hits {
			if int(h.Vertex) >= m.Rows {
				t.Fatalf("%+v", a)
			}
		}
	}
	if err != nil && !errors.Is(err, ErrFormat) && !errors.Is(err, ErrMismatch) {
		t.Fatal(err)
	}
}

func TestView_Damage(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: damages an index in many places")
	}
	t.Parallel()
	m := indextest.Gridded(60, 3, 1)
	b := stored(t, mustHNSW(t, m, Cosine, HNSWOptions{M: 2}))
	for n := 0; n < len(b); n += repeat.Every(5) {
		if _, err := viewOf(b[:n], m); !errors.Is(err, ErrFormat) {
			t.Fatalf("%d of %d bytes: %v", n, len(b), err)
		}
	}
	for i := 0; i < len(b); i += repeat.Every(5) {
		for _, x := range []byte{1, 0xff} {
			b[i] ^= x
			searchDamaged(t, b, m)
			mended := slices.Clone(b)
			mend(mended)
			searchDamaged(t, mended, m)
			b[i] ^= x
		}
	}
}

// An error in reading vectors ends a search, and does not affect the next one.
func TestView_Vectors(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	m := indextest.Clustered(200, 4, 5, 3, 1)
	b := stored(t, mustHNSW(t, m, L2, HNSWOptions{M: 4}))
	broken, bad := fmt.Errorf("broken"), true
	view, err := NewView(Source{Stream: bytes.NewReader(b), Size: int64(len(b))}, m.Dim, m.Rows, func(v uint32, row []float32) error {
		if bad {
			return broken
		}
		copy(row, m.Row(int(v)))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := view.Find(ctx, m.Row(1), 3, SearchOptions{GraphOnly: true}); !errors.Is(err, broken) {
		t.Error(err)
	}
	bad = false
	if a, err := view.Find(ctx, m.Row(1), 3, SearchOptions{GraphOnly: true}); err != nil || len(a.Hits) != 3 || a.Hits[0] != (Hit{Vertex: 1}) {
		t.Errorf("%+v, %v", a, err)
	}
	other := &vec.Matrix{Rows: m.Rows, Dim: m.Dim, Data: slices.Clone(m.Data)}
	for i := range other.Data {
		other.Data[i]++
	}
	if view, err = viewOf(b, other); err != nil {
		t.Fatal(err)
	}
	if _, err := view.Find(ctx, m.Row(1), 3, SearchOptions{GraphOnly: true}); !errors.Is(err, ErrMismatch) {
		t.Errorf("different vectors: %v", err)
	}
	if _, err := viewOf(b, indextest.Gridded(199, 4, 1)); !errors.Is(err, ErrMismatch) {
		t.Errorf("fewer vectors: %v", err)
	}
	if _, err := view.Find(ctx, m.Row(1), 0, SearchOptions{}); !errors.Is(err, ErrK) {
		t.Error(err)
	}
	if _, err := view.Find(ctx, []float32{1}, 1, SearchOptions{}); !errors.Is(err, ErrDimension) {
		t.Error(err)
	}
}

// FuzzView searches changed streams in place, with the checksums of their pages mended.
func FuzzView(f *testing.F) {
	m := indextest.Gridded(40, 2, 1)
	for _, metric := range Metrics() {
		for _, width := range []int{2, 5} {
			f.Add(stored(f, mustHNSW(f, m, metric, HNSWOptions{M: width, EfConstruction: 6})))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		searchDamaged(t, b, m)
		b = slices.Clone(b)
		mend(b)
		searchDamaged(t, b, m)
	})
}

// A search of a view begins where its index was found to compare fewer vectors than a scan is
// worth, and gives up where it is better to scan after all.
func TestViewBudget(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n, want  int
		compared []uint32
	}{
		{1_000_000, 10_000, nil},
		{100, 1000, nil},
		{1_000_000, 10_000, []uint32{100, 200, 300}},
		{1_000_000, 10_000, []uint32{100, 200, 9_900}},
		{1_000_000, 11_000, []uint32{9_000, 9_500, 11_000}},
		{1_000_000, 200, []uint32{100, 200, 100_000}}, // gives up on the few that take long
		{1_000_000, 0, []uint32{9_000, 10_100, 20_000}},
		{1_000_000, 0, []uint32{50_000}},
	} {
		if got := ViewBudget(c.n, c.compared); got != c.want {
			t.Errorf("%d vectors, compared %v: %d, want %d", c.n, c.compared, got, c.want)
		}
	}
	for _, c := range []struct {
		compared   []uint32
		one, batch bool
	}{
		{nil, false, false}, {[]uint32{100, 1_000}, false, false}, {[]uint32{500, 800}, false, true},
		{[]uint32{100, 9_000}, false, true}, {[]uint32{100, 60_000}, false, true}, {[]uint32{10_100, 20_000}, true, true},
	} {
		if one, batch := ScanIsFaster(60_000, c.compared), BatchIsFaster(60_000, c.compared); one != c.one || batch != c.batch {
			t.Errorf("60,000 vectors in memory, compared %v: a scan is faster: %v, of a batch: %v", c.compared, one, batch)
		}
	}
}
