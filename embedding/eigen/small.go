package eigen

import "heavytail/storage/vec"

// Small matrices are row-major and in float64.

// transposed returns the transpose of a, m × n.
func transposed(a []float64, m, n int) []float64 {
	t := make([]float64, m*n)
	for i := range m {
		for j, x := range a[i*n : (i+1)*n] {
			t[j*m+i] = x
		}
	}
	return t
}

// transposedTimes returns aᵀ·b for a of k × m and b of k × n.
func transposedTimes(a, b []float64, m, k, n int) []float64 {
	return vec.Product64(transposed(a, k, m), b, m, k, n)
}

// timesTransposed returns a·bᵀ for a of m × k and b of n × k.
func timesTransposed(a, b []float64, m, k, n int) []float64 {
	return vec.Product64(a, transposed(b, n, k), m, k, n)
}

// congruent returns cᵀ·a·c for a of m × m and c of m × n, made symmetric.
func congruent(a, c []float64, m, n int) []float64 {
	s := transposedTimes(c, vec.Product64(a, c, m, m, n), n, m, n)
	for i := range n {
		for j := range i {
			mean := (s[i*n+j] + s[j*n+i]) / 2
			s[i*n+j], s[j*n+i] = mean, mean
		}
	}
	return s
}

// appendPart appends to p the rows [top, bottom) and columns [lo, hi) of a matrix with cols columns.
func appendPart(p, a []float64, cols, top, bottom, lo, hi int) []float64 {
	for i := top; i < bottom; i++ {
		p = append(p, a[i*cols+lo:i*cols+hi]...)
	}
	return p
}

// bordered returns the symmetric matrix with blocks a, b and c, where a is k × k, b
// right of it k × p and c below that p × p.
func bordered(a, b, c []float64, k, p int) []float64 {
	m := k + p
	s := make([]float64, m*m)
	for i := range k {
		copy(s[i*m:], a[i*k:(i+1)*k])
		copy(s[i*m+k:], b[i*p:(i+1)*p])
	}
	for i := range p {
		for j := range k {
			s[(k+i)*m+j] = b[j*p+i]
		}
		copy(s[(k+i)*m+k:], c[i*p:(i+1)*p])
	}
	return s
}

// largestEntry returns the largest entry, or 0 if all entries are negative.
func largestEntry(a []float64) float64 {
	largest := 0.0
	for _, x := range a {
		largest = max(largest, x)
	}
	return largest
}
