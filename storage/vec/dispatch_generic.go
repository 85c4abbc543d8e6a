//go:build purego || (!amd64 && !arm64)

package vec

// available lists the kinds that this processor can run, slowest first.
func available() []kind { return []kind{portable} }

func dot(_ kind, a, b []float32) float32           { return dotGo(a, b) }
func l2Squared(_ kind, a, b []float32) float32     { return l2SquaredGo(a, b) }
func pairSum(_ kind, w, v, a, b []float32) float32 { return pairSumGo(w, v, a, b) }
func axpy(_ kind, alpha float32, x, y []float32) {
	axpyGo(alpha, x, y)
}
func dot64(_ kind, a, b []float64) float64         { return dotGo(a, b) }
func axpy64(_ kind, alpha float64, x, y []float64) { axpyGo(alpha, x, y) }
func rot64(_ kind, x, y []float64, c, s float64)   { rot64Go(x, y, c, s) }

func stepRow(_ kind, y, sum, once, scaled, x *[16]float32, d, s, beta, gamma float32) {
	stepRowGo(y, sum, once, scaled, x, d, s, beta, gamma)
}

func gatherSum(_ kind, dst, x []float32, stride int, idx []uint32) bool {
	return gatherSumGo(dst, x, stride, idx)
}

func tile(_ kind, c *[TileRows * TileCols]float32, add bool, k int, a []float32, rowStep, kStep int, b []float32, _ fetch) {
	tileGo(c, add, k, a, rowStep, kStep, b)
}

func tileWithin(_ kind, mask *[TileRows]uint32, c *[TileRows * TileCols]float32, rowNorms *[TileRows]float32, colNorms *[TileCols]float32, limit float32) bool {
	return tileWithinGo(mask, c, rowNorms, colNorms, limit)
}

func tileAdd64(_ kind, acc *[TileRows * TileCols]float64, c *[TileRows * TileCols]float32) {
	tileAdd64Go(acc, c)
}

func tileStore(_ kind, y []float32, stride, rows, cols int, beta, alpha float32, c *[TileRows * TileCols]float32) {
	tileStoreGo(y, stride, rows, cols, beta, alpha, c)
}

func fetchToWrite(*[16]float32) {}
