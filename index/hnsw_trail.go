package index

import (
	"slices"
)

// trails are the ways of the last searches for the vectors of vertices. As long as the lists along its way stay the
// same, or get links only to vertices that it would not have kept, a search finds what it found.
type trails struct {
	ways     [][]step // by vertex; nil before its search
	searched []uint32 // by vertex: the round of the search
	changed  []uint32 // by vertex: the last round in or after which other links took the place of its links
	added    []addition
	from     []bool // by vertex: an addition begins there
	round    uint32
}

// step is a vertex whose links and bridges a search has followed, and the largest key of those that it kept then.
type step struct {
	vertex uint32
	bound  float32
}

// addition is a bridge that was added in or after a round.
type addition struct {
	edge
	round uint32
}

func newTrails(n int) *trails {
	return &trails{ways: make([][]step, n), searched: make([]uint32, n), changed: make([]uint32, n), from: make([]bool, n)}
}

// add notes bridges.
func (t *trails) add(bridges []edge) {
	for _, e := range bridges {
		t.added = append(t.added, addition{e, t.round})
		t.from[e.from] = true
	}
}

// sort readies the additions for stale.
func (t *trails) sort() {
	slices.SortFunc(t.added, func(a, b addition) int { return a.compare(b.edge) })
}

// stale reports whether the search for the vector of a vertex, which score is for, may end differently now.
func (t *trails) stale(v uint32, score *scorer) bool {
	since := t.searched[v]
	for _, s := range t.ways[v] {
		if t.changed[s.vertex] >= since {
			return true
		}
		if !t.from[s.vertex] {
			continue
		}
		at, _ := slices.BinarySearchFunc(t.added, edge{s.vertex, 0}, func(a addition, e edge) int { return a.compare(e) })
		for ; at < len(t.added) && t.added[at].from == s.vertex; at++ {
			if a := t.added[at]; a.round >= since && !(score.one(a.to) > s.bound) {
				return true
			}
		}
	}
	return false
}
