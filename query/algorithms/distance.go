package algorithms

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"

	"heavytail/storage/csr"
)

// ExactVisits is the number of visits of vertices and edges up to which measures of
// shortest paths are exact by default: about a minute on one core. SampledVisits is the
// number of visits of an estimate. Four times as many would halve the bound of the error,
// and take minutes on ten million edges, where searches miss the caches.
const (
	ExactVisits   = 4e9
	SampledVisits = 1e9
)

// sources chooses the vertices from which paths are computed: some in random order,
// or all in ascending order. at is the number of searches that take as long as one.
func (o DistanceOptions) sources(w ways, at float64) []uint32 {
	const least = 50
	n := w.vertices()
	count := min(o.Sources, n)
	if o.Sources <= 0 {
		visits := max(1, w.visits()) / at
		if count = n; float64(n)*visits > ExactVisits {
			count = int(min(float64(n), max(least, SampledVisits/visits)))
		}
	}
	all := identity(n)
	if count == n {
		return all
	}
	r := rand.New(rand.NewPCG(o.Seed, 0x9a7d))
	for i := range count {
		j := i + r.IntN(n-i)
		all[i], all[j] = all[j], all[i]
	}
	return all[:count]
}

// Harmonic returns the harmonic closeness of each vertex: the sum of 1/distance to every
// other vertex, 0 for vertices that cannot be reached (Marchiori and Latora, "Harmony in
// the Small-World", 2000; Boldi and Vigna, "Axioms for Centrality", 2014). Normalized
// divides by n−1.
//
// Values from fewer sources than vertices are multiplied by n/sources (Eppstein and
// Wang, "Fast Approximation of Centrality", 2004). With a probability of 0.99 no value
// has an error above Scores.Error.
//
// Without weights it computes the paths of 64 sources at a time (Then et al., "The More
// the Merrier: Efficient Multi-Source Graph Traversal", VLDB 2014). It takes at most O(s(n +
// m)) for s sources, with weights O(s(n + m) log n), and 132 bytes per vertex and
// 40 per vertex and worker, with weights 16 more per edge.
func Harmonic(ctx context.Context, g *csr.Graph, opts DistanceOptions) (Scores, error) {
	w, err := waysOf(g, opts)
	if err != nil {
		return Scores{}, err
	}
	return harmonic(ctx, w, opts)
}

// DirectedHarmonic is Harmonic along the arcs of a directed graph: the sum of 1/distance to a vertex from
// every other vertex, as in networkx. The distances from a vertex to the others are those of d.Reversed.
func DirectedHarmonic(ctx context.Context, d *csr.Directed, opts DistanceOptions) (Scores, error) {
	w, err := directedWaysOf(d, opts)
	if err != nil {
		return Scores{}, err
	}
	return harmonic(ctx, w, opts)
}

func harmonic(ctx context.Context, w ways, opts DistanceOptions) (Scores, error) {
	n := w.vertices()
	if n == 0 {
		return Scores{}, nil
	}
	sources := opts.sources(w, w.atOnce())
	values, err := opts.sums(ctx, w.forward, sources, inverse, false)
	if err != nil {
		return Scores{}, err
	}
	factor := float64(n) / float64(len(sources))
	if opts.Normalized {
		factor /= float64(max(1, n-1))
	}
	off := bound(values, len(sources), largestInverse(w.forward.g)) * float64(len(sources)) * factor
	scale(values, factor)
	return Scores{Values: values, Sources: len(sources), Error: off}, nil
}

