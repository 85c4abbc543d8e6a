//go:build !purego

package vec

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// available lists the kinds that this processor can run, slowest first. The
// flags of x/sys/cpu include the support of the operating system.
func available() []kind {
	kinds := []kind{portable}
	if x := cpu.X86; x.HasAVX2 && x.HasFMA {
		kinds = append(kinds, avx2)
		if x.HasAVX512F && x.HasAVX512VL && x.HasAVX512DQ && x.HasAVX512BW {
			kinds = append(kinds, avx512)
		}
	}
	return kinds
}

func dot(k kind, a, b []float32) float32 {
	switch k {
	case avx512:
		return dotAVX512(unsafe.SliceData(a), unsafe.SliceData(b), len(a))
	case avx2:
		return dotAVX2(unsafe.SliceData(a), unsafe.SliceData(b), len(a))
	}
	return dotGo(a, b)
}

func l2Squared(k kind, a, b []float32) float32 {
	switch k {
	case avx512:
		return l2SquaredAVX512(unsafe.SliceData(a), unsafe.SliceData(b), len(a))
	case avx2:
		return l2SquaredAVX2(unsafe.SliceData(a), unsafe.SliceData(b), len(a))
	}
	return l2SquaredGo(a, b)
}

func pairSum(k kind, w, v, a, b []float32) float32 {
	switch k {
	case avx512:
		return pairSumAVX512(unsafe.SliceData(w), unsafe.SliceData(v), unsafe.SliceData(a), unsafe.SliceData(b), len(a))
	case avx2:
		return pairSumAVX2(unsafe.SliceData(w), unsafe.SliceData(v), unsafe.SliceData(a), unsafe.SliceData(b), len(a))
	}
	return pairSumGo(w, v, a, b)
}

func axpy(k kind, alpha float32, x, y []float32) {
	switch k {
	case avx512:
		axpyAVX512(alpha, unsafe.SliceData(x), unsafe.SliceData(y), len(x))
	case avx2:
		axpyAVX2(alpha, unsafe.SliceData(x), unsafe.SliceData(y), len(x))
	default:
		axpyGo(alpha, x, y)
	}
}

func dot64(k kind, a, b []float64) float64 {
	switch k {
	case avx512:
		return dot64AVX512(unsafe.SliceData(a), unsafe.SliceData(b), len(a))
	case avx2:
		return dot64AVX2(unsafe.SliceData(a), unsafe.SliceData(b), len(a))
	}
	return dotGo(a, b)
}

func axpy64(k kind, alpha float64, x, y []float64) {
	switch k {
	case avx512:
		axpy64AVX512(alpha, unsafe.SliceData(x), unsafe.SliceData(y), len(x))
	case avx2:
		axpy64AVX2(alpha, unsafe.SliceData(x), unsafe.SliceData(y), len(x))
	default:
		axpyGo(alpha, x, y)
	}
}

// rot64 is for kinds without rotateRows64.
func rot64(_ kind, x, y []float64, c, s float64) { rot64Go(x, y, c, s) }

func updateTimes64(k kind, y, a []float64, stride int, u, q, x []float64) {
	if k != avx512 || len(x) == 0 {
		updateTimes64By(k, y, a, stride, u, q, x)
		return
	}
	updateTimes64AVX512(&y[0], &a[0], uintptr(stride)*8, len(x), &u[0], &q[0], &x[0])
}

func rotateRows64(k kind, strip []float64, top int, turns []float64) {
	switch k {
	case avx512:
		rotateRows64AVX512(&strip[top*StripCols], len(turns)/2, &turns[0])
	case avx2:
		rotateRows64AVX2(&strip[top*StripCols], len(turns)/2, &turns[0])
	default:
		rotateRows64By(k, strip, top, turns)
	}
}

// fastTile64 reports whether tiles are faster than rows of any length.
func fastTile64(k kind) bool { return k == avx512 }

