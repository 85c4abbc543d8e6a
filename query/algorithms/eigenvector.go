package algorithms

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// EigenvectorOptions sets how Eigenvector works. The zero value works.
type EigenvectorOptions struct {
	Work
	Unweighted bool    // ignore the weights
	Tolerance  float64 // bounds Scores.Residual; 0 means 1e-10
}

// Eigenvector returns the eigenvector of the largest eigenvalue of the adjacency matrix,
// with positive values and the Euclidean norm 1 (Bonacich, "Factoring and Weighting
// Approaches to Status Scores", 1972). If the graph has several components, the vector
// is positive in the components with the largest eigenvalue, and 0 up to the tolerance
// in the others. If several components have the largest eigenvalue, their parts are in
// proportion to the sum of each component's own eigenvector. A graph without edges is
// ErrEdges.
//
// Residual is ‖Ax − λx‖/λ. It takes O(n + m) an iteration, 10 to 200 iterations, and
// 170 bytes per vertex and TileBytes. If the two largest eigenvalues are close to each other, as in a
// long path, it takes thousands of iterations.
func Eigenvector(ctx context.Context, g *csr.Graph, opts EigenvectorOptions) (Scores, error) {
	g, err := weightsOf(g, !opts.Unweighted)
	if err != nil {
		return Scores{}, err
	}
	if opts.Tolerance <= 0 {
		opts.Tolerance = 1e-10
	}
	p, err := newProduct(ctx, opts.Work, g, g, nil)
	if err != nil {
		return Scores{}, err
	}
	_, scores, err := largestEigenpair(ctx, nil, p, opts.Tolerance)
	return scores, err
}

const (
	lanczosSteps = 20    // vectors of a full basis
	lanczosKept  = 8     // vectors that a restart keeps
	invariant    = 1e-14 // norm of what is new in a product, relative to the eigenvalue, that is a rounding error
)

// largestEigenpair finds the largest eigenvalue and its eigenvector by the Lanczos method
// with full orthogonalisation (Golub and Van Loan, 10.3), which starts with the vector of
// ones and restarts with the best approximations of several eigenvectors (Wu and Simon,
// "Thick-Restart Lanczos Method for Large Symmetric Eigenvalue Problems", 2000). Starting
// from ones, all vectors lie in one direction of each eigenspace, so that the result is
// unique even if the largest eigenvalue is multiple.
//
// The matrix is that of p, which must be symmetric; or the product of the matrix of p and that of first,
// where first is not nil.
func largestEigenpair(ctx context.Context, first, p *product, tolerance float64) (float64, Scores, error) {
	n := p.rows.Vertices()
	if len(p.rows.Targets) == 0 {
		return 0, Scores{}, ErrEdges
	}
	l := &lanczos{Work: p.Work, first: first, last: p, t: mat.NewSymDense(lanczosSteps, nil), next: vec.Zeros[float64](n)}
	for v := range l.next {
		l.next[v] = 1
	}
	if first != nil {
		l.middle = vec.Zeros[float64](n)
	}
	l.extend(1 / math.Sqrt(float64(n)))
	report := l.reporter("eigenvector", maxIterations)
	reached := 0.0
	for l.iterations < maxIterations {
		rest, err := l.fill(ctx)
		if err != nil {
			return 0, Scores{}, err
		}
		report(int64(l.iterations))
		values, vectors := l.eigen()
		last := len(l.basis) - 1
		value := values[0]
		residual := max(math.Abs(rest*vectors.At(last, 0)), 0x1p-52*value) // by rounding
		reached = residual / value
		if residual <= tolerance*value {
			report(maxIterations)
			l.rotate(vectors, 1)
			return value, Scores{Values: positive(l.basis[0]), Iterations: l.iterations, Residual: reached}, nil
		}
		if rest <= invariant*value {
			break
		}
		l.restart(values, vectors, rest)
	}
	return 0, Scores{}, fmt.Errorf("eigenvector: residual %.2g after %d iterations, above the tolerance %.2g: %w", reached, l.iterations, tolerance, ErrConverge)
}

type lanczos struct {
	Work
	first      *product  // nil where the matrix is that of last
	middle     []float64 // the product with first
	last       *product
	basis      [][]float64   // orthonormal
	spare      [][]float64   // vectors whose memory can be reused
	t          *mat.SymDense // the products of the basis with A times the basis
	next       []float64     // A times the last vector of the basis, made orthogonal to all
	rows       sync.Pool     // of rotate
	iterations int           // products so far
}

// fill extends the basis until it is full or invariant, and returns the norm of next.
func (l *lanczos) fill(ctx context.Context) (norm float64, err error) {
	for {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		norm = l.step()
		k := len(l.basis)
		if k == lanczosSteps || norm <= invariant*math.Abs(l.t.At(0, 0)) {
			return norm, nil
		}
		l.t.SetSym(k-1, k, norm)
		l.extend(1 / norm)
	}
}

