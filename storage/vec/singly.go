package vec

import "unsafe"

// listDotsBy is ListDots by single kernels.
func listDotsBy(k kind, dst, x, block []float32, stride int, idx []uint32) {
	for i, v := range idx {
		dst[i] = dot(k, x, block[int(v)*stride:][:len(x)])
	}
}

// listL2SquaredBy is ListL2Squared by single kernels.
func listL2SquaredBy(k kind, dst, x, block []float32, stride int, idx []uint32) {
	for i, v := range idx {
		dst[i] = l2Squared(k, x, block[int(v)*stride:][:len(x)])
	}
}

// scanDotsBy is ScanDots by single kernels.
func scanDotsBy(k kind, dst, x, rows []float32) {
	for i := range dst {
		dst[i] = dot(k, x, rows[i*len(x):][:len(x)])
	}
}

// scanL2SquaredBy is ScanL2Squared by single kernels.
func scanL2SquaredBy(k kind, dst, x, rows []float32) {
	for i := range dst {
		dst[i] = l2Squared(k, x, rows[i*len(x):][:len(x)])
	}
}

// learnBy is Learn by the kernels for one vector.
func learnBy(k kind, l *RowList, xs []*float32, targets []float32, alpha, limit float32) {
	g := l.room(len(l.rows))
	for _, first := range xs {
		x := unsafe.Slice(first, l.dim)
		rowDots(k, g, x, l.rows)
		logisticSteps(g, targets, alpha, limit)
		rowStepsBy(k, x, l.rows, g)
	}
}

// rowDotsBy is Dots by single kernels.
func rowDotsBy(k kind, dst, x []float32, rows []*float32) {
	for i, row := range rows {
		dst[i] = dot(k, x, unsafe.Slice(row, len(x)))
	}
}

// rowStepsBy makes the step of one vector by single kernels: with e starting at 0,
// e += g[i]·row and row += g[i]·x for each row in turn, and in the end x += e.
func rowStepsBy(k kind, x []float32, rows []*float32, g []float32) {
	const most = 256 // columns at a time, for which the sum is kept here
	var e [most]float32
	for lo := 0; lo < len(x); lo += most {
		part := x[lo:min(lo+most, len(x))]
		sum := e[:len(part)]
		copy(sum, part)
		for i, first := range rows {
			row := unsafe.Slice(first, len(x))[lo : lo+len(part)]
			axpy(k, g[i], row, sum)
			axpy(k, g[i], part, row)
		}
		copy(part, sum)
	}
}

// gatherSumsBy is GatherSums by single kernels.
func gatherSumsBy(k kind, dst, x []float32, offsets []int64, list []uint32) bool {
	for i, from := range offsets[:len(offsets)-1] {
		if !gatherSum(k, dst[i*blockCols:][:blockCols], x, blockCols, list[from-offsets[0]:offsets[i+1]-offsets[0]]) {
			return false
		}
	}
	return true
}
