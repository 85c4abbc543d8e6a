package measure

import (
	"sync"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

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
func (l *level) aggregate(w Work, group []uint32, groups int) *level {
	a := &level{offsets: make([]int64, groups+1), mass: make([]float64, groups)}
	members, first := membersOf(group, groups)
	for v, m := range l.mass {
		a.mass[group[v]] += m
	}
	parts := make([]level, (groups+blockGroups-1)/blockGroups)
	near := neighborhoods(groups)
	vec.Parallel(groups, blockGroups, w.Workers, func(block, lo, hi int) {
		n := near.Get().(*neighborhood)
		for c := lo; c < hi; c++ {
			parts[block].append(n, l, members[first[c]:first[c+1]], group, uint32(c))
			a.offsets[c+1] = int64(len(parts[block].targets)) // in its block
		}
		near.Put(n)
	})
	begin := int64(0)
	for block := range parts {
		hi := min(groups, (block+1)*blockGroups)
		for c := block * blockGroups; c < hi; c++ {
			a.offsets[c+1] += begin
		}
		begin = a.offsets[hi]
	}
	a.targets, a.weights = make([]uint32, begin), make([]float64, begin)
	vec.Parallel(len(parts), 1, w.Workers, func(block, _, _ int) {
		at := a.offsets[block*blockGroups]
		copy(a.targets[at:], parts[block].targets)
		copy(a.weights[at:], parts[block].weights)
		parts[block] = level{}
	})
	return a
}

// blockGroups is how many groups a worker aggregates at a time.
const blockGroups = 256

// append adds the edges of a group with these members.
func (l *level) append(near *neighborhood, from *level, members, group []uint32, c uint32) {
	for _, v := range members {
		near.add(from, v, group)
	}
	for _, other := range near.touched {
		if other != c {
			l.targets = append(l.targets, other)
			l.weights = append(l.weights, near.weight[other])
		}
	}
	near.reset()
}

// neighborhood adds up the weights of edges by the group at their other end.
type neighborhood struct {
	weight  []float64 // of the edges to each group; 0 where it is not touched
	touched []uint32  // groups, in the order in which they were met
}

func newNeighborhood(groups int) *neighborhood { return &neighborhood{weight: make([]float64, groups)} }

// neighborhoods has one for each worker.
func neighborhoods(groups int) *sync.Pool {
	return &sync.Pool{New: func() any { return newNeighborhood(groups) }}
}

// add adds the edges of a vertex.
func (n *neighborhood) add(l *level, v uint32, group []uint32) {
	targets, weights := l.row(v)
	for i, u := range targets {
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		n.enter(group[u], w)
	}
}

// addWithin adds the edges of a vertex whose other end is in its community.
func (n *neighborhood) addWithin(l *level, v uint32, group, community []uint32) {
	targets, weights := l.row(v)
	for i, u := range targets {
		if community[u] != community[v] {
			continue
		}
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		n.enter(group[u], w)
	}
}

func (n *neighborhood) enter(c uint32, w float64) {
	if n.weight[c] == 0 {
		n.touched = append(n.touched, c)
	}
	n.weight[c] += w
}

func (n *neighborhood) reset() {
	for _, c := range n.touched {
		n.weight[c] = 0
	}
	n.touched = n.touched[:0]
}
