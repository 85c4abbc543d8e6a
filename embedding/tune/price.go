package tune

import (
	"math"

	"heavytail/embedding"
	"heavytail/embedding/eigen"
	"heavytail/storage/csr"
)

// The work of the methods, in seconds of a core of 2025. Prices are computed
// and not measured: the next trial must be the same on every machine.
const (
	arcSeconds      = 4e-9    // of a product of the matrix with a block, for each arc
	multiplySeconds = 1e-10   // of the solver, for each multiply-add
	pairSeconds     = 1.2e-10 // of the training, for each pair, level of the tree and dimension
)

// price returns the approximate time of computing the embedding of a point, in full or as
// in the survey. It serves to compare methods.
func (b *branch) price(g *csr.Graph, at point, full bool) float64 {
	return b.seconds(int64(g.Vertices()), g.Edges(), at, full)
}

// Seconds is the approximate time of an embedding of a graph with the options that the
// method has, in full. It is computed and not measured, and is the same on every machine.
// The error is ErrOptions.
func (m Method) Seconds(vertices, edges int64) (float64, error) {
	branches, err := m.branches()
	if err != nil {
		return 0, err
	}
	return branches[0].seconds(vertices, edges, branches[0].standard(), true), nil
}

func (b *branch) seconds(vertices, edges int64, at point, full bool) float64 {
	if b.method.Placing != nil {
		return b.method.Placing.Seconds(vertices, edges, full)
	}
	n, arcs := int(vertices), float64(2*edges)
	s, w := b.at(at)
	trials := 0
	if b.method.Name == embedding.MethodDPSpectral {
		trials = PenaltySolves(s)
	}
	s, w = s.WithDefaults(b.method.Name), w.WithDefaults(b.method.Name)
	if !full {
		s.Dim, w.Dim, w.Walks = min(s.Dim, surveyDim), min(w.Dim, surveyDim), min(w.Walks, surveyWalks)
	}
	if b.method.spectral() {
		if b.method.Name == embedding.MethodDPSpectral && *s.Common > 0 {
			arcs *= 2 // a product with the matrix is two with the adjacency
		}
		solve := func(dim int) float64 { return eigen.Seconds(n, min(dim, n), arcs*arcSeconds, multiplySeconds) }
		return solve(s.Dim) + float64(trials)*solve(PenaltyDim(n, s))
	}
	visits := float64(n) * float64(w.Walks) * float64(w.Length) * float64(w.Epochs)
	return visits * float64(w.Window+1) * math.Log2(2+float64(n)) * float64(w.Dim) * pairSeconds
}

// judging returns the approximate time of judging an embedding of a graph: that of a
// reconstruction, estimated from a sample or compared in all pairs. Other objectives take
// about as long on graphs of some thousand vertices.
func judging(g *csr.Graph, effort Effort) float64 {
	n := float64(g.Vertices())
	all := 0.15 + 7e-9*n*n
	switch effort {
	case Rough:
		return min(all, 0.05+1e-5*n)
	case Close:
		return min(all, 0.05+4e-5*n)
	}
	return 2 * all // with the null of the rows
}
