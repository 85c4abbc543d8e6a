package measure

import "math"

// theta is the randomness of refinements: candidates are chosen with probability in
// proportion to exp(gain/theta), where the weight of an edge is 1. It is the paper's
// default, as in the published implementations.
const theta = 0.01

// refine divides each community into groups that are connected well with the rest of it
// (algorithm A.2, RefinePartition, of the paper). A group grows only by single vertices
// that join it.
func (l *leiden) refine(at *level, community []uint32, count int) []uint32 {
	r := newRefiner(l, at, community, count)
	for _, v := range l.shuffled(len(community)) {
		if r.single[v] && r.connected(v) {
			r.merge(v)
		}
	}
	return r.group
}

// refiner is the state of a refinement.
type refiner struct {
	*leiden
	at        *level
	community []uint32
	total     []float64 // mass of each community
	group     []uint32  // of each vertex, named by one of its vertices
	mass      []float64 // of each group
	outward   []float64 // weight of the edges from each group to the rest of its community
	single    []bool    // vertices that are alone in their group
	near      *neighborhood
	chances   []float64
}

func newRefiner(l *leiden, at *level, community []uint32, count int) *refiner {
	n := len(community)
	r := &refiner{
		leiden: l, at: at, community: community, total: make([]float64, count),
		group: identity(n), mass: append([]float64(nil), at.mass...), outward: make([]float64, n), single: make([]bool, n),
		near: newNeighborhood(n),
	}
	for v, c := range community {
		r.total[c] += at.mass[v]
		r.single[v] = true
		targets, weights := at.row(uint32(v))
		for i, u := range targets {
			switch {
			case community[u] != c:
			case weights == nil:
				r.outward[v]++
			default:
				r.outward[v] += weights[i]
			}
		}
	}
	return r
}

// connected reports whether a group has at least as many edges to the rest of its
// community as the quality function expects.
func (r *refiner) connected(group uint32) bool {
	mass := r.mass[group]
	return r.outward[group] >= r.factor*mass*(r.total[r.community[group]]-mass)
}

// merge has a single vertex join one of the groups of its community, if any does not
// lower the quality.
func (r *refiner) merge(v uint32) {
	r.near.add(r.at, v, r.group, r.community)
	defer r.near.reset()
	to, found := r.draw(v)
	if !found {
		return
	}
	r.group[v] = to
	r.single[v], r.single[to] = false, false // a group is named by its first vertex, which then never moves
	r.mass[to] += r.at.mass[v]
	r.outward[to] += r.outward[v] - 2*r.near.weight[to]
}

// draw chooses a group at random. To stay alone is one of the candidates, with a gain of
// 0.
func (r *refiner) draw(v uint32) (uint32, bool) {
	r.chances = r.chances[:0]
	largest := 0.0
	for _, c := range r.near.touched {
		gain := math.Inf(-1)
		if r.connected(c) {
			gain = r.near.weight[c] - r.factor*r.at.mass[v]*r.mass[c]
		}
		r.chances = append(r.chances, gain)
		largest = math.Max(largest, gain)
	}
	sum := math.Exp(-largest / theta)
	for i, gain := range r.chances {
		r.chances[i] = 0
		if gain >= 0 {
			r.chances[i] = math.Exp((gain - largest) / theta)
		}
		sum += r.chances[i]
	}
	at := r.rng.Float64() * sum
	for i, c := range r.near.touched {
		if at -= r.chances[i]; at < 0 {
			return c, true
		}
	}
	return v, false
}
