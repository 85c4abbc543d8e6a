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
func dot64(_ kind, a, b []float64) float64         { return dot64Go(a, b) }
func axpy64(_ kind, alpha float64, x, y []float64) { axpyGo(alpha, x, y) }
func rot64(_ kind, x, y []float64, c, s float64)   { rot64Go(x, y, c, s) }

func stepRow(_ kind, y, sum, once, scaled, x *[16]float32, d, s, beta, gamma float32) {
	stepRowGo(y, sum, once, scaled, x, d, s, beta, gamma)
}

func gatherSums(k kind, dst, x []float32, offsets []int64, list []uint32) bool {
	return gatherSumsBy(k, dst, x, offsets, list)
}

func gatherSum(_ kind, dst, x []float32, stride int, idx []uint32) bool {
	return gatherSumGo(dst, x, stride, idx)
}

func tile(_ kind, c *[TileRows * TileCols]float32, add bool, k int, a []float32, rowStep, kStep int, b []float32, _ fetch) {
	tileGo(c, add, k, a, rowStep, kStep, b)
}

func fastTall(kind) bool { return false }

func tileTall(_ kind, c *[TileRows * TileCols]float32, add bool, k int, a, second []float32, rowStep, kStep int, b []float32, _ fetch) {
	tileTallGo(c, add, k, a, second, rowStep, kStep, b)
}

func tileStoreHalf(_ kind, y []float32, stride, rows int, beta, alpha float32, c []float32) {
	tileStoreHalfGo(y, stride, rows, beta, alpha, c)
}

func fastBytes(kind) bool { return false }

func tileBytes(_ kind, c *[TileRows * TileCols]float32, steps int, a, b []uint32, base *[TileCols]int32) {
	tileBytesGo(c, steps, a, b, base)
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

func rowDots(_ kind, dst, x []float32, rows []*float32) { rowDotsBy(portable, dst, x, rows) }

func learn(k kind, l *RowList, xs []*float32, targets []float32, alpha, limit float32) {
	learnBy(k, l, xs, targets, alpha, limit)
}

func listDots(k kind, dst, x, block []float32, stride int, idx []uint32) {
	listDotsBy(k, dst, x, block, stride, idx)
}

func listL2Squared(k kind, dst, x, block []float32, stride int, idx []uint32) {
	listL2SquaredBy(k, dst, x, block, stride, idx)
}

func fetchRows(kind, []*float32, int) {}

func fetchToWrite(*[16]float32) {}

func scanDots(k kind, dst, x, rows []float32) { scanDotsBy(k, dst, x, rows) }

func scanL2Squared(k kind, dst, x, rows []float32) { scanL2SquaredBy(k, dst, x, rows) }
