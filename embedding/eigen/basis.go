package eigen

import (
	"math"

	"heavytail/storage/vec"
)

// basis returns coefficients c, n × rank, of columns that span the same space and are orthonormal,
// given the Gram matrix of n columns, and the inner products of the orthonormal columns with the
// given ones, rank × n. It is Cholesky's factorisation with pivots. Columns are left out if the
// lengths that remain of all of them are below short, relative to the longest, or if there are as
// many others as wanted and the lengths that remain are below least. The result is false if the
// columns are so nearly dependent that some combination is shorter than least, which a few steps of
// the power method estimate, or if the matrix is not finite. It takes about n³ multiplications.
func basis(gram []float64, n, want int, short, least float64) (c, given []float64, rank int, ok bool) {
	order := make([]int, n)
	left := make([]float64, n) // squared lengths that remain
	for i := range n {
		order[i], left[i] = i, gram[i*n+i]
	}
	lower := make([]float64, n*n) // row i is that of the column order[i]
	row := func(m []float64, i int) []float64 { return m[i*n : (i+1)*n] }
	top := largestEntry(left)
	for ; rank < n; rank++ {
		best, sum := rank, 0.0
		for i := rank; i < n; i++ {
			if sum += max(left[i], 0); left[i] > left[best] {
				best = i
			}
		}
		if sum <= square(short)*top || rank >= want && left[best] <= square(least)*top {
			break
		}
		if !(left[best] > square(least)*top/2) || math.IsInf(left[best], 0) {
			return nil, nil, 0, false
		}
		order[rank], order[best] = order[best], order[rank]
		left[rank], left[best] = left[best], left[rank]
		for j := range rank {
			lower[rank*n+j], lower[best*n+j] = lower[best*n+j], lower[rank*n+j]
		}
		pivot, head := math.Sqrt(left[rank]), row(lower, rank)[:rank]
		lower[rank*n+rank] = pivot
		for i := rank + 1; i < n; i++ {
			x := (gram[order[i]*n+order[rank]] - vec.Dot64(row(lower, i)[:rank], head)) / pivot
			lower[i*n+rank] = x
			left[i] -= x * x
		}
	}
	if rank == 0 {
		return nil, nil, 0, false
	}
	inverse := make([]float64, rank*rank)
	for i := range rank {
		to := inverse[i*rank : (i+1)*rank]
		for j := range i {
			vec.Axpy64(-lower[i*n+j], inverse[j*rank:j*rank+j+1], to[:j+1])
		}
		to[i] = 1
		for j := range i + 1 {
			to[j] /= lower[i*n+i]
		}
	}
	c, given = make([]float64, n*rank), make([]float64, rank*n)
	pivots := make([]float64, 0, rank*rank) // the rows of pivots
	for i := range n {
		for j := range rank {
			given[j*n+order[i]] = lower[i*n+j]
		}
		if i < rank {
			pivots = append(pivots, row(lower, i)[:rank]...)
			for j := i; j < rank; j++ {
				c[order[i]*rank+j] = inverse[j*rank+i]
			}
		}
	}
	return c, given, rank, power(inverse, rank, rank)*power(pivots, rank, rank) <= 1/square(least)
}

// power estimates the largest eigenvalue of mᵀ·m, from below, for a matrix m of the given shape. It
// begins with the longest row.
func power(m []float64, rows, n int) float64 {
	const steps = 10
	x, y := make([]float64, n), make([]float64, n)
	longest := -1.0
	for i := range rows {
		if length := vec.Dot64(m[i*n:(i+1)*n], m[i*n:(i+1)*n]); length > longest {
			longest = length
			copy(x, m[i*n:])
		}
	}
	value := 0.0
	for range steps {
		length := math.Sqrt(vec.Dot64(x, x))
		clear(y)
		for i := range rows {
			vec.Axpy64(vec.Dot64(m[i*n:(i+1)*n], x)/length, m[i*n:(i+1)*n], y)
		}
		value = math.Sqrt(vec.Dot64(y, y))
		x, y = y, x
	}
	return value
}
