package measure

import (
	"context"
	"fmt"
	"math"

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
// 180 bytes per vertex. If the two largest eigenvalues are close to each other, as in a
// long path, it takes thousands of iterations, and up to 256 MB more.
func Eigenvector(ctx context.Context, g *csr.Graph, opts EigenvectorOptions) (Scores, error) {
	g, err := weightsOf(g, !opts.Unweighted)
	if err != nil {
		return Scores{}, err
	}
	if opts.Tolerance <= 0 {
		opts.Tolerance = 1e-10
	}
	_, scores, err := largestEigenpair(ctx, g, opts.Work, opts.Tolerance)
	return scores, err
}

// The number of vectors between two restarts. It doubles after every few restarts without
// convergence: one restart with twice as many vectors reduces the residual far more than
// two restarts. The memory of the vectors bounds it, and the time for the eigenvectors of
// the tridiagonal matrix.
const (
	lanczosSteps    = 20
	lanczosRestarts = 8
	mostSteps       = 320
	mostStepBytes   = 256 << 20
)

// largestEigenpair finds the largest eigenvalue and its eigenvector by the Lanczos method
// with full orthogonalisation (Golub and Van Loan, 10.3), which starts with the vector of
// ones and restarts with the last approximation. Starting from ones, all vectors lie in
// one direction of each eigenspace, so that the result is unique even if the largest
// eigenvalue is multiple.
func largestEigenpair(ctx context.Context, g *csr.Graph, w Work, tolerance float64) (float64, Scores, error) {
	n := g.Vertices()
	if len(g.Targets) == 0 {
		return 0, Scores{}, ErrEdges
	}
	l := &lanczos{Work: w, g: g, steps: lanczosSteps, x: vec.Zeros[float64](n), next: vec.Zeros[float64](n)}
	for v := range l.x {
		l.x[v] = 1 / math.Sqrt(float64(n))
	}
	report := w.reporter("eigenvector", maxIterations)
	reached := 0.0
	most := max(min(mostSteps, mostStepBytes/8/n), lanczosSteps)
	for restarts := 1; l.iterations < maxIterations; restarts++ {
		value, residual, err := l.restart(ctx)
		if err != nil {
			return 0, Scores{}, err
		}
		report(int64(l.iterations))
		reached = residual / value
		if residual <= tolerance*value {
			report(maxIterations)
			return value, Scores{Values: l.positive(), Iterations: l.iterations, Residual: residual / value}, nil
		}
		if restarts%lanczosRestarts == 0 {
			l.steps = min(2*l.steps, most)
		}
	}
	return 0, Scores{}, fmt.Errorf("eigenvector: residual %.2g after %d iterations, above the tolerance %.2g: %w", reached, l.iterations, tolerance, ErrConverge)
}

type lanczos struct {
	Work
	g          *csr.Graph
	steps      int         // vectors between two restarts
	x, next    []float64   // the approximation, and room for a product
	basis      [][]float64 // vectors of this round
	spare      [][]float64 // vectors of an earlier round, whose memory can be reused
	iterations int         // products so far
}

// restart builds a basis from x, and makes the best vector of it the new x. It returns
// its eigenvalue and ‖Ax − λx‖.
func (l *lanczos) restart(ctx context.Context) (value, residual float64, err error) {
	var diagonal, beside []float64
	l.basis = append(l.basis[:0], l.x)
	for before := 0.0; len(diagonal) < l.steps; {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		a, b := l.step(before)
		diagonal, beside, before = append(diagonal, a), append(beside, b), b
		if b <= 1e-14*math.Abs(diagonal[0]) || len(diagonal) == l.steps {
			break // the space is invariant, or full
		}
		l.extend(1 / b)
	}
	k := len(diagonal)
	value, weights := tridiagonal(diagonal, beside[:k-1])
	l.combine(weights)
	l.spare = append(l.spare, l.basis...)
	return value, math.Abs(beside[k-1] * weights[k-1]), nil
}

// extend adds next, multiplied by a factor, to the basis.
func (l *lanczos) extend(factor float64) {
	v := l.room()
	l.each(len(v), func(lo, hi int) {
		for u := lo; u < hi; u++ {
			v[u] = factor * l.next[u]
		}
	})
	l.basis = append(l.basis, v)
}

// room returns a vector that may be overwritten.
func (l *lanczos) room() []float64 {
	if last := len(l.spare) - 1; last >= 0 {
		v := l.spare[last]
		l.spare = l.spare[:last]
		return v
	}
	return vec.Zeros[float64](len(l.next))
}

// step writes A·v, made orthogonal to the basis, into next, with v the last vector of
// the basis. It returns vᵀ·A·v and the norm of the remainder. before is the norm that
// the previous step returned.
//
// With exact arithmetic the recurrence of three vectors would be enough. One pass of
// classical Gram-Schmidt after it removes the rounding errors; together they are the two
// passes that are sufficient (Parlett, "The Symmetric Eigenvalue Problem", 6.9). The
// pass reads each vector of the basis only twice, because memory traffic takes most of
// the time.
func (l *lanczos) step(before float64) (along, norm float64) {
	k, n := len(l.basis), len(l.next)
	v := l.basis[k-1]
	l.iterations++
	along = l.sum(n, func(lo, hi int) float64 {
		for u := lo; u < hi; u++ {
			l.next[u] = rowProduct(l.g, uint32(u), v)
		}
		return vec.Dot64(v[lo:hi], l.next[lo:hi])
	})
	left := l.sums(n, k, func(lo, hi int, dots []float64) {
		vec.Axpy64(-along, v[lo:hi], l.next[lo:hi])
		if k > 1 {
			vec.Axpy64(-before, l.basis[k-2][lo:hi], l.next[lo:hi])
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
	return along + left[k-1], math.Sqrt(squares)
}

// sums adds k numbers, which f computes for fixed blocks of vertices, in the order of
// the blocks.
func (w Work) sums(n, k int, f func(lo, hi int, parts []float64)) []float64 {
	parts := make([]float64, (n+blockVertices-1)/blockVertices*k)
	vec.Parallel(n, blockVertices, w.Workers, func(block, lo, hi int) { f(lo, hi, parts[block*k:block*k+k]) })
	total := make([]float64, k)
	for i, p := range parts {
		total[i%k] += p
	}
	return total
}

// combine makes x the weighted sum of the basis, with the norm 1.
func (l *lanczos) combine(weights []float64) {
	l.x = l.room()
	squares := l.sum(len(l.x), func(lo, hi int) float64 {
		clear(l.x[lo:hi])
		for i, w := range weights {
			vec.Axpy64(w, l.basis[i][lo:hi], l.x[lo:hi])
		}
		return vec.Dot64(l.x[lo:hi], l.x[lo:hi])
	})
	scale(l.x, 1/math.Sqrt(squares))
}

// positive returns x with the sign of its sum. Values that are below zero by
// rounding become zero.
func (l *lanczos) positive() []float64 {
	if sumOf(l.x) < 0 {
		scale(l.x, -1)
	}
	for v := range l.x {
		l.x[v] = max(0, l.x[v])
	}
	return l.x
}

// tridiagonal returns the largest eigenvalue of a small symmetric tridiagonal matrix,
// and its eigenvector.
func tridiagonal(diagonal, beside []float64) (float64, []float64) {
	k := len(diagonal)
	t := mat.NewSymDense(k, nil)
	for i, a := range diagonal {
		t.SetSym(i, i, a)
		if i+1 < k {
			t.SetSym(i, i+1, beside[i])
		}
	}
	var e mat.EigenSym
	e.Factorize(t, true)
	var vectors mat.Dense
	e.VectorsTo(&vectors)
	return e.Values(nil)[k-1], mat.Col(nil, k-1, &vectors) // ascending
}
