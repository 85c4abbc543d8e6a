package pairs

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"heavytail/.ci/repeat"
	"heavytail/index/internal/base"
	"heavytail/index/internal/indextest"
	"heavytail/index/internal/screen"
	"heavytail/storage/vec"
)

// TestJoin_BruteForce compares the join with brute force, pair by pair.
func TestJoin_BruteForce(t *testing.T) {
	for name, m := range indextest.Matrices() {
		t.Run(name, func(t *testing.T) {
			for i, radius := range indextest.RadiiOf(m) {
				if testing.Short() && i%12 > 0 || i%repeat.Every(3) > 0 {
					continue
				}
				want := indextest.BruteJoin(m, radius)
				for _, opts := range []Options{{Workers: 1}, {Workers: 2, sieve: screen.Forced{Directions: 1}}, {Workers: 5, sieve: screen.Forced{Directions: 12}}, {Workers: 3, sieve: screen.Forced{Bytes: true}}} {
					if got := collect(t, m, radius, opts); !indextest.SameLists(got, want) {
						t.Fatalf("radius %v, %+v: differs from brute force", radius, opts)
					}
				}
			}
		})
	}
}

// TestJoin_ManyStripes has enough rows for stripes of several sizes.
func TestJoin_ManyStripes(t *testing.T) {
	for _, n := range []int{1536, 3333} {
		m := indextest.Clustered(n, 4, 9, 3, uint64(n))
		want := indextest.BruteJoin(m, 1.5)
		for _, opts := range []Options{{Workers: 1}, {Workers: 2, sieve: screen.Forced{Directions: 2}}, {Workers: 5, sieve: screen.Forced{Directions: 4}}, {Workers: 2, sieve: screen.Forced{Bytes: true}}} {
			if !indextest.SameLists(collect(t, m, 1.5, opts), want) {
				t.Fatalf("%d rows, %+v: differs from brute force", n, opts)
			}
		}
	}
}

