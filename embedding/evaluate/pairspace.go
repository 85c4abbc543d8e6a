package evaluate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"

	"heavytail/embedding/link"
	"heavytail/storage/csr"
)

// pairSpace is the set of pairs of vertices that non-edges are drawn from: all pairs of
// different vertices, or those with one vertex on each side of a bipartite graph; of a directed graph ordered pairs.
type pairSpace struct {
	g  edgeRows
	of *[2][]uint32 // the vertices of each side, ascending; nil without sides
}

// newPairSpace returns the space of a graph. It takes O(n + m) time with sides.
func newPairSpace(g edgeRows, sides link.Sides) (*pairSpace, error) {
	p := &pairSpace{g: g}
	if sides == nil {
		return p, nil
	}
	if len(sides) != g.Vertices() {
		return nil, fmt.Errorf("%d sides of %d vertices: %w", len(sides), g.Vertices(), ErrOption)
	}
	p.of = &[2][]uint32{}
	for u := range uint32(g.Vertices()) {
		for _, v := range g.Neighbors(u) {
			if !sides.Across(u, v) {
				return nil, fmt.Errorf("sides, which the edge %d %d does not join: %w", u, v, ErrOption)
			}
		}
		if sides[u] < link.NoSide {
			p.of[sides[u]] = append(p.of[sides[u]], u)
		}
	}
	return p, nil
}

// pairs is the number of pairs, edges included.
func (p *pairSpace) pairs() int64 {
	if p.of == nil {
		all := choose2(int64(p.g.Vertices()))
		if p.g.arcs {
			all *= 2
		}
		return all
	}
	return int64(len(p.of[0])) * int64(len(p.of[1]))
}

// draw draws two vertices; without sides they may be one.
func (p *pairSpace) draw(random *rand.Rand) (u, v uint32) {
	if p.of == nil {
		n := uint32(p.g.Vertices())
		return random.Uint32N(n), random.Uint32N(n)
	}
	return p.of[0][random.IntN(len(p.of[0]))], p.of[1][random.IntN(len(p.of[1]))]
}

// nonEdges draws pairs that are no edges, in random order, without a direction the smaller vertex first, each
// pair once; there is how many there are.
func (p *pairSpace) nonEdges(ctx context.Context, wanted, there int64, random *rand.Rand) ([]csr.Edge, error) {
	// Repeating a draw until the pair is new and not an edge is fast while few pairs are
	// edges or already drawn. Otherwise a list of all non-edges needs no more memory than
	// the graph and the result.
	if there-wanted < p.pairs()/16 {
		return p.shuffled(ctx, wanted, random)
	}
	pairs := make([]csr.Edge, 0, wanted)
	seen := csr.NewEdgeSet(wanted, p.g.arcs)
	for tries := 0; int64(len(pairs)) < wanted; tries++ {
		if tries%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		u, v := p.draw(random)
		e := p.g.pairOf(u, v)
		if u != v && !p.g.HasEdge(u, v) && seen.Add(e) {
			pairs = append(pairs, e)
		}
	}
	return pairs, nil
}

// shuffled lists all non-edges and draws from the list.
func (p *pairSpace) shuffled(ctx context.Context, wanted int64, random *rand.Rand) ([]csr.Edge, error) {
	var pairs []csr.Edge
	add := func(u, v uint32) {
		if _, adjacent := slices.BinarySearch(p.g.Neighbors(u), v); !adjacent {
			pairs = append(pairs, p.g.pairOf(u, v))
		}
	}
	for u := range uint32(p.g.Vertices()) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if p.of == nil {
			if p.g.arcs {
				for v := range u {
					add(u, v)
				}
			}
			for v := u + 1; v < uint32(p.g.Vertices()); v++ {
				add(u, v)
			}
		} else if _, first := slices.BinarySearch(p.of[0], u); first {
			for _, v := range p.of[1] {
				add(u, v)
			}
		}
	}
	for i := range wanted {
		j := i + random.Int64N(int64(len(pairs))-i)
		pairs[i], pairs[j] = pairs[j], pairs[i]
	}
	return pairs[:wanted], nil
}

// drawFor draws k vertices that v may be paired with and is not adjacent to, or all where
// there are fewer.
func (p *pairSpace) drawFor(v uint32, k int, random *rand.Rand) []uint32 {
	of := func(i uint32) uint32 { return i }
	n, taken := p.g.Vertices(), slices.Clone(p.g.Neighbors(v)) // and v, and what was drawn
	if p.of == nil {
		at, _ := slices.BinarySearch(taken, v)
		taken = slices.Insert(taken, at, v)
	} else { // numbers on the other side
		other := p.of[0]
		if _, first := slices.BinarySearch(other, v); first {
			other = p.of[1]
		}
		for i, w := range taken {
			at, _ := slices.BinarySearch(other, w)
			taken[i] = uint32(at)
		}
		n, of = len(other), func(i uint32) uint32 { return other[i] }
	}
	var list []uint32
	for len(list) < k && len(taken) < n {
		w := nthMissing(taken, random.IntN(n-len(taken)))
		at, _ := slices.BinarySearch(taken, w)
		taken = slices.Insert(taken, at, w)
		list = append(list, of(w))
	}
	return list
}

// nthMissing returns number i, from 0, of the vertices that are not in an ascending list.
func nthMissing(list []uint32, i int) uint32 {
	// Before list[j] there are list[j] − j that are missing.
	return uint32(i + sort.Search(len(list), func(j int) bool { return int(list[j])-j > i }))
}
