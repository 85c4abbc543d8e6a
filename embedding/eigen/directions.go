package eigen

import (
	"context"

	"heavytail/storage/vec"
)

// directions are the columns Q that a step adds to V, in blocks that are added one after the
// other, with the inner products that the Ritz pairs need. A new block costs products with V and
// with the blocks before it, and these are kept: rounds of pursue add little each.
type directions struct {
	blocks []vec.Panel // n × 2·p each: p columns of Q, and their products with N
	added  int         // columns of Q
	q, nq  []int       // places of the columns of Q and of N·Q among those of all blocks

	inside []float64 // first × added: VᵀQ
	across []float64 // first × 2·added: (NV)ᵀ·blocks
	both   []float64 // (2·added)²: the inner products of the columns of all blocks
}

// add appends a block of p columns of Q and their products with N. It takes
// O(n·p·(cols + added)).
func (r *refiner) add(ctx context.Context, block vec.Panel) error {
	p, before := block.Cols/2, 2*r.added
	own, err := r.inner(ctx, columns(r.start, 0, r.cols), columns(block, 0, p))
	if err != nil {
		return err
	}
	across, err := r.inner(ctx, columns(r.images, 0, r.cols), block)
	if err != nil {
		return err
	}
	gram, err := r.gram(ctx, block)
	if err != nil {
		return err
	}
	cross := make([]float64, 0, before*2*p)
	for _, b := range r.blocks {
		c, err := r.inner(ctx, b, block)
		if err != nil {
			return err
		}
		cross = append(cross, c...)
	}
	r.inside = sideBySide(r.inside, transposedTimes(r.c, own, r.first, r.cols, p), r.first)
	r.across = sideBySide(r.across, transposedTimes(r.c, across, r.first, r.cols, 2*p), r.first)
	r.both = bordered(r.both, cross, gram, before, 2*p)
	r.blocks = append(r.blocks, block)
	for i := range p {
		r.q, r.nq = append(r.q, before+i), append(r.nq, before+p+i)
	}
	r.added += p
	return nil
}

// sideBySide returns the matrix with the columns of a and then those of b, which have the given
// number of rows.
func sideBySide(a, b []float64, rows int) []float64 {
	s := make([]float64, 0, len(a)+len(b))
	left, right := len(a)/rows, len(b)/rows
	for i := range rows {
		s = append(s, a[i*left:(i+1)*left]...)
		s = append(s, b[i*right:(i+1)*right]...)
	}
	return s
}

// pick returns the entries of a matrix of len(rows) + len(cols) columns in the given rows and
// columns.
func pick(a []float64, rows, cols []int) []float64 {
	n := len(rows) + len(cols)
	p := make([]float64, 0, len(rows)*len(cols))
	for _, i := range rows {
		for _, j := range cols {
			p = append(p, a[i*n+j])
		}
	}
	return p
}

// pickColumns returns some columns of a matrix with n columns.
func pickColumns(a []float64, n int, cols []int) []float64 {
	p := make([]float64, 0, len(a)/n*len(cols))
	for ; len(a) > 0; a = a[n:] {
		for _, j := range cols {
			p = append(p, a[j])
		}
	}
	return p
}
