package storage

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"heavytail/storage/csr"
)

// Repeated says what becomes of the weight of an edge that comes again in an
// import, in either direction, or that the graph has already.
type Repeated string

// The ways to treat repeated edges. A line without a weight leaves the weight as
// it is, or counts as 1 where weights are added. The timestamp is the first
// that was given under RepeatedFirst, and otherwise the last.
const (
	RepeatedLast  Repeated = "last"  // the last weight that was given
	RepeatedFirst Repeated = "first" // the first weight; that of the graph, if it has the edge
	RepeatedSum   Repeated = "sum"   // all added up
	RepeatedMin   Repeated = "min"   // the smallest
	RepeatedMax   Repeated = "max"   // the largest
	RepeatedCount Repeated = "count" // how often the edge comes, whatever weights there are, added to the weight that the graph has
)

// Repeats returns all ways to treat repeated edges, the default first.
func Repeats() []Repeated {
	return []Repeated{RepeatedLast, RepeatedFirst, RepeatedSum, RepeatedMin, RepeatedMax, RepeatedCount}
}

// ParseRepeated returns the way of the given name, and RepeatedLast for "".
// Other names are ErrInvalid.
func ParseRepeated(name string) (Repeated, error) {
	if name == "" {
		return RepeatedLast, nil
	}
	if how := Repeated(name); slices.Contains(Repeats(), how) {
		return how, nil
	}
	var names []string
	for _, how := range Repeats() {
		names = append(names, string(how))
	}
	return "", fmt.Errorf("storage: repeated %q is none of %s: %w", clip(name), strings.Join(names, ", "), ErrInvalid)
}

// adds reports whether edges without weights get some by coming again.
func (how Repeated) adds() bool { return how == RepeatedSum || how == RepeatedCount }

// edgeFold makes one edge of all its occurrences.
type edgeFold struct {
	how    Repeated
	weight float64 // 0 while none was given
	time   int64
}

// add takes the next occurrence; weight 0 means that none was given.
func (f *edgeFold) add(weight float64, time int64) {
	switch {
	case weight == 0:
	case f.weight == 0:
		f.weight = weight
	case f.how == RepeatedLast:
		f.weight = weight
	case f.how == RepeatedMin:
		f.weight = min(f.weight, weight)
	case f.how == RepeatedMax:
		f.weight = max(f.weight, weight)
	case f.how.adds():
		f.weight += weight
	}
	if time != csr.NoTime && (f.how != RepeatedFirst || f.time == csr.NoTime) {
		f.time = time
	}
}

// merger makes a graph of edges with weights or timestamps: of those that it has
// already and of those of a list, in this order.
type merger struct {
	ctx   context.Context
	how   Repeated
	known int      // edges of the graph, which come first
	edges []uint64 // smaller vertex in the upper half; loops are left out
	from  []uint32 // entry of the list behind each edge beyond the known ones; nil where they are the same
	list  *importList

	weights []float32 // of the known edges, nil where all are 1
	times   []int64   // of the known edges, nil where there is none

	offsets []int64
	targets []uint32
	index   []uint32 // edge behind each target
}

// mergeGraph does what buildGraph does for edges with weights or timestamps. It
// takes about 70 bytes per edge of working memory.
func mergeGraph(ctx context.Context, n int, list *importList, base *csr.Graph, how Repeated) (g *csr.Graph, selfLoops int64, err error) {
	m := &merger{ctx: ctx, how: how, list: list}
	m.edges = make([]uint64, 0, int64(len(list.edges))+baseEdges(base))
	m.from = make([]uint32, 0, len(list.edges))
	if base != nil {
		if err := m.addBase(base); err != nil {
			return nil, 0, err
		}
	}
	if uint64(len(m.edges)+len(list.edges)) > math.MaxUint32 {
		return nil, 0, fmt.Errorf("more than %d edges with weights or timestamps: %w", uint32(math.MaxUint32), ErrLimit)
	}
	for i, e := range list.edges {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		if u, v := uint32(e>>32), uint32(e); u != v {
			m.edges = append(m.edges, e)
			m.from = append(m.from, uint32(i))
		} else {
			selfLoops++
		}
	}
	if err := m.bySource(n); err != nil {
		return nil, 0, err
	}
	if err := m.byTarget(n); err != nil {
		return nil, 0, err
	}
	g, err = m.fold(n)
	return g, selfLoops, err
}

func baseEdges(base *csr.Graph) int64 {
	if base == nil {
		return 0
	}
	return base.Edges()
}

// addBase takes the edges that the graph has.
func (m *merger) addBase(base *csr.Graph) error {
	for u := range uint32(base.Vertices()) {
		if u%1024 == 0 && m.ctx.Err() != nil {
			return m.ctx.Err()
		}
		for at := base.Offsets[u]; at < base.Offsets[u+1]; at++ {
			v := base.Targets[at]
			if v < u {
				continue
			}
			m.edges = append(m.edges, uint64(u)<<32|uint64(v))
			if base.Weights != nil {
				m.weights = append(m.weights, base.Weights[at])
			}
			if base.Times != nil {
				m.times = append(m.times, base.Times[at])
			}
		}
	}
	m.known = len(m.edges)
	return nil
}

