package spectral

import (
	"context"
	"math"
	"slices"

	"heavytail/embedding/eigen"
	"heavytail/storage/vec"
)

// Angles returns the principal angles between the column spaces of two matrices with the
// same number of rows, in radians, ascending. There are as many angles as the smaller space
// has dimensions. They measure how much two spectral embeddings of one graph differ,
// independent of the scale, the order and the rotation of their coordinates. It takes
// O(n·k²); angles are accurate to about 1e-3. Errors are ctx.Err() and eigen.ErrNotFinite.
func Angles(ctx context.Context, a, b *vec.Matrix, workers int) ([]float64, error) {
	left, err := orthonormalizer(ctx, a, workers)
	if err != nil {
		return nil, err
	}
	right, err := orthonormalizer(ctx, b, workers)
	if err != nil {
		return nil, err
	}
	cross := make([]float64, a.Dim*b.Dim)
	if err := vec.MulTNContext(ctx, cross, a.Panel(0, a.Dim), b.Panel(0, b.Dim), workers); err != nil {
		return nil, err
	}
	// The cosines are the singular values of leftᵀ·aᵀb·right.
	m := make([]float64, len(right)*len(left))
	for i, u := range left {
		sum := make([]float64, b.Dim)
		for r, x := range u {
			vec.Axpy64(x, cross[r*b.Dim:(r+1)*b.Dim], sum)
		}
		for j, v := range right {
			m[i*len(right)+j] = vec.Dot64(sum, v)
		}
	}
	k := len(right)
	square := make([]float64, k*k)
	for i := range left {
		row := m[i*k : (i+1)*k]
		for j, x := range row {
			vec.Axpy64(x, row, square[j*k:(j+1)*k])
		}
	}
	values, _, ok := eigen.Symmetric(square, k)
	if !ok {
		return nil, eigen.ErrNotFinite
	}
	var angles []float64
	for _, v := range values[:min(k, len(left))] {
		angles = append(angles, math.Acos(math.Sqrt(min(max(v, 0), 1))))
	}
	slices.Sort(angles)
	return angles, nil
}

// orthonormalizer returns vectors c_i so that the columns a·c_i are an orthonormal
// basis of the space of the columns of a.
func orthonormalizer(ctx context.Context, a *vec.Matrix, workers int) ([][]float64, error) {
	k := a.Dim
	gram := make([]float64, k*k)
	if err := vec.MulTNContext(ctx, gram, a.Panel(0, k), a.Panel(0, k), workers); err != nil {
		return nil, err
	}
	if sum := vec.Dot64(gram, gram); math.IsNaN(sum) || math.IsInf(sum, 0) {
		return nil, eigen.ErrNotFinite
	}
	values, vectors, ok := eigen.Symmetric(gram, k)
	if !ok {
		return nil, eigen.ErrNotFinite
	}
	var list [][]float64
	for i, v := range values {
		if !(v > 1e-7*values[0]) {
			break
		}
		c := vectors[i*k : (i+1)*k]
		for j := range c {
			c[j] /= math.Sqrt(v)
		}
		list = append(list, c)
	}
	return list, nil
}
