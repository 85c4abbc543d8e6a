package measure

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"heavytail/storage/csr"
)

// Eccentricity returns the largest number of edges on a shortest path from each vertex
// to a vertex of its component. The largest of a component is its diameter, the smallest
// its radius. Weights are not used.
//
// It computes the distances from 64 vertices after another until the triangle inequality
// leaves one value for each: Takes and Kosters, "Computing the Eccentricity Distribution
// of Large Graphs", 2013, with the searches of Harmonic. It takes from a few searches of
// O(n + m) to n/64, on one core, and 56 bytes per vertex and 16 per vertex and level of
// a search.
func Eccentricity(ctx context.Context, g *csr.Graph, w Work) ([]int64, error) {
	n := g.Vertices()
	e := &eccentricities{bitSearch: newBitSearch(g), low: make([]int64, n), high: make([]int64, n), report: w.reporter("eccentricity", int64(n))}
	for _, vertices := range g.Components().Vertices() {
		for _, v := range vertices {
			e.high[v] = int64(len(vertices)) - 1
		}
		if err := e.component(ctx, vertices); err != nil {
			return nil, err
		}
	}
	return e.low, nil
}

// eccentricities has bounds of the eccentricities, which are equal in the end.
type eccentricities struct {
	*bitSearch
	low, high []int64
	arrivals  []arrival
	done      int64 // vertices whose bounds are equal
	report    func(int64)
}

// arrival is when a vertex was reached from some sources.
type arrival struct {
	vertex   uint32
	distance int32
	sources  uint64
}

// component finds the values of one component. In the first round there is one source,
// which is enough for a star, and in the second its farthest vertices.
func (e *eccentricities) component(ctx context.Context, open []uint32) error {
	size, count := int64(len(open)), 1
	for {
		open = slices.DeleteFunc(open, func(v uint32) bool { return e.low[v] == e.high[v] })
		e.report(e.done + size - int64(len(open)))
		if len(open) == 0 {
			e.done += size
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		e.refine(e.choose(open, count))
		count = min(64, 2*count)
	}
}

// choose takes half of the sources by the largest upper bound, which are far out, and
// half by the smallest lower bound, which are central; of equal bounds those of the
// largest degree.
func (e *eccentricities) choose(open []uint32, count int) []uint32 {
	central := e.first(open, (count+1)/2, func(v uint32) int64 { return e.low[v] })
	outer := e.first(open, count/2, func(v uint32) int64 { return -e.high[v] })
	return append(central, slices.DeleteFunc(outer, func(v uint32) bool { return slices.Contains(central, v) })...)
}

// first returns the vertices of the smallest keys.
func (e *eccentricities) first(open []uint32, count int, key func(v uint32) int64) []uint32 {
	order := func(a, b uint32) int {
		return cmp.Or(cmp.Compare(key(a), key(b)), e.g.Degree(b)-e.g.Degree(a), cmp.Compare(a, b))
	}
	var best []uint32
	for _, v := range open {
		if len(best) == count && (count == 0 || order(v, best[count-1]) > 0) {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, v, order)
		best = slices.Insert(best, at, v)
		best = best[:min(count, len(best))]
	}
	return best
}

// refine narrows all bounds by the distances from some vertices.
func (e *eccentricities) refine(sources []uint32) {
	var own [64]int64
	e.arrivals = e.arrivals[:0]
	e.run(sources, func(v uint32, distance int, new uint64) {
		e.arrivals = append(e.arrivals, arrival{v, int32(distance), new})
		for ; new != 0; new &= new - 1 {
			own[bits.TrailingZeros64(new)] = int64(distance)
		}
	})
	for _, a := range e.arrivals {
		d, v := int64(a.distance), a.vertex
		for set := a.sources; set != 0; set &= set - 1 {
			far := own[bits.TrailingZeros64(set)]
			e.low[v] = max(e.low[v], d, far-d)
			e.high[v] = min(e.high[v], far+d)
		}
	}
	for i, v := range sources {
		e.low[v], e.high[v] = own[i], own[i]
	}
}
