package algorithms

import (
	"cmp"
	"context"
	"math"

	"heavytail/storage/csr"
)

// Betweenness returns for each vertex v the sum, over all pairs of other vertices, of the
// fraction of the shortest paths between the two that pass through v (Freeman, "A Set of
// Measures of Centrality Based on Betweenness", 1977). With Normalized it is divided by
// the number of these pairs, (n−1)(n−2)/2.
//
// The algorithm is that of Brandes, "A Faster Algorithm for Betweenness
// Centrality", 2001. Values from fewer sources than vertices are multiplied by n/sources
// (Brandes and Pich, "Centrality Estimation in Large Networks", 2007). With a
// probability of 0.99 no value has an error above Scores.Error. Without weights random
// shortest paths improve the estimates of the vertices on many of them, and bound the error
// (pathsample.go); with weights it is bounded from the sources alone, and the bound is wide.
//
// It takes O(s(n + m)) for s sources, with weights O(s(n + m) log n), and 132 bytes
// per vertex and 24 per vertex and worker, with weights up to 68, and 16 per edge.
func Betweenness(ctx context.Context, g *csr.Graph, opts DistanceOptions) (Scores, error) {
	w, err := waysOf(g, opts)
	if err != nil {
		return Scores{}, err
	}
	return betweenness(ctx, w, opts)
}

// DirectedBetweenness is Betweenness over ordered pairs of vertices and their shortest paths along the arcs
// of a directed graph; Normalized divides by (n−1)(n−2).
func DirectedBetweenness(ctx context.Context, d *csr.Directed, opts DistanceOptions) (Scores, error) {
	w, err := directedWaysOf(d, opts)
	if err != nil {
		return Scores{}, err
	}
	return betweenness(ctx, w, opts)
}

func betweenness(ctx context.Context, w ways, opts DistanceOptions) (Scores, error) {
	n := w.vertices()
	if n == 0 {
		return Scores{}, nil
	}
	sources := opts.sources(w, 1)
	values, err := opts.dependencies(ctx, w, sources)
	if err != nil {
		return Scores{}, err
	}
	ends := w.countedFrom()
	factor := float64(n) / float64(len(sources)) / ends
	// The dependency of a source on a vertex is at most the number of the other vertices.
	off := bound(values, len(sources), float64(max(1, n-2))) * float64(len(sources)) * factor
	scale(values, factor)
	if off > 0 && w.forward.g.Weights == nil {
		narrow, err := opts.pathBound(ctx, w, values, len(sources))
		if err != nil {
			return Scores{}, err
		}
		off = cmp.Or(narrow, off)
	}
	if opts.Normalized {
		pairs := math.Max(1, float64(n-1)*float64(n-2)/ends)
		scale(values, 1/pairs)
		off /= pairs
	}
	return Scores{Values: values, Sources: len(sources), Error: off}, nil
}

// dependencies returns the sums of the dependencies of sources on each vertex.
func (o DistanceOptions) dependencies(ctx context.Context, w ways, sources []uint32) ([]float64, error) {
	n := w.vertices()
	return o.accumulate(ctx, n, len(sources), Slots, "paths", len(sources) < n && w.forward.g.Weights == nil, func() visitor {
		if w.forward.g.Weights == nil {
			l := newLevels(ctx, w)
			return func(unit int, sum []float64) bool { return l.add(sources[unit], sum) }
		}
		b := newBrandes(ctx, w)
		return func(unit int, sum []float64) bool { return b.add(sources[unit], sum) }
	})
}

// levels adds up the dependencies of sources if every edge has the length 1.
type levels struct {
	halt
	g, back  *csr.Graph
	distance []int32   // -1 where not reached
	order    []uint32  // the vertices reached, by ascending distance
	paths    []float64 // the number of shortest paths to each vertex; at the end the dependency on it
	part     []float64 // (1 + dependency)/paths of each vertex
}

func newLevels(ctx context.Context, w ways) *levels {
	n := w.vertices()
	l := &levels{halt: halt{ctx}, g: w.forward.g, back: w.back.g, distance: make([]int32, n), order: make([]uint32, 0, n), paths: make([]float64, n), part: make([]float64, n)}
	for v := range l.distance {
		l.distance[v] = -1
	}
	return l
}

