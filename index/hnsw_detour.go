package index

import (
	"cmp"
	"slices"
)

// detours are the ways that a search follows in addition to links.
type detours struct {
	// twins leads from a vertex to the vertices with an equal vector, bridges
	// to vertices that no link leads to. Both ascend.
	twins, bridges []edge
	marked         []uint64 // bits of the vertices that have a twin or a bridge; nil if no vertex has one
}

// edge is one way from a vertex to another.
type edge struct{ from, to uint32 }

func (e edge) compare(f edge) int {
	return cmp.Or(cmp.Compare(e.from, f.from), cmp.Compare(e.to, f.to))
}

// mark sorts the detours and marks which of n vertices have some.
func (d *detours) mark(n int) {
	d.marked = nil
	for _, list := range [][]edge{d.twins, d.bridges} {
		slices.SortFunc(list, edge.compare)
		for _, e := range list {
			if d.marked == nil {
				d.marked = make([]uint64, (n+63)/64)
			}
			d.marked[e.from/64] |= 1 << (e.from % 64)
		}
	}
}

// has reports whether a vertex has detours.
func (d *detours) has(v uint32) bool {
	return d.marked != nil && d.marked[v/64]&(1<<(v%64)) != 0
}

// of returns the edges of a list that start at a vertex.
func of(list []edge, v uint32) []edge {
	lo, _ := slices.BinarySearchFunc(list, edge{v, 0}, edge.compare)
	hi := lo
	for hi < len(list) && list[hi].from == v {
		hi++
	}
	return list[lo:hi]
}

func (d *detours) bytes() int64 {
	return 8 * int64(len(d.twins)+len(d.bridges)+len(d.marked))
}