// extend adds next, multiplied by a factor, to the basis.
func (l *lanczos) extend(factor float64) {
	v := l.next
	if last := len(l.spare) - 1; last >= 0 {
		l.next, l.spare = l.spare[last], l.spare[:last]
	} else {
		l.next = vec.Zeros[float64](len(v))
	}
	l.each(len(v), func(lo, hi int) { scale(v[lo:hi], factor) })
	l.basis = append(l.basis, v)
}

// step sets next to A·v, made orthogonal to the basis, with v the last vector of the basis,
// and its entry of t to vᵀ·A·v. It returns the norm of next.
//
// With exact arithmetic the products that t has would be enough. One pass of classical
// Gram-Schmidt after it removes the rounding errors; together they are the two
// passes that are sufficient (Parlett, "The Symmetric Eigenvalue Problem", 6.9). The
// pass reads each vector of the basis only twice, because memory traffic takes most of
// the time.
func (l *lanczos) step() (norm float64) {
	last, n := len(l.basis)-1, len(l.next)
	v := l.basis[last]
	l.iterations++
	from := v
	if l.first != nil {
		l.first.blocks(v, func(lo, _ int, y []float64) { copy(l.middle[lo:], y) })
		from = l.middle
	}
	along := l.last.blockSums(1, from, func(lo, hi int, y, parts []float64) {
		copy(l.next[lo:], y)
		parts[0] = vec.Dot64(v[lo:hi], y)
	})[0]
	left := l.sums(n, last+1, func(lo, hi int, dots []float64) {
		vec.Axpy64(-along, v[lo:hi], l.next[lo:hi])
		for i, q := range l.basis[:last] {
			if known := l.t.At(i, last); known != 0 {
				vec.Axpy64(-known, q[lo:hi], l.next[lo:hi])
			}
		}
		for i, q := range l.basis {
			dots[i] = vec.Dot64(q[lo:hi], l.next[lo:hi])
		}
	})
	squares := l.sum(n, func(lo, hi int) float64 {
		for i, q := range l.basis {
			vec.Axpy64(-left[i], q[lo:hi], l.next[lo:hi])
		}
		return vec.Dot64(l.next[lo:hi], l.next[lo:hi])
	})
	l.t.SetSym(last, last, along+left[last])
	return math.Sqrt(squares)
}

// eigen returns the eigenvalues of t, descending, and its eigenvectors as columns.
func (l *lanczos) eigen() (values []float64, vectors *mat.Dense) {
	k := len(l.basis)
	var e mat.EigenSym
	e.Factorize(l.t.SliceSym(0, k), true)
	var ascending mat.Dense
	e.VectorsTo(&ascending)
	values, vectors = e.Values(nil), mat.NewDense(k, k, nil)
	slices.Reverse(values)
	for j := range k {
		vectors.SetCol(j, mat.Col(nil, k-1-j, &ascending))
	}
	return values, vectors
}

// restart keeps the best approximations of eigenvectors, with next after them. norm is that of next.
func (l *lanczos) restart(values []float64, vectors *mat.Dense, norm float64) {
	last := len(l.basis) - 1
	kept := min(lanczosKept, last)
	l.rotate(vectors, kept)
	l.t.Zero()
	for i, value := range values[:kept] {
		l.t.SetSym(i, i, value)
		l.t.SetSym(i, kept, norm*vectors.At(last, i))
	}
	l.extend(1 / norm)
}

// rotate replaces the basis by the products with the first columns of a matrix.
func (l *lanczos) rotate(columns *mat.Dense, count int) {
	l.each(len(l.next), func(lo, hi int) {
		rows, ok := l.rows.Get().(*[lanczosKept * blockVertices]float64)
		if !ok {
			rows = new([lanczosKept * blockVertices]float64)
		}
		defer l.rows.Put(rows)
		clear(rows[:])
		for j := range count {
			to := rows[j*(hi-lo):][:hi-lo]
			for i, q := range l.basis {
				vec.Axpy64(columns.At(i, j), q[lo:hi], to)
			}
		}
		for j := range count {
			copy(l.basis[j][lo:hi], rows[j*(hi-lo):])
		}
	})
	l.spare = append(l.spare, l.basis[count:]...)
	l.basis = l.basis[:count]
}

// positive returns an eigenvector with the sign of its sum and the norm 1. Values that are below
// zero by rounding become zero.
func positive(x []float64) []float64 {
	factor := 1 / math.Sqrt(squaresOf(x))
	if sumOf(x) < 0 {
		factor = -factor
	}
	for v := range x {
		x[v] = max(0, factor*x[v])
	}
	return x
}

func squaresOf(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += float64(v * v)
	}
	return sum
}
