package vec

// ScanDots sets dst[i] to Dot(x, row i) of consecutive rows, with the same
// bits. The kernels prefetch, also beyond the end of rows, so that a long scan
// runs as fast as memory is read. It panics unless rows has len(dst)·len(x)
// elements.
func ScanDots(dst, x, rows []float32) {
	checkScan(dst, x, rows)
	scanDots(active, dst, x, rows)
}

// ScanL2Squared sets dst[i] to L2Squared(x, row i); otherwise it is as ScanDots.
func ScanL2Squared(dst, x, rows []float32) {
	checkScan(dst, x, rows)
	scanL2Squared(active, dst, x, rows)
}

// checkScan divides, since a product of two lengths may overflow.
func checkScan(dst, x, rows []float32) {
	if len(x) == 0 && len(rows) == 0 {
		return
	}
	if len(x) == 0 || len(rows)%len(x) != 0 || len(rows)/len(x) != len(dst) {
		panic("vec: scan of rows: wrong lengths")
	}
}