// Closeness returns the closeness of each vertex: r/sum · r/(n−1), where r is the number of other
// vertices that it reaches, and sum that of their distances; 0 for a vertex without neighbours (Wasserman and Faust, "Social Network Analysis",
// 1994, formula 5.22). Of the options it ignores Normalized, Sources and Seed: values are exact.
//
// It computes the paths as Harmonic does from all vertices, and takes 20 bytes more per vertex.
func Closeness(ctx context.Context, g *csr.Graph, opts DistanceOptions) (Scores, error) {
	w, err := waysOf(g, opts)
	n := w.vertices()
	if err != nil || n == 0 {
		return Scores{}, err
	}
	values, err := opts.sums(ctx, w.forward, identity(n), distance, false)
	if err != nil {
		return Scores{}, err
	}
	components := g.Components()
	for v, sum := range values {
		values[v] = closeness(n, components.Sizes[components.Label[v]]-1, sum)
	}
	return Scores{Values: values, Sources: n}, nil
}

// DirectedCloseness is Closeness along the arcs of a directed graph, as in networkx: r is the number of
// other vertices that reach a vertex, and sum that of their distances to it. For the vertices that it
// reaches d.Reversed is used. It takes twice the memory of DirectedHarmonic for sums.
func DirectedCloseness(ctx context.Context, d *csr.Directed, opts DistanceOptions) (Scores, error) {
	w, err := directedWaysOf(d, opts)
	n := w.vertices()
	if err != nil || n == 0 {
		return Scores{}, err
	}
	values, err := opts.sums(ctx, w.forward, identity(n), distance, true)
	if err != nil {
		return Scores{}, err
	}
	for v, sum := range values[:n] {
		values[v] = closeness(n, int(values[n+v]), sum)
	}
	return Scores{Values: values[:n:n], Sources: n}, nil
}

// closeness is that of a vertex of n from so many others, at a sum of distances.
func closeness(n, reached int, sum float64) float64 {
	if sum == 0 {
		return 0
	}
	return float64(reached) / float64(n-1) * (float64(reached) / sum)
}

// term is what vertices at a distance add to a sum.
type term func(vertices int, distance float64) float64

func inverse(vertices int, distance float64) float64  { return float64(vertices) / distance }
func distance(vertices int, distance float64) float64 { return float64(vertices) * distance }

// sums returns for each vertex the sum of the terms of its distances from sources; and counted, after
// these, the number of other sources that reach it.
func (o DistanceOptions) sums(ctx context.Context, l lengths, sources []uint32, of term, counted bool) ([]float64, error) {
	units, size := len(sources), l.g.Vertices()
	if counted {
		size *= 2
	}
	newVisitor := func() visitor { return newSearch(ctx, l).sums(sources, of, counted) }
	if l.g.Weights == nil {
		units = (len(sources) + 63) / 64
		newVisitor = func() visitor { return newBitSearch(ctx, l.g).sums(sources, of, size) }
	}
	return o.accumulate(ctx, size, units, Slots, "distances", false, newVisitor)
}

// bitSearch searches from up to 64 vertices at a time.
type bitSearch struct {
	halt
	g                   *csr.Graph
	seen, current, next []uint64 // a bit for each source
	frontier, reached   []uint32 // vertices with a bit in current, and in next
}

func newBitSearch(ctx context.Context, g *csr.Graph) *bitSearch {
	n := g.Vertices()
	return &bitSearch{
		halt: halt{ctx}, g: g, seen: make([]uint64, n), current: make([]uint64, n), next: make([]uint64, n),
		frontier: make([]uint32, 0, n), reached: make([]uint32, 0, n),
	}
}

// sums returns a function that adds the terms of the distances from 64 of the sources to so many sums:
// those of the vertices or, of twice as many, also the numbers of these sources.
func (b *bitSearch) sums(sources []uint32, of term, size int) visitor {
	gain := make([]float64, size)
	reached := gain[len(b.seen):]
	return func(unit int, sum []float64) bool {
		clear(gain)
		b.run(sources[unit*64:min(len(sources), unit*64+64)], func(v uint32, distance int, new uint64) {
			count := bits.OnesCount64(new)
			gain[v] += of(count, float64(distance))
			if len(reached) > 0 {
				reached[v] += float64(count)
			}
		})
		if b.halted() {
			return false
		}
		for v, x := range gain {
			sum[v] += x
		}
		return true
	}
}

