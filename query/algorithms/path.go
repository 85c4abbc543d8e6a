package algorithms

import (
	"context"
	"fmt"
	"math"

	"heavytail/storage/csr"
)

// Path is a shortest path between two vertices.
type Path struct {
	Vertices []uint32  // from the first vertex to the last
	Lengths  []float64 // from the first vertex to each; the last one is the length of the path
}

// ShortestPath returns a path of the fewest edges, or, weighted, of the smallest sum of
// the weights (Dijkstra, 1959). Of several shortest paths it returns the
// lexicographically smallest sequence of vertices. It returns false if no path joins the
// two. Without weights it is FewestEdges. Weights are the decimals that were written, and lengths are
// equal up to rounding: see search.before. They take O((n + m) log n), and 33 bytes per vertex and 16 per edge.
func ShortestPath(ctx context.Context, g *csr.Graph, from, to uint32, weighted bool) (Path, bool, error) {
	g, err := weightsOf(g, weighted)
	if err != nil {
		return Path{}, false, err
	}
	if g.Weights == nil {
		return unitPath(ctx, PathRows{Vertices: g.Vertices(), Neighbors: g.Neighbors}, from, to)
	}
	if err := checkEnds(ctx, g.Vertices(), from, to); err != nil {
		return Path{}, false, err
	}
	// Distances are computed from the end, so that the path can be followed from its
	// beginning.
	s := newSearch(ctx, lengthsOf(g, Work{}))
	s.target = int64(from)
	if s.from(to); s.halted() {
		return Path{}, false, ctx.Err()
	}
	if math.IsInf(s.distances[from], 1) {
		return Path{}, false, nil
	}
	p := Path{Vertices: []uint32{from}, Lengths: []float64{0}}
	length := 0.0
	for v := from; v != to; {
		next, more := s.next(v)
		length += more
		p.Vertices = append(p.Vertices, next)
		p.Lengths = append(p.Lengths, s.lengths.Value(length))
		v = next
	}
	return p, true, nil
}

// unitPath is FewestEdges as a path whose edges have the length 1; false if there is none.
func unitPath(ctx context.Context, g PathRows, from, to uint32) (p Path, found bool, err error) {
	if err := checkEnds(ctx, g.Vertices, from, to); err != nil {
		return p, false, err
	}
	p.Vertices, err = FewestEdges(ctx, g, from, to)
	for i := range p.Vertices {
		p.Lengths = append(p.Lengths, float64(i))
	}
	return p, p.Vertices != nil, err
}

// checkEnds returns the error for a path between vertices of a graph of n, before it is searched.
func checkEnds(ctx context.Context, n int, from, to uint32) error {
	if int(from) >= n || int(to) >= n {
		return fmt.Errorf("vertices %d and %d of %d: %w", from, to, n, ErrOption)
	}
	return ctx.Err()
}

// next returns the first neighbour of v on a shortest path to the source, and the length
// of the edge.
func (s *search) next(v uint32) (uint32, float64) {
	for i, u := range s.g.Neighbors(v) {
		if length := s.At(s.g.Offsets[v] + int64(i)); s.before(u, v, length) {
			return u, length
		}
	}
	panic("measure: a distance without an edge") // every distance except that of the source was reached by an edge
}

// Within returns the vertices up to a number of edges away from a vertex, without the
// vertex itself, by ascending distance and number, and their distances. It takes O(n)
// plus the sum of the degrees of the vertices that are nearer than the last ones.
func Within(ctx context.Context, g *csr.Graph, v uint32, edges int) (vertices []uint32, distances []int, err error) {
	vertices, distances = []uint32{}, []int{}
	seen := make([]bool, g.Vertices())
	seen[v] = true
	frontier := []uint32{v}
	for d := 1; d <= edges && len(frontier) > 0; d++ {
		reached := make([]bool, len(seen))
		for i, u := range frontier {
			if i%checkVertices == 0 && ctx.Err() != nil {
				return nil, nil, ctx.Err()
			}
			for _, w := range g.Neighbors(u) {
				reached[w] = reached[w] || !seen[w]
			}
		}
		frontier = frontier[:0:0]
		for w, new := range reached {
			if new {
				seen[w] = true
				frontier = append(frontier, uint32(w))
				distances = append(distances, d)
			}
		}
		vertices = append(vertices, frontier...)
	}
	return vertices, distances, nil
}
