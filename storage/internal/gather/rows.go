package gather

import (
	"context"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// rowsOf builds the rows of a graph from distinct edges (u, v), u < v, in ascending order. Each row
// first receives its smaller neighbours, in the order of the edges, then the larger ones, so it
// ascends without a further sort. Up to four processors each take a part of the edges, and 8 bytes
// per vertex beside the graph for the places of these; with few edges per vertex it is one.
func rowsOf(ctx context.Context, n int, edges []uint64) (*csr.Graph, error) {
	parts := newPartition(len(edges), max(leastPart, n, len(edges)/4))
	smaller, larger := make([][]uint32, parts.count()), make([][]uint32, parts.count())
	for i := range smaller {
		smaller[i], larger[i] = vec.Zeros[uint32](n), vec.Zeros[uint32](n)
	}
	err := parts.each(ctx, func(part, lo, hi int) {
		smaller, larger := smaller[part], larger[part]
		for _, e := range edges[lo:hi] {
			smaller[uint32(e)]++
			larger[e>>32]++
		}
	})
	if err != nil {
		return nil, err
	}
	// The numbers become places in the row.
	offsets := vec.Zeros[int64](n + 1)
	for v := range n {
		at := uint32(0)
		for i := range smaller {
			smaller[i][v], at = at, at+smaller[i][v]
		}
		for i := range larger {
			larger[i][v], at = at, at+larger[i][v]
		}
		offsets[v+1] = offsets[v] + int64(at)
	}
	targets := vec.Zeros[uint32](int(offsets[n]))
	err = parts.each(ctx, func(part, lo, hi int) {
		smaller, larger := smaller[part], larger[part]
		for _, e := range edges[lo:hi] {
			u, v := uint32(e>>32), uint32(e)
			targets[offsets[v]+int64(smaller[v])] = u
			smaller[v]++
			targets[offsets[u]+int64(larger[u])] = v
			larger[u]++
		}
	})
	return &csr.Graph{Offsets: offsets, Targets: targets}, err
}

// rowsBySource builds the rows of the given arcs, which are distinct and ascending.
func rowsBySource(ctx context.Context, n int, arcs []uint64) (*csr.Graph, error) {
	g := &csr.Graph{Offsets: vec.Zeros[int64](n + 1), Targets: vec.Zeros[uint32](len(arcs))}
	err := newPartition(len(arcs), len(arcs)+1).each(ctx, func(_, lo, hi int) {
		for i, a := range arcs[lo:hi] {
			g.Targets[lo+i] = uint32(a)
			g.Offsets[a>>32+1]++
		}
	})
	for v := range n {
		g.Offsets[v+1] += g.Offsets[v]
	}
	return g, err
}

// edgeRows builds the rows of a graph from the edges of sources, which open reopens for each of
// three passes. Repeated edges are folded. Beside the graph it takes 8 bytes per vertex. Before it
// allocates the rows, it calls enough with their number of edges, and before that differ for every
// edge that has different weights in the input. The rows of a directed graph are those by source.
func edgeRows(ctx context.Context, n int, how Repeated, directed bool, open func() []edgeSource, enough func(edges int64, weighted, timed bool) error, differ func(edge uint64)) (*csr.Graph, error) {
	offsets, next := vec.Zeros[int64](n+1), vec.Zeros[int64](n)
	edges, weighted, timed := int64(0), false, false
	err := foldSources(ctx, how, open(), func(e uint64, f *edgeFold) error {
		if f.differs {
			differ(e)
		}
		weight, err := f.result()
		if next[e>>32]++; !directed {
			next[uint32(e)]++
		}
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
	g := &csr.Graph{Offsets: offsets, Targets: vec.Zeros[uint32](int(offsets[n]))}
	if weighted {
		g.Weights = vec.Zeros[float32](len(g.Targets))
	}
	if timed {
		g.Times = vec.Zeros[int64](len(g.Targets))
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
	// As in rowsOf: the smaller neighbours of each row, then the larger ones.
	if !directed {
		err = foldSources(ctx, how, open(), func(e uint64, f *edgeFold) error { put(uint32(e), uint32(e>>32), f); return nil })
	}
	if err == nil {
		err = foldSources(ctx, how, open(), func(e uint64, f *edgeFold) error { put(uint32(e>>32), uint32(e), f); return nil })
	}
	return g, err
}
