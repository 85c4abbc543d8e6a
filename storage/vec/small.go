package vec

// Product64 returns a·b for row-major a of m × k and b of k × n, in m·k·n
// steps of one goroutine: it is for small matrices, such as transformations of
// coordinates.
func Product64(a, b []float64, m, k, n int) []float64 {
	c := make([]float64, m*n)
	if fastTile64(active) && m >= Tile64Rows {
		productByTiles(c, a, b, m, k, n)
		return c
	}
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

// productByTiles sets c to a·b, for m ≥ 12.
func productByTiles(c, a, b []float64, m, k, n int) {
	strip := make([]float64, k*StripCols)
	var tile [Tile64Rows * StripCols]float64
	for col := 0; col < n; col += StripCols {
		cols := min(StripCols, n-col)
		clear(strip)
		for l := range k {
			copy(strip[l*StripCols:], b[l*n+col:][:cols])
		}
		for row := 0; row < m; row += Tile64Rows {
			first := min(row, m-Tile64Rows) // the last tile repeats some rows of the one before
			clear(tile[:])
			Tile64(tile[:], k, a[first*k:], k, strip)
			for i := range Tile64Rows {
				copy(c[(first+i)*n+col:][:cols], tile[i*StripCols:])
			}
		}
	}
}

// Float32s returns the values rounded to float32.
func Float32s(a []float64) []float32 {
	s := make([]float32, len(a))
	for i, x := range a {
		s[i] = float32(x)
	}
	return s
}
