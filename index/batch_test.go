package index

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"heavytail/index/internal/base"
	"heavytail/index/internal/indextest"
	"heavytail/storage/vec"
)

// TestSearchBatch_Agrees compares a batch with single searches: on grids, which have many ties,
// on clusters, whose distances differ by little more than rounding errors, and on rows whose
// products overflow or underflow.
func TestSearchBatch_Agrees(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		n, dim := rapid.IntRange(0, 1500).Draw(t, "n"), rapid.IntRange(1, 40).Draw(t, "dim")
		q := rapid.IntRange(0, 70).Draw(t, "queries")
		seed := rapid.Uint64().Draw(t, "seed")
		var m, queries *vec.Matrix
		if rapid.Bool().Draw(t, "clustered") {
			m = indextest.Clustered(n+q, dim, 3, 1e-3, seed)
		} else {
			m = indextest.Gridded(n+q, dim, seed)
		}
		queries = &vec.Matrix{Rows: q, Dim: dim, Data: m.Data[n*dim:]}
		m = &vec.Matrix{Rows: n, Dim: dim, Data: m.Data[:n*dim]}
		scale := rapid.SampledFrom([]float32{1, 1, 1e-22, 1e-38, 1e15, 1e19, 1e38}).Draw(t, "scale")
		for i := range m.Data {
			m.Data[i] *= scale
			if !base.Finite(m.Data[i]) {
				m.Data[i] = 3e38
			}
		}
		if rapid.Bool().Draw(t, "scale queries") {
			for i := range queries.Data {
				queries.Data[i] *= scale
				if !base.Finite(queries.Data[i]) {
					queries.Data[i] = -3e38
				}
			}
		}
		for _, v := range rapid.SliceOfN(rapid.IntRange(0, 1500), 0, 5).Draw(t, "odd") {
			if v < n {
				value := []float32{0, 3e38, -1e-40}[v%3]
				for l := range m.Row(v) {
					m.Row(v)[l] = value
				}
			}
		}
		if distinct := rapid.SampledFrom([]int{0, 0, 1, 3, 40, 700}).Draw(t, "distinct vectors"); distinct > 0 {
			for v := distinct; v < n; v++ {
				copy(m.Row(v), m.Row((v*v+v/7)%distinct))
			}
		}
		if q > 1 && rapid.Bool().Draw(t, "zero query") {
			clear(queries.Row(1))
		}
		metric := rapid.SampledFrom(Metrics()).Draw(t, "metric")
		x, err := NewExact(m, metric)
		if err != nil {
			t.Fatal(err)
		}
		opts := SearchOptions{Workers: rapid.IntRange(1, 3).Draw(t, "workers"), sieve: rapid.SampledFrom([]forcedRows{noneForced, bytesForced, projectionForced}).Draw(t, "sieve")}
		if every := rapid.IntRange(1, 5).Draw(t, "filter"); every > 1 {
			opts.Filter = func(v uint32) bool { return v%uint32(every) == 1 }
		}
		k := rapid.IntRange(1, 50).Draw(t, "k")
		of := rapid.IntRange(1, 5).Draw(t, "filter of each query")
		admits := func(i int, v uint32) bool { return of == 1 || (i+int(v))%of != 0 }
		batched := opts
		batched.FilterOf = admits
		got, err := x.SearchBatch(ctx, queries, k, batched)
		if err != nil || len(got) != q {
			t.Fatalf("%d answers, %v", len(got), err)
		}
		for i := range got {
			one := opts
			one.Filter = func(v uint32) bool { return (opts.Filter == nil || opts.Filter(v)) && admits(i, v) }
			want, err := x.Search(ctx, queries.Row(i), k, one)
			if err != nil || !slices.Equal(got[i], want) {
				t.Fatalf("%v, query %d, k %d: %v, expected %v (%v)", metric, i, k, got[i], want, err)
			}
		}
	})
}

