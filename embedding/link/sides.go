package link

import "heavytail/storage/csr"

// Sides divides the vertices of a bipartite graph: 0 and 1 are its sides, and [NoSide] is a
// vertex on neither, which has no candidates. All edges join the two sides. nil is no
// division.
type Sides []uint8

// NoSide is a vertex whose side is not known.
const NoSide = 2

// Across reports whether two vertices are on different sides; true of any without a
// division.
func (s Sides) Across(u, v uint32) bool { return s == nil || s[u]^s[v] == 1 }

// Count returns the number of vertices on each side.
func (s Sides) Count() (first, second int) {
	for _, side := range s {
		switch side {
		case 0:
			first++
		case 1:
			second++
		}
	}
	return first, second
}

// TwoSides colours a graph with two colours: in every component with edges the lowest vertex is
// on side 0, so that with an import of lines "user item" all users are. Isolated vertices
// are on no side. ok is false where the graph has a cycle of odd length, and then u and v are
// two adjacent vertices on one. It takes O(n + m) time, and less where such a cycle
// is found early.
func TwoSides(g *csr.Graph) (sides Sides, u, v uint32, ok bool) {
	sides = make(Sides, g.Vertices())
	for i := range sides {
		sides[i] = NoSide
	}
	var queue []uint32
	for first := range uint32(g.Vertices()) {
		if sides[first] != NoSide || g.Degree(first) == 0 {
			continue
		}
		sides[first] = 0
		for queue = append(queue[:0], first); len(queue) > 0; {
			x := queue[0]
			queue = queue[1:]
			for _, y := range g.Neighbors(x) {
				if sides[y] == NoSide {
					sides[y] = 1 - sides[x]
					queue = append(queue, y)
				} else if sides[y] == sides[x] {
					return nil, x, y, false
				}
			}
		}
	}
	return sides, 0, 0, true
}
