package gather

import (
	"context"

	"heavytail/storage/csr"
	"heavytail/storage/internal/block"
)

// rowsOf builds the rows of a graph from distinct edges (u, v), u < v, in ascending order. Each row
// first receives its smaller neighbours, in the order of the edges, then the larger ones, so it
// ascends without a further sort.
func rowsOf(ctx context.Context, n int, edges []uint64) (*csr.Graph, error) {
	offsets := make([]int64, n+1)
	next := make([]int64, n)
	for i, e := range edges {
		if i%block.CheckEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		next[e>>32]++
		next[uint32(e)]++
	}
	for v, degree := range next {
		offsets[v+1] = offsets[v] + degree
		next[v] = offsets[v]
	}
	targets := make([]uint32, offsets[n])
	for i, e := range edges {
		if i%block.CheckEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		v := uint32(e)
		targets[next[v]] = uint32(e >> 32)
		next[v]++
	}
	for i, e := range edges {
		if i%block.CheckEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		u := e >> 32
		targets[next[u]] = uint32(e)
		next[u]++
	}
	return &csr.Graph{Offsets: offsets, Targets: targets}, nil
}

// edgeRows builds the rows of a graph from the edges of sources, which open reopens for each of
// three passes. Repeated edges are folded. Beside the graph it takes 8 bytes per vertex. Before it
// allocates the rows, it calls enough with their number of edges.
func edgeRows(ctx context.Context, n int, how Repeated, open func() []edgeSource, enough func(edges int64, weighted, timed bool) error) (*csr.Graph, error) {
	offsets, next := make([]int64, n+1), make([]int64, n)
	edges, weighted, timed := int64(0), false, false
	err := foldSources(ctx, how, open(), func(e uint64, f *edgeFold) error {
		weight, err := f.result()
		next[e>>32]++
		next[uint32(e)]++
		edges++
		weighted, timed = weighted || weight != 1, timed || f.time != csr.NoTime
		return err
	})
	if err == nil {
		err = enough(edges, weighted, timed)
	}
	if err != nil {
		return nil, err
	}
	for v, degree := range next {
		offsets[v+1] = offsets[v] + degree
		next[v] = offsets[v]
	}
	g := &csr.Graph{Offsets: offsets, Targets: make([]uint32, offsets[n])}
	if weighted {
		g.Weights = make([]float32, len(g.Targets))
	}
	if timed {
		g.Times = make([]int64, len(g.Targets))
	}
	put := func(u, v uint32, f *edgeFold) {
		at := next[u]
		next[u]++
		g.Targets[at] = v
		if weighted {
			g.Weights[at], _ = f.result() // cannot fail: the first pass checked it
		}
		if timed {
			g.Times[at] = f.time
		}
	}
	// As in rowsOf: the smaller neighbours of all rows, then the larger ones.
	err = foldSources(ctx, how, open(), func(e uint64, f *edgeFold) error { put(uint32(e), uint32(e>>32), f); return nil })
	if err == nil {
		err = foldSources(ctx, how, open(), func(e uint64, f *edgeFold) error { put(uint32(e>>32), uint32(e), f); return nil })
	}
	return g, err
}