// nearestKinds make vectors in clusters near and far apart, on grids, of many lengths in few directions, and of which no two are near.
func nearestKinds() []func(n, dim int, seed uint64) *vec.Matrix {
	return []func(n, dim int, seed uint64) *vec.Matrix{
		func(n, dim int, seed uint64) *vec.Matrix { return indextest.Clustered(n, dim, 9, 3, seed) },
		func(n, dim int, seed uint64) *vec.Matrix { return indextest.Clustered(n, dim, 5, 1e-3, seed) },
		func(n, dim int, seed uint64) *vec.Matrix { return indextest.Clustered(n, dim, 5, 3000, seed) },
		func(n, dim int, seed uint64) *vec.Matrix {
			return indextest.Scaled(indextest.Clustered(n, dim, 4, 1e4, seed), 1, 1e6)
		},
		func(n, dim int, seed uint64) *vec.Matrix { return indextest.Rays(n, dim, min(3, dim)) },
		indextest.Gridded, indextest.Uniform,
	}
}

// TestByteRows_Near limits each query to the distance of a vector, which must then be near.
func TestByteRows_Near(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		const n = 2 * vec.TileRows
		dim := rapid.IntRange(1, 150).Draw(t, "dim")
		m := rapid.SampledFrom(nearestKinds()).Draw(t, "kind")(n+vec.TileCols, dim, rapid.Uint64().Draw(t, "seed"))
		for v := range rapid.IntRange(0, n).Draw(t, "short vectors") {
			for l := range m.Row(v) {
				m.Row(v)[l] *= float32(math.Pow(10, -float64(v%9)))
			}
		}
		queries := &vec.Matrix{Rows: vec.TileCols, Dim: dim, Data: m.Data[n*dim:]}
		for i := range rapid.IntRange(0, vec.TileCols).Draw(t, "queries that are vectors") {
			copy(queries.Row(i), m.Row(i%n))
		}
		metric := rapid.SampledFrom(Metrics()).Draw(t, "metric")
		x, err := NewExact(&vec.Matrix{Rows: n, Dim: dim, Data: m.Data[:n*dim]}, metric)
		if err != nil {
			t.Fatal(err)
		}
		rows := newByteRows(ctx, x, 1)
		sieve := rows.ofQueries(queries, 1)
		for place, v := range rows.order {
			var columns vec.ColumnTerms
			for j := range vec.TileCols {
				a, b := x.m.Row(int(v)), queries.Row(j)
				far := -2 * dot64(a, b)
				switch metric {
				case L2:
					far = 0
					for l := range a {
						far += (float64(a[l]) - float64(b[l])) * (float64(a[l]) - float64(b[l]))
					}
				case Cosine:
					far = 2
					if length := norm64(a) * norm64(b); length > 0 {
						far -= 2 * dot64(a, b) / length
					}
				}
				sieve.limit(&columns, j, j, far+1e-15*norm64(a)*norm64(b)+1e-12*math.Abs(far))
			}
			var mask [vec.TileRows]uint32
			var products [vec.TileRows * vec.TileCols]float32
			sieve.near(&mask, &products, place/vec.TileRows*vec.TileRows, 0, &columns)
			if got := mask[place%vec.TileRows]; got != math.MaxUint32 {
				t.Fatalf("%v: vector %d is near to %b", metric, v, got)
			}
		}
	})
}