func tile64(k kind, c []float64, n int, a []float64, stride int, b []float64) {
	if k != avx512 {
		tile64By(k, c, n, a, stride, b)
		return
	}
	tile64AVX512(&c[0], n, unsafe.SliceData(a), uintptr(stride)*8, unsafe.SliceData(b))
}

func stepRow(k kind, y, sum, once, scaled, x *[16]float32, d, s, beta, gamma float32) {
	if k == portable {
		stepRowGo(y, sum, once, scaled, x, d, s, beta, gamma)
		return
	}
	stepRowAVX2(y, sum, once, scaled, x, d, s, beta, gamma)
}

func stepRows(k kind, y, sums, once, scaled, x []float32, offsets []int64, s []float32, alpha, beta, gamma float32) {
	if k != avx512 || len(s) == 0 {
		stepRowsBy(k, y, sums, once, scaled, x, offsets, s, alpha, beta, gamma)
		return
	}
	stepRowsAVX512(&y[0], &sums[0], unsafe.SliceData(once), unsafe.SliceData(scaled), &x[0], unsafe.SliceData(offsets), &s[0], len(s), alpha, beta, gamma)
}

func gatherSums(k kind, dst, x []float32, offsets []int64, list []uint32) bool {
	if k != avx512 || len(list) == 0 || len(x) < blockCols {
		return gatherSumsBy(k, dst, x, offsets, list)
	}
	const cached = 1 << 17 // numbers that a second-level cache holds: fetching them ahead only costs time
	ahead := cap(list)
	if len(x) <= cached {
		ahead = 0
	}
	return gatherSumsAVX512(&dst[0], &x[0], uintptr(len(x)-blockCols)*4, &offsets[0], len(offsets)-1, &list[0], ahead)
}

func gatherSum(k kind, dst, x []float32, stride int, idx []uint32) bool {
	if k == portable || len(idx) == 0 || len(x) < len(dst) || stride > maxGatherStride {
		return gatherSumGo(dst, x, stride, idx)
	}
	var (
		step = uintptr(stride) * 4
		last = uintptr(len(x)-len(dst)) * 4
		list = unsafe.SliceData(idx)
		n    = len(idx)
	)
	for lo := 0; lo < len(dst); {
		var (
			to   = &dst[lo]
			from = &x[lo]
			cols = len(dst) - lo
			ok   bool
		)
		switch {
		case k == avx512 && cols >= 32:
			cols = 32
			ok = gather32AVX512(to, from, step, last, list, n, cap(idx))
		case k == avx512:
			cols = min(cols, 16)
			ok = gather16AVX512(to, from, step, last, list, n, cap(idx), cols)
		case cols >= 16:
			cols = 16
			ok = gather16AVX2(to, from, step, last, list, n, cap(idx))
		default:
			cols = min(cols, 8)
			ok = gather8AVX2(to, from, step, last, list, n, cap(idx), cols)
		}
		if !ok {
			return false
		}
		lo += cols
	}
	return true
}

func tile(k kind, c *[TileRows * TileCols]float32, add bool, n int, a []float32, rowStep, kStep int, b []float32, next fetch) {
	switch k {
	case avx512:
		tileAVX512(&c[0], add, n, unsafe.SliceData(a), uintptr(rowStep)*4, uintptr(kStep)*4, unsafe.SliceData(b), next.from, next.step)
	case avx2:
		tileAVX2(&c[0], add, n, unsafe.SliceData(a), uintptr(rowStep)*4, uintptr(kStep)*4, unsafe.SliceData(b))
	default:
		tileGo(c, add, n, a, rowStep, kStep, b)
	}
}

// fastTall reports whether a tall tile takes half the time of a tile: it fills as many registers.
func fastTall(k kind) bool { return k == avx512 }

func tileTall(k kind, c *[TileRows * TileCols]float32, add bool, n int, a, second []float32, rowStep, kStep int, b []float32, next fetch) {
	if k == avx512 {
		tileTallAVX512(&c[0], add, n, unsafe.SliceData(a), unsafe.SliceData(second), uintptr(rowStep)*4, uintptr(kStep)*4, unsafe.SliceData(b), next.from, next.step)
		return
	}
	tileTallGo(c, add, n, a, second, rowStep, kStep, b)
}

