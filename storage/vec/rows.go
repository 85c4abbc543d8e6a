package vec

import "unsafe"

// RowList is a list of rows of one width, anywhere in memory, that one vector is
// combined with. Its zero value is empty and takes rows of any width.
type RowList struct {
	dim  int
	rows []*float32
}

// Reset empties the list and sets the width of the rows to come.
func (l *RowList) Reset(dim int) { l.dim, l.rows = dim, l.rows[:0] }

// Add appends a row, of which the list uses the first dim values; they are
// aliased. It panics if the row is shorter.
func (l *RowList) Add(row []float32) {
	if len(row) < l.dim {
		panic("vec: RowList: a row is too short")
	}
	l.rows = append(l.rows, unsafe.SliceData(row))
}

// Len returns the number of rows.
func (l *RowList) Len() int { return len(l.rows) }

// Dots sets dst[i] to the scalar product of x and row i. It panics if dst is
// shorter than the list or x is not as wide as its rows.
func (l *RowList) Dots(dst, x []float32) {
	if len(dst) < len(l.rows) || len(x) != l.dim {
		panic("vec: RowList: Dots: wrong length")
	}
	rowDots(active, dst, x, l.rows)
}

// Steps moves x and every row towards each other, or apart: with e starting at
// 0, it does e += g[i]·row and row += g[i]·x for each row in turn, and in the
// end x += e. That is a step of stochastic gradient descent for a vector against
// several others, as skip-gram makes them. No row may be listed twice or overlap
// x. It panics if g is shorter than the list or x is not as wide as its rows.
func (l *RowList) Steps(x, g []float32) {
	if len(g) < len(l.rows) || len(x) != l.dim {
		panic("vec: RowList: Steps: wrong length")
	}
	rowSteps(active, x, l.rows, g)
}

// LogisticSteps turns scalar products into the steps of logistic regression:
// g[i] becomes alpha · (targets[i] − σ(g[i])), σ(x) = 1/(1+e^−x), or 0 where the
// product is limit or more in size, or no number. It panics if targets is
// shorter than g. σ is good to 4 units of its last place.
func LogisticSteps(g, targets []float32, alpha, limit float32) {
	if len(targets) < len(g) {
		panic("vec: LogisticSteps: targets is shorter than g")
	}
	logisticSteps(active, g, targets, alpha, limit)
}

// rowDotsBy is Dots by single kernels.
func rowDotsBy(k kind, dst, x []float32, rows []*float32) {
	for i, row := range rows {
		dst[i] = dot(k, x, unsafe.Slice(row, len(x)))
	}
}

// rowStepsBy is Steps by single kernels.
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
