package algorithms

import (
	"context"
	"math"
	"slices"

	"heavytail/storage/csr"
)

// ShortestPaths returns the k shortest paths between two vertices that come to no vertex twice, or all if
// there are fewer: by ascending length, and of the same length in the lexicographic order of their
// vertices. Lengths are those of ShortestPath.
//
// It divides the paths by where they leave those that were found, as Yen ("Finding the K Shortest Loopless
// Paths in a Network", 1971) and Lawler (1972), and finds the shortest of a part by a search ahead to the
// end, from which all distances are known (Hart, Nilsson and Raphael, 1968). So a part whose paths cannot
// be short enough is not searched. It takes O(n + m) at first, and for each path at most as much
// for each of its vertices, usually far less; with weights times log n. It takes 50 bytes per vertex, and 16
// per edge with weights.
func ShortestPaths(ctx context.Context, g *csr.Graph, from, to uint32, k int, weighted bool) ([]Path, error) {
	w, err := waysOf(g, DistanceOptions{Weighted: weighted})
	if err != nil {
		return nil, err
	}
	return shortestPaths(ctx, w, from, to, k)
}

// DirectedShortestPaths is ShortestPaths along the arcs of a directed graph.
func DirectedShortestPaths(ctx context.Context, d *csr.Directed, from, to uint32, k int, weighted bool) ([]Path, error) {
	w, err := directedWaysOf(d, DistanceOptions{Weighted: weighted})
	if err != nil {
		return nil, err
	}
	return shortestPaths(ctx, w, from, to, k)
}

// DirectedShortestPath is ShortestPath along the edges of a directed graph. Without weights it is FewestEdges; with them
// it takes what DirectedShortestPaths takes.
func DirectedShortestPath(ctx context.Context, d *csr.Directed, from, to uint32, weighted bool) (Path, bool, error) {
	if weighted && d.Weighted() {
		list, err := DirectedShortestPaths(ctx, d, from, to, 1, true)
		if len(list) == 0 {
			return Path{}, false, err
		}
		return list[0], true, err
	}
	return unitPath(ctx, PathRows{Vertices: d.Vertices(), Neighbors: d.Out.Neighbors, Back: d.In.Neighbors}, from, to)
}

func shortestPaths(ctx context.Context, w ways, from, to uint32, k int) (list []Path, err error) {
	n := w.vertices()
	if err := checkEnds(ctx, n, from, to); err != nil {
		return nil, err
	}
	ahead := newSearch(ctx, w.back)
	if ahead.from(to); ahead.halted() {
		return nil, ctx.Err()
	}
	p := &pathParts{halt: halt{ctx}, ways: w, to: to, ahead: ahead.distances, behind: make([]float64, n), closed: make([]bool, n), leads: make([]bool, n)}
	for v := range p.behind {
		p.behind[v] = math.Inf(1)
	}
	p.add(pathPart{begin: []uint32{from}, lengths: []float64{0}})
	for len(list) < k && len(p.parts) > 0 {
		at := p.shortest()
		part := p.parts[at]
		p.parts = slices.Delete(p.parts, at, at+1)
		if part.path == nil {
			if part.find(p); p.halted() {
				return nil, ctx.Err()
			}
			if part.path != nil {
				p.parts = append(p.parts, part)
			}
			continue
		}
		found := Path{Vertices: part.path}
		for _, length := range part.lengths {
			found.Lengths = append(found.Lengths, w.forward.Value(length))
		}
		list = append(list, found)
		part.divide(p)
	}
	return list, ctx.Err()
}

// pathParts are the paths that were not returned yet, in parts.
type pathParts struct {
	halt
	ways
	to     uint32
	parts  []pathPart
	ahead  []float64 // distance of each vertex to the end, in all of the graph
	behind []float64 // of the present search; +Inf where not reached
	closed []bool    // the vertices of the beginning of a path
	leads  []bool    // to the end, on a shortest path of the present search
	queue  pathQueue
}

// pathPart are the paths that begin in one way, and do not go on to some vertices.
type pathPart struct {
	begin   []uint32
	without []uint32 // vertices after the beginning
	lengths []float64
	path    []uint32 // the shortest one, of which lengths then are; nil where it was not searched
	length  float64  // of path, or a bound below it
}

// shortest is the index of the part with the shortest path, and of equal ones with the first path; a part
// that was not searched comes first, as it may have one before.
func (p *pathParts) shortest() (best int) {
	for i, a := range p.parts {
		b := p.parts[best]
		if a.length < b.length || a.length == b.length && slices.Compare(a.path, b.path) < 0 {
			best = i
		}
	}
	return best
}

