package algorithms

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"

	"heavytail/storage/csr"
)

// LeidenOptions sets how Leiden works. The zero value works.
type LeidenOptions struct {
	Work
	// Resolution is the γ of the quality function; a larger value gives more and
	// smaller communities. 0 means 1. Under CPM it is a weight for each pair of vertices, in the
	// unit of the weights; nothing else depends on that unit.
	Resolution float64
	// CPM uses the constant Potts model as the quality function, Σ (edges inside −
	// γ·pairs inside), in place of modularity (Traag, Van Dooren and Nesterov,
	// "Narrow Scope for Resolution-Limit-Free Community Detection", 2011).
	CPM        bool
	Unweighted bool // ignore the weights
	// Iterations is the largest number of runs. Each run begins with the communities of
	// the previous run; a run that hardly raises the quality is the last one: by less
	// than 0.0002 of the weight of the edges, which is as much modularity. 0 means 4.
	Iterations int
	Seed       uint64 // of the order of the vertices and the random merges
}

// Communities are groups of vertices, numbered by descending size, and among equal sizes
// by their smallest vertex.
type Communities struct {
	Label      []uint32 // of each vertex
	Sizes      []int    // vertices of each community, descending
	Modularity float64  // with the resolution of the options, 1 under CPM; NaN without edges
	Iterations int
}

// Leiden finds communities of high quality (Traag, Waltman and van Eck, "From Louvain to
// Leiden: Guaranteeing Well-Connected Communities", 2019), by default of large modularity
// (Newman and Girvan, 2004). Every community is connected. A vertex without edges is a
// community. It takes about O(m) a level and some 10 levels a run, and 70 bytes per
// vertex, at most 60 per vertex and worker, and at most 60 per edge.
func Leiden(ctx context.Context, g *csr.Graph, opts LeidenOptions) (Communities, error) {
	opts.Resolution = cmp.Or(opts.Resolution, 1)
	if !(opts.Resolution > 0) || math.IsInf(opts.Resolution, 0) {
		return Communities{}, &OptionError{"resolution", opts.Resolution, "above 0"}
	}
	g, err := weightsOf(g, !opts.Unweighted)
	if err != nil {
		return Communities{}, err
	}
	base := newLevel(g, opts.Work, opts.CPM)
	l := newLeiden(opts, base)
	labels := identity(g.Vertices())
	most := opts.Iterations
	if most <= 0 {
		most = 4
	}
	report := opts.reporter("communities", int64(most))
	runs := 0
	least := leastGain * base.weight()
	for more := true; more && runs < most; runs++ {
		rounds := math.MaxInt
		if runs == 0 && most > 1 && len(labels) > roughVertices {
			rounds = 1
		}
		l.gained = 0
		changed, err := l.run(ctx, base, labels, rounds)
		if err != nil {
			return Communities{}, err
		}
		more = changed && l.gained >= least
		report(int64(runs + 1))
	}
	report(int64(most))
	c := communities(labels)
	c.Iterations = runs
	if opts.CPM {
		opts.Resolution = 1 // that of the Potts model is a density
	}
	c.Modularity = modularity(g, c.Label, len(c.Sizes), opts.Resolution)
	return c, nil
}

// leastGain is the gain of a run, as a part of the weight of the edges, below which no run
// follows.
const leastGain = 2e-4

// roughVertices is the number of vertices above which the first run moves each vertex once
// before it makes groups vertices. Single vertices move seven times on average until none
// gains, mostly to be moved again, and with its groups the next run finds as good communities
// in a fraction of the time. With few vertices the time does not matter, and communities of
// graphs without structure were up to 0.004 worse.
const roughVertices = 1 << 17

type leiden struct {
	Work
	rng    *rand.Rand
	factor float64  // factor of the product of two masses in the gain of a merge
	theta  float64  // see randomness
	gained float64  // what moves have added to the quality
	levels [2]level // the present level and the next one
}

// newLeiden takes everything in the unit of the weights of the base level. So the
// communities do not depend on it.
func newLeiden(opts LeidenOptions, base *level) *leiden {
	l := &leiden{Work: opts.Work, rng: rand.New(rand.NewPCG(opts.Seed, 0x1e1de)), factor: opts.Resolution / base.unit}
	if !opts.CPM {
		l.factor = opts.Resolution / sumOf(base.mass) // not used without edges
	}
	l.theta = randomness
	if base.weights != nil {
		l.theta *= sumOf(base.weights) / float64(len(base.weights))
	}
	return l
}

