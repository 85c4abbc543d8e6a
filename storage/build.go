package storage

import (
	"context"
	"math/bits"

	"heavytail/storage/csr"
)

// checkEvery is how many elements a pass handles between two looks at ctx:
// about a millisecond.
const checkEvery = 1 << 18

// buildGraph makes the simple undirected graph of n vertices that has the given
// edges, in any order and direction, and those of base, which may be nil and
// may have fewer vertices. It changes edges. Self-loops are dropped and
// counted. It takes 16 bytes per edge of working memory.
func buildGraph(ctx context.Context, n int, edges []uint64, base *csr.Graph) (g *csr.Graph, selfLoops int64, err error) {
	kept := edges[:0]
	for i, e := range edges {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		u, v := uint32(e>>32), uint32(e)
		switch {
		case u == v:
			selfLoops++
			continue
		case u > v:
			e = uint64(v)<<32 | uint64(u)
		}
		kept = append(kept, e)
	}
	if base != nil {
		for u := range base.Vertices() {
			for _, v := range base.Neighbors(uint32(u)) {
				if uint32(u) < v {
					kept = append(kept, uint64(u)<<32|uint64(v))
				}
			}
		}
	}
	if kept, err = radixSort(ctx, kept, bits.Len64(uint64(max(n, 1)-1))); err != nil {
		return nil, 0, err
	}
	distinct := kept[:0]
	for i, e := range kept {
		if i == 0 || e != distinct[len(distinct)-1] {
			distinct = append(distinct, e)
		}
	}
	g, err = rowsOf(ctx, n, distinct)
	return g, selfLoops, err
}

// rowsOf makes the rows of a graph from distinct edges (u, v), u < v, in
// ascending order. First the smaller neighbours enter each row, in the order of
// the edges, then the larger ones: every row ascends without a further sort.
func rowsOf(ctx context.Context, n int, edges []uint64) (*csr.Graph, error) {
	offsets := make([]int64, n+1)
	next := make([]int64, n)
	for i, e := range edges {
		if i%checkEvery == 0 && ctx.Err() != nil {
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
		if i%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		v := uint32(e)
		targets[next[v]] = uint32(e >> 32)
		next[v]++
	}
	for i, e := range edges {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		u := e >> 32
		targets[next[u]] = uint32(e)
		next[u]++
	}
	return &csr.Graph{Offsets: offsets, Targets: targets}, nil
}

// radixSort sorts pairs of numbers of the given width in bits, one in each half
// of a value, by counting 11 bits at a time from the lowest up. It returns the
// sorted values in list or in a second slice of its length.
func radixSort(ctx context.Context, list []uint64, width int) ([]uint64, error) {
	const digit = 11 // 2,048 counters and write positions stay in the first-level cache
	if len(list) < 2 {
		return list, nil
	}
	from, to := list, make([]uint64, len(list))
	for half := 0; half <= 32; half += 32 {
		for low := 0; low < width; low += digit {
			shift := half + low
			mask := uint64(1)<<min(digit, width-low) - 1
			var count [1 << digit]int
			for i, e := range from {
				if i%checkEvery == 0 && ctx.Err() != nil {
					return nil, ctx.Err()
				}
				count[e>>shift&mask]++
			}
			sum := 0
			for d, c := range count {
				count[d] = sum
				sum += c
			}
			for i, e := range from {
				if i%checkEvery == 0 && ctx.Err() != nil {
					return nil, ctx.Err()
				}
				d := e >> shift & mask
				to[count[d]] = e
				count[d]++
			}
			from, to = to, from
		}
	}
	return from, nil
}
