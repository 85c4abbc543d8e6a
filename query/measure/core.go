package measure

import "heavytail/storage/csr"

// Cores returns the core number of each vertex: the largest k for which it belongs to a
// subgraph where every vertex has at least k neighbours (Seidman, "Network Structure and
// Minimum Degree", 1983). Weights are not used. It takes O(n + m) and 16 bytes per
// vertex: Batagelj and Zaveršnik, "An O(m) Algorithm for Cores Decomposition of
// Networks", 2003.
func Cores(g *csr.Graph) []int64 {
	p := newPeeling(g)
	for _, v := range p.order {
		for _, u := range g.Neighbors(v) {
			if p.degree[u] > p.degree[v] {
				p.lower(u)
			}
		}
	}
	cores := make([]int64, len(p.degree))
	for v, d := range p.degree {
		cores[v] = int64(d)
	}
	return cores
}

// peeling has the remaining vertices in the order of their degrees.
type peeling struct {
	degree []uint32 // number of remaining neighbours; for a removed vertex its core number
	order  []uint32 // vertices by ascending degree
	place  []uint32 // position of each vertex in order
	first  []uint32 // place of the first vertex of each degree
}

func newPeeling(g *csr.Graph) *peeling {
	n := g.Vertices()
	p := &peeling{degree: make([]uint32, n), order: make([]uint32, n), place: make([]uint32, n), first: make([]uint32, n+1)}
	for v := range n {
		p.degree[v] = uint32(g.Degree(uint32(v)))
		p.first[p.degree[v]+1]++
	}
	for d := range n {
		p.first[d+1] += p.first[d]
	}
	next := append([]uint32(nil), p.first...)
	for v, d := range p.degree {
		p.place[v], p.order[next[d]] = next[d], uint32(v)
		next[d]++
	}
	return p
}

// lower decreases the degree of a vertex by one, by an exchange with the first vertex of
// its degree.
func (p *peeling) lower(u uint32) {
	d := p.degree[u]
	at := p.first[d]
	other := p.order[at]
	p.order[at], p.order[p.place[u]] = u, other
	p.place[other], p.place[u] = p.place[u], at
	p.first[d]++
	p.degree[u]--
}
