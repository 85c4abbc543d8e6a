package algorithms

import (
	"context"
	"errors"
	"math"
	"time"

	"heavytail/storage/csr"
)

// This file estimates how long measures take, from measurements on the graph and from
// constants that were measured on ego-twitter, soc-Epinions1 and dblp-2010.

// The constants, in iterations of PageRank: what each took in these graphs, rounded.
const (
	corePasses      = 4
	componentPasses = 1
	leidenPasses    = 120 // an iteration
	labelPasses     = 50
	eigenPasses     = 50
	katzPasses      = 60
)

// Estimator estimates the seconds that measures of a graph take with a number of workers.
type Estimator struct {
	Work
	g *csr.Graph
}

// NewEstimator returns an estimator for a graph, whose weights are used or not.
func NewEstimator(g *csr.Graph, w Work, weighted bool) (Estimator, error) {
	w.Progress = nil
	g, err := weightsOf(g, weighted)
	return Estimator{w, g}, err
}

// pass is the time of an iteration of PageRank.
func (e Estimator) pass(ctx context.Context, workers int) (float64, error) {
	const iterations = 3
	start, err := starts(e.g.Vertices(), nil)
	if err != nil {
		return 0, err
	}
	s := pageRankSystem(Work{Workers: workers}, e.g, 0.85, start)
	s.tolerance, s.most = -1, iterations
	began := time.Now()
	if _, err := s.solve(ctx); !errors.Is(err, ErrConverge) {
		return 0, err
	}
	return time.Since(began).Seconds() / iterations, nil
}

// alone estimates a computation on one core.
func (e Estimator) alone(ctx context.Context, passes float64) (float64, error) {
	pass, err := e.pass(ctx, 1)
	return passes * pass, err
}

// Visit estimates a measure that visits every vertex once, such as Degree.
func (e Estimator) Visit(ctx context.Context) (float64, error) { return e.alone(ctx, 1) }

// batched estimates what a worklist does: it carries out its moves on one core.
func (e Estimator) batched(ctx context.Context, passes float64) (float64, error) {
	const serial = 0.15 // of the time of one core, measured on the same graphs
	seconds, err := e.alone(ctx, passes)
	return seconds * (serial + (1-serial)/float64(workersOf(e.Work))), err
}

// Cores estimates Cores.
func (e Estimator) Cores(ctx context.Context) (float64, error) { return e.alone(ctx, corePasses) }

// Components estimates csr.Graph.Components.
func (e Estimator) Components(ctx context.Context) (float64, error) {
	return e.alone(ctx, componentPasses)
}

// Leiden estimates Leiden, usually to a factor of two; a run that changes nothing ends it
// earlier.
func (e Estimator) Leiden(ctx context.Context, iterations int) (float64, error) {
	return e.batched(ctx, leidenPasses*float64(iterations))
}

// LabelPropagation estimates LabelPropagation.
func (e Estimator) LabelPropagation(ctx context.Context) (float64, error) {
	return e.batched(ctx, labelPasses)
}

// PageRank estimates PageRank, to a factor of three above: how few iterations the eigenvalues of the graph
// allow is unknown.
func (e Estimator) PageRank(ctx context.Context, damping, tolerance float64) (float64, error) {
	s := system{rho: damping, tolerance: tolerance, most: maxIterations}
	pass, err := e.pass(ctx, e.Workers)
	return float64(s.expected()) * pass, err
}

// Eigenvector estimates Eigenvector to a factor of three, because the gap of the spectrum
// is unknown.
func (e Estimator) Eigenvector(ctx context.Context) (float64, error) {
	pass, err := e.pass(ctx, e.Workers)
	return eigenPasses * pass, err
}

// Katz estimates Katz to a factor of three.
func (e Estimator) Katz(ctx context.Context) (float64, error) {
	pass, err := e.pass(ctx, e.Workers)
	return katzPasses * pass, err
}

