package algorithms

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
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
	g, err := weightsOf(g, !opts.Unweighted)
	if err != nil {
		return Communities{}, err
	}
	return partition(ctx, opts, func() (*level, error) { return newLevel(g, opts.Work, opts.CPM), nil },
		func(c Communities, resolution float64) float64 {
			return modularity(g, c.Label, len(c.Sizes), resolution)
		})
}

// DirectedLeiden is Leiden with the modularity of directed graphs, in which an arc from u to v is expected
// with the product of the arcs from u and those to v (Leicht and Newman, "Community Structure in Directed
// Networks", 2008), as in igraph. Under CPM a pair is two, one for each direction. Communities are
// connected in the undirected view. It takes as much as Leiden on this view, and 24 bytes more per arc.
func DirectedLeiden(ctx context.Context, d *csr.Directed, opts LeidenOptions) (Communities, error) {
	if opts.Unweighted {
		d = &csr.Directed{Out: csr.Rows{Offsets: d.Out.Offsets, Targets: d.Out.Targets}, In: csr.Rows{Offsets: d.In.Offsets, Targets: d.In.Targets}}
	}
	if err := checkWeights(rowsOf(&d.Out)); err != nil {
		return Communities{}, err
	}
	return partition(ctx, opts, func() (*level, error) { return newDirectedLevel(d, opts.Work, opts.CPM) },
		func(c Communities, resolution float64) float64 {
			return directedModularity(d, c.Label, len(c.Sizes), resolution)
		})
}

// partition is Leiden on any level, with the modularity of what it finds.
func partition(ctx context.Context, opts LeidenOptions, begin func() (*level, error), modularity func(c Communities, resolution float64) float64) (Communities, error) {
	opts.Resolution = cmp.Or(opts.Resolution, 1)
	if !(opts.Resolution > 0) || math.IsInf(opts.Resolution, 0) {
		return Communities{}, &OptionError{"resolution", opts.Resolution, "above 0"}
	}
	base, err := begin()
	if err != nil {
		return Communities{}, err
	}
	l := newLeiden(opts, base)
	labels := identity(len(base.mass.out))
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
	c.Modularity = modularity(c, opts.Resolution)
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
		l.factor = opts.Resolution / sumOf(base.mass.out) // not used without edges
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
	mass      masses   // of each community
	size      []uint32 // vertices of each community
	empty     []uint32 // communities without vertices
	gained    float64  // by all moves
}

func newMassMover(factor float64, at *level, community []uint32) *massMover {
	n := len(community)
	m := &massMover{factor: factor, at: at, community: community, mass: newMasses(n, at.mass.in != nil), size: make([]uint32, n)}
	for v, c := range community {
		m.mass.add(c, 1, at.mass, uint32(v))
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
	return weight - m.at.mass.expectedRest(m.factor, v, m.mass, m.community[v])
}

func (m *massMover) join(v, to uint32, weight float64) (gain float64) {
	return weight - m.at.mass.expected(m.factor, v, m.mass, to)
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
	if (gain < -m.least(p.own) || gain <= 0 && p.own == 0 && to == own) && m.size[own] > 1 { // a directed graph may expect no edge where there is none
		last := len(m.empty) - 1
		to, m.empty, gain = m.empty[last], m.empty[:last], 0
	}
	if to == own {
		return false
	}
	m.gained += gain - stayed
	m.community[v] = to
	m.mass.add(to, 1, m.at.mass, v)
	m.size[to]++
	m.mass.add(own, -1, m.at.mass, v)
	if m.size[own]--; m.size[own] == 0 {
		m.mass.clear(own) // without the error of rounding
		m.empty = append(m.empty, own)
	}
	return true
}

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
	total     masses    // of each community
	group     []uint32  // group of each vertex, named by one of the vertices of the group
	mass      masses    // of each group
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
		factor: l.factor, theta: l.theta, at: at, community: community, total: newMasses(count, at.mass.in != nil),
		group: identity(n), mass: at.mass.clone(), outward: make([]float64, n), single: make([]bool, n),
	}
	for v, c := range community {
		r.total.add(c, 1, at.mass, uint32(v))
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
	return r.outward[group] >= r.mass.expectedRest(r.factor, group, r.total, r.community[group])
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
	r.mass.add(to, 1, r.at.mass, v)
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
			gain = r.near.weights[i] - r.at.mass.expected(r.factor, v, r.mass, c)
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

// communities numbers groups by descending size, and among equal sizes by their smallest
// vertex. Groups are below len(group).
func communities(group []uint32) Communities {
	label := append([]uint32(nil), group...)
	sizes := make([]int, compact(label)) // by the smallest vertex
	for _, c := range label {
		sizes[c]++
	}
	order := identity(len(sizes))
	slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(sizes[b], sizes[a]) })
	rank, sorted := make([]uint32, len(sizes)), make([]int, len(sizes))
	for i, c := range order {
		rank[c], sorted[i] = uint32(i), sizes[c]
	}
	for v, c := range label {
		label[v] = rank[c]
	}
	return Communities{Label: label, Sizes: sorted}
}

// modularity returns how many more edges are inside the groups than if edges were placed
// at random with the same degrees: Σ (w(c)/2m − resolution·(k(c)/2m)²) over the groups,
// where w(c) is twice the weight of the edges inside and k(c) the sum of the
// strengths (Newman and Girvan, "Finding and Evaluating Community Structure in
// Networks", 2004). It is NaN without edges.
func modularity(g *csr.Graph, labels []uint32, groups int, resolution float64) float64 {
	inside, all := make([]float64, groups), make([]float64, groups)
	for v, c := range labels {
		weights := g.WeightsOf(uint32(v))
		for i, u := range g.Neighbors(uint32(v)) {
			w := lengthOf(weights, i)
			all[c] += w
			if labels[u] == c {
				inside[c] += w
			}
		}
	}
	total, q := sumOf(all), 0.0
	if total == 0 {
		return math.NaN()
	}
	for c, w := range inside {
		part := all[c] / total
		q += w/total - float64(resolution*float64(part*part))
	}
	return q
}

// directedModularity is modularity with the strengths of both directions: Σ (w(c)/m − resolution·
// out(c)·in(c)/m²), where w(c) is the weight of the arcs inside, and m that of all. It is NaN without arcs.
func directedModularity(d *csr.Directed, labels []uint32, groups int, resolution float64) float64 {
	inside, out, in := make([]float64, groups), make([]float64, groups), make([]float64, groups)
	for v, c := range labels {
		weights := d.Out.WeightsOf(uint32(v))
		for i, u := range d.Out.Neighbors(uint32(v)) {
			w := lengthOf(weights, i)
			out[c] += w
			in[labels[u]] += w
			if labels[u] == c {
				inside[c] += w
			}
		}
	}
	total, q := sumOf(out), 0.0
	if total == 0 {
		return math.NaN()
	}
	for c, w := range inside {
		q += w/total - float64(resolution*float64(out[c]/total*(in[c]/total)))
	}
	return q
}
