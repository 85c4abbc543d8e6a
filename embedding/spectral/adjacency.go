package spectral

import (
	"context"
)

// adjacency is the matrix A of a graph. Its entries are 1 or, if the graph has weights, the
// weights divided by their mean. So the unit of the weights does not matter, and equal
// weights become 1.
type adjacency struct {
	matrix
	unit    float64   // factor of the weights, 1 over their mean
	degrees []float64 // row sums of A
	squares []float64 // diagonal of A², the sums of squares of a row
}

func newAdjacency(ctx context.Context, m matrix) (*adjacency, error) {
	n := m.vertices()
	a := &adjacency{matrix: m, unit: 1, degrees: make([]float64, n)}
	if !m.weighted {
		for v := range n {
			a.degrees[v] = float64(m.shape.Degree(uint32(v)))
		}
		a.squares = a.degrees
		return a, nil
	}
	mean, err := m.meanWeight(ctx)
	if err != nil {
		return nil, err
	}
	a.unit = 1 / mean
	a.squares = make([]float64, n)
	err = a.each(ctx, func(v int, _ []uint32, weights []float32) {
		for _, w := range weights {
			x := float64(w) * a.unit
			a.degrees[v] += x
			a.squares[v] += x * x
		}
	})
	return a, err
}

// times returns A·x.
func (a *adjacency) times(ctx context.Context, x []float64) ([]float64, error) {
	sums := make([]float64, len(x))
	add := func(v int, targets []uint32, _ []float32) {
		for _, u := range targets {
			sums[v] += x[u]
		}
	}
	if a.weighted {
		add = func(v int, targets []uint32, weights []float32) {
			for i, u := range targets {
				sums[v] += float64(weights[i]) * x[u]
			}
		}
	}
	if err := a.each(ctx, add); err != nil {
		return nil, err
	}
	if a.weighted {
		for v := range sums {
			sums[v] *= a.unit
		}
	}
	return sums, nil
}

// meanWeight returns the mean weight of a graph that has edges, 1 if it has
// none.
func (m matrix) meanWeight(ctx context.Context) (float64, error) {
	sum := 0.0
	if err := m.each(ctx, func(_ int, _ []uint32, weights []float32) {
		for _, w := range weights {
			sum += float64(w)
		}
	}); err != nil {
		return 0, err
	}
	if sum == 0 {
		return 1, nil
	}
	return sum / float64(m.entries()), nil
}
