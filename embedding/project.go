package embedding

import (
	"context"
	"fmt"

	"heavytail/embedding/eigen"
	"heavytail/storage/vec"
)

// Projection is an embedding seen from the side where it is widest.
type Projection struct {
	// X and Y are the first two principal components of every row, with mean 0.
	X, Y []float64
	// Share is how much of the variance of all coordinates lies in each.
	Share [2]float64
}

// Project returns the principal components of the rows of m in two dimensions.
// The direction of an axis is such that the coordinate with the largest part in
// it, the first of equals, counts upwards. Rows of one coordinate have Y 0, and so
// have equal rows everywhere. It takes 2·n·k² operations, a copy of the rows, and
// 8·k² bytes. The same rows give the same bytes with any number of workers, on one
// kind of processor. Errors are that of ctx and eigen.ErrNotFinite.
func Project(ctx context.Context, m *vec.Matrix, workers int) (*Projection, error) {
	p := &Projection{X: make([]float64, m.Rows), Y: make([]float64, m.Rows)}
	if m.Rows == 0 || m.Dim == 0 {
		return p, nil
	}
	centred := centre(m)
	c := &covariance{k: m.Dim, entries: make([]float64, m.Dim*m.Dim)}
	whole := centred.Panel(0, m.Dim)
	if err := vec.MulTNContext(ctx, c.entries, whole, whole, workers); err != nil {
		return nil, fmt.Errorf("embedding: %w", err)
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
		return nil, fmt.Errorf("embedding: %w", err)
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

// centre returns the rows less their mean.
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

// covariance is a symmetric matrix that is written out.
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
