package spectral

import (
	"context"
	"time"

	"heavytail/embedding/eigen"
	"heavytail/storage/csr"
)

// solve is one run of a spectral method.
type solve struct {
	g          *csr.Graph // without its edges if they are read from lists
	from       *reader    // of the lists; nil if the edges are in memory
	components *csr.Components
	method     method
	opts       Options
	stats      *Stats
	out        *Eigenpairs
	log        *solveLog // nil without checkpoints
	reported   time.Time // when Progress was called last
}

// newSolve begins a run, and counts the components of the graph in its statistics.
func newSolve(g *csr.Graph, m method, opts Options, stats *Stats) *solve {
	return newSolveOf(input{g: g}, m, opts, stats)
}

// input is the graph of a solve, in memory or read from lists.
type input struct {
	g    *csr.Graph // without its edges if they are read from lists
	from *reader    // of the lists, or nil
}

func newSolveOf(in input, m method, opts Options, stats *Stats) *solve {
	g := in.g
	if in.from != nil {
		stats.Components = in.from.components.Count()
		return &solve{g: g, from: in.from, components: in.from.components, method: m, opts: opts, stats: stats}
	}
	components := g.Components()
	stats.Components = components.Count()
	// The methods use neither timestamps nor ignored weights.
	bare := &csr.Graph{Offsets: g.Offsets, Targets: g.Targets}
	if !opts.IgnoreWeights {
		bare.Weights = g.Weights
	}
	return &solve{g: bare, components: components, method: m, opts: opts, stats: stats}
}

// rank distinguishes how a part is solved in relation to the other parts.
type rank uint8

const (
	largest rank = iota // one at a time, with checkpoints and progress
	alone               // with checkpoints
	small               // concurrently with other parts; too short for checkpoints
)

// openLog begins the log of the parts that are solved alone, given their sizes.
func (s *solve) openLog(sizes []int) (err error) {
	s.log, err = openLog(s.opts.Checkpoints, s.method.auto && !s.method.strength, sizes, s.stats.Dim)
	return err
}

// solve finds the leading eigenpairs of a graph without isolated vertices. Its components
// are given by labels below linked; labels is nil if the graph is connected.
func (s *solve) solve(ctx context.Context, a matrix, labels []uint32, linked, workers int, as rank) (pairs, error) {
	p, err := s.problem(ctx, a, labels, linked, workers)
	if err != nil {
		return pairs{}, err
	}
	return s.solveProblem(ctx, p, as)
}

// solveProblem is solve for a matrix that is prepared.
func (s *solve) solveProblem(ctx context.Context, p *problem, as rank) (pairs, error) {
	if as == largest && s.opts.Progress != nil {
		p.opts.Progress = func(converged int) { s.report(p.known+converged, p.k, false) }
	}
	if as != small && s.log != nil {
		if err := s.log.solver(&p.opts, p.op.Size()); err != nil {
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

// problem prepares the matrix of a part; its arguments are those of solve.
func (s *solve) problem(ctx context.Context, a matrix, labels []uint32, linked, workers int) (*problem, error) {
	op, err := newOperator(ctx, a, s.method, workers)
	if err != nil {
		return nil, err
	}
	p := &problem{op: op, k: min(s.stats.Dim, a.vertices()), target: op}
	p.opts = eigen.Options{
		K: p.k, Tolerance: s.opts.Tolerance, Restarts: s.opts.MaxIterations,
		Gathers: op.gathers(), Seed: s.opts.Seed, Workers: workers,
	}
	if s.method.unitTop() {
		deflated := newDeflated(op, labels, linked)
		p.known = min(p.k, linked)
		p.opts.Norm, p.opts.K, p.opts.Lead, p.target = 1, p.k-p.known, p.known, deflated
		p.top, err = eigen.Measure(ctx, op, deflated.vectors(p.known), p.opts)
	}
	return p, err
}
