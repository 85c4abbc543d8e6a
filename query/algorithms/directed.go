package algorithms

import (
	"math"

	"heavytail/storage/csr"
)

// rowsOf are the arcs of a directed graph by one of their ends, for what reads the rows of a graph and
// does not rely on each edge being in two of them.
func rowsOf(r *csr.Rows) *csr.Graph { return (*csr.Graph)(r) }

// OutDegree returns the number of arcs from each vertex. The in-degrees are those of d.Reversed.
func OutDegree(d *csr.Directed) []int64 { return Degree(rowsOf(&d.Out)) }

// OutStrength returns the sum of the weights of the arcs from each vertex, as Strength does. Those of the
// arcs to each vertex are those of d.Reversed.
func OutStrength(d *csr.Directed, w Work) ([]float64, error) { return Strength(rowsOf(&d.Out), w) }

// Reciprocity returns the part of the arcs whose reverse is an arc, too: from 0 to 1, and NaN without
// arcs. It takes O(n + m).
func Reciprocity(d *csr.Directed) float64 {
	mutual := 0
	for v := range uint32(d.Vertices()) {
		out, in := d.Out.Neighbors(v), d.In.Neighbors(v)
		for len(out) > 0 && len(in) > 0 {
			switch {
			case out[0] < in[0]:
				out = out[1:]
			case in[0] < out[0]:
				in = in[1:]
			default:
				out, in = out[1:], in[1:]
				mutual++
			}
		}
	}
	if d.Arcs() == 0 {
		return math.NaN()
	}
	return float64(mutual) / float64(d.Arcs())
}