// run improves the communities of the base level, and reports whether they changed. Vertices
// of the base level move in so many rounds at most, groups until none gains.
func (l *leiden) run(ctx context.Context, base *level, labels []uint32, rounds int) (changed bool, err error) {
	at := base                      // the present level
	groups := identity(len(labels)) // for each vertex of the base, its vertex in the present level
	community := append([]uint32(nil), labels...)
	for depth := 0; ; depth++ {
		moved, err := l.move(ctx, at, community, rounds)
		if err != nil {
			return false, err
		}
		rounds = math.MaxInt
		changed = changed || moved
		count := compact(community)
		if count == len(community) {
			break
		}
		refined, err := l.refine(ctx, at, community, count)
		if err != nil {
			return false, err
		}
		groupCount := compact(refined)
		if groupCount == len(refined) {
			break
		}
		communities := make([]uint32, groupCount)
		for v, r := range refined {
			communities[r] = community[v]
		}
		next := &l.levels[depth%2]
		at.aggregate(next, l.Work, refined, groupCount)
		at = next
		for v, old := range groups {
			groups[v] = refined[old]
		}
		community = communities
	}
	for v, at := range groups {
		labels[v] = community[at]
	}
	return changed, nil
}

// move moves vertices to the community with the largest gain until none gains, or for so
// many rounds: the fast local move of the paper (algorithm A.2), with a queue in random
// order. The gain of an empty community is 0, so a vertex leaves a community in which its
// gain has become negative.
func (l *leiden) move(ctx context.Context, at *level, community []uint32, rounds int) (moved bool, err error) {
	w := newWorklist(l.Work, at, community)
	m := newMassMover(l.factor, at, community)
	_, moved, err = w.run(ctx, shuffled(l.rng, len(community)), rounds, m)
	l.gained += m.gained
	return moved, err
}

// massMover moves vertices by the gain of quality.
type massMover struct {
	factor    float64 // of the product of two masses
	at        *level
	community []uint32
	mass      []float64 // of each community
	size      []uint32  // vertices of each community
	empty     []uint32  // communities without vertices
	gained    float64   // by all moves
}

func newMassMover(factor float64, at *level, community []uint32) *massMover {
	n := len(community)
	m := &massMover{factor: factor, at: at, community: community, mass: make([]float64, n), size: make([]uint32, n)}
	for v, c := range community {
		m.mass[c] += at.mass[v]
		m.size[c]++
	}
	for c := n - 1; c >= 0; c-- {
		if m.size[c] == 0 {
			m.empty = append(m.empty, uint32(c))
		}
	}
	return m
}

// least is how much two gains must differ, of which the larger one has so much weight: to stay wins a
// tie, and of other communities the first one. The masses of communities are differences of many
// masses, and less exact than sums.
func (m *massMover) least(weight float64) float64 { return max(1e-10, m.at.tie) * weight }

// stay is the gain of a vertex from its own community.
func (m *massMover) stay(v uint32, weight float64) (gain float64) {
	mass := m.at.mass[v]
	return weight - m.factor*mass*(m.mass[m.community[v]]-mass)
}

func (m *massMover) join(v, to uint32, weight float64) (gain float64) {
	return weight - m.factor*m.at.mass[v]*m.mass[to]
}

func (m *massMover) propose(near *neighborhood, v uint32, _ int) proposal {
	near.around(m.at, v, m.community)
	own := m.community[v]
	p := proposal{to: own, own: near.weight(own)}
	gain, most := m.stay(v, p.own), p.own
	for i, c := range near.groups {
		weight := near.weights[i]
		if c == own || weight <= gain {
			continue // a gain is at most the weight: the mass of the group is not needed
		}
		if g := m.join(v, c, weight); g > gain+m.least(max(most, weight)) {
			p.to, p.best, gain, most = c, weight, g, weight
		}
	}
	return p
}

// settle moves v if it still gains: other vertices may have moved since the proposal, but
// none of its neighbours.
func (m *massMover) settle(v uint32, p proposal) bool {
	own := m.community[v]
	to := own
	stayed := m.stay(v, p.own)
	gain := stayed
	if p.to != own {
		if g := m.join(v, p.to, p.best); g > gain+m.least(max(p.own, p.best)) {
			to, gain = p.to, g
		}
	}
	if gain < -m.least(p.own) && m.size[own] > 1 {
		last := len(m.empty) - 1
		to, m.empty, gain = m.empty[last], m.empty[:last], 0
	}
	if to == own {
		return false
	}
	m.gained += gain - stayed
	m.community[v] = to
	m.mass[to] += m.at.mass[v]
	m.size[to]++
	m.mass[own] -= m.at.mass[v]
	if m.size[own]--; m.size[own] == 0 {
		m.mass[own] = 0 // without the error of rounding
		m.empty = append(m.empty, own)
	}
	return true
}