// TestNearest_Agrees compares the nearest of vertices by a sieve with single searches, for vectors of all kinds and scales. A filter
// that refuses most makes the limits fail that are guessed from estimates.
func TestNearest_Agrees(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		n, dim := rapid.IntRange(1, 900).Draw(t, "n"), rapid.IntRange(1, 70).Draw(t, "dim")
		m := rapid.SampledFrom(nearestKinds()).Draw(t, "kind")(n, dim, rapid.Uint64().Draw(t, "seed"))
		scale := rapid.SampledFrom([]float32{1, 1, 1, 1e-22, 1e-38, 1e15, 1e19, 1e38}).Draw(t, "scale")
		for i := range m.Data {
			if m.Data[i] *= scale; !base.Finite(m.Data[i]) {
				m.Data[i] = 3e38
			}
		}
		for _, v := range rapid.SliceOfN(rapid.IntRange(0, n-1), 0, 6).Draw(t, "odd") {
			value := []float32{0, 3e38, -1e-40}[v%3]
			for l := range m.Row(v) {
				m.Row(v)[l] = value
			}
		}
		for v := range rapid.IntRange(0, n).Draw(t, "short vectors") {
			for l := range m.Row(v) {
				m.Row(v)[l] *= float32(math.Pow(10, -float64(v%30)))
			}
		}
		metric := rapid.SampledFrom(Metrics()).Draw(t, "metric")
		x, err := NewExact(m, metric)
		if err != nil {
			t.Fatal(err)
		}
		vertices := make([]uint32, rapid.IntRange(1, 300).Draw(t, "queries"))
		for i := range vertices {
			vertices[i] = uint32(i * 7 % n)
		}
		k := rapid.IntRange(1, 30).Draw(t, "k")
		third := rapid.Bool().Draw(t, "a third of all are admitted")
		admits := func(u, v uint32) bool { return v != u && (!third || (u+v)%3 == 0) }
		batches := x.Batches()
		batches.forced = rapid.SampledFrom([]forcedRows{bytesForced, bytesForced, projectionForced}).Draw(t, "sieve")
		got, err := batches.Nearest(ctx, vertices, k, rapid.IntRange(1, 3).Draw(t, "workers"), admits)
		if err != nil {
			t.Fatal(err)
		}
		for i, u := range vertices {
			want, err := x.Search(ctx, m.Row(int(u)), k, SearchOptions{Filter: func(v uint32) bool { return admits(u, v) }})
			if err != nil || !slices.Equal(got[i], want) {
				t.Fatalf("%v, vertex %d, k %d: %v, expected %v (%v)", metric, u, k, got[i], want, err)
			}
		}
	})
}

