package eigen

import (
	"math"

	"heavytail/storage/vec"
)

// Symmetric finds all eigenpairs of a symmetric matrix of order n, given
// row-major in a, of which only the lower triangle is read and all is
// overwritten. It returns the eigenvalues in descending order and the
// eigenvectors as the rows of an n × n row-major matrix, orthonormal. Of equal
// eigenvalues any basis is returned, the same one for the same bytes of a.
// The result is false if the iteration did not end, which no finite matrix has
// been seen to do; entries must be finite.
//
// It is Householder tridiagonalisation and implicit QL (Golub and Van Loan,
// Matrix Computations, 8.3), the textbook method of LAPACK's dsyev. The
// difference is that eigenvectors are kept as rows: a plane rotation then acts
// on two contiguous rows, and a reflection on one, so that all inner loops are
// vector kernels. It takes about 4 n³ multiplications and 16 n² bytes.
func Symmetric(a []float64, n int) (values, vectors []float64, ok bool) {
	return symmetric(a, make([]float64, n*n), n, func([]float64) int { return n })
}

// symmetric is Symmetric with only the first rows of vectors computed, as many as want says of
// the eigenvalues; the others are undefined. The rows are in z, n × n, whose old values do not matter.
func symmetric(a, z []float64, n int, want func(values []float64) int) (values, vectors []float64, ok bool) {
	if len(a) != n*n || len(z) != n*n {
		panic("eigen: Symmetric: length of a is not n²")
	}
	values = make([]float64, n)
	off := make([]float64, n)
	norms := tridiagonalize(a, values, off, n)
	clear(z)
	for i := range n {
		z[i*n+i] = 1
	}
	if !implicitQL(values, off, z, n) {
		return nil, nil, false
	}
	sortDescending(values, z, n)
	reflectBack(a, norms, z[:want(values)*n], n)
	return values, z, true
}

// tridiagonalize reduces a to the tridiagonal QᵀAQ with diagonal d and
// off[i] the entry (i, i-1). Row i of a keeps the vector u of the reflection
// I − u uᵀ / norms[i] in its first i entries; norms[i] is 0 where there is none.
func tridiagonalize(a, d, off []float64, n int) (norms []float64) {
	norms = make([]float64, n)
	p := make([]float64, n)
	for i := n - 1; i > 0; i-- {
		u := a[i*n : i*n+i]
		d[i] = a[i*n+i]
		scale := maxAbs(u[:i-1])
		if scale == 0 { // already tridiagonal here
			off[i] = u[i-1]
			continue
		}
		scale = max(scale, math.Abs(u[i-1]))
		// Scaled, so that the squares neither overflow nor vanish; the
		// reflection does not depend on the length of u.
		for j := range u {
			u[j] /= scale
		}
		square := vec.Dot64(u, u)
		g := -math.Copysign(math.Sqrt(square), u[i-1])
		off[i] = scale * g
		h := square - u[i-1]*g
		u[i-1] -= g
		norms[i] = h

		// p = A u / h from the lower triangle, row by row.
		clear(p[:i])
		for j := range i {
			row := a[j*n : j*n+j]
			p[j] += vec.Dot64(row, u[:j]) + a[j*n+j]*u[j]
			vec.Axpy64(u[j], row, p[:j])
		}
		for j := range i {
			p[j] /= h
		}
		// A − u qᵀ − q uᵀ with q = p − (uᵀp / 2h) u.
		vec.Axpy64(-vec.Dot64(u, p[:i])/(2*h), u, p[:i])
		for j := range i {
			row := a[j*n : j*n+j+1]
			vec.Axpy64(-u[j], p[:j+1], row)
			vec.Axpy64(-p[j], u[:j+1], row)
		}
	}
	if n > 0 {
		d[0] = a[0]
	}
	return norms
}

// reflectBack turns the rows of z, eigenvectors of the tridiagonal matrix,
// into those of the matrix it came from.
func reflectBack(a, norms, z []float64, n int) {
	for ; len(z) > 0; z = z[n:] {
		row := z[:n]
		for i := 1; i < n; i++ {
			if norms[i] != 0 {
				u := a[i*n : i*n+i]
				vec.Axpy64(-vec.Dot64(u, row[:i])/norms[i], u, row[:i])
			}
		}
	}
}

// implicitQL diagonalises the tridiagonal matrix with diagonal d and entries
// off[i] at (i, i-1), and applies every rotation to the rows of z.
func implicitQL(d, off, z []float64, n int) bool {
	if n == 0 {
		return true
	}
	// LAPACK's dsteqr allows 30 sweeps for an eigenvalue; 1.7 is usual.
	const maxSweeps = 60
	e := make([]float64, n) // e[i] at (i+1, i)
	copy(e, off[1:])
	// Entries this far below the norm are rounding errors in any place: without
	// this, a matrix of low rank has a block of rounding errors whose
	// eigenvalues are iterated for to no purpose.
	tiny := 0.0
	for i := range n {
		tiny = max(tiny, math.Abs(d[i])+math.Abs(e[i]))
	}
	// Entries of about 1 have squares that neither overflow nor vanish. A power of 2 changes no bit.
	_, exponent := math.Frexp(tiny)
	for i := range n {
		d[i], e[i] = math.Ldexp(d[i], -exponent), math.Ldexp(e[i], -exponent)
	}
	defer func() {
		for i := range n {
			d[i] = math.Ldexp(d[i], exponent)
		}
	}()
	tiny = 0x1p-64
	for l := range n {
		for sweep := 0; ; sweep++ {
			m := l
			for ; m < n-1; m++ {
				if math.Abs(e[m]) <= 0x1p-53*(math.Abs(d[m])+math.Abs(d[m+1]))+tiny {
					break
				}
			}
			if m == l {
				break
			}
			if sweep == maxSweeps {
				return false
			}
			qlSweep(d, e, z, n, l, m)
		}
	}
	return true
}

// qlSweep is one implicit QL step with Wilkinson's shift on rows l to m.
func qlSweep(d, e, z []float64, n, l, m int) {
	g := (d[l+1] - d[l]) / (2 * e[l])
	r := math.Hypot(g, 1)
	g = d[m] - d[l] + e[l]/(g+math.Copysign(r, g))
	s, c, p := 1.0, 1.0, 0.0
	for i := m - 1; i >= l; i-- {
		f, b := s*e[i], c*e[i]
		r = math.Sqrt(f*f + g*g)
		e[i+1] = r
		if r == 0 { // the matrix splits here: start again on the parts
			d[i+1] -= p
			e[m] = 0
			return
		}
		s, c = f/r, g/r
		g = d[i+1] - p
		r = (d[i]-g)*s + 2*c*b
		p = s * r
		d[i+1] = g + p
		g = c*r - b
		vec.Rot64(z[(i+1)*n:(i+2)*n], z[i*n:(i+1)*n], c, s)
	}
	d[l] -= p
	e[l] = g
	e[m] = 0
}

// sortDescending orders eigenvalues and the rows of z with them.
func sortDescending(d, z []float64, n int) {
	for i := range n {
		best := i
		for j := i + 1; j < n; j++ {
			if d[j] > d[best] {
				best = j
			}
		}
		if best != i {
			d[i], d[best] = d[best], d[i]
			x, y := z[i*n:(i+1)*n], z[best*n:(best+1)*n]
			for j := range x {
				x[j], y[j] = y[j], x[j]
			}
		}
	}
}

func maxAbs(x []float64) float64 {
	m := 0.0
	for _, v := range x {
		m = max(m, math.Abs(v))
	}
	return m
}
