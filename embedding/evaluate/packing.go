package evaluate

import (
	"context"
	"math"

	"heavytail/storage/csr"
)

// Packing gives bounds on the dimensions in which a hub and its neighbours can
// be points of an ε-neighbourhood: the neighbours lie in the ball of radius ε
// around the hub, and any two that are not adjacent are more than ε apart.
// With M_k the largest number of points of a ball in k dimensions that are
// pairwise farther apart than its radius, M_k has to be at least the largest
// number of mutually non-adjacent neighbours (Feng et al., AAAI 2018, section
// 2).
//
// That number is hard to compute, and only bounds of M_k are known, so each
// answer is a range. The dimensions are necessary for an exact reconstruction
// at this hub, not sufficient for the whole graph; approximate embeddings need
// fewer.
type Packing struct {
	Vertex uint32 `json:"vertex"` // the hub: the vertex of largest degree, of equals the lowest
	Degree int    `json:"degree"`

	// Bounds of the size of the largest set of mutually non-adjacent
	// neighbours: the size of one such set, found greedily, and the number of
	// cliques that cover the neighbours, since the set has at most one vertex
	// of each clique.
	SetAtLeast int `json:"set_at_least"`
	SetAtMost  int `json:"set_at_most"`

	// PaperAtLeast and PaperAtMost are the smallest k by the bounds of the
	// paper, ⌊(3/2)^k⌋ ≤ M_k ≤ ⌊3^k·2^(−0.599k)⌋: the smallest k whose upper
	// bound reaches SetAtLeast, and the smallest k whose lower bound reaches
	// SetAtMost. The upper bound holds for large k (115 and more), so it
	// proves nothing for smaller k. The lower bound assumes that a ball can be
	// packed as densely as space. It cannot hold for all k: M_k points can be
	// lifted to the sphere of one more dimension without coming closer, so
	// there are at most as many as its kissing number, which grows as
	// 2^(0.401k) at most.
	PaperAtLeast int `json:"paper_at_least"`
	PaperAtMost  int `json:"paper_at_most"`

	// ProvenAtLeast and ProvenAtMost are the smallest k by bounds that hold
	// for every k: M_k ≤ 3^k by volume, since balls of half the radius around
	// the points are disjoint within one of 3/2 of it, and M_k ≥ 1/σ_k, where
	// σ_k is the fraction of the sphere within 60° of a point: points are
	// added on the sphere until there is no room (Wyner, "Capabilities of
	// bounded discrepancy decoding", 1965). The second bound is far from
	// tight: it grows as (2/√3)^k.
	ProvenAtLeast int `json:"proven_at_least"`
	ProvenAtMost  int `json:"proven_at_most"`
}

// PackingDimension bounds the dimensions that an embedding needs for the
// largest hub of a graph. All numbers are 0 for a graph without edges.
//
// It takes O(n + s) time, s the sum of the degrees of the neighbours of the hub,
// and 4 bytes per vertex of working memory in addition to their subgraph. The error is
// that of ctx.
func PackingDimension(ctx context.Context, g *csr.Graph) (Packing, error) {
	var p Packing
	for v := range g.Vertices() {
		if d := g.Degree(uint32(v)); d > p.Degree {
			p.Vertex, p.Degree = uint32(v), d
		}
	}
	if p.Degree == 0 {
		return Packing{}, nil
	}
	around := g.Induced(g.Neighbors(p.Vertex))
	var err error
	if p.SetAtLeast, err = independentSet(ctx, around); err != nil {
		return Packing{}, err
	}
	if p.SetAtMost, err = cliqueCover(ctx, around); err != nil {
		return Packing{}, err
	}
	p.PaperAtLeast = smallestPower(3*math.Exp2(-0.599), p.SetAtLeast)
	p.PaperAtMost = smallestPower(1.5, p.SetAtMost)
	p.ProvenAtLeast = smallestPower(3, p.SetAtLeast)
	p.ProvenAtMost = smallestCovering(p.SetAtMost)
	return p, nil
}

// smallestPower returns the smallest k ≥ 1 for which base^k ≥ count.
func smallestPower(base float64, count int) int {
	k := 1
	for power := base; power < float64(count); power *= base {
		k++
	}
	return k
}

// smallestCovering returns the smallest k ≥ 1 for which 1/σ_k, a lower bound
// of M_k, is at least count. M_1 is 2, the ends of an interval.
func smallestCovering(count int) int {
	k := 1
	for most := 2.0; most < float64(count); {
		k++
		most = math.Ceil(1/capShare(k) - 1e-9) // a whole number of points
	}
	return k
}

