package measure

import (
	"context"
	"math"
	"math/rand/v2"

	"heavytail/storage/csr"
)

// LeidenOptions sets how Leiden works. The zero value works.
type LeidenOptions struct {
	Work
	// Resolution is the γ of the quality function; a larger one gives more and smaller
	// communities. 0 means 1.
	Resolution float64
	// CPM takes the constant Potts model for quality, Σ (edges inside − γ·pairs
	// inside), in place of modularity (Traag, Van Dooren and Nesterov, "Narrow Scope
	// for Resolution-Limit-Free Community Detection", 2011).
	CPM        bool
	Unweighted bool // ignore the weights
	// Iterations is the largest number of runs, each of which begins with the communities
	// of the last; a run that changes nothing is the last. 0 means 4.
	Iterations int
	Seed       uint64 // of the order of the vertices and the random merges
}

// Communities are groups of vertices, numbered by descending size, and among equal sizes
// by their smallest vertex.
type Communities struct {
	Label      []uint32 // of each vertex
	Sizes      []int    // vertices of each community, descending
	Modularity float64  // with the resolution of the options; NaN without edges
	Iterations int
}

// Leiden finds communities of large quality (Traag, Waltman and van Eck, "From Louvain
// to Leiden: Guaranteeing Well-Connected Communities", 2019), by default of large
// modularity (Newman and Girvan, 2004). Every community is connected. A vertex
// without edges is a community. It takes about O(m) a level and some 10 levels a run, on
// one core, and 60 bytes per vertex and 12 per edge.
func Leiden(ctx context.Context, g *csr.Graph, opts LeidenOptions) (Communities, error) {
	if opts.Resolution == 0 {
		opts.Resolution = 1
	}
	if !(opts.Resolution > 0) || math.IsInf(opts.Resolution, 0) {
		return Communities{}, &OptionError{"resolution", opts.Resolution, "above 0"}
	}
	g, err := weightsOf(g, !opts.Unweighted)
	if err != nil {
		return Communities{}, err
	}
	base := newLevel(g, opts.CPM)
	l := &leiden{rng: rand.New(rand.NewPCG(opts.Seed, 0x1e1de)), factor: opts.Resolution}
	if !opts.CPM {
		l.factor /= math.Max(1, sumOf(base.mass))
	}
	labels := identity(g.Vertices())
	most := opts.Iterations
	if most <= 0 {
		most = 4
	}
	report := opts.reporter("communities", int64(most))
	runs := 0
	for changed := true; changed && runs < most; runs++ {
		if changed, err = l.run(ctx, base, labels); err != nil {
			return Communities{}, err
		}
		report(int64(runs + 1))
	}
	report(int64(most))
	c := communities(labels)
	c.Iterations = runs
	c.Modularity = modularity(g, c.Label, len(c.Sizes), opts.Resolution)
	return c, nil
}

// level is a graph whose vertices are groups of vertices of the graph before. The edges
// within a group are not kept: they move with it.
type level struct {
	offsets []int64
	targets []uint32
	weights []float64 // nil where all are 1
	// mass is what the quality function counts of a vertex: the sum of the weights of the
	// edges for modularity, the number of vertices for CPM.
	mass []float64
}

// newLevel is the graph itself.
func newLevel(g *csr.Graph, cpm bool) *level {
	l := &level{offsets: g.Offsets, targets: g.Targets, mass: make([]float64, g.Vertices())}
	if len(l.offsets) == 0 {
		l.offsets = []int64{0}
	}
	if g.Weights != nil {
		l.weights = make([]float64, len(g.Weights))
		for i, w := range g.Weights {
			l.weights[i] = float64(w)
		}
	}
	for v := range l.mass {
		l.mass[v] = 1
		if !cpm {
			l.mass[v] = strength(g, uint32(v))
		}
	}
	return l
}

// row returns the neighbours of a vertex and the weights of the edges, nil for ones.
func (l *level) row(v uint32) ([]uint32, []float64) {
	lo, hi := l.offsets[v], l.offsets[v+1]
	if l.weights == nil {
		return l.targets[lo:hi], nil
	}
	return l.targets[lo:hi], l.weights[lo:hi]
}

// aggregate makes each group a vertex.
func (l *level) aggregate(group []uint32, groups int) *level {
	a := &level{offsets: make([]int64, 1, groups+1), mass: make([]float64, groups)}
	members, first := membersOf(group, groups)
	for v, m := range l.mass {
		a.mass[group[v]] += m
	}
	near := newNeighborhood(groups)
	for c := range uint32(groups) {
		for _, v := range members[first[c]:first[c+1]] {
			near.add(l, v, group, nil)
		}
		for _, other := range near.touched {
			if other != c {
				a.targets = append(a.targets, other)
				a.weights = append(a.weights, near.weight[other])
			}
		}
		near.reset()
		a.offsets = append(a.offsets, int64(len(a.targets)))
	}
	return a
}

// neighborhood adds up the weights of edges by the group at their other end.
type neighborhood struct {
	weight  []float64 // of the edges to each group; 0 where it is not touched
	touched []uint32  // groups, in the order in which they were met
}

func newNeighborhood(groups int) *neighborhood { return &neighborhood{weight: make([]float64, groups)} }