// bySource distributes both directions of all edges over rows, in the order of
// the edges within each.
func (m *merger) bySource(n int) error {
	m.offsets = make([]int64, n+1)
	for i, e := range m.edges {
		if i%checkEvery == 0 && m.ctx.Err() != nil {
			return m.ctx.Err()
		}
		m.offsets[e>>32+1]++
		m.offsets[uint32(e)+1]++
	}
	for v := range n {
		m.offsets[v+1] += m.offsets[v]
	}
	m.targets, m.index = make([]uint32, m.offsets[n]), make([]uint32, m.offsets[n])
	next := slices.Clone(m.offsets[:n])
	for i, e := range m.edges {
		if i%checkEvery == 0 && m.ctx.Err() != nil {
			return m.ctx.Err()
		}
		u, v := uint32(e>>32), uint32(e)
		m.targets[next[u]], m.index[next[u]] = v, uint32(i)
		next[u]++
		m.targets[next[v]], m.index[next[v]] = u, uint32(i)
		next[v]++
	}
	return nil
}

// byTarget sorts every row by its targets, equal ones in the order of the edges:
// visited row by row, the sources of the arcs into a vertex ascend.
func (m *merger) byTarget(n int) error {
	targets, index := make([]uint32, len(m.targets)), make([]uint32, len(m.index))
	next := slices.Clone(m.offsets[:n])
	for u := range uint32(n) {
		if u%1024 == 0 && m.ctx.Err() != nil {
			return m.ctx.Err()
		}
		for at := m.offsets[u]; at < m.offsets[u+1]; at++ {
			v := m.targets[at]
			targets[next[v]], index[next[v]] = u, m.index[at]
			next[v]++
		}
	}
	m.targets, m.index = targets, index
	return nil
}

// fold makes one entry of equal targets of a row. Both directions of an edge see
// its occurrences in the same order.
func (m *merger) fold(n int) (*csr.Graph, error) {
	weights, times := make([]float32, len(m.targets)), make([]int64, len(m.targets))
	out, lo := int64(0), int64(0)
	for v := range n {
		if v%1024 == 0 && m.ctx.Err() != nil {
			return nil, m.ctx.Err()
		}
		for hi := m.offsets[v+1]; lo < hi; out++ {
			f := edgeFold{how: m.how, time: csr.NoTime}
			target := m.targets[lo]
			for ; lo < hi && m.targets[lo] == target; lo++ {
				f.add(m.occurrence(int(m.index[lo])))
			}
			if f.weight == 0 {
				f.weight = 1
			}
			if f.weight > math.MaxFloat32 {
				return nil, fmt.Errorf("the weights of an edge add up to %v, more than a float32 holds: %w", f.weight, ErrLimit)
			}
			m.targets[out], weights[out], times[out] = target, float32(f.weight), f.time
		}
		m.offsets[v+1] = out
	}
	g := &csr.Graph{Offsets: m.offsets, Targets: m.targets[:out:out]}
	weighted, timed := countValues(weights[:out], times[:out])
	if weighted > 0 {
		g.Weights = weights[:out:out]
	}
	if timed > 0 {
		g.Times = times[:out:out]
	}
	return g, nil
}

// occurrence returns what edge i gives.
func (m *merger) occurrence(i int) (weight float64, time int64) {
	weights, times := m.weights, m.times
	known := i < m.known
	weight, time = 1, csr.NoTime
	if !known {
		i = int(m.from[i-m.known])
		weights, times = m.list.weights, m.list.times
		if !m.how.adds() {
			weight = 0
		}
	}
	if weights != nil && (known || m.how != RepeatedCount) {
		if w := weights[i]; w != 0 {
			weight = float64(w)
		}
	}
	if times != nil {
		time = times[i]
	}
	return weight, time
}

// changedRows compares a graph with one that has all its edges and more: it
// returns the vertices that are new or whose edges changed, and how many edges
// that were there have another weight or timestamp.
func changedRows(ctx context.Context, old, now *csr.Graph) (touched []uint32, updated int64, err error) {
	known := uint32(0)
	if old != nil {
		known = uint32(old.Vertices())
	}
	values := now.Weights != nil || now.Times != nil
	for v := range uint32(now.Vertices()) {
		if v%1024 == 0 && ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		switch {
		case v >= known:
			touched = append(touched, v)
			continue
		case values:
			differ, back := changedValues(old, now, v)
			updated += differ
			if differ+back == 0 && old.Degree(v) == now.Degree(v) {
				continue
			}
		case old.Degree(v) == now.Degree(v):
			continue
		}
		touched = append(touched, v)
	}
	return touched, updated, nil
}

// changedValues counts the edges of v in old whose values differ in now: those
// to larger vertices, and those back to smaller ones.
func changedValues(old, now *csr.Graph, v uint32) (forward, back int64) {
	i := now.Offsets[v]
	for at := old.Offsets[v]; at < old.Offsets[v+1]; at++ {
		u := old.Targets[at]
		for now.Targets[i] != u {
			i++
		}
		if valueAt(old.Weights, at, 1) == valueAt(now.Weights, i, 1) && valueAt(old.Times, at, csr.NoTime) == valueAt(now.Times, i, csr.NoTime) {
			continue
		}
		if u > v {
			forward++
		} else {
			back++
		}
	}
	return forward, back
}

// valueAt returns an element of a list, or what stands for a list that is nil.
func valueAt[E any](list []E, at int64, otherwise E) E {
	if list == nil {
		return otherwise
	}
	return list[at]
}
