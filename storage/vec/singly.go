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

// updateTimes64By is UpdateTimes64 by single kernels.
func updateTimes64By(k kind, y, a []float64, stride int, u, q, x []float64) {
	for j := range x {
		row := a[j*stride : j*stride+j+1]
		axpy64(k, -u[j], q[:j+1], row)
		axpy64(k, -q[j], u[:j+1], row)
		y[j] = dot64(k, row[:j], x[:j]) + row[j]*x[j]
		axpy64(k, x[j], row[:j], y[:j])
	}
}

// rotateRows64By is RotateRows64 by single kernels.
func rotateRows64By(k kind, strip []float64, top int, turns []float64) {
	for ; len(turns) > 0; top, turns = top-1, turns[2:] {
		x, y := strip[top*StripCols:][:StripCols], strip[(top-1)*StripCols:][:StripCols]
		rot64(k, x, y, turns[0], turns[1])
	}
}

// tile64By is Tile64 by single kernels.
func tile64By(k kind, c []float64, n int, a []float64, stride int, b []float64) {
	for i := range Tile64Rows {
		row := c[i*StripCols:][:StripCols]
		for l, x := range a[i*stride:][:n] {
			axpy64(k, x, b[l*StripCols:][:StripCols], row)
		}
	}
}

// stepRowsBy is StepRows by single kernels. If several processors write rows that all have read, a
// write waits until the others have given up their copies; so a row is fetched in advance.
func stepRowsBy(k kind, y, sums, once, scaled, x []float32, offsets []int64, s []float32, alpha, beta, gamma float32) {
	const ahead = 16 * blockCols
	row := func(block []float32, at int) *[blockCols]float32 { return (*[blockCols]float32)(block[at:]) }
	none := new([blockCols]float32)
	for i, scale := range s {
		at := i * blockCols
		if block := y[:cap(y)]; at+ahead+blockCols <= len(block) {
			fetchToWrite(row(block, at+ahead))
		}
		before, minus, d := none, none, float32(0)
		if once != nil {
			before, minus, d = row(once, at), row(scaled, at), float32(offsets[i+1]-offsets[i])
		}
		stepRow(k, row(y, at), row(sums, at), before, minus, row(x, at), d, alpha*scale, beta, gamma)
	}
}
