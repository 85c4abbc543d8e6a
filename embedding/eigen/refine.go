package eigen

import (
	"context"
	"math"
	"slices"

	"heavytail/storage/vec"
)

// Refinement is the outcome of Refine.
type Refinement struct {
	*Result
	// Added is the number of directions of the residual that were added.
	Added int
}

// Refine finds the K largest eigenpairs of the operator approximately, from
// vectors that nearly span their space: the eigenvectors of a matrix that differs
// little. It is one Rayleigh–Ritz step on
//
//	span [V, (I − VVᵀ)·N·V],   V an orthonormal basis of the start,
//
// of which only those directions of the second part are taken in which the
// residual N·V − V·(VᵀNV) is longer than half of the tolerance: after a small
// change they are few. The start may have any number of columns, of any length,
// and dependent ones; what is known of a Projector is removed from it. It is
// overwritten.
//
// Residuals are those of the result, from the products that the step takes
// anyway, up to rounding: none is measured again. They may exceed the tolerance;
// Converged says so, and another step from the result may help. There may be
// fewer than K pairs where start and residual span less.
//
// It takes start.Dim products and one more for each added direction, and some ten
// products of tall matrices with small ones: 16·n·start.Dim operations each way.
// Memory is two matrices as large as the start and what is added, which is
// at most half as much. Errors are
// ctx.Err() and ErrNotFinite.
func Refine(ctx context.Context, op Operator, start *vec.Matrix, opts Options) (*Refinement, error) {
	opts = opts.withDefaults()
	r := &refiner{op: op, opts: opts, project: func([]float32) {}}
	known := 0
	if p, ok := op.(Projector); ok && p.Known() > 0 {
		r.project, known = p.Project, p.Known()
	}
	r.opts.K = min(opts.K, op.Size()-known)
	r.x = make([]float32, op.Size()*Width)
	r.y = make([]float32, op.Size()*Width)
	if err := r.span(ctx, start); err != nil {
		return nil, err
	}
	if err := r.enrich(ctx); err != nil {
		return nil, err
	}
	return r.finish(ctx)
}

// refiner is one step of Refine.
type refiner struct {
	op      Operator
	project func([]float32)
	opts    Options
	x, y    []float32 // blocks, Size × Width

	basis  vec.Matrix // orthonormal columns: first of the start, then of its residual
	images vec.Matrix // N·basis, less its projection on the start, and for what is added on the basis
	first  int        // columns of the start that are independent
	added  int        // columns of the residual
	h      []float64  // first × first: projected N
	gram   []float64  // first × first: Gram matrix of the residual

	products int
}

// independent is how long a direction of the start is at least, relative to the
// longest, to be told from rounding errors.
const independent = 3e-4

// span makes an orthonormal basis of the start, by the eigenvectors of its Gram
// matrix.
func (r *refiner) span(ctx context.Context, start *vec.Matrix) error {
	n, m := start.Rows, start.Dim
	if err := r.eachBlock(ctx, start.Panel(0, m), func(block vec.Panel) error {
		r.load(block)
		r.project(r.x)
		r.store(block, r.x)
		return nil
	}); err != nil {
		return err
	}
	gram := make([]float64, m*m)
	if err := vec.MulTNContext(ctx, gram, start.Panel(0, m), start.Panel(0, m), r.opts.Workers); err != nil {
		return err
	}
	values, vectors, err := eigenpairs(gram, m, m)
	if err != nil {
		return err
	}
	for r.first < m && values[r.first] > square(independent)*values[0] {
		r.first++
	}
	extra := (m/2 + Width) / Width * Width
	r.basis, r.images = *vec.NewMatrix(n, r.first+extra), *vec.NewMatrix(n, r.first+extra)
	c := make([]float32, m*r.first)
	for j := range r.first {
		length := math.Sqrt(values[j])
		for i := range m {
			c[i*r.first+j] = float32(vectors[j*m+i] / length)
		}
	}
	return vec.MulNNContext(ctx, r.basis.Panel(0, r.first), 0, 1, start.Panel(0, m), c, r.opts.Workers)
}

