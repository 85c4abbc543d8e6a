package vec

// RowDots sets dst[i] to the scalar product of x and rows[i]. It panics if dst
// is shorter than rows, or a row shorter than x.
func RowDots(dst, x []float32, rows [][]float32) {
	if len(dst) < len(rows) {
		panic("vec: RowDots: dst is shorter than rows")
	}
	checkRows(x, rows)
	rowDots(active, dst, x, rows)
}

// RowSteps moves x and every row towards each other, or apart: with e starting
// at 0, it does e += g[i]·row and row += g[i]·x for each row in turn, and in the
// end x += e. That is one step of stochastic gradient descent for a vector
// against several others, as skip-gram makes them. No row may be listed twice
// or overlap x. It panics if g is shorter than rows, or a row shorter than x.
func RowSteps(x []float32, rows [][]float32, g []float32) {
	if len(g) < len(rows) {
		panic("vec: RowSteps: g is shorter than rows")
	}
	checkRows(x, rows)
	rowSteps(active, x, rows, g)
}

func checkRows(x []float32, rows [][]float32) {
	for _, row := range rows {
		if len(row) < len(x) {
			panic("vec: a row is shorter than the vector")
		}
	}
}

// rowDotsBy is RowDots by single kernels.
func rowDotsBy(k kind, dst, x []float32, rows [][]float32) {
	for i, row := range rows {
		dst[i] = dot(k, x, row[:len(x)])
	}
}

// rowStepsBy is RowSteps by single kernels.
func rowStepsBy(k kind, x []float32, rows [][]float32, g []float32) {
	const most = 256 // columns at a time, for which the sum is kept here
	var e [most]float32
	for lo := 0; lo < len(x); lo += most {
		part := x[lo:min(lo+most, len(x))]
		sum := e[:len(part)]
		copy(sum, part)
		for i, row := range rows {
			row = row[lo : lo+len(part)]
			axpy(k, g[i], row, sum)
			axpy(k, g[i], part, row)
		}
		copy(part, sum)
	}
}