// run calls f, for each vertex and distance, with the sources whose search first
// reaches the vertex at that distance, as bits. If the context ends, it stops, and
// cannot be called again.
func (b *bitSearch) run(sources []uint32, f func(v uint32, distance int, new uint64)) {
	clear(b.seen)
	b.frontier = append(b.frontier[:0], sources...)
	for i, v := range sources {
		b.seen[v], b.current[v] = 1<<i, 1<<i
	}
	for distance := 1; len(b.frontier) > 0 && !b.halted(); distance++ {
		b.expand()
		kept := b.reached[:0]
		for _, v := range b.reached {
			new := b.next[v] &^ b.seen[v]
			b.next[v] = 0
			if new != 0 {
				b.seen[v] |= new
				b.current[v] = new
				f(v, distance, new)
				kept = append(kept, v)
			}
		}
		b.frontier, b.reached = kept, b.frontier[:0]
	}
}

// expand passes the bits of the frontier on to its neighbours.
func (b *bitSearch) expand() {
	b.reached = b.reached[:0]
	for i, v := range b.frontier {
		if i%checkVertices == 0 && b.halted() {
			return
		}
		bits := b.current[v]
		b.current[v] = 0
		for _, u := range b.g.Neighbors(v) {
			if b.next[u] == 0 {
				b.reached = append(b.reached, u)
			}
			b.next[u] |= bits
		}
	}
}

// search finds shortest paths from one vertex at a time.
type search struct {
	halt
	lengths
	distances []float64 // in units of the lengths; +Inf where not reached
	order     []uint32  // the vertices reached, by ascending distance
	queue     pathQueue
	settled   []bool   // of a search by lengths
	parents   []uint32 // the vertex before each one in the tree of the search; nil if all weights are certain
	target    int64    // a vertex at which a search by lengths ends; -1 for none
}

func newSearch(ctx context.Context, l lengths) *search {
	n := l.g.Vertices()
	s := &search{halt: halt{ctx}, lengths: l, distances: make([]float64, n), order: make([]uint32, 0, n), target: -1}
	for v := range s.distances {
		s.distances[v] = math.Inf(1)
	}
	if l.g.Weights != nil {
		s.settled = make([]bool, n)
	}
	if !l.Certain {
		s.parents = make([]uint32, n)
	}
	return s
}

// from computes the distances from a vertex. It stops if the context ends.
func (s *search) from(source uint32) {
	for _, v := range s.order {
		s.distances[v] = math.Inf(1)
		if s.settled != nil {
			s.settled[v] = false
		}
	}
	s.order = s.order[:0]
	s.distances[source] = 0
	if s.g.Weights == nil {
		s.breadth(source)
	} else {
		s.dijkstra(source)
	}
}

func (s *search) breadth(source uint32) {
	s.order = append(s.order, source)
	for head := 0; head < len(s.order); head++ {
		v := s.order[head]
		if head%checkVertices == 0 && s.halted() {
			return
		}
		next := s.distances[v] + 1
		for _, u := range s.g.Neighbors(v) {
			if math.IsInf(s.distances[u], 1) {
				s.distances[u] = next
				s.order = append(s.order, u)
			}
		}
	}
}

// dijkstra leaves outdated entries in the queue: only the first entry of a vertex that
// is taken counts.
func (s *search) dijkstra(source uint32) {
	s.queue = append(s.queue[:0], pathEnd{source, 0})
	for len(s.queue) > 0 {
		v := s.queue.pop().vertex
		if s.settled[v] {
			continue
		}
		s.settled[v] = true
		s.order = append(s.order, v)
		if int64(v) == s.target || len(s.order)%checkVertices == 0 && s.halted() {
			return
		}
		if lo, hi := s.g.Offsets[v], s.g.Offsets[v+1]; s.Wide != nil {
			relax(s, v, s.Wide[lo:hi])
		} else {
			relax(s, v, s.Weights[lo:hi])
		}
	}
}