// TestSearchBatch_Large has several groups of queries, several blocks of rows, and more workers
// than blocks.
func TestSearchBatch_Large(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: searches a large matrix")
	}
	ctx := context.Background()
	m := indextest.Clustered(9000, 33, 20, 0.1, 3)
	queries := indextest.Clustered(batchMost+40, 33, 20, 0.1, 4)
	for _, metric := range Metrics() {
		x, err := NewExact(m, metric)
		if err != nil {
			t.Fatal(err)
		}
		batches := x.Batches()
		one, err := batches.Search(ctx, queries, 7, SearchOptions{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < queries.Rows; i += 97 {
			want, err := x.Search(ctx, queries.Row(i), 7, SearchOptions{})
			if err != nil || !slices.Equal(one[i], want) {
				t.Fatalf("%v, query %d: %v, expected %v (%v)", metric, i, one[i], want, err)
			}
		}
		again, err := batches.Search(ctx, queries, 7, SearchOptions{Workers: 2})
		if err != nil || !slices.EqualFunc(one, again, slices.Equal[[]Hit]) {
			t.Fatalf("%v: the second batch finds different hits (%v)", metric, err)
		}
		more, err := x.SearchBatch(ctx, queries, 7, SearchOptions{Workers: 9})
		if err != nil || !slices.EqualFunc(one, more, slices.Equal[[]Hit]) {
			t.Fatalf("%v: 9 workers find different hits (%v)", metric, err)
		}
		// Fewer parts of queries than workers, so that several search for the same part.
		few := &vec.Matrix{Rows: 200, Dim: queries.Dim, Data: queries.Data[:200*queries.Dim]}
		part, err := x.SearchBatch(ctx, few, 7, SearchOptions{Workers: 5})
		if err != nil || !slices.EqualFunc(one[:200], part, slices.Equal[[]Hit]) {
			t.Fatalf("%v: 5 workers find different hits of 200 queries (%v)", metric, err)
		}
	}
}

func TestSearchBatch_Errors(t *testing.T) {
	ctx := context.Background()
	x, err := NewExact(indextest.Uniform(50, 3, 1), L2)
	if err != nil {
		t.Fatal(err)
	}
	bad := indextest.Uniform(5, 3, 2)
	bad.Row(4)[1] = float32(math.NaN())
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for _, c := range []struct {
		name    string
		ctx     context.Context
		queries *vec.Matrix
		k       int
		want    error
	}{
		{"k of 0", ctx, indextest.Uniform(5, 3, 2), 0, ErrK},
		{"dimension", ctx, indextest.Uniform(5, 4, 2), 1, ErrDimension},
		{"shape", ctx, &vec.Matrix{Rows: 5, Dim: 3}, 1, ErrDimension},
		{"NaN", ctx, bad, 1, ErrNotFinite},
		{"cancelled", ended, indextest.Uniform(5, 3, 2), 1, context.Canceled},
		{"cancelled, few", ended, indextest.Uniform(2, 3, 2), 1, context.Canceled},
	} {
		if _, err := x.SearchBatch(c.ctx, c.queries, c.k, SearchOptions{}); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if answers, err := x.SearchBatch(ctx, indextest.Uniform(5, 3, 2), 1000, SearchOptions{}); err != nil || len(answers[4]) != 50 {
		t.Errorf("k above n: %v", err)
	}
}

// BenchmarkExact_SearchBatch reports the rate of floating-point operations, two for each
// multiply-add, also as a fraction of the rate of the micro-kernel alone.
func BenchmarkExact_SearchBatch(b *testing.B) {
	ctx := context.Background()
	const n = 60_000
	for _, dim := range []int{128, 200} {
		m := indextest.Clustered(n, dim, 50, 0.3, 1)
		x, err := NewExact(m, L2)
		if err != nil {
			b.Fatal(err)
		}
		for _, q := range []int{10, 100, 1000} {
			b.Run(fmt.Sprintf("n=%d/dim=%d/queries=%d", n, dim, q), func(b *testing.B) {
				queries := indextest.Clustered(q, dim, 50, 0.3, 2)
				answers, err := x.SearchBatch(ctx, queries, 10, SearchOptions{Workers: 1})
				if err != nil {
					b.Fatal(err)
				}
				want, err := x.Search(ctx, queries.Row(q-1), 10, SearchOptions{})
				if err != nil || !slices.Equal(answers[q-1], want) {
					b.Fatalf("%v, %v, %v", answers[q-1], want, err)
				}
				peak := indextest.TileRate(dim)
				for b.Loop() {
					if _, err := x.SearchBatch(ctx, queries, 10, SearchOptions{Workers: 1}); err != nil {
						b.Fatal(err)
					}
				}
				rate := 2 * n * float64(dim) * float64(q) * float64(b.N) / b.Elapsed().Seconds() / 1e9
				b.ReportMetric(rate, "GFLOP/s")
				b.ReportMetric(100*rate/peak, "%tile")
			})
		}
	}
}

// TestBatches_Equal searches for vertices most of which have equal vectors, as the leaves of a
// hub do, and compares with single searches.
func TestBatches_Equal(t *testing.T) {
	ctx := context.Background()
	m := indextest.Clustered(900, 5, 4, 0.2, 5)
	for v := range m.Rows {
		copy(m.Row(v), m.Row(v*v%7*v%90))
	}
	vertices := make([]uint32, 500)
	for i := range vertices {
		vertices[i] = uint32(i * 7 % 900)
	}
	admits := func(u, v uint32) bool { return v != u && (v < 3 || (u*v)%5 > 1) }
	for _, metric := range Metrics() {
		x, err := NewExact(m, metric)
		if err != nil {
			t.Fatal(err)
		}
		batches := x.Batches()
		for range 2 {
			got, err := batches.Nearest(ctx, vertices, 40, 2, admits)
			if err != nil || batches.equal == nil {
				t.Fatalf("%v: groups %v (%v)", metric, batches.equal != nil, err)
			}
			for i, u := range vertices {
				want, err := x.Search(ctx, m.Row(int(u)), 40, SearchOptions{Filter: func(v uint32) bool { return admits(u, v) }})
				if err != nil || !slices.Equal(got[i], want) {
					t.Fatalf("%v, vertex %d: %v, expected %v (%v)", metric, u, got[i], want, err)
				}
			}
		}
	}
}
