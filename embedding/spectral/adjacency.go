package spectral

import (
	"heavytail/storage/csr"
)

// adjacency is the matrix A of a graph. Its entries are 1 or, if the graph has weights, the
// weights divided by their mean. So the unit of the weights does not matter, and equal
// weights become 1.
type adjacency struct {
	g       *csr.Graph
	unit    float64   // factor of the weights, 1 over their mean
	degrees []float64 // row sums of A
	squares []float64 // diagonal of A², the sums of squares of a row
}

func newAdjacency(g *csr.Graph) *adjacency {
	n := g.Vertices()
	a := &adjacency{g: g, unit: 1, degrees: make([]float64, n)}
	if !g.Weighted() {
		for v := range n {
			a.degrees[v] = float64(g.Degree(uint32(v)))
		}
		a.squares = a.degrees
		return a
	}
	a.unit = 1 / meanWeight(g)
	a.squares = make([]float64, n)
	for v := range n {
		for _, w := range g.WeightsOf(uint32(v)) {
			x := float64(w) * a.unit
			a.degrees[v] += x
			a.squares[v] += x * x
		}
	}
	return a
}

// times returns A·x.
func (a *adjacency) times(x []float64) []float64 {
	sums := make([]float64, len(x))
	if a.g.Weighted() {
		for v := range sums {
			weights := a.g.WeightsOf(uint32(v))
			for i, u := range a.g.Neighbors(uint32(v)) {
				sums[v] += float64(weights[i]) * x[u]
			}
			sums[v] *= a.unit
		}
		return sums
	}
	for v := range sums {
		for _, u := range a.g.Neighbors(uint32(v)) {
			sums[v] += x[u]
		}
	}
	return sums
}

// meanWeight returns the mean weight of a graph that has edges, 1 if it has
// none.
func meanWeight(g *csr.Graph) float64 {
	sum := 0.0
	for _, w := range g.Weights {
		sum += float64(w)
	}
	if sum == 0 {
		return 1
	}
	return sum / float64(len(g.Weights))
}
