package vec

// Dot returns the scalar product of a and b. It panics if their lengths
// differ. The error is at most about (n/16 + 12)·2⁻²⁴·Σ|a_i·b_i| with vector
// kernels and n/4 in place of n/16 with the portable one.
func Dot(a, b []float32) float32 {
	if len(a) != len(b) {
		panic("vec: Dot: lengths differ")
	}
	return dot(active, a, b)
}

// L2Squared returns the squared Euclidean distance of a and b. It panics if
// their lengths differ. L2Squared(a, b) and L2Squared(b, a) have the same bits.
func L2Squared(a, b []float32) float32 {
	if len(a) != len(b) {
		panic("vec: L2Squared: lengths differ")
	}
	return l2Squared(active, a, b)
}

// PairSum returns Σ w_i·a_i·b_i + Σ v_i·|a_i − b_i|: the value of a linear
// model of the products and the absolute differences of two vectors. It panics
// if their lengths differ. PairSum(w, v, a, b) and PairSum(w, v, b, a) have
// the same bits.
func PairSum(w, v, a, b []float32) float32 {
	if len(w) != len(a) || len(v) != len(a) || len(b) != len(a) {
		panic("vec: PairSum: lengths differ")
	}
	return pairSum(active, w, v, a, b)
}

// Axpy adds alpha·x to y. It panics if their lengths differ. x and y may be
// the same slice and may not overlap otherwise.
func Axpy(alpha float32, x, y []float32) {
	if len(x) != len(y) {
		panic("vec: Axpy: lengths differ")
	}
	axpy(active, alpha, x, y)
}

// Dot64 returns the scalar product of a and b. It panics if their lengths
// differ.
func Dot64(a, b []float64) float64 {
	if len(a) != len(b) {
		panic("vec: Dot64: lengths differ")
	}
	return dot64(active, a, b)
}

// Axpy64 adds alpha·x to y. It panics if their lengths differ. x and y may be
// the same slice and may not overlap otherwise.
func Axpy64(alpha float64, x, y []float64) {
	if len(x) != len(y) {
		panic("vec: Axpy64: lengths differ")
	}
	axpy64(active, alpha, x, y)
}

// StepRows sets rows of 16 columns of y to one step of a filter with the matrix A² − D + A. Row i is
//
//	alpha·s[i]·(sums_i + (once_i − d·scaled_i)) + beta·x_i + gamma·y_i
//
// with scaled rows of a block, once and sums those rows of its products with A and A², and d the
// degree, offsets[i+1] − offsets[i]. If once is nil, that term is left out, and scaled and offsets may
// be nil; if gamma is 0, y is not read. Every operation is rounded, in this order, alpha·s[i] being the first: all
// kinds give the same bits. It panics if a slice is too short for the rows of s. y may not overlap the other blocks.
func StepRows(y, sums, once, scaled, x []float32, offsets []int64, s []float32, alpha, beta, gamma float32) {
	size := len(s) * blockCols
	if len(y) < size || len(sums) < size || len(x) < size || once != nil && (len(once) < size || len(scaled) < size || len(offsets) <= len(s)) {
		panic("vec: StepRows: slice too short")
	}
	stepRows(active, y, sums, once, scaled, x, offsets, s, alpha, beta, gamma)
}

// GatherSum sets dst to the sum of the listed rows of a strided row-major
// block: dst[j] = Σ_i x[idx[i]·stride+j] for j < len(dst). With x a block of
// vectors and idx the neighbours of a vertex this is one row of the product of
// an unweighted adjacency matrix with the block.
//
// Widths that are multiples of 16 are the fast case. An empty idx gives zeros.
// The entry i of the list goes into sum i mod 4 and the result is
// (s0+s1)+(s2+s3), for every width and every kind: all kinds give the same
// bits. idx may name a row twice. The entries of idx between its length and
// its capacity may be read as a hint of what comes next, so a slice of one
// long list should be passed with its capacity. dst may not overlap x. It
// panics if stride is negative or a row is not inside x; dst then is undefined.
func GatherSum(dst, x []float32, stride int, idx []uint32) {
	if stride < 0 {
		panic("vec: GatherSum: negative stride")
	}
	if !gatherSum(active, dst, x, stride, idx) {
		panic("vec: GatherSum: row outside the block")
	}
}

// GatherSums sets each row of dst, a block of 16 columns, to the sum of rows of x, another one:
// row i to that of the entries of list from offsets[i] − offsets[0] up to offsets[i+1] − offsets[0].
// With the offsets and targets of a graph these are rows of the product of its adjacency matrix with
// x. The bits are those of [GatherSum], also where it reads entries between length and capacity as a
// hint. dst may not overlap x. It panics if offsets are empty or descend, if list or dst is too short,
// or if an entry is not a row of x; dst then is undefined.
func GatherSums(dst, x []float32, offsets []int64, list []uint32) {
	for i, from := range offsets[:len(offsets)-1] {
		if from > offsets[i+1] {
			panic("vec: GatherSums: offsets descend")
		}
	}
	rows := len(offsets) - 1
	if rows == 0 {
		return
	}
	entries := offsets[rows] - offsets[0]
	if entries > int64(len(list)) || len(dst) < rows*blockCols {
		panic("vec: GatherSums: list or dst too short")
	}
	if !gatherSums(active, dst, x, offsets, list[:entries]) {
		panic("vec: GatherSums: row outside the block")
	}
}
