package evaluate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sort"

	"heavytail/index"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// judge compares reconstructions with the original graph. It computes values that depend
// only on the original graph once.
type judge struct {
	g       *csr.Graph
	m       *vec.Matrix
	opts    ReconstructOptions
	degrees []float64
	ranks   ranking   // of the degrees
	edges   []float32 // squared lengths of the original edges

	// nearest is the best point so far with its degrees, if a power law is to be fitted.
	nearest struct {
		point   ReconstructionPoint
		degrees []uint32
	}

	passes int // over all pairs, for the progress
	passed int
}

func newJudge(ctx context.Context, g *csr.Graph, m *vec.Matrix, opts ReconstructOptions) (*judge, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	n := g.Vertices()
	if n != m.Rows {
		return nil, fmt.Errorf("%d vertices, %d vectors: %w", n, m.Rows, ErrShape)
	}
	j := &judge{g: g, m: m, opts: opts.withDefaults(), degrees: make([]float64, n)}
	degrees := make([]uint32, n)
	for v := range n {
		degrees[v] = uint32(g.Degree(uint32(v)))
		j.degrees[v] = float64(degrees[v])
	}
	j.ranks = rankDegrees(degrees)
	return j, j.measureEdges(ctx)
}

func (j *judge) measureEdges(ctx context.Context) error {
	n := j.g.Vertices()
	const block = 1024
	// Every block of vertices writes behind the edges of the blocks before it.
	start := make([]int64, (n+block-1)/block+1)
	for v := range n {
		start[v/block+1] += int64(j.above(v))
	}
	for b := 1; b < len(start); b++ {
		start[b] += start[b-1]
	}
	j.edges = make([]float32, start[len(start)-1])
	vec.Parallel(n, block, j.opts.Workers, func(b, lo, hi int) {
		if ctx.Err() != nil {
			return
		}
		at := start[b]
		for u := lo; u < hi; u++ {
			row := j.g.Neighbors(uint32(u))
			for _, v := range row[len(row)-j.above(u):] {
				j.edges[at] = vec.L2Squared(j.m.Row(u), j.m.Row(int(v)))
				at++
			}
		}
	})
	return ctx.Err()
}

// above returns how many neighbours of v are greater than v.
func (j *judge) above(v int) int {
	row := j.g.Neighbors(uint32(v))
	return len(row) - sort.Search(len(row), func(i int) bool { return row[i] > uint32(v) })
}

// passesFor returns how many passes over all pairs a number of radii takes.
func (j *judge) passesFor(radii int) int {
	return (radii + j.radiiPerPass() - 1) / j.radiiPerPass()
}

func (j *judge) radiiPerPass() int {
	return int(max(1, min(j.opts.MaxBytes/4/int64(max(1, j.m.Rows)), math.MaxInt32)))
}

// measure compares the reconstructions at ascending radii with the original.
func (j *judge) measure(ctx context.Context, radii []float64) ([]ReconstructionPoint, error) {
	points := make([]ReconstructionPoint, 0, len(radii))
	for part := range slices.Chunk(radii, j.radiiPerPass()) {
		sweep, err := index.NewSweep(ctx, j.m, part, index.JoinOptions{Workers: j.opts.Workers, Progress: j.progress()})
		if err != nil {
			return nil, err
		}
		j.passed++
		kept := j.kept(ctx, part)
		done := len(points)
		points = points[:done+len(part)]
		vec.Parallel(len(part), 1, j.opts.Workers, func(i, _, _ int) {
			if ctx.Err() == nil {
				points[done+i] = j.compare(ctx, sweep, i, kept[i])
			}
		})
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if j.opts.BestLaw && !j.opts.PowerLaw {
			j.keepBest(sweep, points[done:])
		}
	}
	return points, nil
}

// keepBest stores the degrees of the best point; of equally good points, of the one with
// the smallest radius.
func (j *judge) keepBest(sweep *index.Sweep, points []ReconstructionPoint) {
	i := j.best(points)
	both := []ReconstructionPoint{j.nearest.point, points[i]}
	slices.SortFunc(both, func(a, b ReconstructionPoint) int { return cmp.Compare(a.Radius, b.Radius) })
	if j.nearest.degrees == nil || both[j.best(both)].Radius == points[i].Radius {
		j.nearest.point, j.nearest.degrees = points[i], sweep.Degrees(i, j.nearest.degrees)
	}
}

// progress reports the progress of one pass as a part of the progress of all passes.
func (j *judge) progress() func(stage string, done, total int64) {
	if j.opts.Progress == nil {
		return nil
	}
	before := int64(j.passed)
	return func(stage string, done, total int64) {
		j.opts.Progress(stage, before*total+done, int64(j.passes)*total)
	}
}

// kept returns the number of original edges within each of the radii, by the same rule as
// the join. If ctx ends, the numbers are too low.
func (j *judge) kept(ctx context.Context, radii []float64) []int64 {
	const block = 1 << 16
	partial := make([][]int64, (len(j.edges)+block-1)/block)
	vec.Parallel(len(j.edges), block, j.opts.Workers, func(b, lo, hi int) {
		partial[b] = make([]int64, len(radii)+1) // the last for edges beyond all radii
		if ctx.Err() != nil {
			return
		}
		for _, squared := range j.edges[lo:hi] {
			partial[b][sort.Search(len(radii), func(i int) bool { return float64(squared) <= radii[i]*radii[i] })]++
		}
	})
	kept := make([]int64, len(radii))
	for _, counts := range partial {
		within := int64(0)
		for i := range kept {
			within += counts[i]
			kept[i] += within
		}
	}
	return kept
}

// compare measures the reconstruction at radius i of a sweep, given the number of original
// edges that it contains. If ctx ends, the power law may be missing.
func (j *judge) compare(ctx context.Context, sweep *index.Sweep, i int, kept int64) ReconstructionPoint {
	degrees := sweep.Degrees(i, nil)
	values := make([]float64, len(degrees))
	for v, d := range degrees {
		values[v] = float64(d)
	}
	ranks := rankDegrees(degrees)
	radius := sweep.Radii[i]
	p := ReconstructionPoint{
		Epsilon:   index.RadiusToEpsilon(radius),
		Radius:    radius,
		Edges:     sweep.Edges[i],
		Pearson:   Pearson(j.degrees, values),
		Spearman:  spearman(j.ranks, ranks),
		Kendall:   kendall(j.ranks, ranks),
		Precision: share(kept, float64(sweep.Edges[i])),
		Recall:    share(kept, float64(len(j.edges))),
	}.withMeans()
	if j.opts.PowerLaw {
		p.Law = j.law(ctx, degrees)
	}
	return p
}

// law fits a power law to degrees, if they allow a fit.
func (j *judge) law(ctx context.Context, degrees []uint32) PowerLaw {
	counts := make([]int, len(degrees))
	for v, d := range degrees {
		counts[v] = int(d)
	}
	// Apart from the error of ctx, the only error is that there are too few different
	// degrees.
	law, err := FitPowerLaw(ctx, counts, PowerLawOptions{})
	if err != nil {
		return PowerLaw{}
	}
	return law
}

// share is ratio of a count.
func share(part int64, whole float64) float64 { return ratio(float64(part), whole) }
