package index

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"heavytail/storage/vec"
)

// Changes tells how the rows of a new matrix differ from those that an index was
// made of. Rows beyond the old ones are new and need not be listed.
type Changes struct {
	Changed []uint32 // rows of other values; one that was deleted comes back
	Deleted []uint32 // rows that are no answers any more
}

// Apply returns the index of m, of which h is the index but for some rows: it
// takes out what was changed or deleted, mends the lists that led there with what
// these had led to, and links what is new as a build does. m has at least as many
// rows as h. The old index remains as it is.
//
// It costs what building costs for the rows that changed, copies the index, and
// reads all rows once; where more than a fifth of the vertices change, and
// under Dot, whose links rest on the length of the longest row, it builds the
// index anew. Options but Workers and Progress are those of h. Errors:
// ErrDimension, ErrVertex, ErrNotFinite, or that of ctx.
func (h *HNSW) Apply(ctx context.Context, m *vec.Matrix, changes Changes, opts HNSWOptions) (*HNSW, error) {
	const share = 5
	exact, err := NewExact(m, h.Metric())
	if err != nil {
		return nil, err
	}
	if m.Rows < h.Len() || m.Dim != h.Dim() && h.Len() > 0 {
		return nil, fmt.Errorf("index: %d × %d vectors in place of %d × %d: %w", m.Rows, m.Dim, h.Len(), h.Dim(), ErrDimension)
	}
	if err := checkFinite(ctx, m, opts.Workers); err != nil {
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
		return nil, fmt.Errorf("index: apply: %w", err)
	}
	if err := n.build(ctx, opts, c.fresh); err != nil {
		return nil, err
	}
	return n, nil
}

// withParameters gives options of a run the parameters of the index.
func (h *HNSW) withParameters(opts HNSWOptions) HNSWOptions {
	p := h.opts
	p.Workers, p.Progress = opts.Workers, opts.Progress
	return p
}

// clone copies an index, without its pool of searchers.
func (h *HNSW) clone(exact *Exact) *HNSW {
	n := emptyHNSW(exact, h.opts)
	n.levels, n.upperAt = slices.Clone(h.levels), slices.Clone(h.upperAt)
	n.base, n.upper = slices.Clone(h.base), slices.Clone(h.upper)
	n.twins, n.bridges = slices.Clone(h.twins), slices.Clone(h.bridges)
	n.entry, n.height, n.live = h.entry, h.height, h.live
	return n
}

// applied is what a change means for an index.
type applied struct {
	out     []bool   // by vertex: it is there and goes
	gone    int      // how many
	deleted []uint32 // all deleted vertices afterwards, ascending
	fresh   []uint32 // what is to be linked, ascending
}

// plan sorts out what changes.
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
				return nil, fmt.Errorf("index: apply: vertex %d of %d: %w", v, rows, ErrVertex)
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
				list := n.links(level, uint32(v))
				for i := range list {
					list[i] = none
				}
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

// dropTwins forgets twins that go. Those that stay where the vertex goes that led
// to them are linked anew.
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

// mend gives every vertex that has lost links the best choice among those that
// are left and those that the lost neighbours had.
func (n *HNSW) mend(ctx context.Context, old *HNSW, c *applied, workers int) error {
	if c.gone == 0 {
		return nil
	}
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
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
	links := old.links(level, v)
	end := slices.Index(links, none)
	if end < 0 {
		end = len(links)
	}
	lost := func(u uint32) bool { return out[u] }
	if !slices.ContainsFunc(links[:end], lost) {
		return
	}
	l.ids, l.chosen = l.ids[:0], l.chosen[:0]
	for _, u := range links[:end] {
		if !out[u] {
			l.chosen = append(l.chosen, u)
			continue
		}
		for _, w := range old.links(level, u) {
			if w == none {
				break
			}
			if w != v && !out[w] {
				l.ids = append(l.ids, w)
			}
		}
	}
	slices.Sort(l.ids)
	l.ids = slices.DeleteFunc(slices.Compact(l.ids), func(u uint32) bool { return slices.Contains(l.chosen, u) })
	l.relink(l.h.links(level, v), v)
}
