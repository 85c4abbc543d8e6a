package index

import (
	"context"
	"fmt"
	"slices"

	"heavytail/index/internal/base"
	"heavytail/storage/vec"
)

// Changes lists the differences between a new matrix and the matrix of an
// existing index. Rows beyond the old ones are new and need not be listed.
type Changes struct {
	Changed []uint32 // vertices with new vectors; a deleted one is restored
	Deleted []uint32 // vertices that searches no longer return
}

// Apply returns the index of m, derived from h, the index of an earlier
// version of m: it removes the vertices that were changed or deleted, replaces
// the links to them by links to their former neighbours, and links new and
// changed vertices as a build does. m has at least as many rows as h. The old
// index remains unchanged.
//
// For the vertices that changed it costs what a build costs; besides, it
// copies the index and reads all vectors once. If more than a fifth of the
// vertices change, and always under Dot, where the links depend on the length
// of the longest vector, it rebuilds the index. All options except Workers and
// Progress are those of h. Errors: ErrDimension, ErrVertex, ErrNotFinite, or
// that of ctx.
func (h *HNSW) Apply(ctx context.Context, m *vec.Matrix, changes Changes, opts HNSWOptions) (*HNSW, error) {
	const share = 5
	ctx = base.OrBackground(ctx)
	if err := base.NotNegative("number of workers", opts.Workers); err != nil {
		return nil, err
	}
	exact, err := NewExact(m, h.Metric())
	if err != nil {
		return nil, err
	}
	if m.Rows < h.Len() || m.Dim != h.Dim() && h.Len() > 0 {
		return nil, fmt.Errorf("%d × %d vectors in place of %d × %d: %w", m.Rows, m.Dim, h.Len(), h.Dim(), ErrDimension)
	}
	if err := base.CheckFinite(ctx, m, opts.Workers); err != nil {
		return nil, err
	}
	c, err := h.plan(m.Rows, changes)
	if err != nil {
		return nil, err
	}
	opts = h.withParameters(opts)
	if c.gone > h.live/share || h.Metric() == Dot {
		return newHNSW(ctx, m, h.Metric(), opts, c.deleted)
	}
	n := h.clone(exact)
	n.grow(m.Rows)
	if err := n.takeOut(ctx, h, c, opts.Workers); err != nil {
		return nil, fmt.Errorf("apply: %w", err)
	}
	if err := n.build(ctx, opts, c.fresh); err != nil {
		return nil, err
	}
	return n, nil
}

func (h *HNSW) withParameters(opts HNSWOptions) HNSWOptions {
	p := h.opts
	p.Workers, p.Progress = opts.Workers, opts.Progress
	return p
}

// clone copies an index except its pool of searchers.
func (h *HNSW) clone(exact *Exact) *HNSW {
	n := emptyHNSW(exact, h.opts)
	n.levels, n.upperAt = slices.Clone(h.levels), slices.Clone(h.upperAt)
	n.base, n.upper = slices.Clone(h.base), slices.Clone(h.upper)
	n.twins, n.bridges = slices.Clone(h.twins), slices.Clone(h.bridges)
	n.entry, n.height, n.live = h.entry, h.height, h.live
	return n
}

// applied is what Changes mean for an index.
type applied struct {
	out     []bool   // by vertex: it is in the index and is removed
	gone    int      // number of vertices in out
	deleted []uint32 // all deleted vertices afterwards, ascending
	fresh   []uint32 // vertices to link, ascending
}

// plan derives from the changes which vertices to remove and which to link.
func (h *HNSW) plan(rows int, changes Changes) (*applied, error) {
	const keep, changed, deleted = 0, 1, 2
	fate := make([]uint8, rows)
	for v := range h.levels {
		if h.levels[v] == absent {
			fate[v] = deleted
		}
	}
	for v := h.Len(); v < rows; v++ {
		fate[v] = changed
	}
	for _, list := range []struct {
		vertices []uint32
		fate     uint8
	}{{changes.Changed, changed}, {changes.Deleted, deleted}} {
		for _, v := range list.vertices {
			if int(v) >= rows {
				return nil, fmt.Errorf("apply: vertex %d of %d: %w", v, rows, ErrVertex)
			}
			fate[v] = list.fate
		}
	}
	c := &applied{out: make([]bool, h.Len())}
	for v, f := range fate {
		there := v < h.Len() && h.levels[v] != absent
		if there && f != keep {
			c.out[v] = true
			c.gone++
		}
		switch f {
		case changed:
			c.fresh = append(c.fresh, uint32(v))
		case deleted:
			c.deleted = append(c.deleted, uint32(v))
		}
	}
	return c, nil
}

// takeOut removes vertices from n, a clone of old, whose lists it reads.
func (n *HNSW) takeOut(ctx context.Context, old *HNSW, c *applied, workers int) error {
	n.dropTwins(c)
	n.bridges = n.bridges[:0]
	n.mark(n.Len())
	if err := n.mend(ctx, old, c, workers); err != nil {
		return err
	}
	for v, out := range c.out {
		if !out {
			continue
		}
		if n.inGraph(uint32(v)) {
			for level := range int(n.levels[v]) + 1 {
				fill(n.links(level, uint32(v)), nil)
			}
		}
		n.levels[v] = absent
		n.live--
	}
	n.entry, n.height = none, -1
	for v, level := range n.levels {
		if level <= maxLevel && int(level) > n.height {
			n.entry, n.height = uint32(v), int(level)
		}
	}
	return nil
}

// dropTwins removes twins that were changed or deleted. Twins that remain, but
// whose vertex of the graph is removed, are linked again.
func (n *HNSW) dropTwins(c *applied) {
	kept := n.twins[:0]
	for _, e := range n.twins {
		switch {
		case c.out[e.to]:
		case c.out[e.from]:
			n.levels[e.to] = absent
			n.live--
			c.fresh = append(c.fresh, e.to)
		default:
			kept = append(kept, e)
		}
	}
	n.twins = kept
	slices.Sort(c.fresh)
}

// mend refills the list of every vertex that has lost links with the best
// choice among its remaining links and the links of its lost neighbours.
func (n *HNSW) mend(ctx context.Context, old *HNSW, c *applied, workers int) error {
	if c.gone == 0 {
		return nil
	}
	workers = base.Processors(workers)
	const block = 256
	free := make(chan *linker, workers)
	for range workers {
		free <- newLinker(n, nil)
	}
	vec.Parallel(old.Len(), block, workers, func(_, lo, hi int) {
		l := <-free
		defer func() { free <- l }()
		for v := lo; v < hi && ctx.Err() == nil; v++ {
			if !old.inGraph(uint32(v)) || c.out[v] {
				continue
			}
			for level := range int(old.levels[v]) + 1 {
				l.mend(old, level, uint32(v), c.out)
			}
		}
	})
	return ctx.Err()
}

// mend is HNSW.mend for one list.
func (l *linker) mend(old *HNSW, level int, v uint32, out []bool) {
	links := used(old.links(level, v))
	if !slices.ContainsFunc(links, func(u uint32) bool { return out[u] }) {
		return
	}
	l.ids, l.chosen = l.ids[:0], l.chosen[:0]
	for _, u := range links {
		if !out[u] {
			l.chosen = append(l.chosen, u)
			continue
		}
		for _, w := range used(old.links(level, u)) {
			if w != v && !out[w] {
				l.ids = append(l.ids, w)
			}
		}
	}
	slices.Sort(l.ids)
	l.ids = slices.DeleteFunc(slices.Compact(l.ids), func(u uint32) bool { return slices.Contains(l.chosen, u) })
	l.relink(l.h.links(level, v), v)
}
