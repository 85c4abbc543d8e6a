package evaluate

import (
	"cmp"
	"context"
	"math"
	"slices"

	"heavytail/index"
)

// paper measures the paper's grid.
func (j *judge) paper(ctx context.Context) ([]ReconstructionPoint, error) {
	var radii, epsilons []float64
	for hundredths := 50; hundredths >= 1; hundredths-- {
		eps := float64(hundredths) / 100
		radius, err := index.EpsilonToRadius(eps)
		if err != nil {
			return nil, err
		}
		radii, epsilons = append(radii, radius), append(epsilons, eps)
	}
	j.passes = j.passesFor(len(radii))
	points, err := j.measure(ctx, radii)
	for i := range points {
		points[i].Epsilon = epsilons[i] // the exact value of the grid, not one computed back from the radius
	}
	return points, err
}

// quantiles measures a coarse grid over the whole range, and a fine grid
// between the neighbours of its best point.
func (j *judge) quantiles(ctx context.Context) ([]ReconstructionPoint, error) {
	coarse, err := j.quantileRadii(ctx)
	if err != nil {
		return nil, err
	}
	j.passes = j.passesFor(len(coarse)) + j.passesFor(j.opts.Points/2)
	points, err := j.measure(ctx, coarse)
	if err != nil {
		return nil, err
	}
	fine := between(coarse, j.best(points), j.opts.Points/2)
	if len(fine) == 0 {
		return points, nil
	}
	more, err := j.measure(ctx, fine)
	if err != nil {
		return nil, err
	}
	points = append(points, more...)
	slices.SortFunc(points, func(a, b ReconstructionPoint) int { return cmp.Compare(a.Radius, b.Radius) })
	return points, nil
}

// ReconstructBytes estimates the memory of [ReconstructSweep] by quantiles in bytes, beside the graph
// and the vectors and without garbage: [ReconstructAtBytes] and the counts of a pass, with half as much
// of the pass before, which are collected while it runs; or the sample of distances if that is more.
func ReconstructBytes(vertices, dim int, edges int64, opts ReconstructOptions) int64 {
	opts = opts.withDefaults()
	n := int64(vertices)
	counts := 3 * min(opts.MaxBytes, 4*n*int64(opts.Points)) / 2
	sample := 16 * min(choose2(n), int64(sampled(vertices, fewestEdges(edges))))
	return max(ReconstructAtBytes(vertices, dim, edges)+counts, sample)
}

// ReconstructAtBytes is [ReconstructBytes] of [ReconstructAt]: what [index.Join] takes, 32 for each
// vertex and 4 for each edge.
func ReconstructAtBytes(vertices, dim int, edges int64) int64 {
	return int64(vertices)*int64(4*dim+60+32) + 4*edges
}

// fewestEdges is the number of edges at the first of the quantiles.
func fewestEdges(edges int64) float64 { return max(1, float64(edges)/50) }

// sampled is how many distances are sampled, of so many vectors. 16 below the first radius determine
// the number of its edges to within a quarter. 4 million distances take a second; for very large
// sparse graphs some of the first radii then coincide.
func sampled(vectors int, fewest float64) int {
	const enough, least, most = 16, 1 << 20, 4 << 20
	return int(max(least, min(most, enough*float64(choose2(int64(vectors)))/fewest)))
}

// quantileRadii returns the distinct radii at which the number of edges, estimated from a
// sample of distances, grows geometrically from a fiftieth of the original's to half of
// all pairs.
func (j *judge) quantileRadii(ctx context.Context) ([]float64, error) {
	pairs := float64(choose2(int64(j.m.Rows)))
	low := fewestEdges(j.g.Edges())
	high := max(low, pairs/2)
	sample, err := index.SampleDistances(ctx, j.m, sampled(j.m.Rows, low), j.opts.Seed)
	if err != nil {
		return nil, err
	}
	if len(sample) == 0 {
		return []float64{0}, nil
	}
	var radii []float64
	for i := range j.opts.Points {
		edges := low * math.Pow(high/low, float64(i)/float64(max(1, j.opts.Points-1)))
		at := math.Ceil(edges/pairs*float64(len(sample))) - 1
		r := sample[int(max(0, min(at, float64(len(sample)-1))))]
		// Squares of distant vectors may overflow float32. A radius that large
		// would join all vertices.
		if !math.IsInf(r, 1) {
			radii = append(radii, r)
		}
	}
	if len(radii) == 0 {
		return []float64{0}, nil
	}
	return slices.Compact(radii), nil
}

// between returns up to count radii, evenly spaced between the neighbours of
// radii[at], without those themselves and without radii[at].
func between(radii []float64, at, count int) []float64 {
	lo, mid, hi := 0.0, radii[at], radii[at]
	if at > 0 {
		lo = radii[at-1]
	}
	if at+1 < len(radii) {
		hi = radii[at+1]
	}
	var fine []float64
	for _, side := range [][2]float64{{lo, mid}, {mid, hi}} {
		steps := count / 2
		for i := 1; i <= steps; i++ {
			r := side[0] + (side[1]-side[0])*float64(i)/float64(steps+1)
			if r > side[0] && r < side[1] {
				fine = append(fine, r)
			}
		}
	}
	return slices.Compact(fine)
}