// add adds the edges of a vertex whose other end is in the community of within, if that
// is not nil.
func (n *neighborhood) add(l *level, v uint32, group []uint32, within []uint32) {
	targets, weights := l.row(v)
	for i, u := range targets {
		if within != nil && within[u] != within[v] {
			continue
		}
		c, w := group[u], 1.0
		if weights != nil {
			w = weights[i]
		}
		if n.weight[c] == 0 {
			n.touched = append(n.touched, c)
		}
		n.weight[c] += w
	}
}

func (n *neighborhood) reset() {
	for _, c := range n.touched {
		n.weight[c] = 0
	}
	n.touched = n.touched[:0]
}

// leiden is the state of a run.
type leiden struct {
	rng    *rand.Rand
	factor float64 // of the product of two masses, in the gain of a merge
}

// run improves the communities of the base level, and reports whether they changed.
func (l *leiden) run(ctx context.Context, base *level, labels []uint32) (changed bool, err error) {
	at := base                      // the present level
	groups := identity(len(labels)) // of the vertices of the base: vertices of the present level
	community := append([]uint32(nil), labels...)
	for {
		moved, err := l.move(ctx, at, community)
		if err != nil {
			return false, err
		}
		changed = changed || moved
		count := compact(community)
		if count == len(community) {
			break
		}
		refined := l.refine(at, community, count)
		groupCount := compact(refined)
		if groupCount == len(refined) {
			break
		}
		next := make([]uint32, groupCount)
		for v, r := range refined {
			next[r] = community[v]
		}
		at = at.aggregate(refined, groupCount)
		for v, old := range groups {
			groups[v] = refined[old]
		}
		community = next
	}
	for v, at := range groups {
		labels[v] = community[at]
	}
	return changed, nil
}

// move moves vertices to the community with the largest gain until none gains: the fast
// local move of the paper (algorithm A.2), with a queue in random order. A community
// that is empty gains nothing, so that a vertex leaves one that has become bad for it.
func (l *leiden) move(ctx context.Context, at *level, community []uint32) (moved bool, err error) {
	n := len(community)
	m := newMover(l, at, community)
	queue, queued := l.shuffled(n), make([]bool, n)
	for i := range queued {
		queued[i] = true
	}
	for steps := 0; len(queue) > 0; steps++ {
		if steps%checkVertices == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		v := queue[0]
		queue, queued[v] = queue[1:], false
		if !m.visit(v) {
			continue
		}
		moved = true
		targets, _ := at.row(v)
		for _, u := range targets {
			if !queued[u] && community[u] != community[v] {
				queue, queued[u] = append(queue, u), true
			}
		}
	}
	return moved, nil
}

// mover moves single vertices.
type mover struct {
	*leiden
	at        *level
	community []uint32
	mass      []float64 // of each community
	size      []uint32  // vertices of each community
	empty     []uint32  // communities without vertices
	near      *neighborhood
}

func newMover(l *leiden, at *level, community []uint32) *mover {
	n := len(community)
	m := &mover{leiden: l, at: at, community: community, mass: make([]float64, n), size: make([]uint32, n), near: newNeighborhood(n)}
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

// visit moves a vertex to its best community, and reports whether that is another one.
func (m *mover) visit(v uint32) bool {
	own := m.community[v]
	m.near.add(m.at, v, m.community, nil)
	defer m.near.reset()
	mass := m.at.mass[v]
	m.mass[own] -= mass
	m.size[own]--
	best := own
	// To stay wins a tie, up to rounding.
	gain := m.near.weight[own] - m.factor*mass*m.mass[own]
	least := 1e-10 * math.Max(1, m.near.weight[own])
	for _, c := range m.near.touched {
		if g := m.near.weight[c] - m.factor*mass*m.mass[c]; g > gain+least {
			best, gain = c, g
		}
	}
	if gain < -least && m.size[own] > 0 {
		best = m.empty[len(m.empty)-1]
	}
	m.settle(v, own, best)
	return best != own
}

// settle enters v, which was taken out of one community, into another.
func (m *mover) settle(v, from, to uint32) {
	if to != from && m.size[to] == 0 {
		m.empty = m.empty[:len(m.empty)-1] // to is its last
	}
	m.community[v] = to
	m.mass[to] += m.at.mass[v]
	m.size[to]++
	if m.size[from] == 0 {
		m.empty = append(m.empty, from)
	}
}

// shuffled returns the numbers below n in random order.
func (l *leiden) shuffled(n int) []uint32 {
	order := identity(n)
	l.rng.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order
}

// identity is the list of the numbers below n.
func identity(n int) []uint32 {
	list := make([]uint32, n)
	for i := range list {
		list[i] = uint32(i)
	}
	return list
}

// membersOf returns the vertices by group: those of group c are from first[c] to
// first[c+1].
func membersOf(group []uint32, groups int) (members []uint32, first []int) {
	first = make([]int, groups+2)
	for _, c := range group {
		first[c+2]++
	}
	for c := 2; c < len(first); c++ {
		first[c] += first[c-1]
	}
	members = make([]uint32, len(group))
	for v, c := range group {
		members[first[c+1]] = uint32(v)
		first[c+1]++
	}
	return members, first
}

// compact numbers groups in the order of their first vertices, in place, and returns
// how many there are.
func compact(group []uint32) int {
	const unseen = ^uint32(0)
	number := make([]uint32, len(group))
	for i := range number {
		number[i] = unseen
	}
	count := uint32(0)
	for v, c := range group {
		if number[c] == unseen {
			number[c] = count
			count++
		}
		group[v] = number[c]
	}
	return int(count)
}
