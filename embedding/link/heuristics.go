package link

import (
	"math"
	"sort"

	"heavytail/storage/csr"
)

// The scores of neighbourhoods. N(u) is the set of neighbours of u, d(u) its
// size. A vertex paired with itself scores 0 everywhere: a simple graph has no
// such link to predict. So does an isolated vertex, whose N is empty. Weights of
// edges are not used: the definitions below have none, and of the weighted
// variants in the literature none is standard.
//
// Definitions: Liben-Nowell and Kleinberg, "The Link-Prediction Problem for
// Social Networks", 2007; resource allocation: Zhou, Lü and Zhang, "Predicting
// Missing Links via Local Information", 2009; the others as in Lü and Zhou, "Link
// Prediction in Complex Networks: A Survey", 2011, section 3.1.

// CommonNeighbors returns |N(u) ∩ N(v)|.
func CommonNeighbors(g *csr.Graph, u, v uint32) float64 {
	n := 0
	eachCommon(undirected(g), u, v, func(uint32) { n++ })
	return float64(n)
}

// Jaccard returns |N(u) ∩ N(v)| / |N(u) ∪ N(v)|, and 0 if both are empty.
func Jaccard(g *csr.Graph, u, v uint32) float64 {
	return jaccard(CommonNeighbors(g, u, v), g.Degree(u), g.Degree(v))
}

// jaccard is the score of two vertices of some degrees with so many common neighbours.
func jaccard(common float64, du, dv int) float64 {
	if common == 0 {
		return 0
	}
	return common / (float64(du) + float64(dv) - common)
}

// Sorensen returns 2·|N(u) ∩ N(v)| / (d(u) + d(v)): Sørensen, 1948. It orders pairs
// as Jaccard does.
func Sorensen(g *csr.Graph, u, v uint32) float64 {
	return sorensen(CommonNeighbors(g, u, v), g.Degree(u), g.Degree(v))
}

func sorensen(common float64, du, dv int) float64 {
	return perDegrees(2*common, float64(du)+float64(dv))
}

// LHN returns |N(u) ∩ N(v)| / (d(u)·d(v)): the common neighbours over what is in
// proportion to their expected number in a random graph of these degrees (Leicht, Holme
// and Newman, "Vertex Similarity in Networks", 2006).
func LHN(g *csr.Graph, u, v uint32) float64 {
	return lhn(CommonNeighbors(g, u, v), g.Degree(u), g.Degree(v))
}

func lhn(common float64, du, dv int) float64 { return perDegrees(common, float64(du)*float64(dv)) }

// HubPromoted returns |N(u) ∩ N(v)| / min(d(u), d(v)): Ravasz et al., "Hierarchical
// Organization of Modularity in Metabolic Networks", 2002.
func HubPromoted(g *csr.Graph, u, v uint32) float64 {
	return hubPromoted(CommonNeighbors(g, u, v), g.Degree(u), g.Degree(v))
}

func hubPromoted(common float64, du, dv int) float64 {
	return perDegrees(common, float64(min(du, dv)))
}

// HubDepressed returns |N(u) ∩ N(v)| / max(d(u), d(v)).
func HubDepressed(g *csr.Graph, u, v uint32) float64 {
	return hubDepressed(CommonNeighbors(g, u, v), g.Degree(u), g.Degree(v))
}

func hubDepressed(common float64, du, dv int) float64 {
	return perDegrees(common, float64(max(du, dv)))
}

// perDegrees returns the quotient, or 0 if there are no common neighbours, because
// degrees may then be 0.
func perDegrees(common, degrees float64) float64 {
	if common == 0 {
		return 0
	}
	return common / degrees
}

// AdamicAdar returns the sum of 1/ln d(w) over the common neighbours w.
// ln d(w) is never 0: w is adjacent to two distinct vertices, so d(w) ≥ 2.
func AdamicAdar(g *csr.Graph, u, v uint32) float64 {
	s := 0.0
	eachCommon(undirected(g), u, v, func(w uint32) { s += 1 / math.Log(float64(g.Degree(w))) })
	return s
}

// ResourceAllocation returns the sum of 1/d(w) over the common neighbours w.
func ResourceAllocation(g *csr.Graph, u, v uint32) float64 {
	s := 0.0
	eachCommon(undirected(g), u, v, func(w uint32) { s += 1 / float64(g.Degree(w)) })
	return s
}

// PreferentialAttachment returns d(u)·d(v).
func PreferentialAttachment(g *csr.Graph, u, v uint32) float64 {
	return degreeProduct(undirected(g), u, v)
}