func tileStoreHalf(k kind, y []float32, stride, rows int, beta, alpha float32, c []float32) {
	if k == avx512 {
		tileStoreHalfAVX512(unsafe.SliceData(y), uintptr(stride)*4, rows, beta, alpha, unsafe.SliceData(c))
		return
	}
	tileStoreHalfGo(y, stride, rows, beta, alpha, c)
}

func fastBytes(k kind) bool { return k == avx512 && cpu.X86.HasAVX512VNNI }

func tileBytes(k kind, c *[TileRows * TileCols]float32, steps int, a, b []uint32, base *[TileCols]int32) {
	if fastBytes(k) {
		tileBytesVNNI(&c[0], steps, unsafe.SliceData(a), unsafe.SliceData(b), &base[0])
		return
	}
	tileBytesGo(c, steps, a, b, base)
}

func tileBytesNear(k kind, mask *[TileRows]uint32, c *[TileRows * TileCols]float32, steps int, a, b []uint32, base *[TileCols]int32, rows *RowTerms, columns *ColumnTerms) bool {
	if fastBytes(k) {
		return tileBytesNearVNNI(&mask[0], &c[0], steps, unsafe.SliceData(a), unsafe.SliceData(b), &base[0], &rows[0][0], &columns[0][0])
	}
	return tileBytesNearGo(mask, c, steps, a, b, base, rows, columns)
}

func tileWithin(k kind, mask *[TileRows]uint32, c *[TileRows * TileCols]float32, rowNorms *[TileRows]float32, colNorms *[TileCols]float32, limit float32) bool {
	switch k {
	case avx512:
		return tileWithinAVX512(&mask[0], &c[0], &rowNorms[0], &colNorms[0], limit)
	case avx2:
		return tileWithinAVX2(&mask[0], &c[0], &rowNorms[0], &colNorms[0], limit)
	}
	return tileWithinGo(mask, c, rowNorms, colNorms, limit)
}

func tileLeast(k kind, c *[TileRows * TileCols]float32, rowNorms *[TileRows]float32, colNorms *[TileCols]float32) float32 {
	if k == avx512 {
		return tileLeastAVX512(&c[0], &rowNorms[0], &colNorms[0])
	}
	return tileLeastGo(c, rowNorms, colNorms)
}

func tileAdd64(k kind, acc *[TileRows * TileCols]float64, c *[TileRows * TileCols]float32) {
	switch k {
	case avx512:
		tileAdd64AVX512(&acc[0], &c[0])
	case avx2:
		tileAdd64AVX2(&acc[0], &c[0])
	default:
		tileAdd64Go(acc, c)
	}
}

func tileStore(k kind, y []float32, stride, rows, cols int, beta, alpha float32, c *[TileRows * TileCols]float32) {
	switch k {
	case avx512:
		tileStoreAVX512(unsafe.SliceData(y), uintptr(stride)*4, rows, cols, beta, alpha, &c[0])
	case avx2:
		tileStoreAVX2(unsafe.SliceData(y), uintptr(stride)*4, rows, cols, beta, alpha, &c[0])
	default:
		tileStoreGo(y, stride, rows, cols, beta, alpha, c)
	}
}

func rowDots(k kind, dst, x []float32, rows []*float32) {
	switch k {
	case avx512:
		rowDotsAVX512(unsafe.SliceData(dst), unsafe.SliceData(x), len(x), unsafe.SliceData(rows), len(rows))
	case avx2:
		rowDotsAVX2(unsafe.SliceData(dst), unsafe.SliceData(x), len(x), unsafe.SliceData(rows), len(rows))
	default:
		rowDotsBy(k, dst, x, rows)
	}
}

