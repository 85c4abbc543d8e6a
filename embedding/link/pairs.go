package link

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"maps"
	"slices"

	"heavytail/storage/csr"
)

// This file finds the likeliest links by preferential attachment, whose best pairs
// need not have a neighbour in common. Their candidates are all pairs of vertices
// that have edges, in the order of the product of their degrees.

// degreesFor finds the likeliest links of one vertex. It visits the other vertices by
// descending degree and ends when it has enough, so that it takes O(degree + k) after the
// first call, which sorts the vertices.
func (p *Predictor) degreesFor(ctx context.Context, u uint32, t *top) ([]PredictedLink, int64, error) {
	s := p.scratch.Get().(*scratch)
	defer p.scratch.Put(s)
	s.exclude(p.g.out, u)
	defer s.include(p.g.out, u)
	scored := int64(0)
	for i, v := range p.order() {
		if i%(1<<20) == 0 && ctx.Err() != nil {
			return nil, 0, fmt.Errorf("predicting: %w", ctx.Err())
		}
		if s.sums[v] != 0 || !p.opts.Sides.Across(u, v) {
			continue
		}
		score := p.s.Score(u, v)
		if t.full() || score == 0 || t.beyond(score) {
			break
		}
		scored++
		p.offer(u, v, score, t)
	}
	return t.sorted(), scored, nil
}

// searchDegrees is search by preferential_attachment across sides: the other side in the
// order of the degrees, until no more links get in.
func (p *Predictor) searchDegrees(u uint32, t *top) int64 {
	scored := int64(0)
	for _, v := range p.order() {
		if !p.opts.Sides.Across(u, v) || p.g.has(u, v) || !p.admits(v) {
			continue
		}
		l := PredictedLink{min(u, v), max(u, v), p.s.Score(u, v)}
		if l.Score == 0 || !t.takes(l) {
			break // of equal scores later vertices come later
		}
		scored++
		t.offer(l)
	}
	return scored
}

// descending lists the vertices by descending degree, ties by vertex.
func descending(g *csr.Graph) []uint32 {
	list := make([]uint32, g.Vertices())
	for v := range list {
		list[v] = uint32(v)
	}
	slices.SortStableFunc(list, func(a, b uint32) int { return cmp.Compare(g.Degree(b), g.Degree(a)) })
	return list
}

// degreesAll finds the likeliest links of the graph. It iterates over the pairs of
// degrees by their product, and within one product over the pairs of vertices in
// ascending order, until it has enough links. It takes O(n log n + c + l + s), with c
// pairs of degrees, l existing links that it passes, and s answers.
func (p *Predictor) degreesAll(ctx context.Context, n int) ([]PredictedLink, int64, error) {
	rows := degreesOf(p.g.out, p.admits)
	columns := rows
	if p.g.directed() {
		columns = degreesOf(p.g.in, p.admits)
	}
	// In an undirected graph two degrees come up once, the higher one as a row.
	first := func(i int) int {
		if p.g.directed() {
			return 0
		}
		return i
	}
	// The heap has for each degree of a row the next lower degree of a column to pair it with.
	var pairs degreePairs
	if min(len(rows.degrees), len(columns.degrees)) > 0 {
		pairs = append(pairs, degreePair{rows.degrees, columns.degrees, 0, 0})
	}
	var links []PredictedLink
	t := p.top(n)
	scored, seen := int64(0), 0
	for len(pairs) > 0 && len(links) < n {
		product := pairs[0].product()
		if t.beyond(float64(product)) {
			break
		}
		var ends []degreeEnd
		for len(pairs) > 0 && pairs[0].product() == product {
			at := pairs[0]
			a, b := at.rows[at.i], at.columns[at.j]
			ends = appendEnds(ends, rows.of[a], columns.of[b])
			if !p.g.directed() && a != b {
				ends = appendEnds(ends, rows.of[b], columns.of[a])
			}
			if at.j == first(at.i) && at.i+1 < len(at.rows) {
				heap.Push(&pairs, degreePair{at.rows, at.columns, at.i + 1, first(at.i + 1)})
			}
			if pairs[0].j++; pairs[0].j == len(at.columns) {
				heap.Pop(&pairs)
			} else {
				heap.Fix(&pairs, 0)
			}
		}
		slices.SortFunc(ends, func(a, b degreeEnd) int { return cmp.Compare(a.u, b.u) })
		for _, e := range ends {
			others := e.others
			if !p.g.directed() {
				others = startingAt(others, e.u+1)
			}
			for _, v := range others {
				if len(links) == n {
					break
				}
				if seen++; seen%(1<<16) == 0 && ctx.Err() != nil {
					return nil, 0, fmt.Errorf("predicting: %w", ctx.Err())
				}
				if v != e.u && !p.g.has(e.u, v) {
					scored++
					links = append(links, PredictedLink{e.u, v, p.s.Score(e.u, v)})
				}
			}
		}
	}
	return links, scored, ctx.Err()
}

// degreeEnd is a vertex and, ascending, those whose degree is its partner's.
type degreeEnd struct {
	u      uint32
	others []uint32
}

// appendEnds appends vertices of one degree, each with those of another.
func appendEnds(ends []degreeEnd, of, others []uint32) []degreeEnd {
	for _, u := range of {
		ends = append(ends, degreeEnd{u, others})
	}
	return ends
}

// degreeLists are the admitted vertices by their degree, and the degrees above 0, descending.
type degreeLists struct {
	of      map[int][]uint32
	degrees []int
}

func degreesOf(g *csr.Graph, admits func(v uint32) bool) degreeLists {
	l := degreeLists{of: map[int][]uint32{}}
	for v := range uint32(g.Vertices()) {
		if d := g.Degree(v); d > 0 && admits(v) {
			l.of[d] = append(l.of[d], v)
		}
	}
	l.degrees = slices.Sorted(maps.Keys(l.of))
	slices.Reverse(l.degrees)
	return l
}

// degreePair is an entry of each of two descending lists of degrees.
type degreePair struct {
	rows, columns []int
	i, j          int
}

func (d degreePair) product() int64 { return int64(d.rows[d.i]) * int64(d.columns[d.j]) }

// degreePairs is a heap, the greatest product first.
type degreePairs []degreePair

func (d degreePairs) Len() int           { return len(d) }
func (d degreePairs) Less(a, b int) bool { return d[a].product() > d[b].product() }
func (d degreePairs) Swap(a, b int)      { d[a], d[b] = d[b], d[a] }
func (d *degreePairs) Push(x any)        { *d = append(*d, x.(degreePair)) }
func (d *degreePairs) Pop() any {
	last := len(*d) - 1
	x := (*d)[last]
	*d = (*d)[:last]
	return x
}