// multiply sets columns [lo, hi) of the images to the products of those of the
// basis.
func (r *refiner) multiply(ctx context.Context, lo, hi int) error {
	r.products += hi - lo
	at := lo
	return r.eachBlock(ctx, r.basis.Panel(lo, hi), func(block vec.Panel) error {
		r.load(block)
		if err := r.op.Apply(ctx, r.y, r.x, 1, 0, 0); err != nil {
			return err
		}
		r.project(r.y)
		r.store(r.images.Panel(at, at+block.Cols), r.y)
		at += block.Cols
		return nil
	})
}

// enrich adds the longest directions of the residual to the basis.
func (r *refiner) enrich(ctx context.Context) error {
	k := r.first
	if err := r.multiply(ctx, 0, k); err != nil {
		return err
	}
	v, y := r.basis.Panel(0, k), r.images.Panel(0, k)
	h, err := r.reduce(ctx, y, v)
	if err != nil {
		return err
	}
	r.h = h
	gram := make([]float64, k*k)
	if err := vec.MulTNContext(ctx, gram, y, y, r.opts.Workers); err != nil {
		return err
	}
	r.gram = slices.Clone(gram)
	values, vectors, err := eigenpairs(gram, k, k)
	if err != nil {
		return err
	}
	threshold := 0.5 * r.opts.Tolerance * r.norm()
	for r.added < k && k+r.added < r.basis.Dim && values[r.added] > square(threshold) {
		r.added++
	}
	if r.added == 0 {
		return nil
	}
	c := make([]float32, k*r.added)
	for j := range r.added {
		for i := range k {
			c[i*r.added+j] = float32(vectors[j*k+i] / math.Sqrt(values[j]))
		}
	}
	q := r.basis.Panel(k, k+r.added)
	if err := vec.MulNNContext(ctx, q, 0, 1, y, c, r.opts.Workers); err != nil {
		return err
	}
	if err := r.orthonormal(ctx, q, v); err != nil {
		return err
	}
	return r.multiply(ctx, k, k+r.added)
}

// norm is what residuals are relative to.
func (r *refiner) norm() float64 {
	norm := r.opts.Norm
	if norm == 0 {
		for i := range r.first {
			norm = max(norm, math.Abs(r.h[i*r.first+i]))
		}
	}
	return norm
}

// reduce subtracts from y its projection on the orthonormal columns of v, and
// returns the coefficients vᵀ·y.
func (r *refiner) reduce(ctx context.Context, y, v vec.Panel) ([]float64, error) {
	c := make([]float64, v.Cols*y.Cols)
	if err := vec.MulTNContext(ctx, c, v, y, r.opts.Workers); err != nil {
		return nil, err
	}
	c32 := make([]float32, len(c))
	for i, x := range c {
		c32[i] = float32(x)
	}
	return c, vec.MulNNContext(ctx, y, 1, -1, v, c32, r.opts.Workers)
}

// orthonormal makes nearly orthonormal columns q so, and orthogonal to v.
func (r *refiner) orthonormal(ctx context.Context, q, v vec.Panel) error {
	if _, err := r.reduce(ctx, q, v); err != nil {
		return err
	}
	m := q.Cols
	gram := make([]float64, m*m)
	if err := vec.MulTNContext(ctx, gram, q, q, r.opts.Workers); err != nil {
		return err
	}
	values, vectors, err := eigenpairs(gram, m, m)
	if err != nil {
		return err
	}
	c := make([]float32, m*m)
	for j := range m {
		if values[j] <= square(vanished) {
			continue // a column of zeros, which is never chosen
		}
		for i := range m {
			c[i*m+j] = float32(vectors[j*m+i] / math.Sqrt(values[j]))
		}
	}
	return vec.MulNNContext(ctx, q, 0, 1, q, c, r.opts.Workers)
}

// finish takes the Ritz pairs of the basis and their residuals.
func (r *refiner) finish(ctx context.Context) (*Refinement, error) {
	m := r.first + r.added
	a, left, err := r.projected(ctx)
	if err != nil {
		return nil, err
	}
	want := min(r.opts.K, m)
	values, vectors, err := eigenpairs(a, m, want)
	if err != nil {
		return nil, err
	}
	result := &Result{Values: values[:want], Products: r.products, Degree: 1, Restarts: 1}
	r.residuals(result, vectors, left)
	c := make([]float32, m*want)
	for j := range want {
		for i := range m {
			c[i*want+j] = float32(vectors[j*m+i])
		}
	}
	result.Vectors = vec.NewMatrix(r.basis.Rows, want)
	if err := vec.MulNNContext(ctx, result.Vectors.Panel(0, want), 0, 1, r.basis.Panel(0, m), c, r.opts.Workers); err != nil {
		return nil, err
	}
	return &Refinement{Result: result, Added: r.added}, nil
}

