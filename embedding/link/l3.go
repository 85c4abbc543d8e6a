package link

import "heavytail/storage/csr"

// L3 returns the sum of 1/√(d(x)·d(y)) over the paths u–x–y–v of three edges: Kovács et
// al., "Network-based Prediction of Protein Interactions", Nature Communications 10,
// 2019. Proteins interact with what is similar to their partners, and not with what has
// many partners in common with them; so do the two sides of a bipartite graph. The
// degrees keep hubs in the middle from counting for many paths. As in the other
// heuristics, an edge between the two counts for nothing. The roots are rounded to 31 bits
// behind the point, so that equal sums are equal in any order of the paths. It takes O(d(v) + Σ d(x)) over
// the neighbours x of u, u being the one of lower degree, the lower number of equal ones.
func L3(g *csr.Graph, u, v uint32) float64 { return newL3(undirected(g)).score(u, v) }

// l3 adds up the paths of three edges of pairs. It is safe for concurrent use.
type l3 struct {
	*common
	roots []uint32 // of small degrees
}

func newL3(g ways) *l3 {
	l := &l3{common: newCommon(g), roots: make([]uint32, 1024)}
	for d := range l.roots {
		l.roots[d] = fixedRoot(d)
	}
	return l
}

// root is 1/√d of a degree.
func (l *l3) root(d int) uint32 {
	if d < len(l.roots) {
		return l.roots[d]
	}
	return fixedRoot(d)
}

func (l *l3) score(u, v uint32) float64 {
	g := l.g
	if du, dv := g.out.Degree(u), g.in.Degree(v); du > dv || du == dv && u > v {
		g, u, v = g.reversed(), v, u
	}
	if u == v || g.out.Degree(u) == 0 {
		return 0
	}
	m := l.scratch.Get().(*marks)
	defer l.scratch.Put(m)
	if len(m.bits) > 0 {
		m.set(g.in.Neighbors(v))
	}
	var sum fixed
	for _, x := range g.out.Neighbors(u) {
		if x != v {
			sum.add(l.ends(g, m, u, v, x), l.root(g.out.Degree(x)))
		}
	}
	return sum.float()
}

// ends adds the weights of the common neighbours of x and v but u, ascending. The row of
// v is marked, where there is room for marks.
func (l *l3) ends(g ways, m *marks, u, v, x uint32) uint64 {
	sum := uint64(0)
	add := func(y uint32) {
		if y != u {
			sum += uint64(l.root(g.in.Degree(y)))
		}
	}
	row, last := g.out.Neighbors(x), g.in.Neighbors(v)
	if len(m.bits) == 0 || len(row)/gallopRatio >= len(last) {
		eachCommon(g, x, v, add)
		return sum
	}
	for _, y := range row {
		if m.bits[y/64]>>(y%64)&1 == 1 {
			add(y)
		}
	}
	return sum
}
