package algorithms

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"heavytail/storage/vec"
)

// randomness is that of refinements: candidates are chosen with probability in proportion
// to exp(gain/randomness), where the mean weight of an edge is 1. It is the paper's default θ, as
// in the published implementations.
const randomness = 0.01

// refine divides each community into groups that are well connected with the rest of
// the community (algorithm A.2, RefinePartition, of the paper). A group grows only by
// single vertices that join it. Communities do not depend on each other, and each has
// random numbers of its own.
func (l *leiden) refine(ctx context.Context, at *level, community []uint32, count int) ([]uint32, error) {
	r := newRefinement(l, at, community, count)
	members, first := membersOf(community, count)
	seed := l.rng.Uint64()
	free := sync.Pool{New: func() any { return r.newRefiner() }}
	vec.Parallel(count, 1, l.Workers, func(c, _, _ int) {
		own := members[first[c]:first[c+1]]
		if len(own) == 1 {
			return
		}
		f := free.Get().(*refiner)
		f.pcg.Seed(seed, uint64(c))
		f.rng.Shuffle(len(own), func(i, j int) { own[i], own[j] = own[j], own[i] })
		for i, v := range own {
			if i%checkVertices == 0 && ctx.Err() != nil {
				break
			}
			if r.single[v] && r.connected(v) {
				f.merge(v)
			}
		}
		free.Put(f)
	})
	return r.group, ctx.Err()
}

// refinement is the state of a refinement. The entries of a community belong to the worker
// that divides it.
type refinement struct {
	factor    float64
	theta     float64
	at        *level
	community []uint32
	total     []float64 // mass of each community
	group     []uint32  // group of each vertex, named by one of the vertices of the group
	mass      []float64 // of each group
	outward   []float64 // weight of the edges from each group to the rest of its community
	single    []bool    // vertices that are alone in their group
}

type refiner struct {
	*refinement
	pcg     *rand.PCG
	rng     *rand.Rand
	near    *neighborhood
	chances []float64
}

func newRefinement(l *leiden, at *level, community []uint32, count int) *refinement {
	n := len(community)
	r := &refinement{
		factor: l.factor, theta: l.theta, at: at, community: community, total: make([]float64, count),
		group: identity(n), mass: slices.Clone(at.mass), outward: make([]float64, n), single: make([]bool, n),
	}
	for v, c := range community {
		r.total[c] += at.mass[v]
	}
	l.each(n, func(lo, hi int) {
		for v := lo; v < hi; v++ {
			r.single[v] = true
			r.outward[v] = r.inside(uint32(v))
		}
	})
	return r
}

func (r *refinement) newRefiner() *refiner {
	pcg := new(rand.PCG)
	return &refiner{refinement: r, pcg: pcg, rng: rand.New(pcg), near: new(neighborhood)}
}

// inside is the weight of the edges of a vertex to its community.
func (r *refinement) inside(v uint32) (sum float64) {
	targets, weights := r.at.row(v)
	for i, u := range targets {
		switch {
		case r.community[u] != r.community[v]:
		case weights == nil:
			sum++
		default:
			sum += weights[i]
		}
	}
	return sum
}

// connected reports whether a group has at least as many edges to the rest of its
// community as the quality function expects.
func (r *refinement) connected(group uint32) bool {
	mass := r.mass[group]
	return r.outward[group] >= r.factor*mass*(r.total[r.community[group]]-mass)
}

// merge moves a single vertex to one of the groups of its community, if one of these
// moves does not lower the quality.
func (r *refiner) merge(v uint32) {
	r.near.within(r.at, v, r.group, r.community)
	to, found := r.draw(v)
	if !found {
		return
	}
	r.group[v] = to
	r.single[v], r.single[to] = false, false // a group is named by its first vertex, which then never moves
	r.mass[to] += r.at.mass[v]
	r.outward[to] += r.outward[v] - 2*r.near.weight(to)
}

// draw chooses a group at random. Staying alone is one of the candidates, with a gain of
// 0.
func (r *refiner) draw(v uint32) (uint32, bool) {
	r.chances = r.chances[:0]
	largest := 0.0
	for i, c := range r.near.groups {
		gain := math.Inf(-1)
		if r.connected(c) {
			gain = r.near.weights[i] - r.factor*r.at.mass[v]*r.mass[c]
		}
		r.chances = append(r.chances, gain)
		largest = math.Max(largest, gain)
	}
	sum := math.Exp(-largest / r.theta)
	for i, gain := range r.chances {
		r.chances[i] = 0
		if gain >= 0 {
			r.chances[i] = math.Exp((gain - largest) / r.theta)
		}
		sum += r.chances[i]
	}
	at := r.rng.Float64() * sum
	for i, c := range r.near.groups {
		if at -= r.chances[i]; at < 0 {
			return c, true
		}
	}
	return v, false
}
