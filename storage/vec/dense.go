package vec

// UpdateTimes64 subtracts u·qᵀ + q·uᵀ from the symmetric matrix a and sets y to the product of
// the difference with x: BLAS's dsyr2 and dsymv in one pass over the matrix. Of a, of the order of
// x, the lower triangle is read and written; row i begins at i·stride. It panics if the lengths of y, u
// and q are not that of x or a is too short. The vectors may not overlap a nor y.
func UpdateTimes64(y, a []float64, stride int, u, q, x []float64) {
	n := len(x)
	if len(y) != n || len(u) != n || len(q) != n || stride < n || n > 0 && len(a) < (n-1)*stride+n {
		panic("vec: UpdateTimes64: shapes differ")
	}
	clear(y)
	updateTimes64(active, y, a, stride, u, q, x)
}

// RotateRows64 applies plane rotations to the rows of a strip: the first to the row top and the one
// before it, the second to that one and the one before, and so on. turns holds the cosine c and the
// sine s of each. A rotation sets the rows x and y, y before x, with the old values on the right, to
//
//	x = c·x + s·y
//	y = c·y − s·x
//
// It panics if a row is not inside the strip.
func RotateRows64(strip []float64, top int, turns []float64) {
	n := len(turns) / 2
	if n == 0 {
		return
	}
	if top-n < 0 || len(strip) < (top+1)*StripCols {
		panic("vec: RotateRows64: row outside the strip")
	}
	rotateRows64(active, strip, top, turns[:2*n])
}

// Tile64 adds to 12 rows of a strip a product with the strip b, which has k rows:
//
//	c[i·16+j] += Σ_{l<k} a[i·stride+l] · b[l·16+j]
//
// Every element is one chain of multiply-adds with l ascending. It panics if k or stride is negative
// or a slice too short.
func Tile64(c []float64, k int, a []float64, stride int, b []float64) {
	if k < 0 || stride < 0 || len(c) < Tile64Rows*StripCols || k > 0 && len(a) < (Tile64Rows-1)*stride+k || len(b) < k*StripCols {
		panic("vec: Tile64: negative size, or a slice too short")
	}
	tile64(active, c, k, a, stride, b)
}
