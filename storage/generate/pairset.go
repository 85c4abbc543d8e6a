package generate

import "math/bits"

// pairSet holds unordered pairs of different vertices, in a table with open
// addressing. Nothing is ever read from it in the order of its places.
type pairSet struct {
	places []uint64 // larger vertex << 32 | smaller one; 0 where free: no pair of different vertices is 0
	shift  int      // 64 − log2 of the number of places
}

// pairSetPlaces is the power of two that keeps a table of the given number of
// pairs at most three quarters full, where a search looks at some two places.
func pairSetPlaces(capacity int64) int64 {
	return 1 << bits.Len64(uint64(capacity)*4/3+1)
}

func pairSetBytes(capacity int64) int64 { return 8 * pairSetPlaces(capacity) }

// newPairSet makes a set with room for so many pairs, and no more.
func newPairSet(capacity int64) *pairSet {
	places := pairSetPlaces(capacity)
	return &pairSet{places: make([]uint64, places), shift: 64 - bits.Len64(uint64(places-1))}
}

// find returns the place of a pair, or the free place where it belongs.
func (s *pairSet) find(u, v uint32) (place, pair uint64) {
	pair = uint64(max(u, v))<<32 | uint64(min(u, v))
	mask := uint64(len(s.places) - 1)
	// Fibonacci hashing; the fold lets the smaller vertex reach the top bits
	// as well as the larger.
	place = ((pair ^ pair>>32) * 0x9e3779b97f4a7c15) >> s.shift
	for s.places[place] != 0 && s.places[place] != pair {
		place = (place + 1) & mask
	}
	return place, pair
}

func (s *pairSet) has(u, v uint32) bool {
	place, pair := s.find(u, v)
	return s.places[place] == pair
}

// add reports whether the pair is new.
func (s *pairSet) add(u, v uint32) bool {
	place, pair := s.find(u, v)
	if s.places[place] == pair {
		return false
	}
	s.places[place] = pair
	return true
}

// remove takes a pair out, and moves those behind it that could no longer be
// found over the gap.
func (s *pairSet) remove(u, v uint32) {
	gap, pair := s.find(u, v)
	if s.places[gap] != pair {
		return
	}
	mask := uint64(len(s.places) - 1)
	s.places[gap] = 0
	for at := (gap + 1) & mask; s.places[at] != 0; at = (at + 1) & mask {
		moved := s.places[at]
		s.places[at] = 0
		place, _ := s.find(uint32(moved>>32), uint32(moved))
		s.places[place] = moved
	}
}