// TestJoinRange divides a join at the boundaries of stripes and inside them.
func TestJoinRange(t *testing.T) {
	t.Parallel()
	m := indextest.Clustered(777, 4, 9, 3, 7)
	want := indextest.BruteJoin(m, 1.5)
	for _, ends := range [][]int{{777}, {0, 0, 1, 2, 776, 777}, {64, 65, 128, 333, 512, 777, 777}} {
		var got [][]uint32
		first := 0
		for _, end := range ends {
			err := JoinRange(t.Context(), m, 1.5, first, end, Options{Workers: 2}, func(u uint32, neighbors []uint32) error {
				if int(u) != len(got) {
					t.Fatalf("vector %d after %d", u, len(got)-1)
				}
				got = append(got, slices.Clone(neighbors))
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			first = end
		}
		if !indextest.SameLists(got, want) {
			t.Errorf("divided at %v: differs from brute force", ends)
		}
	}
}

func TestJoin_Random(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, dim := rapid.IntRange(0, 80).Draw(t, "n"), rapid.IntRange(1, 40).Draw(t, "dim")
		m := vec.NewMatrix(n, dim)
		scale := math.Ldexp(1, rapid.IntRange(-140, 110).Draw(t, "exponent"))
		offset := rapid.Float64Range(-1e4, 1e4).Draw(t, "offset")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		for i := range m.Data {
			m.Data[i] = float32(scale * (offset + math.Round(4*random.NormFloat64())/4))
		}
		radius := scale * rapid.Float64Range(0, 8).Draw(t, "radius")
		got := make([][]uint32, n)
		opts := Options{sieve: screen.Forced{Directions: rapid.IntRange(0, 12).Draw(t, "directions"), Bytes: rapid.Bool().Draw(t, "bytes")}}
		err := Join(context.Background(), m, radius, opts, func(u uint32, neighbors []uint32) error {
			got[u] = slices.Clone(neighbors)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if !indextest.SameLists(got, indextest.BruteJoin(m, radius)) {
			t.Fatal("differs from brute force")
		}
	})
}

// TestJoin_Margin shows that the test data contain pairs that the tile products cannot decide,
// and that these are few if rows are near to each other.
func TestJoin_Margin(t *testing.T) {
	nothing := func(uint32, []uint32) error { return nil }
	near := indextest.Clustered(1000, 50, 5, 2, 1)
	for _, c := range []struct {
		name        string
		m           *vec.Matrix
		radius      float64
		least, most int64
	}{
		{"near", near, sample(t, near, 1000, 1)[100], 1, pairs(1000) / 200},
		{"far apart", indextest.Clustered(1000, 50, 5, 3000, 1), 11, pairs(1000) / 10, pairs(1000) / 4},
	} {
		again, err := join(context.Background(), c.m, c.radius, 0, c.m.Rows, Options{}, nothing)
		if err != nil {
			t.Fatal(err)
		}
		if again < c.least || again > c.most {
			t.Errorf("%s: %d pairs measured again, expected from %d to %d", c.name, again, c.least, c.most)
		}
	}
}

func TestJoin_Errors(t *testing.T) {
	ctx, m := context.Background(), indextest.Uniform(10, 2, 1)
	nothing := func(uint32, []uint32) error { return nil }
	for _, radius := range []float64{-1, math.NaN(), math.Inf(1), math.Inf(-1)} {
		if err := Join(ctx, m, radius, Options{}, nothing); !errors.Is(err, base.ErrRadius) {
			t.Errorf("radius %v: %v", radius, err)
		}
		if _, err := NewSweep(ctx, m, []float64{radius}, Options{}); !errors.Is(err, base.ErrRadius) {
			t.Errorf("sweep of radius %v: %v", radius, err)
		}
	}
	if _, err := NewSweep(ctx, m, []float64{2, 1}, Options{}); !errors.Is(err, base.ErrRadius) {
		t.Errorf("descending radii: %v", err)
	}
	if err := Join(ctx, &vec.Matrix{Rows: 3, Dim: 2, Data: make([]float32, 5)}, 1, Options{}, nothing); !errors.Is(err, base.ErrDimension) {
		t.Errorf("short matrix: %v", err)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		m := indextest.Uniform(2000, 3, 1)
		m.Data[4321] = float32(bad)
		if err := Join(ctx, m, 1, Options{}, nothing); !errors.Is(err, base.ErrNotFinite) {
			t.Errorf("matrix with %v: %v", bad, err)
		}
	}
	stop := errors.New("enough")
	calls := 0
	err := Join(ctx, indextest.Uniform(3000, 3, 1), 1, Options{Workers: 3}, func(u uint32, _ []uint32) error {
		if calls++; u == 700 {
			return stop
		}
		return nil
	})
	if err != stop || calls != 701 {
		t.Errorf("error of yield: %v after %d calls", err, calls)
	}
}

// TestJoin_Cancel cancels at random moments; TestMain finds leaked goroutines.
func TestJoin_Cancel(t *testing.T) {
	m := indextest.Uniform(2000, 16, 1)
	random := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		stopAt := random.Int64N(pairs(m.Rows))
		ctx, cancel := context.WithCancel(context.Background())
		last := random.IntN(m.Rows)
		err := Join(ctx, m, 0.5, Options{Workers: 1 + random.IntN(4)}, func(u uint32, _ []uint32) error {
			if int(u) == last {
				cancel()
			}
			return nil
		})
		if last < m.Rows-1 && !errors.Is(err, context.Canceled) {
			t.Fatalf("cancelled at row %d: %v", last, err)
		}
		ctx, cancel = context.WithCancel(context.Background())
		_, err = NewSweep(ctx, m, []float64{0.5, 1}, Options{Workers: 1 + random.IntN(4), Progress: func(_ string, done, _ int64) {
			if done >= stopAt {
				cancel()
			}
		}})
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		cancel()
		if _, err = NewSweep(ctx, m, []float64{0.5}, Options{}); !errors.Is(err, context.Canceled) {
			t.Fatalf("sweep with a context that had ended: %v", err)
		}
	}
}

func TestJoin_Progress(t *testing.T) {
	var last int64
	report := func(stage string, done, total int64) {
		if stage != "joining" || total != pairs(2500) || done < last || done > total {
			t.Errorf("%s: %d after %d of %d", stage, done, last, total)
		}
		last = done
	}
	m := indextest.Uniform(2500, 30, 1)
	collect(t, m, 1, Options{Workers: 3, Progress: report})
	if last != pairs(2500) {
		t.Errorf("the join ended at %d of %d", last, pairs(2500))
	}
	last = 0
	if _, err := NewSweep(context.Background(), m, []float64{1}, Options{Workers: 3, Progress: report}); err != nil {
		t.Fatal(err)
	}
	if last != pairs(2500) {
		t.Errorf("the sweep ended at %d of %d", last, pairs(2500))
	}
}

// TestJoin_Memory joins all pairs and none: the memory of the join is within the documented
// bound, and all pairs add at most one list of neighbours.
func TestJoin_Memory(t *testing.T) {
	const rows, dim, workers = 5000, 32, 2
	m := indextest.Rays(rows, dim, 8)
	taken := func(radius float64, directions int) (bytes, found int64) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		opts := Options{Workers: workers, sieve: screen.Forced{Directions: directions}}
		err := Join(context.Background(), m, radius, opts, func(_ uint32, neighbors []uint32) error {
			found += int64(len(neighbors))
			return nil
		})
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatal(err)
		}
		return int64(after.TotalAlloc - before.TotalAlloc), found
	}
	taken(0, -1)
	none, _ := taken(0, -1)
	all, found := taken(100, -1)
	if found != pairs(rows) {
		t.Fatalf("found %d of %d pairs", found, pairs(rows))
	}
	const slack, list = 1 << 20, 3 * 4 * rows // a slice that grows is copied
	if all > none+list+slack/4 {
		t.Errorf("%d bytes for all pairs, %d for none", all, none)
	}
	if most := int64(rows * (4*dim + 8 + 120)); all > most+list+slack {
		t.Errorf("%d bytes, expected at most %d", all, most)
	}
	if short, _ := taken(0, 15); short > none+rows*4*16+slack {
		t.Errorf("%d bytes with projections, %d without", short, none)
	}
}

