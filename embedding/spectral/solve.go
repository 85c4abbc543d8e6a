package spectral

import (
	"context"
	"errors"
	"fmt"
	"time"

	"heavytail/embedding/eigen"
	"heavytail/embedding/internal/base"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// solveSpectral finds the eigenpairs of a method whose options have been checked.
func solveSpectral(ctx context.Context, g *csr.Graph, m method, opts Options) (*Eigenpairs, error) {
	start := time.Now()
	n := g.Vertices()
	stats := Stats{Dim: min(opts.Dim, n), Converged: true, Reason: eigen.ReasonConverged}
	if stats.Dim < opts.Dim {
		stats.Notes = append(stats.Notes, fmt.Sprintf("dim is %d, not %d: the graph has no more vertices", stats.Dim, opts.Dim))
	}
	components := g.Components()
	stats.Components = components.Count()
	// The methods use neither timestamps nor ignored weights.
	bare := &csr.Graph{Offsets: g.Offsets, Targets: g.Targets}
	if !opts.IgnoreWeights {
		bare.Weights = g.Weights
	}
	out := &Eigenpairs{Vectors: vec.NewMatrix(n, stats.Dim), Degrees: make([]float64, n), Components: opts.Components}
	s := &solve{g: bare, components: components, method: m, opts: opts, stats: &stats, out: out}
	var err error
	if opts.Components == Joint {
		err = s.joint(ctx)
	} else {
		err = s.apart(ctx)
	}
	switch {
	case errors.Is(err, base.ErrOptions), errors.Is(err, base.ErrCheckpoint), errors.Is(err, errCrowded):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w", err)
	}
	if !stats.Converged {
		stats.Notes = append(stats.Notes, unconverged(m, opts, &stats))
	}
	stats.Seconds = time.Since(start).Seconds()
	out.Stats = stats
	return out, nil
}

// unconverged returns how far a solve is from its tolerance, and what may help.
func unconverged(m method, opts Options, stats *Stats) string {
	worst, spread := 0.0, 0.0
	for _, r := range stats.Residuals {
		worst = max(worst, r)
	}
	if n := len(stats.Eigenvalues); n > 0 && stats.Eigenvalues[0] > 0 {
		spread = 1 - stats.Eigenvalues[n-1]/stats.Eigenvalues[0]
	}
	note := stats.Reason
	if stats.Reason != eigen.ReasonStalled { // the tolerance may be reached then, by combinations of eigenvectors
		note = fmt.Sprintf("the tolerance of %g was not reached: %s", opts.Tolerance, stats.Reason)
	}
	if worst > opts.Tolerance { // not where only a smaller component missed it
		note += fmt.Sprintf("; the largest residual is %.2g", worst)
	}
	// Eigenvectors whose residual is above the mean gap between eigenvalues are
	// mixtures of each other and of further eigenvectors.
	if n := len(stats.Eigenvalues); n > 1 && (stats.Reason == eigen.ReasonStalled || worst > max(opts.Tolerance, spread/float64(n))) {
		note += fmt.Sprintf(", while all %d eigenvalues lie within %.2g of the largest: the vectors are not the eigenvectors", n, spread)
		if m.twoHops && m.strength {
			note += "; normalization := 'degree' keeps eigenvalues apart where small dense groups crowd them at 1"
		}
	}
	return note
}

// solve is one run of a spectral method.
type solve struct {
	g          *csr.Graph
	components *csr.Components
	method     method
	opts       Options
	stats      *Stats
	out        *Eigenpairs
	log        *solveLog // nil without checkpoints
	reported   time.Time // when Progress was called last
}

// pairs are the leading eigenpairs of a part of the graph.
type pairs struct {
	*eigen.Result
	relative []float64 // residuals over the largest eigenvalue
	degrees  []float64 // of the vertices, weighted if weights were used
	weighted bool      // weights were used
}

// rank is how a part is solved among the other parts.
type rank uint8

const (
	largest rank = iota // with checkpoints and progress
	alone               // with checkpoints
	small               // concurrently with others, and too short for checkpoints
)

// openLog begins the log of the parts that are solved alone, given their sizes.
func (s *solve) openLog(sizes []int) (err error) {
	s.log, err = openLog(s.opts.Checkpoints, s.method.auto && !s.method.strength, sizes, s.stats.Dim)
	return err
}

// joint solves the graph without its isolated vertices, whose vectors stay zero,
// as one matrix.
func (s *solve) joint(ctx context.Context) error {
	var vertices []uint32
	linked := 0 // components with an edge: they come first
	for v := range s.g.Vertices() {
		if s.g.Degree(uint32(v)) > 0 {
			vertices = append(vertices, uint32(v))
		}
	}
	for linked < s.components.Count() && s.components.Sizes[linked] > 1 {
		linked++
	}
	labels := make([]uint32, len(vertices))
	for i, v := range vertices {
		labels[i] = s.components.Label[v]
	}
	sub := s.g.Induced(vertices).WithoutEqualWeights()
	if err := s.openLog(nil); err != nil {
		return err
	}
	p, err := s.solve(ctx, sub, labels, linked, s.opts.Workers, largest)
	if err != nil {
		return err
	}
	s.add(p)
	s.stats.Eigenvalues, s.stats.Residuals = p.Values, p.relative
	s.keep(p, vertices)
	s.out.Parts = []EigenPart{{Vertices: vertices, Values: p.Values}}
	return nil
}

// solve finds the leading eigenpairs of a graph without isolated vertices. Its
// components are given by labels below linked, nil if it is connected.
func (s *solve) solve(ctx context.Context, g *csr.Graph, labels []uint32, linked, workers int, as rank) (pairs, error) {
	p, err := s.problem(ctx, g, labels, linked, workers)
	if err != nil {
		return pairs{}, err
	}
	if as == largest && s.opts.Progress != nil {
		p.opts.Progress = func(converged int) { s.report(p.known+converged, p.k, false) }
	}
	if as != small && s.log != nil {
		if err := s.log.solver(&p.opts, g.Vertices()); err != nil {
			return pairs{}, err
		}
	}
	result, err := eigen.Solve(ctx, p.target, p.opts)
	if err != nil {
		return pairs{}, err
	}
	if s.method.auto && s.method.strength && result.Reason == eigen.ReasonStalled {
		return pairs{}, errCrowded
	}
	if as == largest {
		s.report(p.k, p.k, true)
	}
	return p.pairs(result), nil
}

// problem is the matrix of a part of the graph with its known eigenpairs.
type problem struct {
	op     *operator
	k      int            // eigenpairs wanted
	known  int            // of them have the eigenvalue 1
	top    *eigen.Result  // these, nil where none is known
	target eigen.Operator // op without these
	opts   eigen.Options  // of its solution
}

// problem prepares the solution of a part, given as for solve.
func (s *solve) problem(ctx context.Context, g *csr.Graph, labels []uint32, linked, workers int) (*problem, error) {
	op, err := newOperator(g, s.method, workers)
	if err != nil {
		return nil, err
	}
	p := &problem{op: op, k: min(s.stats.Dim, g.Vertices()), target: op}
	p.opts = eigen.Options{
		K: p.k, Tolerance: s.opts.Tolerance, Restarts: s.opts.MaxIterations,
		Gathers: op.gathers(), Seed: s.opts.Seed, Workers: workers,
	}
	if s.method.unitTop() {
		deflated := newDeflated(op, labels, linked)
		p.known = min(p.k, linked)
		p.opts.Norm, p.opts.K, p.target = 1, p.k-p.known, deflated
		p.top, err = eigen.Measure(ctx, op, deflated.vectors(p.known), p.opts)
	}
	return p, err
}

// pairs joins the known eigenpairs and a solution.
func (p *problem) pairs(result *eigen.Result) pairs {
	if p.top != nil {
		result = join(p.top, result)
	}
	return p.scaled(result)
}

// scaled returns a solution with the known eigenpairs in the units of the method.
func (p *problem) scaled(result *eigen.Result) pairs {
	found := pairs{Result: result, relative: result.Residuals, degrees: p.op.degrees, weighted: p.op.g.Weighted()}
	for i := range found.relative {
		found.relative[i] /= max(result.Values[0], minNorm)
	}
	for i := range result.Values {
		result.Values[i] *= p.op.factor
	}
	return found
}

// minNorm replaces a largest eigenvalue of zero, that of a zero matrix.
const minNorm = 1e-300

// join returns a result with the columns of both.
func join(a, b *eigen.Result) *eigen.Result {
	rows, left, right := a.Vectors.Rows, a.Vectors.Dim, b.Vectors.Dim
	vectors := vec.NewMatrix(rows, left+right)
	for i := range rows {
		row := vectors.Row(i)
		copy(row, a.Vectors.Row(i))
		copy(row[left:], b.Vectors.Row(i))
	}
	joined := *b
	joined.Vectors = vectors
	joined.Values = append(append([]float64(nil), a.Values...), b.Values...)
	joined.Residuals = append(append([]float64(nil), a.Residuals...), b.Residuals...)
	joined.Products += a.Products
	if !a.Converged {
		joined.Converged, joined.Reason = false, a.Reason
	}
	return &joined
}

// add counts the work of one part.
func (s *solve) add(p pairs) {
	s.stats.Iterations += p.Restarts
	s.stats.Products += p.Products
	s.stats.Weighted = s.stats.Weighted || p.weighted
	if !p.Converged && s.stats.Converged {
		s.stats.Converged, s.stats.Reason = false, p.Reason
	}
}

// report reports progress, at most 20 times a second.
func (s *solve) report(done, total int, always bool) {
	if s.opts.Progress == nil || !always && time.Since(s.reported) < 50*time.Millisecond {
		return
	}
	s.reported = time.Now()
	s.opts.Progress("solving", int64(done), int64(total))
}
