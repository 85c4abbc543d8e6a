//go:build purego || !amd64

package vec

// Only amd64 has kernels for these.

func updateTimes64(k kind, y, a []float64, stride int, u, q, x []float64) {
	updateTimes64By(k, y, a, stride, u, q, x)
}

func rotateRows64(k kind, strip []float64, top int, turns []float64) {
	rotateRows64By(k, strip, top, turns)
}

func fastTile64(kind) bool { return false }

func tile64(k kind, c []float64, n int, a []float64, stride int, b []float64) {
	tile64By(k, c, n, a, stride, b)
}

func stepRows(k kind, y, sums, once, scaled, x []float32, offsets []int64, s []float32, alpha, beta, gamma float32) {
	stepRowsBy(k, y, sums, once, scaled, x, offsets, s, alpha, beta, gamma)
}