// Triangles estimates Triangles and LocalClustering. It orders the edges as these do, and
// counts their lookups.
func (e Estimator) Triangles(ctx context.Context) (float64, error) {
	const perLookup = 4e-9 // seconds
	began := time.Now()
	o, err := orient(ctx, e.g, e.Work)
	if err != nil {
		return 0, err
	}
	lookups := 0
	for _, middle := range o.targets {
		lookups += len(o.row(middle))
	}
	return time.Since(began).Seconds() + float64(lookups)*perLookup/float64(workersOf(e.Work)), ctx.Err()
}

// Harmonic estimates Harmonic, and Closeness if all vertices are sources, and returns the number of sources from which it
// computes paths. It measures one search for each worker.
func (e Estimator) Harmonic(ctx context.Context, opts DistanceOptions) (seconds float64, sources int, err error) {
	at, cost := 64, 32.0
	if opts.Weighted && e.g.Weights != nil {
		at, cost = 1, 1
	}
	g, err := weightsOf(e.g, opts.Weighted)
	if err != nil {
		return 0, 0, err
	}
	sources = len(opts.sources(g, cost))
	l := lengthsOf(g, e.Work)
	seconds, err = e.searches(opts, at, sources, func(o DistanceOptions) error {
		_, err := o.sums(ctx, l, o.sources(g, cost), inverse)
		return err
	})
	return seconds, sources, err
}

// Betweenness estimates Betweenness, as Harmonic does.
func (e Estimator) Betweenness(ctx context.Context, opts DistanceOptions) (seconds float64, sources int, err error) {
	g, err := weightsOf(e.g, opts.Weighted)
	if err != nil {
		return 0, 0, err
	}
	sources = len(opts.sources(g, 1))
	l := lengthsOf(g, e.Work)
	seconds, err = e.searches(opts, 1, sources, func(o DistanceOptions) error {
		_, err := o.dependencies(ctx, l, o.sources(g, 1))
		return err
	})
	if n := g.Vertices(); err != nil || sources == n || g.Weights != nil {
		return seconds, sources, err
	}
	units := opts.pathUnits(ctx, g, sources)
	p := newPathSearch(ctx, g)
	sum := make([]float64, g.Vertices())
	began := time.Now()
	for i := range pathUnit {
		p.add(opts.Seed, pilotPaths+uint64(i), sum)
	}
	return seconds + time.Since(began).Seconds()*float64(units)/float64(min(workersOf(e.Work), Slots)), sources, ctx.Err()
}

// searches measures one search of at sources at a time for each worker, twice if the
// first one is short, and returns the time for all sources.
func (e Estimator) searches(opts DistanceOptions, at, sources int, run func(DistanceOptions) error) (float64, error) {
	const short = 0.1 // seconds
	workers := min(workersOf(e.Work), Slots)
	opts.Work, opts.Checkpoints, opts.Sources = e.Work, Checkpoints{}, min(sources, at*workers)
	for ; ; opts.Sources = min(sources, 8*opts.Sources) {
		began := time.Now()
		if err := run(opts); err != nil || sources == 0 {
			return 0, err
		}
		if took := time.Since(began).Seconds(); took > short || opts.Sources == sources {
			units := func(sources int) float64 { return math.Ceil(float64(sources) / float64(at)) }
			return took * units(sources) / units(opts.Sources), nil
		}
	}
}

// Eccentricity estimates Eccentricity from one of its searches. How many are needed cannot
// be known before: two for a star, 124 for soc-Epinions1, 386 for ego-twitter, some 340 for
// preferential attachment.
func (e Estimator) Eccentricity(ctx context.Context) (float64, error) {
	const searches = 300
	b := newBitSearch(ctx, e.g)
	n := e.g.Vertices()
	sources := DistanceOptions{Sources: min(64, n)}.sources(e.g, 1)
	began := time.Now()
	b.run(sources, func(uint32, int, uint64) {})
	return searches * time.Since(began).Seconds(), ctx.Err()
}
