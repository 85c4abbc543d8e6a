package spectral

import (
	"context"
	"fmt"
	"math"

	"heavytail/embedding/eigen"
	"heavytail/embedding/internal/base"
	"heavytail/storage/vec"
)

// operator is the matrix of a spectral method: with s a diagonal matrix,
//
//	s A s                        (without common neighbours)
//	s (c·(A² − diag(A²)) + A) s  (with common neighbours of weight c)
//
// It keeps 16 bytes per vertex and a block of scratch for one product, 64 bytes
// per vertex, or 128 with common neighbours; more with weights. It is not safe for
// concurrent use.
type operator struct {
	a       matrix
	common  float64   // c
	s       []float32 // 0 at isolated vertices
	workers int

	rows base.Rows

	// factor is the factor by which eigenvalues have to be multiplied, because s is scaled
	// so that it is at most 1 for the vertices of smallest degree.
	factor float64

	top          []float64 // eigenvector of the known eigenvalue 1, not normalised
	scaled, once []float32 // s·x and A·s·x; nil before the first product

	degrees  []float64 // row sums of A
	weighted *weighted // products of a graph with weights; nil without
}

func newOperator(ctx context.Context, m matrix, method method, workers int) (*operator, error) {
	n := m.vertices()
	op := &operator{a: m, common: method.common, workers: workers}
	op.rows = base.NewRows(m.shape)
	a, err := newAdjacency(ctx, m)
	if err != nil {
		return nil, err
	}
	op.degrees = a.degrees
	s, top, factor, err := method.scaling(ctx, a)
	if err != nil {
		return nil, err
	}
	op.top = top
	op.factor = factor
	if m.weighted {
		size, err := unitSize(ctx, a, method, s)
		if err != nil {
			return nil, err
		}
		op.factor *= size
		if err := checkRange(ctx, a, method, s, inFloat64); err != nil {
			return nil, err
		}
		op.weighted = newWeighted(op, a, s)
		return op, nil
	}
	if err := checkRange(ctx, a, method, s, inFloat32); err != nil {
		return nil, err
	}
	op.s = make([]float32, n)
	for v, x := range s {
		if x > 1/inFloat32.largest {
			op.s[v] = float32(x)
		}
	}
	return op, nil
}

// numbers are those in which a product is computed: their precision, and the largest diagonal
// whose products stay normal numbers.
type numbers struct{ precision, largest float64 }

var (
	inFloat32 = numbers{0x1p-24, 1e25}
	inFloat64 = numbers{0x1p-53, 1e140}
)

// checkRange refuses a penalty whose matrix exceeds a floating-point precision. A product
// adds the diagonal of A² and subtracts it again, so its rounding errors are that
// precision times s²·diag(A²). Where all neighbours of a vertex have much larger degrees
// than the vertex, these errors exceed the result. Without common neighbours there is no
// difference, but a diagonal of row sums may be out of range. What is lost of one of degrees is
// small beside the rest.
func checkRange(ctx context.Context, a *adjacency, m method, s []float64, in numbers) error {
	if !m.twoHops() {
		for v, x := range s {
			if m.strength && a.degrees[v] > 0 && !(x > 1/in.largest && x < in.largest) {
				return errTooLarge(m.beta)
			}
		}
		return nil
	}
	diagonal := 0.0
	for v, x := range s {
		diagonal = max(diagonal, m.common*x*x*a.squares[v])
	}
	if diagonal == 0 {
		return nil
	}
	largest, err := largestAtLeast(ctx, a, m, s)
	if err != nil {
		return err
	}
	if !(in.precision*diagonal <= 1e-4*largest) {
		return errTooLarge(m.beta)
	}
	return nil
}

func errTooLarge(beta float64) error {
	return fmt.Errorf("%w: beta (%g) is too large for the degrees of this graph: its matrix exceeds the precision of floating-point numbers", base.ErrOptions, beta)
}

// largestAtLeast returns a lower bound of the largest eigenvalue of the matrix with this
// diagonal scaling: 1 if the largest eigenvalue is known to be 1, otherwise the Rayleigh
// quotient of s.
func largestAtLeast(ctx context.Context, a *adjacency, m method, s []float64) (float64, error) {
	if m.strength {
		return 1, nil
	}
	squares := make([]float64, len(s))
	for v, x := range s {
		squares[v] = x * x
	}
	products, err := m.times(ctx, a, squares)
	if err != nil {
		return 0, err
	}
	above, below := 0.0, 0.0
	for v, x := range squares {
		above += x * products[v]
		below += x
	}
	return above / below, nil
}

// Size returns the number of vertices.
func (op *operator) Size() int { return op.a.vertices() }

// gathers returns the number of rows of a block that a product reads. With weights the rows
// are twice as long and have to be multiplied: on ego-facebook and soc-Epinions1, products
// with weights take 3 to 5 times as long.
func (op *operator) gathers() int64 {
	rows := op.a.entries()
	if op.common > 0 {
		rows *= 2
	}
	if op.weighted != nil {
		rows *= 3
	}
	return rows
}

