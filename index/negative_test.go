package index

import (
	"bytes"
	"context"
	"testing"

	"heavytail/index/internal/indextest"
	"heavytail/storage/vec"
)

func TestEntries(t *testing.T) {
	t.Parallel()
	m := vec.NewMatrix(50, 3)
	for i := range m.Data {
		m.Data[i] = float32(i*i%17) + 1
	}
	h, err := NewHNSW(context.Background(), m, L2, HNSWOptions{})
	if err != nil {
		t.Fatal(err)
	}
	x, err := NewExact(m, L2)
	if err != nil {
		t.Fatal(err)
	}
	var stored bytes.Buffer
	if _, err := h.WriteTo(&stored); err != nil {
		t.Fatal(err)
	}
	v, err := viewOf(stored.Bytes(), m)
	if err != nil {
		t.Fatal(err)
	}
	query := m.Row(0)
	indextest.TryEntries(t, map[string]indextest.Entry{
		"Batches.Nearest": {Numbers: []int{2, 1}, Do: func(ctx context.Context, n []int) error {
			_, err := x.Batches().Nearest(ctx, []uint32{1, 2}, n[0], n[1], func(u, v uint32) bool { return true })
			return err
		}},
		"Batches.Search": {Numbers: []int{2}, Do: func(ctx context.Context, n []int) error {
			_, err := x.Batches().Search(ctx, m, n[0], SearchOptions{})
			return err
		}},
		"Exact.Search": {Numbers: []int{2}, Do: func(ctx context.Context, n []int) error {
			_, err := x.Search(ctx, query, n[0], SearchOptions{})
			return err
		}},
		"Exact.SearchBatch": {Numbers: []int{2}, Do: func(ctx context.Context, n []int) error {
			_, err := x.SearchBatch(ctx, m, n[0], SearchOptions{})
			return err
		}},
		"Exact.Within": {Numbers: []int{1}, Do: func(ctx context.Context, n []int) error {
			_, err := x.Within(ctx, query, float64(n[0]), SearchOptions{})
			return err
		}},
		"NewHNSW": {Numbers: []int{4, 20, 20, 1}, Do: func(ctx context.Context, n []int) error {
			_, err := NewHNSW(ctx, m, L2, HNSWOptions{M: n[0], EfConstruction: n[1], Ef: n[2], Workers: n[3]})
			return err
		}},
		"HNSW.Apply": {Numbers: []int{1}, Do: func(ctx context.Context, n []int) error {
			_, err := h.Apply(ctx, m, Changes{Changed: []uint32{3}}, HNSWOptions{Workers: n[0]})
			return err
		}},
		"HNSW.Calibrate": {Numbers: []int{3, 5}, Do: func(ctx context.Context, n []int) error { _, err := h.Calibrate(ctx, n[0], n[1], .9); return err }},
		"HNSW.Recall":    {Numbers: []int{3, 5, 10}, Do: func(ctx context.Context, n []int) error { _, err := h.Recall(ctx, n[0], n[1], n[2]); return err }},
		"HNSW.Find": {Numbers: []int{2, 10}, Do: func(ctx context.Context, n []int) error {
			_, err := h.Find(ctx, query, n[0], SearchOptions{Ef: n[1]})
			return err
		}},
		"HNSW.Search": {Numbers: []int{2, 10}, Do: func(ctx context.Context, n []int) error {
			_, err := h.Search(ctx, query, n[0], SearchOptions{Ef: n[1]})
			return err
		}},
		"HNSW.Within": {Numbers: []int{1, 10}, Do: func(ctx context.Context, n []int) error {
			_, err := h.Within(ctx, query, float64(n[0]), SearchOptions{Ef: n[1]})
			return err
		}},
		"View.Find": {Numbers: []int{2, 10}, Do: func(ctx context.Context, n []int) error {
			_, err := v.Find(ctx, query, n[0], SearchOptions{Ef: n[1]})
			return err
		}},
		"View.Within": {Numbers: []int{1, 10}, Do: func(ctx context.Context, n []int) error {
			_, err := v.Within(ctx, query, float64(n[0]), SearchOptions{Ef: n[1]})
			return err
		}},
	})
}
