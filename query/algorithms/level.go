package algorithms

import (
	"math/bits"
	"slices"
	"sync"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// level is a graph whose vertices are groups of vertices of the graph before. The edges
// within a group are not kept: they move with it.
type level struct {
	offsets []int64
	targets []uint32
	weights []float64 // in units; nil where all are 1
	mass    masses
	unit    float64 // what a weight of 1 is; of the graph itself only
	tie     float64 // the part of two sums of weights by which equal ones can differ
}

// masses are what the quality function counts of vertices or groups: the sum of the weights of the
// edges for modularity, the number of vertices for CPM.
type masses struct {
	out []float64 // of the edges, and in a directed graph of those from a vertex
	in  []float64 // of those to a vertex; nil in an undirected graph
}

func newMasses(n int, directed bool) masses {
	m := masses{out: make([]float64, n)}
	if directed {
		m.in = make([]float64, n)
	}
	return m
}

func (m masses) clone() masses { return masses{slices.Clone(m.out), slices.Clone(m.in)} }

// add adds the mass of a vertex, times 1 or −1, to that of a group.
func (m masses) add(c uint32, times float64, of masses, v uint32) {
	m.out[c] += times * of.out[v]
	if m.in != nil {
		m.in[c] += times * of.in[v]
	}
}

func (m masses) clear(c uint32) {
	m.out[c] = 0
	if m.in != nil {
		m.in[c] = 0
	}
}

// expected is the weight of the edges between a vertex and a group that random edges would have, where
// factor is that of the product of two masses.
func (m masses) expected(factor float64, v uint32, of masses, c uint32) float64 {
	if m.in == nil {
		return factor * m.out[v] * of.out[c]
	}
	return factor*m.out[v]*of.in[c] + factor*m.in[v]*of.out[c]
}

// expectedRest is expected of a group without the vertex, which is in it.
func (m masses) expectedRest(factor float64, v uint32, of masses, c uint32) float64 {
	if m.in == nil {
		return factor * m.out[v] * (of.out[c] - m.out[v])
	}
	return factor*m.out[v]*(of.in[c]-m.in[v]) + factor*m.in[v]*(of.out[c]-m.out[v])
}

// newLevel is the graph itself.
func newLevel(g *csr.Graph, w Work, cpm bool) *level {
	l := &level{offsets: g.Offsets, targets: g.Targets, mass: newMasses(g.Vertices(), false)}
	if len(l.offsets) == 0 {
		l.offsets = []int64{0}
	}
	edges := lengthsOf(g, w)
	l.weights, l.unit, l.tie = edges.Wide, edges.Value(1), edges.tie()
	if edges.Weights != nil {
		l.weights = make([]float64, len(edges.Weights))
		for i, w := range edges.Weights {
			l.weights[i] = float64(w)
		}
	}
	for v := range l.mass.out {
		switch {
		case cpm:
			l.mass.out[v] = 1
		case l.weights == nil:
			l.mass.out[v] = float64(g.Degree(uint32(v)))
		default:
			_, weights := l.row(uint32(v))
			l.mass.out[v] = sumOf(weights)
		}
	}
	return l
}

// newDirectedLevel is the undirected view of a directed graph, in which the weight of an edge is the sum of
// those of its arcs, with the masses of both directions.
func newDirectedLevel(d *csr.Directed, w Work, cpm bool) (*level, error) {
	view := d
	if !d.Weighted() {
		ones := slices.Repeat([]float32{1}, int(d.Arcs()))
		view = &csr.Directed{Out: d.Out, In: d.In}
		view.Out.Weights, view.In.Weights = ones, ones
	}
	g := view.Undirected()
	if !d.Weighted() && g.Edges() == d.Arcs() {
		g = weightless(g)
	}
	l := newLevel(g, w, cpm)
	if l.mass.in = slices.Clone(l.mass.out); cpm {
		return l, nil
	}
	for i, side := range []*csr.Rows{&d.Out, &d.In} {
		values, err := Strength(rowsOf(side), w)
		if err != nil {
			return nil, err
		}
		scale(values, 1/l.unit)
		*[]*[]float64{&l.mass.out, &l.mass.in}[i] = values
	}
	return l, nil
}

// row returns the neighbours of a vertex and the weights of the edges, nil for ones.
func (l *level) row(v uint32) ([]uint32, []float64) {
	lo, hi := l.offsets[v], l.offsets[v+1]
	if l.weights == nil {
		return l.targets[lo:hi], nil
	}
	return l.targets[lo:hi], l.weights[lo:hi]
}

func (l *level) weight() float64 {
	if l.weights == nil {
		return float64(len(l.targets)) / 2
	}
	return sumOf(l.weights) / 2
}

// aggregate makes a the graph of the groups of l, in the memory that a has.
func (l *level) aggregate(a *level, w Work, group []uint32, groups int) {
	a.offsets, a.mass.out, a.tie = resized(a.offsets, groups+1), resized(a.mass.out, groups), l.tie
	if l.mass.in != nil {
		a.mass.in = resized(a.mass.in, groups)
	}
	clear(a.mass.out)
	clear(a.mass.in)
	a.offsets[0] = 0
	members, first := membersOf(group, groups)
	for v, c := range group {
		a.mass.add(c, 1, l.mass, uint32(v))
	}
	// A block of groups writes its rows where they would begin if no edges were merged.
	begins := make([]int64, (groups+blockGroups-1)/blockGroups+1)
	for v, c := range group {
		begins[c/blockGroups+1] += l.offsets[v+1] - l.offsets[v]
	}
	for block := range len(begins) - 1 {
		begins[block+1] += begins[block]
	}
	most := int(begins[len(begins)-1])
	a.targets, a.weights = resized(a.targets, most), resized(a.weights, most)
	near := neighborhoods()
	vec.Parallel(groups, blockGroups, w.Workers, func(block, lo, hi int) {
		n := near.Get().(*neighborhood)
		at := begins[block]
		for c := lo; c < hi; c++ {
			n.gather(l, members[first[c]:first[c+1]], group)
			for i, other := range n.groups {
				if other != uint32(c) {
					a.targets[at], a.weights[at] = other, n.weights[i]
					at++
				}
			}
			a.offsets[c+1] = at
		}
		near.Put(n)
	})
	end := int64(0)
	for block, begin := range begins[:len(begins)-1] {
		groups := a.offsets[1:][block*blockGroups : min(groups, (block+1)*blockGroups)]
		last := groups[len(groups)-1]
		copy(a.targets[end:], a.targets[begin:last])
		copy(a.weights[end:], a.weights[begin:last])
		for i := range groups {
			groups[i] -= begin - end
		}
		end += last - begin
	}
	a.targets, a.weights = a.targets[:end], a.weights[:end]
}

// resized is a list of so many elements, of any values, in the memory of list if it is enough.
func resized[T any](list []T, length int) []T {
	if cap(list) < length {
		return make([]T, length)
	}
	return list[:length]
}

// blockGroups is how many groups a worker aggregates at a time.
const blockGroups = 256

// neighborhood adds up the weights of edges by the group at their other end. Its table has
// twice as many slots as there can be groups, so that the table of most vertices is in the
// first cache; a list with an entry for each group of a large graph would be in none.
type neighborhood struct {
	groups  []uint32  // in the order in which they were met
	weights []float64 // of the edges to each of groups
	table   []slot    // the slots in use
	shift   int       // the bits of a hash that are not used
	room    []slot
	ends    []uint32 // the groups at the ends of some edges
}

// slot is a place of the table.
type slot struct {
	group uint32
	next  uint32 // 1 + the index in groups; 0 in an empty slot
}

// neighborhoods has one for each worker.
func neighborhoods() *sync.Pool {
	return &sync.Pool{New: func() any { return new(neighborhood) }}
}

// begin empties it, for edges to at most so many groups.
func (n *neighborhood) begin(most int) {
	n.groups, n.weights = n.groups[:0], n.weights[:0]
	size := bits.Len(uint(max(1, 2*most-1)))
	if len(n.room) < 1<<size {
		n.room = make([]slot, 1<<size)
	}
	n.table, n.shift = n.room[:1<<size], 32-size
	clear(n.table)
}

// gather makes it that of the members of a group together.
func (n *neighborhood) gather(l *level, members, group []uint32) {
	arcs := int64(0)
	for _, v := range members {
		arcs += l.offsets[v+1] - l.offsets[v]
	}
	n.begin(min(int(arcs), len(l.mass.out)))
	for _, v := range members {
		n.add(l, v, group)
	}
}

// around makes it that of a vertex.
func (n *neighborhood) around(l *level, v uint32, group []uint32) {
	n.begin(int(l.offsets[v+1] - l.offsets[v]))
	n.add(l, v, group)
}

func (n *neighborhood) add(l *level, v uint32, group []uint32) {
	targets, weights := l.row(v)
	// In a loop of their own, the loads do not wait for each other.
	n.ends = n.ends[:0]
	for _, u := range targets {
		n.ends = append(n.ends, group[u])
	}
	if weights == nil {
		for _, c := range n.ends {
			n.enter(c, 1)
		}
		return
	}
	for i, c := range n.ends {
		n.enter(c, weights[i])
	}
}

// within makes it that of a vertex, without the edges that leave the vertex's community.
func (n *neighborhood) within(l *level, v uint32, group, community []uint32) {
	targets, weights := l.row(v)
	n.begin(len(targets))
	for i, u := range targets {
		switch {
		case community[u] != community[v]:
		case weights == nil:
			n.enter(group[u], 1)
		default:
			n.enter(group[u], weights[i])
		}
	}
}

func (n *neighborhood) enter(c uint32, weight float64) {
	at := n.find(c)
	if next := n.table[at].next; next > 0 {
		n.weights[next-1] += weight
		return
	}
	n.groups = append(n.groups, c)
	n.weights = append(n.weights, weight)
	n.table[at] = slot{c, uint32(len(n.groups))}
}

func (n *neighborhood) weight(c uint32) float64 {
	if next := n.table[n.find(c)].next; next > 0 {
		return n.weights[next-1]
	}
	return 0
}

// find returns the slot of a group: its own, or the empty one for it.
func (n *neighborhood) find(c uint32) uint32 {
	const golden = 0x9e3779b1 // 2³² divided by the golden ratio: spreads numbers that follow each other
	last := uint32(len(n.table) - 1)
	at := c * golden >> n.shift
	for n.table[at].next > 0 && n.table[at].group != c {
		at = (at + 1) & last
	}
	return at
}
