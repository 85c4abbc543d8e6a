package evaluate

import (
	"cmp"
	"slices"
)

// ranking gives every value its place among the distinct values. Rank
// correlations need no more of a list, and sort by it in linear time.
type ranking struct {
	of    []uint32 // of each element, the number of distinct values below its own
	count []uint32 // of each distinct value, how often it occurs
}

// rank ranks a list of numbers in O(n log n).
func rank(x []float64) ranking {
	order := make([]uint32, len(x))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return cmp.Compare(x[a], x[b]) })
	r := ranking{of: make([]uint32, len(x))}
	for i, v := range order {
		if i == 0 || x[v] != x[order[i-1]] {
			r.count = append(r.count, 0)
		}
		r.of[v] = uint32(len(r.count) - 1)
		r.count[len(r.count)-1]++
	}
	return r
}

// rankDegrees ranks degrees, which are below the number of them, in O(n).
func rankDegrees(degrees []uint32) ranking {
	seen := make([]uint32, len(degrees)+1)
	for _, d := range degrees {
		seen[d]++
	}
	r := ranking{of: make([]uint32, len(degrees))}
	for d, n := range seen {
		if n > 0 {
			seen[d] = uint32(len(r.count))
			r.count = append(r.count, n)
		}
	}
	for v, d := range degrees {
		r.of[v] = seen[d]
	}
	return r
}

// averages returns the rank of each element from 1, the average of its ranks
// where values are tied.
func (r ranking) averages() []float64 {
	average := make([]float64, len(r.count))
	below := 0.0
	for i, n := range r.count {
		average[i] = below + (float64(n)+1)/2
		below += float64(n)
	}
	ranks := make([]float64, len(r.of))
	for v, i := range r.of {
		ranks[v] = average[i]
	}
	return ranks
}

// ties returns the number of pairs of equal values.
func (r ranking) ties() int64 {
	var pairs int64
	for _, n := range r.count {
		pairs += choose2(int64(n))
	}
	return pairs
}

// sorted returns the elements in ascending order of their values, elements of
// equal value in the order in which they are given; nil stands for 0, 1, 2, ….
func (r ranking) sorted(given []uint32) []uint32 {
	next := make([]uint32, len(r.count))
	at := uint32(0)
	for i, n := range r.count {
		next[i] = at
		at += n
	}
	out := make([]uint32, len(r.of))
	for i := range r.of {
		v := uint32(i)
		if given != nil {
			v = given[i]
		}
		out[next[r.of[v]]] = v
		next[r.of[v]]++
	}
	return out
}

// fenwick counts values as they come and tells how many were at most some value
// (Fenwick, "A New Data Structure for Cumulative Frequency Tables", 1994).
type fenwick []uint32

func newFenwick(values int) fenwick { return make(fenwick, values+1) }

func (f fenwick) add(value uint32) {
	for i := int(value) + 1; i < len(f); i += i & -i {
		f[i]++
	}
}

func (f fenwick) upTo(value uint32) int64 {
	var n int64
	for i := int(value) + 1; i > 0; i -= i & -i {
		n += int64(f[i])
	}
	return n
}
