package link

import (
	"slices"

	"heavytail/storage/csr"
)

// This file bounds the work of predictions for all vertices of a graph.

// The limits of [Predictor.All] and [Predictor.Limited] over all vertices of a graph.
// That many steps take about half a minute on one processor, and some minutes for paths
// of three edges. The candidates that are scored for the remaining vertices take some
// seconds together.
const (
	allSteps  = 1 << 34
	allTriple = 1 << 37
	allFew    = 1 << 24
	// A score that is no sum over the paths takes about as long as so many steps.
	scoreSteps = 32
)

// manySteps returns the function that reports whether the search from a vertex goes beyond
// the budget: see [Predictor.Many]. Only admitted vertices count.
func manySteps(steps []int64, budget int64, admits func(v uint32) bool) func(u uint32) bool {
	var sorted []int64
	for u, s := range steps {
		if admits(uint32(u)) {
			sorted = append(sorted, s)
		}
	}
	slices.Sort(sorted)
	limit, left := int64(0), budget
	for i := 0; i < len(sorted); {
		same := i
		for same < len(sorted) && sorted[same] == sorted[i] {
			same++
		}
		// sorted[i] is at most 33 times the entries of the graph: the product fits.
		if left -= sorted[i] * int64(same-i); left < 0 {
			break
		}
		limit, i = sorted[i], same
	}
	return func(u uint32) bool { return steps[u] > limit }
}

// isDense reports whether a pair takes so much time, by the mean number of paths of two edges from a vertex, that
// it is worth the order of the pairs to count the paths of a vertex once.
func isDense(g *csr.Graph) bool {
	const most = 1 << 10
	paths := int64(0)
	for v := range uint32(g.Vertices()) {
		d := int64(g.Degree(v))
		paths += d * d
	}
	return paths > most*int64(g.Vertices())
}

// countSteps counts the steps that the search from each vertex takes: of paths of two
// edges, or of three (triples), of which no vertex takes more than all entries of the graph,
// since vertices are reached once. With scores each candidate is scored by a function.
func countSteps(g *csr.Graph, triples, scores bool) []int64 {
	n, entries := g.Vertices(), int64(len(g.Targets))
	over := func(of func(x uint32) int64) []int64 {
		list := make([]int64, n)
		for u := range list {
			for _, x := range g.Neighbors(uint32(u)) {
				list[u] += of(x)
			}
		}
		return list
	}
	steps := over(func(x uint32) int64 { return int64(g.Degree(x)) })
	if triples {
		pairs := steps
		steps = over(func(x uint32) int64 { return pairs[x] })
		for u := range steps {
			steps[u] = min(steps[u], entries)
		}
	}
	if scores {
		for u, s := range steps {
			steps[u] = s + scoreSteps*min(s, int64(n))
		}
	}
	return steps
}
