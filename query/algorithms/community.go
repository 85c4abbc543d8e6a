package algorithms

import (
	"cmp"
	"math"
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

// modularity returns how many more edges are inside the groups than if edges were placed
// at random with the same degrees: Σ (w(c)/2m − resolution·(k(c)/2m)²) over the groups,
// where w(c) is twice the weight of the edges inside and k(c) the sum of the
// strengths (Newman and Girvan, "Finding and Evaluating Community Structure in
// Networks", 2004). It is NaN without edges.
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
