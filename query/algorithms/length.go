package algorithms

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

// lengthsOf takes up to 16 bytes per edge: see csr.UnitsOf.
func lengthsOf(g *csr.Graph, w Work) lengths { return lengths{g, csr.UnitsOf(g.Weights, w.Workers)} }

// after is the distance of the end of an edge that begins at a distance. It is larger even if
// the length is lost by rounding, as that of 1e-20 after 1: otherwise two vertices could each be
// before the other on a shortest path, which would have no end.
func after(distance, length float64) float64 {
	return max(distance+length, math.Float64frombits(math.Float64bits(distance)+1))
}

// Two sums of weights are equal if they differ by no more than rounding explains.
const (
	// sumTie is the part of two sums by which the rounding of their additions can make them
	// differ. A sum of k numbers is off by at most (k+1)·2⁻⁵³ of it, so that paths of the same
	// length and of up to 4,000 edges are always equal. Whole numbers of units are below 2⁴⁰, and
	// exact, in most graphs.
	sumTie = 0x1p-40
	// weightTie is that of weights which were rounded to float32, by up to 2⁻²⁴ of each and so
	// of a sum, once or, if they were float32 when they were computed, twice: 1/3 and 2/3 are as
	// long as 1. It concerns weights that are not certain, see csr.Units.
	weightTie = 0x1p-22
)

// tie is the part of two sums of weights by which equal ones can differ.
func (l lengths) tie() float64 {
	if l.Certain {
		return sumTie
	}
	return weightTie
}

// lengthOf is the weight of the i-th edge of a row.
func lengthOf(weights []float32, i int) float64 {
	if weights == nil {
		return 1
	}
	return float64(weights[i])
}
