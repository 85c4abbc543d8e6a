package netmf

import (
	"context"
	"fmt"
	"math"
	"sort"
	"time"

	"heavytail/embedding/eigen"
	"heavytail/storage/vec"
)

const (
	// tolerance is the largest residual, relative to the largest eigenvalue. With 10⁻⁵
	// the solver takes up to a third longer on cora, ca-GrQc and ego-facebook, and the sum
	// of squares of 64 or 200 eigenvalues changes by less than 10⁻⁸ of itself.
	tolerance = 1e-4
	// rounding is the magnitude, relative to the largest eigenvalue, below which an
	// eigenvalue is a rounding error of float32.
	rounding = 1e-6
	// firstSmallest is the number of eigenvalues at the lower end that are computed
	// first. On real graphs few of the k largest magnitudes are negative: of 200, 7 on
	// cora, 2 on ca-GrQc and 7 on ego-facebook.
	firstSmallest = 16
)

// pair is an eigenpair of N: a column of the vectors of a solve.
type pair struct {
	value, residual float64
	vectors         *vec.Matrix
	column          int
}

// ends are the eigenpairs of largest magnitude, by descending magnitude.
type ends struct {
	pairs              []pair
	restarts, products int
	reason             string // "" if all solves converged
}

// complement is the matrix −N without the eigenvectors of the largest eigenvalues, the
// first columns of known. It implements eigen.Projector: without them the spectrum is some
// thirty times narrower on ego-facebook, and the solver takes a fraction of the products.
type complement struct {
	*sparse
	known vec.Panel
}

// Apply sets y to −alpha·N·x + beta·x + gamma·y.
func (c complement) Apply(ctx context.Context, y, x []float32, alpha, beta, gamma float32) error {
	return c.sparse.Apply(ctx, y, x, -alpha, beta, gamma)
}

// Known returns the number of eigenvectors that are left out.
func (c complement) Known() int { return c.known.Cols }

// Project removes them from every column of a block.
func (c complement) Project(x []float32) {
	block := vec.Panel{Data: x, Rows: c.n, Cols: width, Stride: width}
	sums := make([]float64, c.known.Cols*width)
	vec.MulTN(sums, c.known, block, c.workers)
	// No error is possible: the context does not end.
	_ = vec.MulNNContext(context.Background(), block, 1, -1, c.known, vec.Float32s(sums), c.workers)
}

// ends finds the o.Dim eigenpairs of N of largest magnitude, without those of eigenvalue 0.
// It solves for the largest eigenvalues, and then for as many of the smallest as are needed
// to be sure that none of larger magnitude is left out. A solve for the largest eigenvalues
// of N² would find both at once, but cannot separate λ from −λ, and where the rank k cuts
// through many such pairs its vectors would be no eigenvectors of N.
func (m *sparse) ends(ctx context.Context, o Options) (ends, error) {
	var e ends
	if m.entries == 0 {
		return e, nil
	}
	k := min(o.Dim, m.n)
	opts := eigen.Options{
		K: k, Tolerance: tolerance, Gathers: 2 * m.entries, // a multiply-add takes about twice as long as an addition
		Seed: o.Seed, Workers: o.Workers, Progress: pairProgress(o, "solving: largest", k),
	}
	largest, err := eigen.Solve(ctx, m, opts)
	if err != nil {
		return e, err
	}
	// All entries of N are positive, so no magnitude is above the largest eigenvalue.
	opts.Norm = largest.Values[0]
	e.add(largest, 1, opts.Norm)
	least := rounding * opts.Norm // a magnitude that the smallest eigenvalues must be above
	if len(e.pairs) == k {
		least = e.pairs[k-1].value
	}
	rest := complement{m, largest.Vectors.Panel(0, len(e.pairs))}
	most := min(k, m.n-rest.Known())
	for opts.K = min(firstSmallest, most); most > 0; opts.K = min(4*opts.K, most) {
		opts.Progress = pairProgress(o, "solving: smallest", opts.K)
		smallest, err := eigen.Solve(ctx, rest, opts)
		if err != nil {
			return e, err
		}
		if opts.K == most || smallest.Values[opts.K-1] <= least {
			e.add(smallest, -1, opts.Norm)
			break
		}
		e.restarts, e.products = e.restarts+smallest.Restarts, e.products+smallest.Products
	}
	sort.SliceStable(e.pairs, func(a, b int) bool { return math.Abs(e.pairs[a].value) > math.Abs(e.pairs[b].value) })
	e.pairs = e.pairs[:min(k, len(e.pairs))]
	return e, nil
}

// add appends the pairs of a solve of sign·N whose eigenvalues are above 0.
func (e *ends) add(r *eigen.Result, sign, norm float64) {
	for i, value := range r.Values {
		if value > rounding*norm {
			e.pairs = append(e.pairs, pair{sign * value, r.Residuals[i] / norm, r.Vectors, i})
		}
	}
	e.restarts, e.products = e.restarts+r.Restarts, e.products+r.Products
	if !r.Converged {
		e.reason = r.Reason
	}
}

// stats returns what the solves contribute to the statistics of a run.
func (e *ends) stats() Stats {
	s := Stats{Iterations: e.restarts, Products: e.products, Converged: true, Reason: eigen.ReasonConverged}
	worst := 0.0
	for _, p := range e.pairs {
		s.Eigenvalues, s.Residuals = append(s.Eigenvalues, p.value), append(s.Residuals, p.residual)
		worst = max(worst, p.residual)
	}
	// A solve that ended early may have found all pairs that are used.
	if e.reason != "" && worst > tolerance {
		s.Converged, s.Reason = false, e.reason
		s.Notes = append(s.Notes, fmt.Sprintf("the tolerance of %g was not reached: %s; the largest residual is %.2g", tolerance, e.reason, worst))
	}
	return s
}

// pairProgress reports converged pairs, at most 20 times a second and at the end; nil without
// a Progress function.
func pairProgress(o Options, stage string, total int) func(converged int) {
	if o.Progress == nil {
		return nil
	}
	var last time.Time
	return func(converged int) {
		if converged == total || time.Since(last) >= 50*time.Millisecond {
			last = time.Now()
			o.Progress(stage, int64(converged), int64(total))
		}
	}
}
