package evaluate

// ranking maps every value to its rank among the distinct values. Rank
// correlations need no more of a list, and can sort by it in linear time.
type ranking struct {
	of    []uint32 // of each element, the number of distinct values below its own
	count []uint32 // of each distinct value, how often it occurs
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
// equal value in the order in which they are given; nil means 0, 1, 2, ….
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

// fenwick counts values as they come and returns how many were at most some value
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

func choose2(n int64) int64 { return n * (n - 1) / 2 }
