package measure

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"heavytail/storage/csr"
)

// communities numbers groups by descending size, and among equal sizes by their smallest
// vertex. Groups are below len(group).
func communities(group []uint32) Communities {
	label := append([]uint32(nil), group...)
	sizes := make([]int, compact(label)) // by the smallest vertex
	for _, c := range label {
		sizes[c]++
	}
	order := identity(len(sizes))
	slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(sizes[b], sizes[a]) })
	rank, sorted := make([]uint32, len(sizes)), make([]int, len(sizes))
	for i, c := range order {
		rank[c], sorted[i] = uint32(i), sizes[c]
	}
	for v, c := range label {
		label[v] = rank[c]
	}
	return Communities{Label: label, Sizes: sorted}
}

// Modularity returns how many more edges are inside the groups than if edges were placed
// at random with the same degrees: Σ (w(c)/2m − resolution·(k(c)/2m)²) over the groups,
// where w(c) is twice the weight of the edges inside and k(c) the sum of the
// strengths (Newman and Girvan, "Finding and Evaluating Community Structure in
// Networks", 2004). It is NaN without edges. Labels must be one per vertex.
func Modularity(g *csr.Graph, labels []uint32, resolution float64) (float64, error) {
	if len(labels) != g.Vertices() {
		return 0, fmt.Errorf("%d labels for %d vertices: %w", len(labels), g.Vertices(), ErrOption)
	}
	if err := checkWeights(g); err != nil {
		return 0, err
	}
	groups := 0
	for _, c := range labels {
		groups = max(groups, int(c)+1)
	}
	return modularity(g, labels, groups, resolution), nil
}

func modularity(g *csr.Graph, labels []uint32, groups int, resolution float64) float64 {
	inside, all := make([]float64, groups), make([]float64, groups)
	for v, c := range labels {
		weights := g.WeightsOf(uint32(v))
		for i, u := range g.Neighbors(uint32(v)) {
			w := lengthOf(weights, i)
			all[c] += w
			if labels[u] == c {
				inside[c] += w
			}
		}
	}
	total, q := sumOf(all), 0.0
	if total == 0 {
		return math.NaN()
	}
	for c, w := range inside {
		part := all[c] / total
		q += w/total - float64(resolution*float64(part*part))
	}
	return q
}

// LabelOptions sets how LabelPropagation works. The zero value works.
type LabelOptions struct {
	Work
	Unweighted bool   // ignore the weights
	Seed       uint64 // of the order of the vertices and of ties
}

// maxRounds bounds the rounds of label propagation. Some five are enough for most
// vertices, and ties that never end are cut off.
const maxRounds = 100

// LabelPropagation finds communities faster than Leiden and worse: each vertex takes
// again and again the label that most of its edges lead to, until every vertex has one
// of these (Raghavan, Albert and Kumara, "Near Linear Time Algorithm to Detect Community
// Structures", 2007). A vertex keeps its label where that is one of several. Unlike with
// Leiden, a community need not be connected. It takes O(m) a round, on one core, and
// 25 bytes per vertex.
func LabelPropagation(ctx context.Context, g *csr.Graph, opts LabelOptions) (Communities, error) {
	g, err := weightsOf(g, !opts.Unweighted)
	if err != nil {
		return Communities{}, err
	}
	n := g.Vertices()
	l := &leiden{rng: rand.New(rand.NewPCG(opts.Seed, 0x1abe1))}
	p := &propagation{g: g, rng: l.rng, labels: identity(n), weight: make([]float64, n), settled: make([]bool, n)}
	report := opts.reporter("communities", maxRounds)
	rounds := 0
	for changed := true; changed && rounds < maxRounds; rounds++ {
		changed = false
		for i, v := range l.shuffled(n) {
			if i%checkVertices == 0 && ctx.Err() != nil {
				return Communities{}, ctx.Err()
			}
			if !p.settled[v] {
				changed = p.visit(v) || changed
			}
		}
		report(int64(rounds + 1))
	}
	report(maxRounds)
	c := communities(p.labels)
	c.Iterations = rounds
	c.Modularity = modularity(g, c.Label, len(c.Sizes), 1)
	return c, nil
}

// propagation is the state of label propagation.
type propagation struct {
	g       *csr.Graph
	rng     *rand.Rand
	labels  []uint32
	weight  []float64 // of the edges to each label
	touched []uint32
	best    []uint32
	settled []bool // vertices that a visit would leave as they are: no neighbour has changed since the last
}

// visit gives a vertex a label of the largest weight, and reports whether it had none of
// these.
func (p *propagation) visit(v uint32) bool {
	row, weights := p.g.Neighbors(v), p.g.WeightsOf(v)
	for i, u := range row {
		c := p.labels[u]
		if p.weight[c] == 0 {
			p.touched = append(p.touched, c)
		}
		p.weight[c] += lengthOf(weights, i)
	}
	most := 0.0
	for _, c := range p.touched {
		most = max(most, p.weight[c])
	}
	p.best = p.best[:0]
	kept := len(row) == 0 || p.weight[p.labels[v]] == most
	for _, c := range p.touched {
		if p.weight[c] == most {
			p.best = append(p.best, c)
		}
		p.weight[c] = 0
	}
	p.touched = p.touched[:0]
	p.settled[v] = true
	if kept {
		return false
	}
	for _, u := range row {
		p.settled[u] = false
	}
	p.labels[v] = p.best[p.rng.IntN(len(p.best))]
	return true
}
