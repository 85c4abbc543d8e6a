package algorithms

import (
	"context"
	"errors"
	"math"
	"time"

	"heavytail/storage/checkpoint"
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
	g     *csr.Graph // rows along which searches go
	ways  func(opts DistanceOptions) (ways, error)
	solve func(ctx context.Context, workers, iterations int) error // so many iterations of PageRank
}

// NewEstimator returns an estimator for a graph, whose weights are used or not.
func NewEstimator(g *csr.Graph, w Work, weighted bool) (Estimator, error) {
	w.Progress = nil
	g, err := weightsOf(g, weighted)
	solve := func(ctx context.Context, workers, iterations int) error {
		start, err := starts(g.Vertices(), nil)
		if err != nil {
			return err
		}
		s := pageRankSystem(&product{Work: Work{Workers: workers}, rows: g}, 0.85, start) // without tiles
		s.tolerance, s.most = -1, iterations
		_, err = s.solve(ctx)
		return err
	}
	return Estimator{w, g, func(opts DistanceOptions) (ways, error) { return waysOf(g, opts) }, solve}, err
}

// NewDirectedEstimator is NewEstimator for measures of a directed graph.
func NewDirectedEstimator(d *csr.Directed, w Work, weighted bool) (Estimator, error) {
	w.Progress = nil
	out, err := weightsOf(rowsOf(&d.Out), weighted)
	solve := func(ctx context.Context, workers, iterations int) error {
		_, err := directedPageRank(ctx, d, PageRankOptions{Work: Work{Workers: workers}, Unweighted: !weighted, Tolerance: math.SmallestNonzeroFloat64}, iterations)
		return err
	}
	return Estimator{w, out, func(opts DistanceOptions) (ways, error) { return directedWaysOf(d, opts) }, solve}, err
}

// pass is the time of an iteration of PageRank.
func (e Estimator) pass(ctx context.Context, workers int) (float64, error) {
	const iterations = 3
	began := time.Now()
	if err := e.solve(ctx, workers, iterations); err != nil && !errors.Is(err, ErrConverge) {
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
	w, err := e.ways(opts)
	if err != nil || w.vertices() == 0 {
		return 0, 0, err
	}
	at, cost := 64, w.atOnce()
	if cost == 1 {
		at = 1
	}
	sources = len(opts.sources(w, cost))
	seconds, err = e.searches(opts, at, sources, func(o DistanceOptions) error {
		_, err := o.sums(ctx, w.forward, o.sources(w, cost), inverse, false)
		return err
	})
	return seconds, sources, err
}

// Betweenness estimates Betweenness, as Harmonic does.
func (e Estimator) Betweenness(ctx context.Context, opts DistanceOptions) (seconds float64, sources int, err error) {
	w, err := e.ways(opts)
	if err != nil || w.vertices() == 0 {
		return 0, 0, err
	}
	sources = len(opts.sources(w, 1))
	seconds, err = e.searches(opts, 1, sources, func(o DistanceOptions) error {
		_, err := o.dependencies(ctx, w, o.sources(w, 1))
		return err
	})
	n := w.vertices()
	if err != nil || sources == n || w.forward.g.Weights != nil {
		return seconds, sources, err
	}
	units := opts.pathUnits(ctx, w, sources)
	p := newPathSearch(ctx, w)
	sum := make([]float64, n)
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
	opts.Work, opts.Checkpoints, opts.Sources = e.Work, checkpoint.Checkpoints{}, min(sources, at*workers)
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
	w, err := e.ways(DistanceOptions{})
	if err != nil {
		return 0, err
	}
	sources := DistanceOptions{Sources: min(64, e.g.Vertices())}.sources(w, 1)
	began := time.Now()
	b.run(sources, func(uint32, int, uint64) {})
	return searches * time.Since(began).Seconds(), ctx.Err()
}

// DirectedEccentricity estimates DirectedEccentricity, all of whose searches are known.
func (e Estimator) DirectedEccentricity(ctx context.Context) (float64, error) {
	w, err := e.ways(DistanceOptions{})
	if err != nil || w.vertices() == 0 {
		return 0, err
	}
	return e.searches(DistanceOptions{}, 64, w.vertices(), func(o DistanceOptions) error {
		_, err := o.sums(ctx, w.forward, o.sources(w, 32), inverse, false)
		return err
	})
}