// add adds the dependencies of a source. If the context ends, it adds nothing, returns
// false, and cannot be called again.
func (l *levels) add(source uint32, sum []float64) bool {
	l.order = append(l.order[:0], source)
	l.distance[source], l.paths[source] = 0, 1
	for head := 0; head < len(l.order); head++ {
		if head%checkVertices == 0 && l.halted() {
			return false
		}
		l.expand(l.order[head])
	}
	if l.overflowed() {
		return l.addWide(sum)
	}
	for i := len(l.order) - 1; i > 0; i-- {
		if i%checkVertices == 0 && l.halted() {
			return false
		}
		v := l.order[i]
		next, parts := l.distance[v]+1, 0.0
		for _, u := range l.g.Neighbors(v) {
			if l.distance[u] == next {
				parts += l.part[u]
			}
		}
		l.part[v] = 1/l.paths[v] + parts
		l.paths[v] *= parts // the dependency replaces the number of paths, which no farther vertex needs
	}
	for _, v := range l.order[1:] {
		sum[v] += l.paths[v]
		l.distance[v] = -1
	}
	l.distance[source] = -1
	return true
}

// overflowed reports whether there are more paths to a vertex than a float64 can count.
func (l *levels) overflowed() bool {
	for _, v := range l.order {
		if math.IsInf(l.paths[v], 1) {
			return true
		}
	}
	return false
}

// addWide is the second half of add with numbers of paths of any size.
func (l *levels) addWide(sum []float64) bool {
	done := addWide(l.halt, l.order, sum, func(v uint32, predecessor func(u uint32)) {
		for _, u := range l.back.Neighbors(v) {
			if l.distance[u] == l.distance[v]-1 {
				predecessor(u)
			}
		}
	})
	for _, v := range l.order {
		l.distance[v] = -1
	}
	return done
}

// expand adds the number of paths to v to its neighbours in the next level.
func (l *levels) expand(v uint32) {
	next, paths := l.distance[v]+1, l.paths[v]
	for _, u := range l.g.Neighbors(v) {
		switch l.distance[u] {
		case -1:
			l.distance[u], l.paths[u] = next, paths
			l.order = append(l.order, u)
		case next:
			l.paths[u] += paths
		}
	}
}

// brandes adds up the dependencies of sources by lengths.
type brandes struct {
	*search
	back       lengths   // of the rows against those of the search
	paths      []float64 // the number of shortest paths to each vertex
	dependency []float64 // of the source, on each vertex
}

func newBrandes(ctx context.Context, w ways) *brandes {
	n := w.vertices()
	return &brandes{newSearch(ctx, w.forward), w.back, make([]float64, n), make([]float64, n)}
}

// add adds the dependencies of a source. Distances and lengths decide which neighbours are
// before a vertex, so that no lists of predecessors are needed.
func (b *brandes) add(source uint32, sum []float64) bool {
	b.from(source)
	for _, v := range b.order {
		b.paths[v], b.dependency[v] = 0, 0
	}
	b.paths[source] = 1
	for i, v := range b.order[1:] {
		if i%checkVertices == 0 && b.halted() {
			return false
		}
		if b.paths[v] = b.arriving(v); math.IsInf(b.paths[v], 1) {
			return addWide(b.halt, b.order, sum, b.predecessors)
		}
	}
	for i := len(b.order) - 1; i > 0; i-- {
		if i%checkVertices == 0 && b.halted() {
			return false
		}
		v := b.order[i]
		b.pass(v, (1+b.dependency[v])/b.paths[v])
	}
	if b.halted() {
		return false
	}
	for _, v := range b.order[1:] {
		sum[v] += b.dependency[v]
	}
	return true
}

// predecessors calls f with the vertices before v on its shortest paths.
func (b *brandes) predecessors(v uint32, f func(u uint32)) {
	if lo, hi := b.back.g.Offsets[v], b.back.g.Offsets[v+1]; b.back.Wide != nil {
		eachBefore(b.search, v, b.back.g.Neighbors(v), b.back.Wide[lo:hi], f)
	} else {
		eachBefore(b.search, v, b.back.g.Neighbors(v), b.back.Weights[lo:hi], f)
	}
}

// eachBefore calls f with the vertices of a row of v that are before it, with the lengths of the row.
func eachBefore[T float32 | float64](s *search, v uint32, row []uint32, lengths []T, f func(u uint32)) {
	latest := s.latest(s.distances[v])
	for i, u := range row {
		// Most neighbours arrive too late by far.
		if length := float64(lengths[i]); s.distances[u]+length <= latest && s.before(u, v, length) {
			f(u)
		}
	}
}

// arriving is the number of shortest paths to v.
func (b *brandes) arriving(v uint32) (paths float64) {
	b.predecessors(v, func(u uint32) { paths += b.paths[u] })
	return paths
}

// pass adds to the predecessors of v their parts of the dependency on v.
func (b *brandes) pass(v uint32, part float64) {
	b.predecessors(v, func(u uint32) { b.dependency[u] += float64(b.paths[u] * part) })
}
