package algorithms

import (
	"context"
	"math"
	"math/rand/v2"

	"heavytail/storage/checkpoint"
	"heavytail/storage/csr"
)

// Estimates of betweenness are improved, and their error is bounded, by random shortest paths
// between random pairs, which are independent of the estimates: the fraction of the paths that
// pass through a vertex is its betweenness divided by the number of all pairs, and a path counts
// 0 or 1, where a source counts from 0 to n − 2. So for vertices on many paths far fewer visits
// give a narrow bound. Vertices on few paths keep the values of the sources (Riondato and
// Kornaropoulos, "Fast Approximation of Betweenness Centrality through Sampling", WSDM 2014;
// searches from both ends: Borassi and Natale, "KADABRA is an ADaptive Algorithm for
// Betweenness via Random Approximation", ESA 2016).

const (
	leastPaths = 10_000
	mostPaths  = 4_000_000
	pathUnit   = 500 // paths of a unit of work
	pilotPaths = 500 // paths by whose visits the number of all is chosen
)

// pathUnits returns how many units of paths are drawn: so many that they visit as many edges as
// the searches from the sources, but at most SampledVisits. It is 0 where that allows too few to
// be of use.
func (o DistanceOptions) pathUnits(ctx context.Context, w ways, sources int) int {
	const most = SampledVisits / leastPaths // visits of a path
	pilot := newPathSearch(ctx, w)
	none := make([]float64, w.vertices())
	for i := range pilotPaths {
		pilot.add(o.Seed, uint64(i), none)
		if pilot.visits > most*pilotPaths || pilot.halted() { // in grids
			return 0
		}
	}
	visits := float64(1+pilot.visits) / pilotPaths // of a path
	return int(min(mostPaths, SampledVisits/visits, max(leastPaths, float64(sources)*w.visits()/visits))) / pathUnit
}

// pathBound returns the largest error of estimates of betweenness, as sums over pairs, at the probability confidence; 0 where too many paths would be needed. An estimate that
// the paths make improbable is replaced by theirs.
func (o DistanceOptions) pathBound(ctx context.Context, w ways, estimates []float64, sources int) (float64, error) {
	n := w.vertices()
	units := o.pathUnits(ctx, w, sources)
	if units == 0 {
		return 0, ctx.Err()
	}
	o.Checkpoints = checkpoint.Checkpoints{} // the paths take a part of the time of the estimates, and are drawn again
	// Sums of ones are exact, so they are the same with any number of slots.
	counts, err := o.accumulate(ctx, n, units, min(Slots, workersOf(o.Work)), "bound of the error", false, func() visitor {
		p := newPathSearch(ctx, w)
		return func(unit int, sum []float64) bool {
			for i := range pathUnit {
				if p.halted() {
					return false // nothing of this sum is kept
				}
				p.add(o.Seed, pilotPaths+uint64(unit)*pathUnit+uint64(i), sum)
			}
			return true
		}
	})
	if err != nil {
		return 0, err
	}
	pairs := float64(n) * float64(n-1) / w.countedFrom()
	sampled := float64(units) * pathUnit
	limit := math.Log(2*float64(n)/(1-confidence)) / sampled
	widths := make(map[float64]float64) // by count; many vertices have the same
	widest := 0.0
	for v, count := range counts {
		width, known := widths[count]
		if !known {
			p := count / sampled
			width = wider(1-p, limit, wider(p, limit, 0))
			widths[count] = width
		}
		value, width := float64(count/sampled*pairs), float64(width*pairs) // rounded, for the same bytes on every processor
		off := math.Abs(estimates[v] - value)
		if off > width/2 { // improbable for an estimate that is as good
			estimates[v], off = value, 0
		}
		widest = max(widest, off+width)
	}
	return widest, nil
}

// pathSearch draws shortest paths in graphs without weights, by searches from both ends that
// meet. It takes 32 bytes for each vertex.
type pathSearch struct {
	halt
	sides   [2]pathSide
	meeting []uint32 // vertices where the searches meet
	before  []uint32 // the last neighbours of back
	visits  int      // of edges
	pcg     *rand.PCG
	random  *rand.Rand // of pcg
}

// pathSide is the search from one end.
type pathSide struct {
	g, back  *csr.Graph
	distance []int32   // -1 where not reached
	paths    []float64 // number of shortest paths from the end, in a unit that vertices at the same distance share
	order    []uint32  // the vertices reached, by ascending distance
	level    int       // where the last level begins in order
	edges    int       // of the vertices of the last level
}

