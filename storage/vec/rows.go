package vec

import (
	"math/bits"
	"slices"
	"unsafe"
)

// RowList is a list of rows of equal width, anywhere in memory, to be combined
// with one vector. Its zero value is empty and takes rows of any width.
type RowList struct {
	dim  int
	rows []*float32
	work []float32 // of Learn
}

// Reset empties the list and sets the width of the rows to come.
func (l *RowList) Reset(dim int) { l.dim, l.rows = dim, l.rows[:0] }

// Grow makes room for n more rows.
func (l *RowList) Grow(n int) { l.rows = slices.Grow(l.rows, n) }

// Add appends a row, of which the list uses the first dim values; they are
// aliased. It panics if the row is shorter.
func (l *RowList) Add(row []float32) {
	if len(row) < l.dim {
		panic("vec: RowList: a row is too short")
	}
	l.rows = append(l.rows, unsafe.SliceData(row))
}

// Append appends the rows [from, to) of another list, which must have the same width.
func (l *RowList) Append(other *RowList, from, to int) {
	if l.dim != other.dim {
		panic("vec: RowList: Append: wrong width")
	}
	l.rows = append(l.rows, other.rows[from:to]...)
}

// Pick appends row i of another list, which must have the same width.
func (l *RowList) Pick(other *RowList, i int) {
	if l.dim != other.dim {
		panic("vec: RowList: Pick: wrong width")
	}
	l.rows = append(l.rows, other.rows[i])
}

// Set replaces row i. It panics if the new row is shorter than the width.
func (l *RowList) Set(i int, row []float32) {
	if len(row) < l.dim {
		panic("vec: RowList: a row is too short")
	}
	l.rows[i] = unsafe.SliceData(row)
}

// Len returns the number of rows.
func (l *RowList) Len() int { return len(l.rows) }

// Row returns row i.
func (l *RowList) Row(i int) []float32 { return unsafe.Slice(l.rows[i], l.dim) }

// Fetch begins to load the rows from number first on into the cache, if the
// processor has an instruction for that. It has no other effect.
func (l *RowList) Fetch(first int) { fetchRows(active, l.rows[first:], l.dim) }

// FetchList begins to load a list of numbers into the cache, as RowList.Fetch
// does for rows.
func FetchList(list []uint32) {
	first := [1]*float32{(*float32)(unsafe.Pointer(unsafe.SliceData(list)))}
	fetchRows(active, first[:], len(list)+rowLine-1) // including its last cache line
}

// FetchRow begins to load a row into the cache, as RowList.Fetch does.
func FetchRow(row []float32) {
	first := [1]*float32{unsafe.SliceData(row)}
	fetchRows(active, first[:], len(row))
}

// Dots sets dst[i] to the scalar product of x and row i. It panics if dst is
// shorter than the list or x is not as wide as its rows.
func (l *RowList) Dots(dst, x []float32) {
	if len(dst) < len(l.rows) || len(x) != l.dim {
		panic("vec: RowList: Dots: wrong length")
	}
	rowDots(active, dst, x, l.rows)
}

// Learn makes a step of logistic regression for each vector x of xs in turn. The
// probability of row y_i, given x, is σ(x·y_i) with σ(p) = 1/(1+e^−p), and should
// be targets[i]. So, with the scalar products of the rows as they are,
//
//	g_i = alpha · (targets[i] − σ(x·y_i)),  e = Σ g_i y_i,  y_i += g_i x,  x += e,
//
// and g_i = 0 if the absolute value of the product is limit or more, or NaN.
// That is a step of stochastic gradient descent for one vector against several
// others, as skip-gram makes them. σ is accurate to 4 units of its last place.
//
// A row occurs in l once and does not overlap a vector of xs, which may name one
// several times. It panics if the widths of the lists differ or are no multiple of
// 16, or if targets is shorter than l.
func (l *RowList) Learn(xs *RowList, targets []float32, alpha, limit float32) {
	if xs.dim != l.dim || l.dim%rowLine != 0 {
		panic("vec: RowList: Learn: wrong width")
	}
	if len(targets) < len(l.rows) {
		panic("vec: RowList: Learn: targets is shorter than the list")
	}
	if len(l.rows) > 0 && len(xs.rows) > 0 && l.dim > 0 {
		learn(active, l, xs.rows, targets[:len(l.rows)], alpha, limit)
	}
}

// rowLine is the number of columns that Learn works on at a time.
const rowLine = 16

// room returns working space for n values, aligned to a cache line: the
// allocator aligns powers of two automatically.
func (l *RowList) room(n int) []float32 {
	if len(l.work) < n {
		l.work = make([]float32, 1<<bits.Len(uint(n)))
	}
	return l.work[:n]
}
