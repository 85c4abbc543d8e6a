package eigen

import (
	"math"

	"heavytail/storage/vec"
)

// factor returns the Cholesky factor L of a symmetric positive matrix a = L·Lᵀ of order n, of
// which it reads the lower triangle, and the inverse of L. The result is false unless the smallest
// eigenvalue of a is at least least² times the largest, both estimated by a few steps of the power
// method. It takes about n³/2 multiplications.
func factor(a []float64, n int, least float64) (lower, inverse []float64, ok bool) {
	lower, inverse = make([]float64, n*n), make([]float64, n*n)
	row := func(m []float64, i int) []float64 { return m[i*n : (i+1)*n] }
	for i := range n {
		for j := range i {
			row(lower, i)[j] = (row(a, i)[j] - vec.Dot64(row(lower, i)[:j], row(lower, j)[:j])) / row(lower, j)[j]
		}
		left := row(a, i)[i] - vec.Dot64(row(lower, i)[:i], row(lower, i)[:i])
		if !(left > square(least)*row(a, i)[i]/2) || math.IsInf(left, 0) {
			return nil, nil, false
		}
		row(lower, i)[i] = math.Sqrt(left)
		for j := range i {
			vec.Axpy64(-row(lower, i)[j], row(inverse, j)[:j+1], row(inverse, i)[:j+1])
		}
		row(inverse, i)[i] = 1
		for j := range i + 1 {
			row(inverse, i)[j] /= row(lower, i)[i]
		}
	}
	if n > 0 && power(inverse, n)*power(lower, n) > 1/square(least) {
		return nil, nil, false
	}
	return lower, inverse, true
}

// power estimates the largest eigenvalue of mᵀ·m, from below, for a matrix m of order n. It
// begins with the longest row.
func power(m []float64, n int) float64 {
	const steps = 10
	x, y := make([]float64, n), make([]float64, n)
	longest := -1.0
	for i := range n {
		if length := vec.Dot64(m[i*n:(i+1)*n], m[i*n:(i+1)*n]); length > longest {
			longest = length
			copy(x, m[i*n:])
		}
	}
	value := 0.0
	for range steps {
		length := math.Sqrt(vec.Dot64(x, x))
		clear(y)
		for i := range n {
			vec.Axpy64(vec.Dot64(m[i*n:(i+1)*n], x)/length, m[i*n:(i+1)*n], y)
		}
		value = math.Sqrt(vec.Dot64(y, y))
		x, y = y, x
	}
	return value
}