func newPathSearch(ctx context.Context, w ways) *pathSearch {
	n := w.vertices()
	p := &pathSearch{halt: halt{ctx}, pcg: new(rand.PCG)}
	p.sides = [2]pathSide{{g: w.forward.g, back: w.back.g}, {g: w.back.g, back: w.forward.g}}
	p.random = rand.New(p.pcg)
	for i := range p.sides {
		s := &p.sides[i]
		s.distance, s.paths = make([]int32, n), make([]float64, n)
		for v := range s.distance {
			s.distance[v] = -1
		}
	}
	return p
}

// add draws two vertices and a shortest path between them, by the random numbers of the path, and
// adds 1 for each vertex inside of it. All shortest paths are equally likely.
func (p *pathSearch) add(seed, path uint64, sum []float64) {
	p.pcg.Seed(seed, 0xbe7d<<40+path)
	r := p.random
	u := r.IntN(len(p.sides[0].paths))
	v := r.IntN(len(p.sides[0].paths) - 1)
	if v >= u {
		v++
	}
	p.sides[0].begin(uint32(u))
	p.sides[1].begin(uint32(v))
	if p.searchBothEnds() {
		at := p.meeting[p.draw(r, p.meeting, func(w uint32) float64 { return float64(p.sides[0].paths[w] * p.sides[1].paths[w]) })]
		if at != uint32(u) && at != uint32(v) {
			sum[at]++
		}
		for i := range p.sides {
			p.back(r, &p.sides[i], at, sum)
		}
	}
	for i := range p.sides {
		p.sides[i].end()
	}
}

// searchBothEnds searches from both ends, a level of the side with fewer edges at a time,
// until they meet. It reports whether they do.
func (p *pathSearch) searchBothEnds() bool {
	p.meeting = p.meeting[:0]
	for {
		s, other := &p.sides[0], &p.sides[1]
		if s.edges > other.edges {
			s, other = other, s
		}
		if s.level == len(s.order) {
			return false
		}
		p.visits += s.edges
		s.expand()
		// All vertices that both have reached are in the new level of the one and in the last
		// of the other: nearer ones would have been met before.
		for _, w := range s.order[s.level:] {
			if other.distance[w] >= 0 {
				p.meeting = append(p.meeting, w)
			}
		}
		if len(p.meeting) > 0 {
			return true
		}
	}
}

// back counts the vertices of a random shortest path from a vertex back to an end, without
// both.
func (p *pathSearch) back(r *rand.Rand, s *pathSide, at uint32, sum []float64) {
	before := p.before
	for s.distance[at] > 1 {
		before = before[:0]
		for _, w := range s.back.Neighbors(at) {
			if s.distance[w] == s.distance[at]-1 {
				before = append(before, w)
			}
		}
		p.visits += s.back.Degree(at)
		at = before[p.draw(r, before, func(w uint32) float64 { return s.paths[w] })]
		sum[at]++
	}
	p.before = before
}

// draw returns the place of one of the vertices, with a probability in proportion to its share.
func (p *pathSearch) draw(r *rand.Rand, of []uint32, share func(w uint32) float64) int {
	total := 0.0
	for _, w := range of {
		total += share(w)
	}
	left := float64(r.Float64() * total)
	for i, w := range of {
		if left -= share(w); left < 0 {
			return i
		}
	}
	return len(of) - 1 // by rounding
}

func (s *pathSide) begin(v uint32) {
	s.distance[v], s.paths[v] = 0, 1
	s.order, s.level, s.edges = append(s.order[:0], v), 0, s.g.Degree(v)
}

// expand finds the next level.
func (s *pathSide) expand() {
	begin, end := s.level, len(s.order)
	s.level, s.edges = end, 0
	for _, v := range s.order[begin:end] {
		next, paths := s.distance[v]+1, s.paths[v]
		for _, w := range s.g.Neighbors(v) {
			switch s.distance[w] {
			case -1:
				s.distance[w], s.paths[w] = next, paths
				s.order = append(s.order, w)
				s.edges += s.g.Degree(w)
			case next:
				s.paths[w] += paths
			}
		}
	}
	// In grids the numbers grow beyond any float64. Only those at the same distance are compared,
	// and one that becomes 0 is as improbable.
	const large = 0x1p400
	most := 0.0
	for _, w := range s.order[end:] {
		most = max(most, s.paths[w])
	}
	if most > large {
		for _, w := range s.order[end:] {
			s.paths[w] /= large
		}
	}
}

func (s *pathSide) end() {
	for _, v := range s.order {
		s.distance[v] = -1
	}
}
