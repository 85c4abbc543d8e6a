package link

import (
	"fmt"
	"math"
	"slices"

	"heavytail/storage/csr"
)

const recentNeighbors = "recent_neighbors"

// RecentHalfLife is the half-life of RecentNeighbors as a fraction of the time between the
// earliest and the latest edge of the graph, so that it has no unit: the oldest paths count 18 %
// of the latest ones. It was chosen on CollegeMsg and sx-mathoverflow, with the latest tenth,
// fifth or two fifths of the edges held out, by the MAP of ten recommendations over that of
// resource allocation, on the worse of the two: 1.10 with 0.4, the later edge of a path and
// 1/d^¾, 1.09 with 0.3, 1.07 with 0.5, 1.08 with the earlier edge, at best 1.03 with 1/d, 1.05
// with 1/√d and 1.01 with 1/ln d. Without the decay it is 1.005.
const RecentHalfLife = 0.4

// NeedsTimes reports whether a scorer needs a graph that is [Timed].
func NeedsTimes(scorer string) bool { return scorer == recentNeighbors }

// Timed reports whether an edge of a graph has a time, or there are no edges. For other graphs
// [New] returns [ErrNeedsTimes] by scorers that need times. It takes O(m).
func Timed(g *csr.Graph) bool {
	return len(g.Targets) == 0 || slices.ContainsFunc(g.Times, func(t int64) bool { return t != csr.NoTime })
}

// RecentNeighbors returns the sum of 2^(−(T−t)/h)/d(w)^¾ over the common neighbours w, where t
// is the time of the later of the edges {u, w} and {v, w}, T that of the latest edge of the graph,
// and h the half-life, RecentHalfLife of the time from the earliest edge to T: a path counts for
// less the longer ago it came into being. If all times are equal the powers of 2 are 1. An edge
// without a time counts as one of the earliest time. If no edge has a time the score is 0, where
// [New] returns ErrNeedsTimes.
//
// Weights that fall exponentially with the age of an edge are those of Tylenda, Angelova and
// Bedathur, "Towards Time-aware Link Prediction in Evolving Social Networks", SNA-KDD 2009. The
// later edge, the half-life and the power of the degree, which is between those of common
// neighbours (0) and resource allocation (1), are ours.
func RecentNeighbors(g *csr.Graph, u, v uint32) float64 {
	r, err := newRecent(undirected(g))
	if err != nil {
		return 0
	}
	return r.score(u, v)
}

// recent adds up the recent paths of two edges of pairs. It is safe for concurrent use. It
// reads the times in the graph and keeps none.
type recent struct {
	*common
	first, last int64
	rate        float64 // 1/half-life; 0 if all times are equal
}

// newRecent takes O(m).
func newRecent(g ways) (*recent, error) {
	r := &recent{common: newCommon(g), first: math.MaxInt64, last: csr.NoTime}
	for _, t := range g.out.Times {
		if t != csr.NoTime {
			r.first, r.last = min(r.first, t), max(r.last, t)
		}
	}
	if !Timed(g.out) {
		return nil, fmt.Errorf("%s: %w", recentNeighbors, ErrNeedsTimes)
	}
	if r.last > r.first {
		r.rate = 1 / (RecentHalfLife * r.since(r.first))
	}
	return r, nil
}

// since is the time from t to the latest edge. The difference of two times can be beyond the
// range of int64, but not of uint64.
func (r *recent) since(t int64) float64 { return float64(uint64(r.last) - uint64(t)) }

// decay is the weight of a path by the time at which it came into being, from 0 to 1. It
// rises with the time.
func (r *recent) decay(t int64) float64 { return math.Exp2(-r.since(max(t, r.first)) * r.rate) }

// penalty is d^¾ of the degree of a common neighbour.
func penalty(degree int) float64 {
	root := math.Sqrt(float64(degree))
	return root * math.Sqrt(root)
}

// score adds over the common neighbours in ascending order.
func (r *recent) score(u, v uint32) float64 {
	if u == v {
		return 0
	}
	m := r.scratch.Get().(*marks)
	defer r.scratch.Put(m)
	out, in := r.g.out, r.g.in
	atU, atV := out.Offsets[u], in.Offsets[v]
	sum := 0.0
	for _, w := range r.list(m, u, v) {
		atU, atV = next(out, atU, u, w), next(in, atV, v, w)
		sum += r.decay(max(out.Times[atU], in.Times[atV])) / penalty(out.Degree(w))
	}
	return sum
}

// next returns the index of w in the row of a vertex, in which it is, at or after an index.
func next(g *csr.Graph, at int64, of, w uint32) int64 {
	i, _ := slices.BinarySearch(g.Targets[at:g.Offsets[of+1]], w)
	return at + int64(i)
}
