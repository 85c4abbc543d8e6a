package index

import (
	"context"
	"fmt"
	"slices"

	"heavytail/index/internal/base"
	"heavytail/storage/vec"
)

// NewHNSW builds the index of the vectors in the rows of m. It does not copy m, which must
// not be written afterwards. Values that are not finite are ErrNotFinite.
//
// Where products of bytes are fast ([vec.FastBytes]), it compares every vector with all others by bytes as long as
// searches would take longer: up to about 100,000 vectors in groups, and more without groups. Otherwise searches measure
// 10 to 50 times EfConstruction vectors for each vertex, most where there are no
// groups and many vertices have to be linked again. Besides the index, it takes a byte for each element of the vectors and some
// 400 for each vertex ([HNSWOptions.Bytes]), and about 300 KB per worker.
func NewHNSW(ctx context.Context, m *vec.Matrix, metric Metric, opts HNSWOptions) (*HNSW, error) {
	return newHNSW(ctx, m, metric, opts, nil)
}

// newHNSW is NewHNSW without the deleted vertices, which must ascend.
func newHNSW(ctx context.Context, m *vec.Matrix, metric Metric, opts HNSWOptions, deleted []uint32) (*HNSW, error) {
	ctx = base.OrBackground(ctx)
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	exact, err := NewExact(m, metric)
	if err != nil {
		return nil, err
	}
	if err := base.CheckFinite(ctx, m, opts.Workers); err != nil {
		return nil, err
	}
	h := emptyHNSW(exact, opts)
	h.grow(m.Rows)
	fresh := make([]uint32, 0, m.Rows)
	for v := range uint32(m.Rows) {
		if len(deleted) > 0 && deleted[0] == v {
			deleted = deleted[1:]
			continue
		}
		fresh = append(fresh, v)
	}
	if err := h.build(ctx, opts, fresh); err != nil {
		return nil, err
	}
	return h, nil
}

// build links vertices that are absent, and adds bridges to vertices that no
// link or no search reaches.
func (h *HNSW) build(ctx context.Context, opts HNSWOptions, fresh []uint32) error {
	first, twins := h.pair(fresh, opts.Workers)
	h.live += len(fresh)
	for _, e := range twins {
		h.levels[e.to] = twin
	}
	h.twins = append(h.twins, twins...)
	b := newBuilder(h, opts, len(first))
	order := b.ordered(first)
	linked, err := b.scan(ctx, order)
	if err != nil {
		return fmt.Errorf("build: %w", err)
	}
	if err := b.insert(ctx, order[linked:]); err != nil {
		return fmt.Errorf("build: %w", err)
	}
	if err := b.repair(ctx); err != nil {
		return fmt.Errorf("build: %w", err)
	}
	b.meter.Finish()
	return nil
}

// emptyHNSW returns an index without vertices.
func emptyHNSW(exact *Exact, opts HNSWOptions) *HNSW {
	opts.Workers, opts.Progress, opts.search = 0, nil, false
	h := &HNSW{exact: exact, opts: opts, entry: none, height: -1}
	h.searchers.New = func() any { return newSearcher(h) }
	return h
}

// grow makes room for n vertices; the new ones are absent.
func (h *HNSW) grow(n int) {
	old := len(h.levels)
	if n <= old {
		return
	}
	h.levels = append(slices.Grow(h.levels, n-old), make([]uint8, n-old)...)
	h.upperAt = append(slices.Grow(h.upperAt, n-old), make([]uint32, n-old)...)
	width := 2 * h.opts.M
	base := vec.Zeros[uint32](n * width) // searches read it in random order
	copy(base, h.base)
	h.base = base
	for v := old; v < n; v++ {
		h.levels[v], h.upperAt[v] = absent, none
	}
	fill(h.base[old*width:], nil)
}