// projected returns the projection of N on the basis, and the Gram matrix of what
// it leaves of the images: with Q what was added to V and R = (I − VVᵀ)NV,
//
//	(I − QQᵀ)·R  and  E = (I − VVᵀ − QQᵀ)·NQ.
//
// Since VᵀNQ = RᵀQ, the part of R along Q needs no product of tall matrices.
func (r *refiner) projected(ctx context.Context) (a, left []float64, err error) {
	k, p, m := r.first, r.added, r.first+r.added
	a, left = make([]float64, m*m), make([]float64, m*m)
	for i := range k {
		copy(a[i*m:], r.h[i*k:(i+1)*k])
		copy(left[i*m:], r.gram[i*k:(i+1)*k])
	}
	if p == 0 {
		return a, left, nil
	}
	images := r.images.Panel(k, m)
	b, err := r.reduce(ctx, images, r.basis.Panel(0, m))
	if err != nil {
		return nil, nil, err
	}
	cross, square := make([]float64, k*p), make([]float64, p*p)
	if err := vec.MulTNContext(ctx, cross, r.images.Panel(0, k), images, r.opts.Workers); err != nil {
		return nil, nil, err
	}
	if err := vec.MulTNContext(ctx, square, images, images, r.opts.Workers); err != nil {
		return nil, nil, err
	}
	for i := range m {
		for j := range p {
			a[i*m+k+j], a[(k+j)*m+i] = b[i*p+j], b[i*p+j]
		}
	}
	for i := range k {
		for j := range k {
			left[i*m+j] -= vec.Dot64(b[i*p:(i+1)*p], b[j*p:(j+1)*p])
		}
		for j := range p {
			left[i*m+k+j], left[(k+j)*m+i] = cross[i*p+j], cross[i*p+j]
		}
	}
	for i := range p {
		copy(left[(k+i)*m+k:], square[i*p:(i+1)*p])
	}
	return a, left, nil
}

// residuals measures the Ritz vectors, given by their coefficients: what the
// projection leaves of the images, combined as the vectors are, is N·t − λ·t.
func (r *refiner) residuals(result *Result, vectors, left []float64) {
	m := r.first + r.added
	row := make([]float64, m)
	result.Residuals = make([]float64, len(result.Values))
	for j := range result.Values {
		c := vectors[j*m : (j+1)*m]
		clear(row)
		for i, x := range c {
			vec.Axpy64(x, left[i*m:(i+1)*m], row)
		}
		result.Residuals[j] = math.Sqrt(max(0, vec.Dot64(row, c)))
	}
	result.Converged, result.Reason = true, ReasonConverged
	if len(result.Values) == 0 {
		return
	}
	norm := r.opts.Norm
	if norm == 0 {
		norm = math.Abs(result.Values[0])
	}
	if !(slices.Max(result.Residuals) <= r.opts.Tolerance*norm) {
		result.Converged, result.Reason = false, ReasonStep
	}
}

// eachBlock calls f for runs of up to Width columns of a panel.
func (r *refiner) eachBlock(ctx context.Context, p vec.Panel, f func(block vec.Panel) error) error {
	for lo := 0; lo < p.Cols; lo += Width {
		if err := ctx.Err(); err != nil {
			return err
		}
		block := p
		if p.Rows > 0 {
			block.Data = p.Data[lo:]
		}
		block.Cols = min(Width, p.Cols-lo)
		if err := f(block); err != nil {
			return err
		}
	}
	return nil
}

// load copies columns into x, and zeros into the rest of it.
func (r *refiner) load(block vec.Panel) {
	if block.Cols < Width {
		clear(r.x)
	}
	copyBlock(vec.Panel{Data: r.x, Rows: block.Rows, Cols: block.Cols, Stride: Width}, block, r.opts.Workers)
}

// store copies the first columns of a block.
func (r *refiner) store(to vec.Panel, x []float32) {
	copyBlock(to, vec.Panel{Data: x, Rows: to.Rows, Cols: to.Cols, Stride: Width}, r.opts.Workers)
}