func degreeProduct(g ways, u, v uint32) float64 {
	if u == v {
		return 0
	}
	return float64(g.out.Degree(u)) * float64(g.in.Degree(v))
}

// gallopRatio is the ratio of lengths from which on two lists are intersected
// by a galloping search. A merge takes |short|+|long| steps, such a search
// about |short|·2·log₂(|long|/|short|) slower ones: they cross between 8 and
// 32 on measured graphs.
const gallopRatio = 16

// Common returns the common neighbours of two vertices, ascending; none of a vertex
// with itself.
func Common(g *csr.Graph, u, v uint32) []uint32 { return commonOf(undirected(g), u, v) }

func commonOf(g ways, u, v uint32) []uint32 {
	var list []uint32
	eachCommon(g, u, v, func(w uint32) { list = append(list, w) })
	return list
}

// eachCommon calls f for the common neighbours of two distinct vertices in
// ascending order, and for none if u equals v.
func eachCommon(g ways, u, v uint32, f func(w uint32)) {
	if u == v {
		return
	}
	eachOfBoth(g.out.Neighbors(u), g.in.Neighbors(v), f)
}

// eachOfBoth calls f for the elements of two ascending lists, ascending.
func eachOfBoth(short, long []uint32, f func(w uint32)) {
	if len(short) > len(long) {
		short, long = long, short
	}
	if len(long)/gallopRatio >= len(short) {
		gallop(short, long, f)
		return
	}
	for len(short) > 0 && len(long) > 0 {
		a, b := short[0], long[0]
		if a == b {
			f(a)
		}
		if a <= b {
			short = short[1:]
		}
		if b <= a {
			long = long[1:]
		}
	}
}

// gallop intersects a short sorted list with a long one: it doubles its stride
// in the long list until it has passed the wanted element, and searches the
// last stride.
func gallop(short, long []uint32, f func(w uint32)) {
	for _, w := range short {
		bound := 1
		for bound <= len(long) && long[bound-1] < w {
			bound *= 2
		}
		lo, hi := bound/2, min(bound, len(long))
		at := lo + sort.Search(hi-lo, func(i int) bool { return long[lo+i] >= w })
		if at == len(long) {
			return
		}
		if long[at] == w {
			f(w)
			at++
		}
		long = long[at:]
	}
}

// summed is a heuristic that is a sum over the common neighbours.
type summed struct {
	weight func(degree int) float64              // of a common neighbour
	finish func(sum float64, du, dv int) float64 // computes the score from the sum; nil if the score is the sum
	counts bool                                  // every weight is 1
}

// CommonNeighborsOnly reports whether a scorer is a heuristic that is 0 for vertices without
// a common neighbour.
func CommonNeighborsOnly(scorer string) bool {
	return summedBy(scorer) != nil || scorer == recentNeighbors
}

// TwoSteps reports whether a scorer is a heuristic for which [Predictor.For] reads nothing
// of the graph but the rows of the vertex and of its neighbours.
func TwoSteps(scorer string) bool {
	s := summedBy(scorer)
	return s != nil && s.finish == nil
}

// RowSteps returns within how many edges of a vertex [Predictor.For] reads the rows of the
// graph for a heuristic: 1, or 2 where the degrees of the candidates count too. It is 0 for
// all other scorers, which read more.
func RowSteps(scorer string) int {
	switch {
	case TwoSteps(scorer):
		return 1
	case summedBy(scorer) != nil:
		return 2
	}
	return 0
}

// summedBy returns a heuristic as a sum, or nil if it is not a sum. Its weights
// and scores have the same bits as those of the functions above.
func summedBy(heuristic string) *summed {
	if finish, is := countedBy[heuristic]; is {
		return &summed{weight: one, finish: finish, counts: true}
	}
	switch heuristic {
	case "adamic_adar":
		// Logarithms take longer than all else. Few vertices have a higher degree.
		table := make([]float64, 1024)
		for d := range table {
			table[d] = 1 / math.Log(float64(max(2, d)))
		}
		return &summed{weight: func(degree int) float64 {
			if degree < len(table) {
				return table[degree]
			}
			return 1 / math.Log(float64(degree))
		}}
	case "resource_allocation":
		return &summed{weight: func(degree int) float64 { return 1 / float64(degree) }}
	}
	return nil
}

// countedBy are the heuristics by the number of common neighbours, with their finish.
var countedBy = map[string]func(sum float64, du, dv int) float64{
	"common_neighbors": nil, "jaccard": jaccard, "sorensen": sorensen, "lhn": lhn, "hub_promoted": hubPromoted, "hub_depressed": hubDepressed,
}

// one is the weight of common neighbours that are counted.
func one(int) float64 { return 1 }