// capShare returns the fraction of the unit sphere in k ≥ 2 dimensions within 60° of
// a point: the integral of sin^(k−2) up to 60° over that up to 180°.
func capShare(k int) float64 {
	// Up to 180° it is 2·∫ up to 90° = √π Γ((m+1)/2)/Γ(m/2+1), m = k−2, by
	// recurrence over m.
	m := float64(k - 2)
	whole := math.Pi
	if k%2 == 1 {
		whole = 2
	}
	for i := float64(k%2 + 2); i <= m; i += 2 {
		whole *= (i - 1) / i
	}
	// With t = sin θ, ∫ t^m (1−t²)^−½ dt up to t² = ¾, term by term.
	sum, factor := 0.0, 1.0
	power := math.Pow(0.75, (m+1)/2)
	for j := 0.0; ; j++ {
		term := factor * power / (m + 2*j + 1)
		sum += term
		if term < 1e-17*sum {
			return sum / whole
		}
		factor *= (2*j + 1) / (2*j + 2)
		power *= 0.75
	}
}

// independentSet returns the size of a set of mutually non-adjacent vertices:
// it repeatedly takes a vertex with the fewest remaining neighbours and
// removes these neighbours, until no vertex remains.
func independentSet(ctx context.Context, g *csr.Graph) (int, error) {
	q := newDegreeQueue(g)
	for size := 0; ; size++ {
		if size%256 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		v, ok := q.popFewest()
		if !ok {
			return size, nil
		}
		for _, u := range g.Neighbors(v) {
			if q.left[u] < 0 {
				continue
			}
			q.remove(u)
			for _, w := range g.Neighbors(u) {
				q.lose(w)
			}
		}
	}
}

// degreeQueue keeps vertices by their number of remaining neighbours, in a
// doubly linked list for each number. Every operation takes constant time,
// except the search for the fewest, whose steps up are amortised by steps
// down.
type degreeQueue struct {
	left           []int32 // neighbours left; -1 once the vertex is gone
	first          []int32 // vertex in front of the list of each number, -1 for none
	next, previous []int32 // in the list of a vertex, -1 at its ends
	fewest         int     // no list before this one has a vertex
}

func newDegreeQueue(g *csr.Graph) *degreeQueue {
	n := g.Vertices()
	q := &degreeQueue{left: make([]int32, n), first: make([]int32, n+1), next: make([]int32, n), previous: make([]int32, n)}
	for d := range q.first {
		q.first[d] = -1
	}
	for v := n - 1; v >= 0; v-- { // so that the smallest vertex is in front
		q.left[v] = int32(g.Degree(uint32(v)))
		q.insert(int32(v))
	}
	q.fewest = 0
	return q
}

func (q *degreeQueue) insert(v int32) {
	d := q.left[v]
	q.previous[v], q.next[v] = -1, q.first[d]
	if q.next[v] >= 0 {
		q.previous[q.next[v]] = v
	}
	q.first[d] = v
	q.fewest = min(q.fewest, int(d))
}

func (q *degreeQueue) unlink(v int32) {
	if q.previous[v] >= 0 {
		q.next[q.previous[v]] = q.next[v]
	} else {
		q.first[q.left[v]] = q.next[v]
	}
	if q.next[v] >= 0 {
		q.previous[q.next[v]] = q.previous[v]
	}
}

func (q *degreeQueue) remove(v uint32) {
	q.unlink(int32(v))
	q.left[v] = -1
}

// lose removes one neighbour of a vertex that is still in the queue.
func (q *degreeQueue) lose(v uint32) {
	if q.left[v] > 0 {
		q.unlink(int32(v))
		q.left[v]--
		q.insert(int32(v))
	}
}

// popFewest removes and returns a vertex with the fewest neighbours left.
func (q *degreeQueue) popFewest() (uint32, bool) {
	for ; q.fewest < len(q.first); q.fewest++ {
		if v := q.first[q.fewest]; v >= 0 {
			q.remove(uint32(v))
			return uint32(v), true
		}
	}
	return 0, false
}

// cliqueCover returns the size of a set of cliques that together contain all
// vertices: each vertex joins the largest clique whose members are all its
// neighbours, the first of equals.
func cliqueCover(ctx context.Context, g *csr.Graph) (int, error) {
	var sizes []int // of the cliques
	clique := make([]uint32, g.Vertices())
	known := make([]int, g.Vertices()) // number of neighbours in each clique
	for v := range uint32(g.Vertices()) {
		if v%256 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		join := len(sizes)
		for _, u := range g.Neighbors(v) {
			if u >= v {
				break
			}
			c := clique[u]
			known[c]++
			if known[c] == sizes[c] && (join == len(sizes) || sizes[c] > sizes[join] || sizes[c] == sizes[join] && int(c) < join) {
				join = int(c)
			}
		}
		for _, u := range g.Neighbors(v) {
			if u >= v {
				break
			}
			known[clique[u]] = 0
		}
		if join == len(sizes) {
			sizes = append(sizes, 0)
		}
		clique[v] = uint32(join)
		sizes[join]++
	}
	return len(sizes), nil
}
