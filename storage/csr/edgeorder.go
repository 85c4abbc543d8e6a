package csr

import "slices"

// EdgeOrder numbers the edges of a graph from 0: ascending by source and target, in an undirected
// graph each from its smaller vertex. It goes through the rows once, so that both of its methods
// are for ascending edges. It is not safe for concurrent use.
type EdgeOrder struct {
	offsets  []int64
	targets  []uint32
	directed bool
	source   uint32 // the present row
	from, to int64  // its edges, as places in targets
	first    int64  // number of the first of them
	hint     int64  // the place in the row where the last target was
}

// Order numbers the edges of an undirected graph.
func (g *Graph) Order() *EdgeOrder {
	return newEdgeOrder(&EdgeOrder{offsets: g.Offsets, targets: g.Targets})
}

// Order numbers the arcs of the rows: each has its place in Targets.
func (r *Rows) Order() *EdgeOrder {
	return newEdgeOrder(&EdgeOrder{offsets: r.Offsets, targets: r.Targets, directed: true})
}

func newEdgeOrder(o *EdgeOrder) *EdgeOrder {
	if len(o.offsets) > 1 {
		o.open()
	}
	return o
}

// open finds the edges of the present row.
func (o *EdgeOrder) open() {
	o.from, o.to = o.offsets[o.source], o.offsets[o.source+1]
	if !o.directed {
		at, _ := slices.BinarySearch(o.targets[o.from:o.to], o.source)
		o.from += int64(at)
	}
	o.hint = o.from
}

// next goes to the next row, which there must be.
func (o *EdgeOrder) next() {
	o.first += o.to - o.from
	o.source++
	o.open()
}

// Ends returns the two ends of edge i, which must be one. It must not be below that of an earlier
// call.
func (o *EdgeOrder) Ends(i int64) (source, target uint32) {
	for i >= o.first+o.to-o.from {
		o.next()
	}
	return o.source, o.targets[o.from+i-o.first]
}

// Number returns the number of the edge from source to target, and whether there is one. The source
// must not be below that of an earlier call.
func (o *EdgeOrder) Number(source, target uint32) (i int64, found bool) {
	if int64(source) >= int64(len(o.offsets))-1 || source < o.source {
		return 0, false
	}
	for o.source < source {
		o.next()
	}
	if o.hint >= o.to || o.targets[o.hint] != target {
		at, found := slices.BinarySearch(o.targets[o.from:o.to], target)
		if !found {
			return 0, false
		}
		o.hint = o.from + int64(at)
	}
	i = o.first + o.hint - o.from
	o.hint++
	return i, true
}
