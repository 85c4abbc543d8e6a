package link

import "heavytail/storage/csr"

// The constants of Katz. Paths of more than KatzLength edges are left out: those of
// up to three can be counted for one pair in the time of a row of the graph for
// every neighbour. KatzBeta is the weight of each edge of a path, so that a common
// neighbour counts for as much as 20 paths of three edges. With a tenth of the edges
// held out, the mean AUC on ego-facebook, ca-GrQc, CollegeMsg, soc-Epinions1,
// sx-mathoverflow and dblp was 0.9558 for 0.5 and 0.05, 0.9535 for 0.01 and 0.9521
// for 0.0005; 0.5 is the worst on ego-facebook. Common neighbours alone have 0.9274.
// The series need not converge, as it is cut off.
const (
	KatzLength = 3
	KatzBeta   = 0.05
)

// Katz returns the sum of KatzBetaˡ · pₗ over the lengths l from 2 to KatzLength, where
// pₗ is the number of paths of l edges from u to v: the index of Katz, "A New Status
// Index Derived from Sociometric Analysis", 1953, cut off. As in the other heuristics, an
// edge between the two is not counted: the score depends only on the rest of the graph.
// It takes O(d(v) + Σ d(x)) over the neighbours x of u at most, u being the one of lower
// degree.
func Katz(g *csr.Graph, u, v uint32) float64 { return newPaths(undirected(g), "katz").score(u, v) }

// LocalPathEpsilon is the weight of a path of three edges in LocalPath, that of the
// paper.
const LocalPathEpsilon = 0.001

// LocalPath returns p₂ + LocalPathEpsilon·p₃, the numbers of paths as in Katz, with an
// edge between the two left out: Lü, Jin and Zhou, "Similarity Index Based on Local
// Paths for Link Prediction of Complex Networks", 2009. Common neighbours decide, and
// paths of three edges only between pairs with equally many common neighbours. Time as
// for Katz.
func LocalPath(g *csr.Graph, u, v uint32) float64 {
	return newPaths(undirected(g), "local_path").score(u, v)
}

// paths counts the paths of two and three edges of pairs. It is safe for concurrent use.
type paths struct {
	*common
	weigh func(common, triples int64) float64
}

func newPaths(g ways, name string) paths { return paths{newCommon(g), pathWeights(name)} }

// pathWeights returns the function by which a scorer weights its paths, nil if it counts
// none.
func pathWeights(name string) func(common, triples int64) float64 {
	switch name {
	case "katz":
		return katzSum
	case "local_path":
		return localPathSum
	}
	return nil
}

func (k paths) score(u, v uint32) float64 {
	if u == v {
		return 0
	}
	g, from, to := k.g, u, v
	if g.out.Degree(from) > g.in.Degree(to) {
		g, from, to = g.reversed(), v, u
	}
	if g.out.Degree(from) == 0 {
		return 0
	}
	m := k.scratch.Get().(*marks)
	defer k.scratch.Put(m)
	common := int64(len(k.list(m, u, v)))
	return k.weigh(common, triples(g, m, from, to)-detours(g, from, to))
}

// detours is the number of walks of three edges from u to v that take the edge from u to v, if
// there is one: to any neighbour and back before it or after it, or there and back
// along the edge itself.
func detours(g ways, u, v uint32) int64 {
	if !g.has(u, v) {
		return 0
	}
	n := g.mutual(u) + g.mutual(v)
	if g.has(v, u) {
		n--
	}
	return n
}

// mutual is the number of vertices with edges from a vertex and to it.
func (w ways) mutual(v uint32) int64 {
	if !w.directed() {
		return int64(w.out.Degree(v))
	}
	n := int64(0)
	eachOfBoth(w.out.Neighbors(v), w.in.Neighbors(v), func(uint32) { n++ })
	return n
}

// triples counts the walks of three edges from u to v: over the neighbours x of u, the
// neighbours that x has in common with v, or that are v's.
func triples(g ways, m *marks, u, v uint32) int64 {
	last := g.in.Neighbors(v)
	if len(m.bits) > 0 {
		m.set(last)
	}
	n := int64(0)
	for _, x := range g.out.Neighbors(u) {
		row := g.out.Neighbors(x)
		if len(m.bits) == 0 || len(row)/gallopRatio >= len(last) {
			eachOfBoth(row, last, func(uint32) { n++ })
			continue
		}
		for _, y := range row {
			n += int64(m.bits[y/64] >> (y % 64) & 1)
		}
	}
	return n
}

// katzSum weights the numbers of paths of two and three edges. All ways of
// counting use this function, so that they give the same bits.
func katzSum(common, triples int64) float64 {
	const two, three = KatzBeta * KatzBeta, KatzBeta * KatzBeta * KatzBeta
	return float64(two*float64(common)) + float64(three*float64(triples))
}

// localPathSum is the score of local_path of such numbers of paths.
func localPathSum(common, triples int64) float64 {
	return float64(common) + LocalPathEpsilon*float64(triples)
}
