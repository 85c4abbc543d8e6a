package index

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/.ci/repeat"
	"heavytail/index/internal/indextest"
	"heavytail/storage/vec"
)

// model is the expected content of an index: a matrix and the deleted rows.
type model struct {
	m       *vec.Matrix
	deleted map[uint32]bool
}

// change draws a change: some rows get different values, some are deleted, and some are new.
func (s *model) change(random *rand.Rand, most int) Changes {
	var c Changes
	n := uint32(s.m.Rows)
	m := &vec.Matrix{Rows: s.m.Rows, Dim: s.m.Dim, Data: slices.Clone(s.m.Data)}
	for range random.IntN(most) {
		v := random.Uint32N(n)
		for l := range m.Row(int(v)) {
			m.Row(int(v))[l] += float32(random.IntN(5) - 2)
		}
		c.Changed = append(c.Changed, v)
		delete(s.deleted, v)
	}
	for range random.IntN(most) {
		v := random.Uint32N(n)
		c.Deleted = append(c.Deleted, v)
		s.deleted[v] = true
	}
	for range random.IntN(most) {
		row := slices.Clone(m.Row(random.IntN(m.Rows)))
		row[random.IntN(len(row))] += float32(random.IntN(2))
		m.Data, m.Rows = append(m.Data, row...), m.Rows+1
	}
	s.m = m
	return c
}

// After many small changes, searches equal brute force, bit for bit if ef is the number of
// vertices, and the recall of a small ef does not fall.
func TestHNSW_Apply_Random(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: builds many indexes")
	}
	ctx := context.Background()
	rounds, rows := 7, 500
	sets := hnswSets(rows)
	sets["two"] = indextest.Gridded(2, 2, 1)
	for i, name := range slices.Sorted(maps.Keys(sets)) {
		m := sets[name]
		for j, metric := range Metrics() {
			if (i+j)%repeat.Every(2) > 0 {
				continue
			}
			random := rand.New(rand.NewPCG(9, uint64(metric)))
			s := &model{m: m, deleted: map[uint32]bool{}}
			h := mustHNSW(t, m, metric, HNSWOptions{M: 8, EfConstruction: 40})
			for round := range rounds {
				c := s.change(random, 40)
				next, err := h.Apply(ctx, s.m, c, HNSWOptions{Workers: 1 + round%3})
				if err != nil {
					t.Fatal(err)
				}
				if again, err := h.Apply(ctx, s.m, c, HNSWOptions{Workers: 4}); err != nil || !slices.Equal(again.base, next.base) {
					t.Fatalf("%s, %v, round %d: a different number of workers makes different links (%v)", name, metric, round, err)
				}
				h = next
				s.compare(t, h, random)
			}
			var deleted []uint32
			for v := range uint32(s.m.Rows) {
				if s.deleted[v] {
					deleted = append(deleted, v)
				}
			}
			rebuilt, err := newHNSW(ctx, s.m, metric, h.Options(), deleted)
			if err != nil {
				t.Fatal(err)
			}
			k := min(10, h.Live())
			if got, want := recallOf(t, h, k, 40, 60), recallOf(t, rebuilt, k, 40, 60); got < want-0.03 {
				t.Errorf("%s, %v: recall %v after changes, %v of a new index", name, metric, got, want)
			}
		}
	}
}

func (s *model) compare(t *testing.T, h *HNSW, random *rand.Rand) {
	t.Helper()
	exact, err := NewExact(s.m, h.Metric())
	if err != nil {
		t.Fatal(err)
	}
	if want := s.m.Rows - len(s.deleted); h.Live() != want || h.Len() != s.m.Rows {
		t.Fatalf("%d vertices of %d, expected %d of %d", h.Live(), h.Len(), want, s.m.Rows)
	}
	filter := func(v uint32) bool { return !s.deleted[v] }
	for range 3 {
		query := s.m.Row(random.IntN(s.m.Rows))
		k := 1 + random.IntN(2*s.m.Rows)
		want, err := exact.Search(context.Background(), query, k, SearchOptions{Filter: filter})
		if err != nil {
			t.Fatal(err)
		}
		for _, graph := range []bool{true, false} {
			got, err := h.Search(context.Background(), query, k, SearchOptions{Ef: s.m.Rows, GraphOnly: graph})
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("k %d, graph %v: %d hits that are not the %d of brute force (%v)", k, graph, len(got), len(want), err)
			}
		}
	}
}

func TestHNSW_Apply_Edges(t *testing.T) {
	ctx := context.Background()
	m := indextest.Uniform(50, 3, 1)
	h := mustHNSW(t, m, L2, HNSWOptions{})
	all := make([]uint32, 50)
	for v := range all {
		all[v] = uint32(v)
	}
	none, err := h.Apply(ctx, m, Changes{Deleted: all}, HNSWOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if hits, err := none.Search(ctx, m.Row(0), 5, SearchOptions{}); err != nil || len(hits) != 0 || none.Live() != 0 {
		t.Errorf("all deleted: %v, %v", hits, err)
	}
	some, err := none.Apply(ctx, m, Changes{Changed: []uint32{7}}, HNSWOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if hits, err := some.Search(ctx, m.Row(0), 5, SearchOptions{GraphOnly: true}); err != nil || len(hits) != 1 || hits[0].Vertex != 7 {
		t.Errorf("one was inserted again: %v, %v", hits, err)
	}
	if _, err := h.Apply(ctx, indextest.Uniform(49, 3, 1), Changes{}, HNSWOptions{}); !errors.Is(err, ErrDimension) {
		t.Errorf("fewer rows: %v", err)
	}
	if _, err := h.Apply(ctx, indextest.Uniform(50, 4, 1), Changes{}, HNSWOptions{}); !errors.Is(err, ErrDimension) {
		t.Errorf("a different dimension: %v", err)
	}
	if _, err := h.Apply(ctx, m, Changes{Deleted: []uint32{50}}, HNSWOptions{}); !errors.Is(err, ErrVertex) {
		t.Errorf("vertex out of range: %v", err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := h.Apply(ended, m, Changes{Changed: []uint32{1}}, HNSWOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
