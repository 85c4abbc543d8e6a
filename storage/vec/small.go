package vec

// Product64 returns a·b for row-major a of m × k and b of k × n, in m·k·n
// steps of one goroutine: it is for small matrices, such as transformations of
// coordinates.
func Product64(a, b []float64, m, k, n int) []float64 {
	c := make([]float64, m*n)
	for i := range m {
		row := c[i*n : (i+1)*n]
		for l, x := range a[i*k : (i+1)*k] {
			if x != 0 {
				Axpy64(x, b[l*n:(l+1)*n], row)
			}
		}
	}
	return c
}

// Float32s returns the values rounded to float32.
func Float32s(a []float64) []float32 {
	s := make([]float32, len(a))
	for i, x := range a {
		s[i] = float32(x)
	}
	return s
}
