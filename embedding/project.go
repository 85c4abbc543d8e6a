package embedding

import (
	"context"

	"heavytail/embedding/eigen"
	"heavytail/storage/vec"
)

// Projection is an embedding in two dimensions: its first two principal components.
type Projection struct {
	// X and Y are the first two principal components of every vector, with mean 0.
	X, Y []float64
	// Share is the fraction of the variance of all coordinates in each component.
	Share [2]float64
}

// Project returns the first two principal components of the vectors in the rows of m. An
// axis points so that its coordinate of largest magnitude, the first of equals, is
// positive. If the vectors have one coordinate, Y is 0; if all vectors are equal, X and Y
// are. It takes 2·n·k² operations, a copy of the vectors, and 8·k² bytes. The same vectors
// give the same bytes with any number of workers, on one kind of processor. Errors are
// that of ctx and eigen.ErrNotFinite.
func Project(ctx context.Context, m *vec.Matrix, workers int) (*Projection, error) {
	p := &Projection{X: make([]float64, m.Rows), Y: make([]float64, m.Rows)}
	if m.Rows == 0 || m.Dim == 0 {
		return p, nil
	}
	centred, c, err := covarianceOf(ctx, m, workers)
	if err != nil {
		return nil, err
	}
	variance := 0.0
	for j := range c.k {
		variance += c.entries[j*c.k+j]
	}
	if variance == 0 {
		return p, nil
	}
	axes, err := eigen.Solve(ctx, c, eigen.Options{K: 2, Tolerance: 1e-5, Gathers: int64(c.k) * int64(c.k), Workers: workers})
	if err != nil {
		return nil, err
	}
	for i, to := range [][]float64{p.X, p.Y}[:axes.Vectors.Dim] {
		p.Share[i] = max(0, axes.Values[i]/variance)
		for v := range to {
			for j, x := range centred.Row(v) {
				to[v] += float64(x) * float64(axes.Vectors.Row(j)[i])
			}
		}
	}
	return p, nil
}

// centre returns the vectors minus their mean.
func centre(m *vec.Matrix) *vec.Matrix {
	mean := make([]float64, m.Dim)
	for v := range m.Rows {
		for j, x := range m.Row(v) {
			mean[j] += float64(x) / float64(m.Rows)
		}
	}
	centred := vec.NewMatrix(m.Rows, m.Dim)
	for v := range m.Rows {
		row := centred.Row(v)
		for j, x := range m.Row(v) {
			row[j] = float32(float64(x) - mean[j])
		}
	}
	return centred
}

// covarianceOf returns the centred vectors, and n times the covariance of their coordinates.
func covarianceOf(ctx context.Context, m *vec.Matrix, workers int) (centred *vec.Matrix, c *covariance, err error) {
	centred = centre(m)
	c = &covariance{k: m.Dim, entries: make([]float64, m.Dim*m.Dim)}
	whole := centred.Panel(0, m.Dim)
	if err := vec.MulTNContext(ctx, c.entries, whole, whole, workers); err != nil {
		return nil, nil, err
	}
	return centred, c, nil
}

// covariance is a symmetric matrix with all entries stored.
type covariance struct {
	k       int
	entries []float64 // row-major
}

// Size implements eigen.Operator.
func (c *covariance) Size() int { return c.k }

// Apply implements eigen.Operator.
func (c *covariance) Apply(ctx context.Context, y, x []float32, alpha, beta, gamma float32) error {
	for i := range c.k {
		if i%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		var sum [eigen.Width]float64
		for j, e := range c.entries[i*c.k : (i+1)*c.k] {
			for w, from := range x[j*eigen.Width : (j+1)*eigen.Width] {
				sum[w] += e * float64(from)
			}
		}
		for w := range sum {
			at := i*eigen.Width + w
			old := float32(0)
			if gamma != 0 {
				old = gamma * y[at]
			}
			y[at] = float32(float64(alpha)*sum[w]) + beta*x[at] + old
		}
	}
	return nil
}
