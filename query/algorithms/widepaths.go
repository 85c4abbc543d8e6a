package algorithms

import "math"

// wide is a number of paths, fraction·2^exponent with a fraction from ½ to 1, or 0. In a grid of
// 600 rows and columns there are more shortest paths between opposite corners than a float64 can
// count.
type wide struct {
	fraction float64
	exponent int
}

func (a wide) plus(b wide) wide {
	if a.fraction == 0 || b.exponent > a.exponent {
		a, b = b, a
	}
	if a.fraction += b.fraction * power(b.exponent-a.exponent); a.fraction >= 1 {
		a.fraction, a.exponent = a.fraction/2, a.exponent+1
	}
	return a
}

// over returns a/b, which must be at most 1.
func (a wide) over(b wide) float64 {
	return a.fraction / b.fraction * power(a.exponent-b.exponent)
}

// power returns 2^k for a k that is not positive, and 0 where it is too small for a float64.
func power(k int) float64 {
	const bias, bits = 1023, 52
	return math.Float64frombits(uint64(max(0, k+bias)) << bits)
}

// addWide adds the dependencies of a source, which is the first of the vertices that it reaches,
// listed by ascending distance. predecessors calls a function with the vertices before v on
// its shortest paths. If the context ends, it adds nothing and returns false. It takes 24 bytes
// for each vertex of the graph, and some times as long as with numbers of one word.
func addWide(h halt, order []uint32, sum []float64, predecessors func(v uint32, f func(u uint32))) bool {
	paths, dependency := make([]wide, len(sum)), make([]float64, len(sum))
	paths[order[0]] = wide{0.5, 1}
	for i, v := range order[1:] {
		if i%checkVertices == 0 && h.halted() {
			return false
		}
		predecessors(v, func(u uint32) { paths[v] = paths[v].plus(paths[u]) })
	}
	for i := len(order) - 1; i > 0; i-- {
		if i%checkVertices == 0 && h.halted() {
			return false
		}
		v := order[i]
		predecessors(v, func(u uint32) { dependency[u] += float64(paths[u].over(paths[v]) * (1 + dependency[v])) })
	}
	for _, v := range order[1:] {
		sum[v] += dependency[v]
	}
	return true
}