func learn(k kind, l *RowList, xs []*float32, targets []float32, alpha, limit float32) {
	if k == portable {
		learnBy(k, l, xs, targets, alpha, limit)
		return
	}
	n := len(l.rows)
	whole := (n + 3) &^ 3 // the kernels fold the sums of four rows at a time
	room := l.room(whole * (rowLine + 2))
	sums, gains, wanted := room[:whole*rowLine], room[whole*rowLine:], room[whole*(rowLine+1):]
	copy(wanted, targets)
	if k == avx512 {
		learnAVX512(unsafe.SliceData(xs), len(xs), unsafe.SliceData(l.rows), n, l.dim/rowLine, &wanted[0], &gains[0], &sums[0], alpha, limit)
	} else {
		learnAVX2(unsafe.SliceData(xs), len(xs), unsafe.SliceData(l.rows), n, l.dim/rowLine, &wanted[0], &gains[0], &sums[0], alpha, limit)
	}
}

func fetchRows(k kind, rows []*float32, dim int) {
	if k != portable && len(rows) > 0 {
		fetchRowsAMD64(unsafe.SliceData(rows), len(rows), dim)
	}
}

func listDots(k kind, dst, x, block []float32, stride int, idx []uint32) {
	switch {
	case k == avx512 && len(idx) > 0 && len(x) > 0:
		listDotsAVX512(unsafe.SliceData(dst), unsafe.SliceData(x), len(x), unsafe.SliceData(block), uintptr(stride)*4, unsafe.SliceData(idx), len(idx))
	case k == avx2:
		eachAhead(block, stride, len(x), idx, func(lo, hi int) { listDotsBy(k, dst[lo:], x, block, stride, idx[lo:hi]) })
	default:
		listDotsBy(k, dst, x, block, stride, idx)
	}
}

func listL2Squared(k kind, dst, x, block []float32, stride int, idx []uint32) {
	switch {
	case k == avx512 && len(idx) > 0 && len(x) > 0:
		listL2SquaredAVX512(unsafe.SliceData(dst), unsafe.SliceData(x), len(x), unsafe.SliceData(block), uintptr(stride)*4, unsafe.SliceData(idx), len(idx))
	case k == avx2:
		eachAhead(block, stride, len(x), idx, func(lo, hi int) { listL2SquaredBy(k, dst[lo:], x, block, stride, idx[lo:hi]) })
	default:
		listL2SquaredBy(k, dst, x, block, stride, idx)
	}
}

// ahead is the number of rows that eachAhead fetches before those at hand.
const ahead = 4

// eachAhead calls f for the parts of a list, in order, while the first lines
// of the rows of the next part are loaded into the cache; the processor
// prefetches the rest of longer rows automatically.
func eachAhead(block []float32, stride, dim int, idx []uint32, f func(lo, hi int)) {
	if dim == 0 {
		f(0, len(idx))
		return
	}
	const most = 256
	var rows [ahead]*float32
	for lo := 0; lo < len(idx); lo += ahead {
		hi := min(lo+ahead, len(idx))
		next := idx[hi:min(hi+ahead, len(idx))]
		for i, v := range next {
			rows[i] = &block[int(v)*stride]
		}
		if len(next) > 0 {
			fetchRowsAMD64(&rows[0], len(next), min(dim, most))
		}
		f(lo, hi)
	}
}

func scanDots(k kind, dst, x, rows []float32) {
	if k != avx512 || len(dst) == 0 || len(x) == 0 {
		scanDotsBy(k, dst, x, rows)
		return
	}
	scanDotsAVX512(unsafe.SliceData(dst), unsafe.SliceData(x), len(x), unsafe.SliceData(rows), len(dst))
}

func scanL2Squared(k kind, dst, x, rows []float32) {
	if k != avx512 || len(dst) == 0 || len(x) == 0 {
		scanL2SquaredBy(k, dst, x, rows)
		return
	}
	scanL2SquaredAVX512(unsafe.SliceData(dst), unsafe.SliceData(x), len(x), unsafe.SliceData(rows), len(dst))
}
