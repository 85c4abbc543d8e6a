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
// Matrix Computations, 8.3), the textbook method of LAPACK's dsyev. It takes about
// 4 n³ multiplications and 24 n² bytes. Three things make it fast:
//
//   - A step of the tridiagonalisation passes over the matrix once: it subtracts the update of the
//     step before and multiplies by the new reflection at the same time.
//   - The plane rotations of QL are recorded, and applied to 16 columns of the eigenvectors at a
//     time, which the first cache holds (Van Zee, van de Geijn and Quintana-Ortí, ACM Trans. Math.
//     Softw. 40, 2014).
//   - The reflections are applied to the eigenvectors 16 at a time, as products of matrices, in the
//     form of Schreiber and Van Loan (SIAM J. Sci. Stat. Comput. 10, 1989).
func Symmetric(a []float64, n int) (values, vectors []float64, ok bool) {
	return symmetric(a, make([]float64, spaceOf(n)), n, 1, func([]float64) int { return n })
}

// symmetric is Symmetric with only the first rows of vectors computed, as many as want says of
// the eigenvalues; the others are undefined. The rows are in a. The old values of space, of which
// [spaceOf] is the length, do not matter. The result does not depend on workers.
func symmetric(a, space []float64, n, workers int, want func(values []float64) int) (values, vectors []float64, ok bool) {
	if len(a) != n*n || len(space) != spaceOf(n) {
		panic("eigen: Symmetric: length of a is not n²")
	}
	values = make([]float64, n)
	off := make([]float64, n)
	norms := tridiagonalize(a, values, off, n)
	z := newStrips(space, n, workers)
	if !implicitQL(values, off, z) {
		return nil, nil, false
	}
	z.finish(sortDescending(values))
	z.reflectBack(a, norms, want(values))
	return values, a, true
}

// tridiagonalize reduces a to the tridiagonal QᵀAQ with diagonal d and
// off[i] the entry (i, i-1). Row i of a keeps the vector u of the reflection
// I − u uᵀ / norms[i] in its first i entries; norms[i] is 0 where there is none.
func tridiagonalize(a, d, off []float64, n int) (norms []float64) {
	norms = make([]float64, n)
	p, q := make([]float64, n), make([]float64, n)
	before := q // u of the step before; the matrix is to be that of a less before·qᵀ + q·beforeᵀ
	for i := n - 1; i > 0; i-- {
		row := a[i*n : i*n+i+1]
		vec.Axpy64(-before[i], q[:i+1], row)
		vec.Axpy64(-q[i], before[:i+1], row)
		u := row[:i]
		d[i] = row[i]
		scale := maxAbs(u[:i-1])
		if scale == 0 { // already tridiagonal here
			off[i] = u[i-1]
			vec.UpdateTimes64(p[:i], a, n, before[:i], q[:i], u)
			clear(q)
			before = q
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

		// A − u qᵀ − q uᵀ with p = A u / h and q = p − (uᵀp / 2h) u.
		vec.UpdateTimes64(p[:i], a, n, before[:i], q[:i], u)
		for j := range i {
			p[j] /= h
		}
		vec.Axpy64(-vec.Dot64(u, p[:i])/(2*h), u, p[:i])
		before, p, q = u, q, p
	}
	if n > 0 {
		d[0] = a[0]
	}
	return norms
}

// implicitQL diagonalises the tridiagonal matrix with diagonal d and entries
// off[i] at (i, i-1), and gives every rotation to z.
func implicitQL(d, off []float64, z *strips) bool {
	n := len(d)
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
			qlSweep(d, e, z, l, m)
		}
	}
	return true
}

// qlSweep is one implicit QL step with Wilkinson's shift on rows l to m.
func qlSweep(d, e []float64, z *strips, l, m int) {
	turns := z.sweep(m, m-l)
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
			for ; len(turns) > 0; turns = turns[2:] {
				turns[0], turns[1] = 1, 0
			}
			return
		}
		s, c = f/r, g/r
		g = d[i+1] - p
		r = (d[i]-g)*s + 2*c*b
		p = s * r
		d[i+1] = g + p
		g = c*r - b
		turns[0], turns[1] = c, s
		turns = turns[2:]
	}
	d[l] -= p
	e[l] = g
	e[m] = 0
}

// sortDescending orders the values. It returns the place with which each one is to be swapped, in turn.
func sortDescending(d []float64) (swaps []int) {
	swaps = make([]int, len(d))
	for i := range d {
		best := i
		for j := i + 1; j < len(d); j++ {
			if d[j] > d[best] {
				best = j
			}
		}
		d[i], d[best] = d[best], d[i]
		swaps[i] = best
	}
	return swaps
}

func maxAbs(x []float64) float64 {
	m := 0.0
	for _, v := range x {
		m = max(m, math.Abs(v))
	}
	return m
}