// add adds a part unless it is empty, with a bound of its length.
func (p *pathParts) add(part pathPart) {
	last := len(part.begin) - 1
	v, length := part.begin[last], part.lengths[last]
	part.length = math.Inf(1)
	if v == p.to {
		if len(part.without) == 0 {
			part.path, part.length = part.begin, length
			p.parts = append(p.parts, part)
		}
		return
	}
	for i, u := range p.forward.g.Neighbors(v) {
		if !slices.Contains(part.without, u) && !slices.Contains(part.begin, u) {
			part.length = min(part.length, length+p.forward.At(p.forward.g.Offsets[v]+int64(i))+p.ahead[u])
		}
	}
	if part.length *= 1 - p.forward.tie(); !math.IsInf(part.length, 1) { // not above by rounding
		p.parts = append(p.parts, part)
	}
}

// divide adds the other paths of a part, by where they leave its shortest one.
func (a pathPart) divide(p *pathParts) {
	for last := len(a.begin) - 1; last+1 < len(a.path); last++ {
		part := pathPart{begin: a.path[:last+1], lengths: a.lengths[:last+1], without: []uint32{a.path[last+1]}}
		if last == len(a.begin)-1 {
			part.without = append(part.without, a.without...)
		}
		p.add(part)
	}
}

// find searches the shortest path of a part, of several the first one.
func (a *pathPart) find(p *pathParts) {
	last := len(a.begin) - 1
	for _, v := range a.begin {
		p.closed[v] = true
	}
	reached := p.search(a.begin[last], a.lengths[last], a.without)
	if !math.IsInf(p.behind[p.to], 1) && !p.halted() {
		p.trace()
		a.path, a.lengths = slices.Clone(a.begin), slices.Clone(a.lengths)
		for v, length := a.begin[last], a.lengths[last]; v != p.to; {
			v, length = p.next(v, length, a)
			a.path, a.lengths = append(a.path, v), append(a.lengths, length)
		}
		a.length = a.lengths[len(a.lengths)-1]
	}
	for _, v := range reached {
		p.behind[v], p.leads[v] = math.Inf(1), false
	}
	for _, v := range a.begin {
		p.closed[v] = false
	}
}

// search finds distances from a vertex at a distance, up to those of the end and of all vertices on its
// shortest paths, and returns the vertices that it reached.
func (p *pathParts) search(from uint32, length float64, without []uint32) (reached []uint32) {
	p.queue = p.queue[:0]
	relax := func(v uint32, distance float64, without []uint32) {
		begin := p.forward.g.Offsets[v]
		for i, u := range p.forward.g.Neighbors(v) {
			d := after(distance, p.forward.At(begin+int64(i)))
			if p.closed[u] || !(d < p.behind[u]) || math.IsInf(p.ahead[u], 1) || slices.Contains(without, u) {
				continue
			}
			if math.IsInf(p.behind[u], 1) {
				reached = append(reached, u)
			}
			p.behind[u] = d
			p.queue.push(pathEnd{u, d + p.ahead[u]})
		}
	}
	relax(from, length, without)
	for visits := 1; len(p.queue) > 0; visits++ {
		at := p.queue.pop()
		if at.distance > p.latest(p.behind[p.to]) || visits%checkVertices == 0 && p.halted() {
			break
		}
		if v := at.vertex; v != p.to && at.distance <= p.behind[v]+p.ahead[v] { // otherwise it was found nearer since
			relax(v, p.behind[v], nil)
		}
	}
	return reached
}

// latest is when paths of a length arrive at the latest, see sumTie.
func (p *pathParts) latest(length float64) float64 { return length + length*p.forward.tie() }

// trace marks the vertices on shortest paths of the search.
func (p *pathParts) trace() {
	p.leads[p.to] = true
	for open := []uint32{p.to}; len(open) > 0; {
		v := open[len(open)-1]
		open = open[:len(open)-1]
		begin := p.back.g.Offsets[v]
		for i, u := range p.back.g.Neighbors(v) {
			if !p.leads[u] && p.behind[u] < p.behind[v] && p.behind[u]+p.back.At(begin+int64(i)) <= p.latest(p.behind[v]) {
				p.leads[u] = true
				open = append(open, u)
			}
		}
	}
}

// next is the first vertex after one on a shortest path of the search, and the length of the path to it.
func (p *pathParts) next(v uint32, length float64, a *pathPart) (uint32, float64) {
	distance, without := p.behind[v], []uint32(nil)
	if last := len(a.begin) - 1; v == a.begin[last] {
		distance, without = length, a.without
	}
	begin := p.forward.g.Offsets[v]
	for i, u := range p.forward.g.Neighbors(v) {
		more := p.forward.At(begin + int64(i))
		if p.leads[u] && distance < p.behind[u] && distance+more <= p.latest(p.behind[u]) && !slices.Contains(without, u) {
			return u, length + more
		}
	}
	panic("paths: a distance without an arc") // every distance was reached by an arc
}