// TestProjection_Join joins and counts rows whose tiles are empty, sparse and full after the
// projections.
func TestProjection_Join(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: joins a large matrix")
	}
	m := indextest.Rays(2500, 40, 6)
	d := sample(t, m, 50_000, 1)
	radii := []float64{d[len(d)/500], d[len(d)/20], d[len(d)/4]}
	for _, radius := range radii {
		want := indextest.BruteJoin(m, radius)
		for _, workers := range []int{1, 3} {
			for _, directions := range []int{0, 3, 15, 39} {
				if !indextest.SameLists(collect(t, m, radius, Options{Workers: workers, sieve: screen.Forced{Directions: directions}}), want) {
					t.Fatalf("radius %v, %d workers, %d directions: differs from brute force", radius, workers, directions)
				}
			}
			if !indextest.SameLists(collect(t, m, radius, Options{Workers: workers, sieve: screen.Forced{Bytes: true}}), want) {
				t.Fatalf("radius %v, %d workers, bytes: differs from brute force", radius, workers)
			}
		}
	}
	checkSweep(t, m, radii)
}

// sample is SampleDistances with the context of the test.
func sample(t testing.TB, m *vec.Matrix, count int, seed uint64) []float64 {
	t.Helper()
	distances, err := SampleDistances(context.Background(), m, count, seed)
	if err != nil {
		t.Fatal(err)
	}
	return distances
}

// collect runs a join and checks that it yields every row once, in order.
func collect(t testing.TB, m *vec.Matrix, radius float64, opts Options) [][]uint32 {
	t.Helper()
	var lists [][]uint32
	err := Join(context.Background(), m, radius, opts, func(u uint32, neighbors []uint32) error {
		if int(u) != len(lists) {
			t.Fatalf("row %d after %d rows", u, len(lists))
		}
		lists = append(lists, slices.Clone(neighbors))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(lists) != m.Rows {
		t.Fatalf("%d rows of %d", len(lists), m.Rows)
	}
	return lists
}
