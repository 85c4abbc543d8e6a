package eigen

import "math"

// Bytes is the memory that Solve takes for k pairs of a matrix of order n, result included, and with
// it as many blocks of an operator that gives them up for the result, a [Releaser], as released says.
// Dense matrices of the order of k are left out.
func Bytes(n, k, released int) int64 {
	m := basisColumns(k)
	if n <= m+2*Width { // solved as a dense matrix: the matrix, what its solution needs and the result
		return 8*(int64(n)*int64(n)+int64(spaceOf(n))) + 4*int64(n)*int64(k+released*Width)
	}
	return 4 * int64(n) * int64(m+Width+max((2+released)*Width, k)) // u and w
}

// GivesBack reports whether Solve, for k pairs of a matrix of order n, returns memory to the system
// as soon as it does not need it any more, because its basis is large. Otherwise what it has given up
// stays in the heap until the next garbage collection.
func GivesBack(n, k int) bool {
	const large = 32 << 20 // bytes of a basis
	return 4*int64(n)*int64(basisColumns(k)) >= large
}

// Seconds estimates how long Solve takes for k pairs of a matrix of order n,
// if a product with a block takes product seconds and a multiply-add of the
// orthogonalisation takes multiply. It assumes a spectrum typical of graphs:
// expectedRestarts, and the spacing of eigenvalues given by expectedSteps.
func Seconds(n, k int, product, multiply float64) float64 {
	m := basisColumns(k)
	if n <= m+2*Width {
		return float64((n+Width-1)/Width)*product + 10*multiply*math.Pow(float64(n), 3)
	}
	const (
		expectedRestarts = 4  // real graphs take 1 to 15
		expectedSteps    = 45 // D of planFilter
	)
	blocks := float64(m+surveySteps[0]*Width+expectedRestarts*(m-keepColumns(k))) / Width
	orthogonalization := 2 * 2 * 0.8 * float64(m) * float64(n) * Width * multiply
	degree := math.Sqrt(expectedSteps * orthogonalization * Width / (float64(k) * max(product, 1e-12)))
	return blocks * (orthogonalization + min(max(degree, 1), maxDegree)*product)
}
