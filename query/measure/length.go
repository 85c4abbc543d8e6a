package measure

import (
	"math"

	"heavytail/storage/csr"
)

// lengths are the lengths of the edges of a graph, the same for both entries of an edge. Weights
// are taken as the decimals that were written, in units in which they are whole numbers:
// see csr.Units. Then the sums of most graphs are exact, and 0.1 and 0.2 are as long as 0.3.
type lengths struct {
	g         *csr.Graph
	csr.Units // without weights every length is 1
}

// lengthsOf takes 16 bytes per edge for weights, and nothing without.
func lengthsOf(g *csr.Graph, w Work) lengths { return lengths{g, csr.UnitsOf(g.Weights, w.Workers)} }

// row has the lengths of the edges of v, in the order of its neighbours; nil if all are 1.
func (l lengths) row(v uint32) []float64 {
	if l.Weights == nil {
		return nil
	}
	return l.Weights[l.g.Offsets[v]:l.g.Offsets[v+1]]
}

// after is the distance of the end of an edge that begins at a distance. It is larger even if
// the length is lost by rounding, as that of 1e-20 after 1: otherwise two vertices could each be
// before the other on a shortest path, which would have no end.
func after(distance, length float64) float64 {
	return max(distance+length, math.Float64frombits(math.Float64bits(distance)+1))
}

// tie is how much longer than the shortest a path to a vertex may be, relative to it, that
// counts as one of the shortest, on account of rounding. A path of k edges is at most (k+1)·2⁻⁵³
// off, so that paths of the same length and of up to 4,000 edges are always equal. What is not
// equal but counts as such is longer by less than 2⁻⁴⁰, which is 1e-12, at each vertex where it
// arrives later than another: no two sums of whole numbers below 2⁴⁰ are.
const tie = 0x1p-40

// before reports whether u, a neighbour of v by an edge of a length, is before v on a
// shortest path from the source.
//
// Ties within a tolerance are no equivalence: a may be as long as b and b as c, and a not as c. So
// no two paths are compared, but each with the shortest: an edge belongs to the shortest paths
// if its beginning is nearer to the source than its end, and a path by it arrives no more
// than tie after the distance of its end, which is the least of all. That is a property of the edge
// and of the distances. Nearer is strict, so the edges have no cycle and ascending distances are an
// order of them; the edge that gave v its distance is one, see after, so every vertex but the
// source has one; and a path of shortest paths that were equal before rounding has only such edges,
// as its parts are shortest paths as well. Both passes of Brandes' algorithm follow the same edges,
// so the parts of a dependency add up to one.
func (s *search) before(u, v uint32, length float64) bool {
	from, to := s.distances[u], s.distances[v]
	return from < to && from+length <= to+to*tie
}

// lengthOf is the length, or the weight, of the i-th edge of a row.
func lengthOf[T float32 | float64](row []T, i int) float64 {
	if row == nil {
		return 1
	}
	return float64(row[i])
}