// Apply sets y to alpha·N·x + beta·x + gamma·y.
func (op *operator) Apply(ctx context.Context, y, x []float32, alpha, beta, gamma float32) error {
	if op.weighted != nil {
		return op.weighted.apply(ctx, y, x, alpha, beta, gamma)
	}
	const b = eigen.Width
	if op.scaled == nil {
		op.scaled = vec.Zeros[float32](len(x))
		if op.common > 0 {
			op.once = vec.Zeros[float32](len(x))
		}
	}
	if err := op.rows.Between(ctx, 0, op.Size(), op.workers, func(lo, hi int) {
		rows := x[lo*b : hi*b]
		vec.StepRows(op.scaled[lo*b:hi*b], rows, nil, nil, rows, nil, op.s[lo:hi], 1, 0, 0) // s·x
	}); err != nil {
		return err
	}
	source := op.scaled
	if op.common > 0 { // A²: less the diagonal, plus A
		source = op.once
		if err := op.a.sums(ctx, op.rows, op.workers, op.scaled, op.once, nil); err != nil {
			return err
		}
	}
	rest := float32(0)
	if op.common > 0 {
		rest = float32(1/op.common - 1)
		alpha *= float32(op.common)
	}
	return op.a.sums(ctx, op.rows, op.workers, source, nil, func(v int, sums []float32) {
		end := v + len(sums)/b
		var once, scaled []float32
		if op.common > 0 { // c·(A² − D + A/c)
			once, scaled = op.once[v*b:end*b], op.scaled[v*b:end*b]
			if rest > 0 || rest < 0 {
				vec.Axpy(rest, once, sums)
			}
		}
		vec.StepRows(y[v*b:end*b], sums, once, scaled, x[v*b:end*b], op.a.shape.Offsets[v:end+1], op.s[v:end], alpha, beta, gamma)
	})
}

// Release gives up the scratch of products.
func (op *operator) Release() {
	op.scaled, op.once = nil, nil
	if op.weighted != nil {
		op.weighted.scaled, op.weighted.once = nil, nil
	}
}

// each calls f for every vertex, part by part.
func (op *operator) each(ctx context.Context, f func(v int)) error {
	return op.rows.Each(ctx, op.workers, f)
}

// weighted are products with the matrix of a method for a graph with weights.
//
// They are computed in float64, unlike products without weights. The diagonal of A² is
// added and subtracted again. Where a vertex has one heavy edge among light ones, as is
// common, the diagonal exceeds the result by more than the precision of float32. The
// vectors of the solver are still float32.
//
// Scratch is 128 bytes per vertex, or 256 with common neighbours.
type weighted struct {
	op           *operator
	a            *adjacency
	s            []float64 // the same as s of the operator, in float64
	scaled, once []float64 // s·x and A·s·x; nil before the first product
}

func newWeighted(op *operator, a *adjacency, s []float64) *weighted {
	return &weighted{op: op, a: a, s: s}
}

// unitSize scales s so that the largest eigenvalue of the matrix is 1 or somewhat more,
// because the vectors are float32. It returns the factor by which eigenvalues then have to
// be multiplied. If the largest eigenvalue is 1 already, it changes nothing.
func unitSize(ctx context.Context, a *adjacency, m method, s []float64) (float64, error) {
	if m.unitTop() || len(s) == 0 {
		return 1, nil
	}
	// Two bounds from below: the eigenvalue is at least every entry.
	largest, err := largestAtLeast(ctx, a, m, s)
	if err != nil {
		return 0, err
	}
	if err := a.each(ctx, func(v int, targets []uint32, weights []float32) {
		for i, u := range targets {
			largest = max(largest, s[v]*s[u]*float64(weights[i])*a.unit)
		}
	}); err != nil {
		return 0, err
	}
	if !(largest > 0) {
		return 1, nil
	}
	for v := range s {
		s[v] /= math.Sqrt(largest)
	}
	return largest, nil
}

// apply is operator.Apply.
func (w *weighted) apply(ctx context.Context, y, x []float32, alpha, beta, gamma float32) error {
	const b = eigen.Width
	if w.scaled == nil {
		w.scaled = vec.Zeros[float64](len(x))
		if w.op.common > 0 {
			w.once = vec.Zeros[float64](len(x))
		}
	}
	if err := w.op.each(ctx, func(v int) {
		s := w.s[v]
		to, from := (*[b]float64)(w.scaled[v*b:]), (*[b]float32)(x[v*b:])
		for j := range to {
			to[j] = s * float64(from[j])
		}
	}); err != nil {
		return err
	}
	source := w.scaled
	if w.op.common > 0 {
		if err := w.sums(ctx, w.scaled, func(v int, sum *[b]float64) { copy(w.once[v*b:], sum[:]) }); err != nil {
			return err
		}
		source = w.once
	}
	return w.sums(ctx, source, func(v int, sum *[b]float64) {
		if c := w.op.common; c > 0 { // c·(A² − diag(A²)) + A
			d := w.a.squares[v]
			scaled, once := (*[b]float64)(w.scaled[v*b:]), (*[b]float64)(w.once[v*b:])
			for j := range sum {
				sum[j] = c*(sum[j]-d*scaled[j]) + once[j]
			}
		}
		s := w.s[v]
		to, from := (*[b]float32)(y[v*b:]), (*[b]float32)(x[v*b:])
		for j := range sum {
			product := alpha*float32(s*sum[j]) + beta*from[j]
			if gamma != 0 {
				product += gamma * to[j]
			}
			to[j] = product
		}
	})
}

// sums calls finish with every row of A·x.
func (w *weighted) sums(ctx context.Context, x []float64, finish func(v int, sum *[eigen.Width]float64)) error {
	return w.a.weightedSums(ctx, w.op.rows, w.op.workers, w.a.unit, x, finish)
}
