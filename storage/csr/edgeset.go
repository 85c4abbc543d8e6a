package csr

import (
	"math/bits"

	"heavytail/storage/vec"
)

// EdgeSet is a set of edges, each in either order, or of arcs, of up to a fixed number: 12 bytes for each
// of these. It is not safe for concurrent use.
type EdgeSet struct {
	slots []uint64 // linear probing from the place of home on; 0, which is no edge, is empty
	arcs  bool
}

// NewEdgeSet returns an empty set for at most so many edges at a time, or arcs, each from U to V.
func NewEdgeSet(most int64, arcs bool) *EdgeSet {
	return &EdgeSet{vec.Zeros[uint64](int(most + most/2 + 1)), arcs} // two thirds full: 5 looks for an edge that is not there
}

func (s *EdgeSet) keyOf(e Edge) uint64 {
	if s.arcs {
		return uint64(e.U)<<32 | uint64(e.V)
	}
	return uint64(min(e.U, e.V))<<32 | uint64(max(e.U, e.V))
}

// home returns where the search for an edge begins.
func (s *EdgeSet) home(key uint64) int {
	at, _ := bits.Mul64(key*0x9e3779b97f4a7c15, uint64(len(s.slots)))
	return int(at)
}

// find returns the slot of an edge, or the empty one where it would be put.
func (s *EdgeSet) find(key uint64) int {
	at := s.home(key)
	for s.slots[at] != 0 && s.slots[at] != key {
		at = s.next(at)
	}
	return at
}

func (s *EdgeSet) next(at int) int {
	if at++; at == len(s.slots) {
		return 0
	}
	return at
}

// Has reports whether an edge is in the set.
func (s *EdgeSet) Has(e Edge) bool { return s.slots[s.find(s.keyOf(e))] != 0 }

// Add puts an edge into the set, which must have room for it, and reports whether it was not
// there.
func (s *EdgeSet) Add(e Edge) bool {
	key := s.keyOf(e)
	at := s.find(key)
	added := s.slots[at] == 0
	s.slots[at] = key
	return added
}

// Remove takes an edge out of the set, if it is there.
func (s *EdgeSet) Remove(e Edge) {
	hole := s.find(s.keyOf(e))
	if s.slots[hole] == 0 {
		return
	}
	// Later edges move into the hole if the search for them comes by it, so that no search ends
	// there (Knuth, "The Art of Computer Programming", volume 3, algorithm 6.4 R).
	for at := s.next(hole); s.slots[at] != 0; at = s.next(at) {
		if s.steps(s.home(s.slots[at]), at) >= s.steps(hole, at) {
			s.slots[hole] = s.slots[at]
			hole = at
		}
	}
	s.slots[hole] = 0
}

// steps returns how many slots a search passes between two.
func (s *EdgeSet) steps(from, to int) int {
	if to < from {
		to += len(s.slots)
	}
	return to - from
}