// relax reaches the neighbours of v, with the lengths of its row.
func relax[T float32 | float64](s *search, v uint32, lengths []T) {
	for i, u := range s.g.Neighbors(v) {
		if d := after(s.distances[v], float64(lengths[i])); d < s.distances[u] {
			s.distances[u] = d
			s.queue.push(pathEnd{u, d})
			if s.parents != nil {
				s.parents[u] = v
			}
		}
	}
}

// before reports whether u, a neighbour of v by an edge of a length, is before v on a
// shortest path from the source.
//
// Ties within a tolerance are no equivalence: a may be as long as b and b as c, and a not as c. So
// no two paths are compared, but each with the shortest: an edge belongs to the shortest paths
// if its beginning is nearer to the source than its end, and a path by it arrives later than the
// distance of its end, which is the least of all, by no more than rounding explains. That depends
// on the edge, the distances and the tree of the search, and on nothing that a caller does. Nearer
// is strict, so the edges have no cycle, and ascending distances are an order of them. The edge
// that gave v its distance is one, see after, so every vertex but the source has one. A path that
// is one of the shortest before rounding has only such edges, because its parts are shortest
// paths as well. Both passes of Brandes' algorithm follow the same edges, so the parts of a
// dependency add up to one.
//
// Weights that are not certain make the two ways to v differ only by the edges that they do not
// share: from the last vertex that the tree has on both. Relative to the whole distance, lengths of
// a millionth would be nothing behind a long edge.
func (s *search) before(u, v uint32, length float64) bool {
	from, to := s.distances[u], s.distances[v]
	arrives := from + length
	if !(from < to && arrives <= s.latest(to)) {
		return false
	}
	return arrives <= to+to*sumTie || arrives-to <= (to-s.distances[s.fork(u, v)])*weightTie
}

// latest is when paths to a vertex at a distance arrive at the latest.
func (s *search) latest(distance float64) float64 {
	if s.parents == nil {
		return distance + distance*sumTie
	}
	return distance + distance*weightTie
}

// fork is the last vertex that the ways to u and to v in the tree of the search share.
func (s *search) fork(u, v uint32) uint32 {
	for u != v {
		if s.distances[u] > s.distances[v] {
			u = s.parents[u]
		} else {
			v = s.parents[v]
		}
	}
	return u
}

// sums returns a function that adds the terms of the distances from a source, and counted 1 to the second
// half of the sums.
func (s *search) sums(sources []uint32, of term, counted bool) visitor {
	unit := s.lengths.Value(1)
	return func(at int, sum []float64) bool {
		if s.from(sources[at]); s.halted() {
			return false
		}
		for _, v := range s.order[1:] {
			sum[v] += of(1, s.distances[v]*unit)
			if counted {
				sum[len(s.distances)+int(v)]++
			}
		}
		return true
	}
}

// pathEnd is a vertex at a distance.
type pathEnd struct {
	vertex   uint32
	distance float64
}

// pathQueue is a binary heap of the nearest vertex first, of equal distances the
// smallest.
type pathQueue []pathEnd

func (e pathEnd) before(other pathEnd) bool {
	return e.distance < other.distance || e.distance == other.distance && e.vertex < other.vertex
}

func (q *pathQueue) push(e pathEnd) {
	*q = append(*q, e)
	list := *q
	i := len(list) - 1
	for ; i > 0 && e.before(list[(i-1)/2]); i = (i - 1) / 2 {
		list[i] = list[(i-1)/2]
	}
	list[i] = e
}

func (q *pathQueue) pop() pathEnd {
	list := *q
	top, last := list[0], list[len(list)-1]
	list = list[:len(list)-1]
	*q = list
	if len(list) == 0 {
		return top
	}
	i := 0
	for child := 1; child < len(list); child = 2*i + 1 {
		if child+1 < len(list) && list[child+1].before(list[child]) {
			child++
		}
		if !list[child].before(last) {
			break
		}
		list[i], i = list[child], child
	}
	list[i] = last
	return top
}
