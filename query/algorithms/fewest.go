package algorithms

import (
	"context"
	"slices"

	"heavytail/storage/csr"
)

// PathRows gives a search the edges of the vertices that it comes to.
type PathRows struct {
	Vertices int // of the graph
	// Read is called with vertices before Neighbors is called with them; nil where nothing has to be read.
	Read      func(vertices []uint32) error
	Neighbors func(v uint32) []uint32 // the vertices to which edges lead from v, ascending
	Back      func(v uint32) []uint32 // those from which edges lead to v, ascending; nil in an undirected graph
}

// FewestEdges returns a path of the fewest edges, both ends included, of several the lexicographically
// smallest sequence of vertices; nil if no path joins the two. It searches along the edges from one end and against
// them from the other, a level of vertices of the smaller side at a time, until they meet (Pohl, "Bi-directional Search", 1971). So
// in a graph with hubs it comes to few vertices of a large component. It takes O(n + m) time at most, and
// 4 bytes for each vertex that it comes to and, where these are many, a quarter for each one of the graph. Errors are those of Read and of ctx.
func FewestEdges(ctx context.Context, g PathRows, from, to uint32) ([]uint32, error) {
	if g.Back == nil {
		g.Back = g.Neighbors
	}
	s := &bothEnds{halt: halt{ctx}, PathRows: g}
	for i, end := range []uint32{from, to} {
		s.sides[i] = reachedSide{levels: [][]uint32{{end}}}
		s.sides[i].reached.add(end, g.Vertices)
	}
	if from == to {
		return []uint32{from}, nil
	}
	meeting, err := s.search()
	if err != nil || len(meeting) == 0 {
		return nil, err
	}
	return s.smallest(meeting), nil
}

// bothEnds is a search from both ends.
type bothEnds struct {
	halt
	PathRows
	sides [2]reachedSide
}

// reachedSide is what was reached from one end.
type reachedSide struct {
	levels  [][]uint32 // the vertices at each distance; all but the last have been read
	reached vertexSet
}

func (r *reachedSide) last() []uint32 { return r.levels[len(r.levels)-1] }

// search returns the vertices where the sides meet, which are in the last level of both.
func (s *bothEnds) search() (meeting []uint32, err error) {
	for {
		side, other, row := &s.sides[0], &s.sides[1], s.Neighbors
		if len(other.last()) < len(side.last()) {
			side, other, row = other, side, s.Back
		}
		level := side.last()
		if len(level) == 0 {
			return nil, nil
		}
		if s.Read != nil {
			if err := s.Read(level); err != nil {
				return nil, err
			}
		}
		var next []uint32
		for i, v := range level {
			if i%checkVertices == 0 && s.halted() {
				return nil, s.Err()
			}
			for _, w := range row(v) {
				if !side.reached.add(w, s.Vertices) {
					continue
				}
				next = append(next, w)
				if other.reached.has(w) { // in its last level: nearer ones would have been met before
					meeting = append(meeting, w)
				}
			}
		}
		side.levels = append(side.levels, next)
		if len(meeting) > 0 {
			return meeting, nil
		}
	}
}

// smallest returns the smallest of the shortest paths through the vertices where the sides meet. Only edges
// of vertices that were read are looked at.
func (s *bothEnds) smallest(meeting []uint32) []uint32 {
	first, second := &s.sides[0], &s.sides[1]
	// The vertices of each level of the first side that are on such a path, ascending.
	on := make([][]uint32, len(first.levels))
	slices.Sort(meeting)
	on[len(on)-1] = meeting
	for d := len(on) - 2; d >= 0; d-- {
		for _, v := range first.levels[d] {
			if _, meets := csr.FirstCommon(s.Neighbors(v), on[d+1]); meets {
				on[d] = append(on[d], v)
			}
		}
		slices.Sort(on[d])
	}
	path := []uint32{on[0][0]}
	for d := 1; d < len(on); d++ {
		v, _ := csr.FirstCommon(s.Neighbors(path[d-1]), on[d])
		path = append(path, v)
	}
	for d := len(second.levels) - 2; d >= 0; d-- {
		last, next, found := path[len(path)-1], uint32(0), false
		for _, v := range second.levels[d] {
			if found && v >= next {
				continue
			}
			if _, adjacent := slices.BinarySearch(s.Back(v), last); adjacent {
				next, found = v, true
			}
		}
		path = append(path, next)
	}
	return path
}

// vertexSet is a set of vertices: a map while they are few, and then a bit for each vertex of the graph.
type vertexSet struct {
	few  map[uint32]struct{}
	bits []uint64
}

// fewReached is how many vertices the graph has for each one in the map, at least.
const fewReached = 256

func (s *vertexSet) has(v uint32) bool {
	if s.bits != nil {
		return s.bits[v/64]>>(v%64)&1 == 1
	}
	_, there := s.few[v]
	return there
}

// add adds a vertex of a graph of n, and reports whether it is new.
func (s *vertexSet) add(v uint32, n int) bool {
	if s.has(v) {
		return false
	}
	if s.bits == nil && len(s.few)*fewReached < n {
		if s.few == nil {
			s.few = map[uint32]struct{}{}
		}
		s.few[v] = struct{}{}
		return true
	}
	if s.bits == nil {
		s.bits = make([]uint64, (n+63)/64)
		for w := range s.few {
			s.bits[w/64] |= 1 << (w % 64)
		}
		s.few = nil
	}
	s.bits[v/64] |= 1 << (v % 64)
	return true
}
