package spectral

import (
	"math"

	"heavytail/embedding/eigen"
	"heavytail/storage/vec"
)

// rotation returns the orthogonal k × k matrix R, row-major, that minimises the sum of
// squares of X·R − Y, given m = XᵀY, k × k: the orthogonal Procrustes problem (Schönemann,
// Psychometrika 31, 1966). R is W·Zᵀ for the singular value decomposition m = W·Σ·Zᵀ. In
// directions that m does not determine, because X or Y is zero there, R is completed to
// an orthogonal matrix.
//
// The decomposition is by the eigenvectors Z of mᵀm. The columns m·z are made orthonormal
// in descending order of length, so that the precision lost by squaring affects only
// directions of little weight.
func rotation(m []float64, k int) []float64 {
	at := func(i int) []float64 { return m[i*k : (i+1)*k] }
	square := make([]float64, k*k)
	for i := range k {
		for j := range k {
			vec.Axpy64(at(i)[j], at(i), square[j*k:(j+1)*k])
		}
	}
	sum := vec.Dot64(square, square)
	r := make([]float64, k*k)
	var z []float64
	ok := !math.IsNaN(sum) && !math.IsInf(sum, 0)
	if ok {
		_, z, ok = eigen.Symmetric(square, k)
	}
	if !ok {
		for i := range k {
			r[i*k+i] = 1
		}
		return r
	}
	w := make([]float64, k*k) // rows are left singular vectors
	for j := range k {
		for i := range k {
			w[j*k+i] = vec.Dot64(at(i), z[j*k:(j+1)*k])
		}
	}
	orthonormalRows(w, k)
	for j := range k {
		for i := range k {
			vec.Axpy64(w[j*k+i], z[j*k:(j+1)*k], r[i*k:(i+1)*k])
		}
	}
	return r
}

// orthonormalRows makes the rows of a k × k matrix orthonormal in order, which are orthogonal but for
// rounding errors and begin with the longest. A row of rounding errors is replaced by a unit vector,
// made orthonormal to the rows before it. Long rows have errors too small to matter.
func orthonormalRows(w []float64, k int) {
	const long = 1e-3 // of the first row: errors are 1e-16 over its square
	unit, first := 0, 0.0
	for j := 0; j < k; j++ {
		row := w[j*k : (j+1)*k]
		length := math.Sqrt(vec.Dot64(row, row))
		if j == 0 {
			first = length
		}
		if length > long*first {
			scaleRow(row, 1/length)
			continue
		}
		for range 2 {
			for i := range j {
				vec.Axpy64(-vec.Dot64(row, w[i*k:(i+1)*k]), w[i*k:(i+1)*k], row)
			}
		}
		left := math.Sqrt(vec.Dot64(row, row))
		if !(left > 1e-6*length) {
			clear(row)
			row[unit] = 1
			unit++
			j--
			continue
		}
		for i := range row {
			row[i] /= left
		}
	}
}

// scaleRow multiplies a row by x.
func scaleRow(row []float64, x float64) {
	for i := range row {
		row[i] *= x
	}
}

// leadingColumns returns the first columns of a row-major matrix.
func leadingColumns(a []float64, cols, first int) []float64 {
	if first == cols {
		return a
	}
	b := make([]float64, 0, len(a)/cols*first)
	for at := 0; at < len(a); at += cols {
		b = append(b, a[at:at+first]...)
	}
	return b
}
