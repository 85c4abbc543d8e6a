package netmf

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// twins groups vertices that have the same neighbours with the same weights, as the leaves of a hub do.
// Row v of Pʳ is row v of P times Pʳ⁻¹, so that their rows of M are equal, and equal bit by bit as
// computed: from the first step on the same numbers are added in the same order. One row is computed
// for all of them. Without this, a star of n leaves takes n²·T/16 sums of 16 numbers.
type twins struct {
	row   []uint32 // of each vertex in steps.order: the number of its group
	first []uint32 // the first vertex of each group, in the order of steps.order
	count []uint32 // vertices of each group
}

// findTwins takes O(n log n + m) and 16 bytes per vertex while it works. Vertices whose lists have the
// same hash by chance may stay apart, which costs time and changes no result.
func (s *steps) findTwins() twins {
	type hashed struct {
		hash uint64
		at   uint32 // in order
	}
	list := make([]hashed, len(s.order))
	for i, v := range s.order {
		hash := uint64(s.g.Degree(v))
		for _, u := range s.g.Neighbors(v) {
			hash = mix(hash, uint64(u))
		}
		if s.g.Weighted() {
			for _, w := range s.g.WeightsOf(v) {
				hash = mix(hash, uint64(math.Float32bits(w)))
			}
		}
		list[i] = hashed{hash, uint32(i)}
	}
	slices.SortFunc(list, func(a, b hashed) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.at, b.at)) })
	t := twins{row: make([]uint32, len(list))}
	lead := 0 // the place in the list of the first with the present hash
	for i, l := range list {
		if l.hash != list[lead].hash {
			lead = i
		}
		if t.row[l.at] = l.at; s.same(s.order[list[lead].at], s.order[l.at]) {
			t.row[l.at] = list[lead].at // which is below
		}
	}
	for i, first := range t.row { // places become numbers
		if int(first) == i {
			t.row[i] = uint32(len(t.first))
			t.first, t.count = append(t.first, s.order[i]), append(t.count, 0)
		} else {
			t.row[i] = t.row[first]
		}
		t.count[t.row[i]]++
	}
	return t
}

// same reports whether two vertices have the same neighbours with the same weights.
func (s *steps) same(u, v uint32) bool {
	return slices.Equal(s.g.Neighbors(u), s.g.Neighbors(v)) && slices.Equal(s.g.WeightsOf(u), s.g.WeightsOf(v))
}

func mix(hash, x uint64) uint64 {
	high, low := bits.Mul64(hash^x^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	return high ^ low
}
