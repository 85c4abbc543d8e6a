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

func gatherSums(k kind, dst, x []float32, offsets []int64, list []uint32) bool {
	return gatherSumsBy(k, dst, x, offsets, list)
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

func tileBytesNear(_ kind, mask *[TileRows]uint32, c *[TileRows * TileCols]float32, steps int, a, b []uint32, base *[TileCols]int32, rows *RowTerms, columns *ColumnTerms) bool {
	return tileBytesNearGo(mask, c, steps, a, b, base, rows, columns)
}

func rowDots(k kind, dst, x []float32, rows []*float32) { rowDotsBy(k, dst, x, rows) }

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

func scanDots(k kind, dst, x, rows []float32) { scanDotsBy(k, dst, x, rows) }

func scanL2Squared(k kind, dst, x, rows []float32) { scanL2SquaredBy(k, dst, x, rows) }

func tileLeast(_ kind, c *[TileRows * TileCols]float32, rowNorms *[TileRows]float32, colNorms *[TileCols]float32) float32 {
	return tileLeastGo(c, rowNorms, colNorms)
}
