package generate

import "math/bits"

// pairSet is a set of unordered pairs of different vertices: a hash table with open addressing. It
// is never iterated, so its order reaches no result.
type pairSet struct {
	places []uint64 // larger vertex << 32 | smaller one; 0 is a free place, because no pair of different vertices is 0
	shift  int      // 64 − log2 of the number of places
}

// pairSetPlaces is the smallest power of two that keeps a table at most three quarters full. A
// search then visits about two places.
func pairSetPlaces(capacity int64) int64 {
	return 1 << bits.Len64(uint64(capacity)*4/3+1)
}

func pairSetBytes(capacity int64) int64 { return 8 * pairSetPlaces(capacity) }

// newPairSet makes a set with room for the given number of pairs, and no more.
func newPairSet(capacity int64) *pairSet {
	places := pairSetPlaces(capacity)
	return &pairSet{places: make([]uint64, places), shift: 64 - bits.Len64(uint64(places-1))}
}

// find returns the place of a pair, or the free place for it.
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

// add adds a pair and reports whether it is new.
func (s *pairSet) add(u, v uint32) bool {
	place, pair := s.find(u, v)
	if s.places[place] == pair {
		return false
	}
	s.places[place] = pair
	return true
}

// remove removes a pair, and moves the pairs after it that would no longer be found.
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
