package generate

import (
	"slices"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// fromEarlier builds a graph from the earlier neighbours of every vertex, ascending, as a model
// draws them vertex by vertex. A row has the earlier neighbours, followed by the later vertices
// that drew this one, in order of arrival. So no sort and no second copy is needed, unlike for a
// list of edges.
//
// Progress continues from n to 2n vertices. It takes 4 bytes per edge and 8 per vertex in addition
// to the 8 and 8 of the graph.
func fromEarlier(w *work, n int, earlier func(v int) []uint32) (*csr.Graph, error) {
	offsets := vec.Zeros[int64](n + 1)
	for v := range n {
		own := earlier(v)
		offsets[v+1] += int64(len(own))
		for _, u := range own {
			offsets[u+1]++
		}
		if err := w.add(len(own)+1, int64(n)); err != nil {
			return nil, err
		}
	}
	next, err := starts(w, offsets, int64(n))
	if err != nil {
		return nil, err
	}
	targets := vec.Zeros[uint32](int(offsets[n]))
	for v := range n {
		own := earlier(v)
		next[v] += int64(copy(targets[next[v]:], own))
		for _, u := range own {
			targets[next[u]] = uint32(v)
			next[u]++
		}
		if err := w.add(2*len(own)+1, int64(n+v)); err != nil {
			return nil, err
		}
	}
	w.end()
	return &csr.Graph{Offsets: offsets, Targets: targets}, nil
}

// fromEdges builds a graph from different edges in any order, none a self-loop. Like
// [csr.FromEdges] it sorts the rows by two counting passes, but it can be cancelled.
//
// It takes 8 bytes per edge and 8 per vertex in addition to the edges and the graph, and drops the
// edges before the last pass.
func fromEdges(w *work, n int, edges []csr.Edge) (*csr.Graph, error) {
	offsets := vec.Zeros[int64](n + 1)
	for _, e := range edges {
		offsets[e.U+1]++
		offsets[e.V+1]++
		if err := w.add(1, w.total); err != nil {
			return nil, err
		}
	}
	next, err := starts(w, offsets, w.total)
	if err != nil {
		return nil, err
	}
	targets := vec.Zeros[uint32](int(offsets[n]))
	for _, e := range edges {
		targets[next[e.U]] = e.V
		next[e.U]++
		targets[next[e.V]] = e.U
		next[e.V]++
		if err := w.add(2, w.total); err != nil {
			return nil, err
		}
	}
	sorted := vec.Zeros[uint32](len(targets))
	copy(next, offsets)
	for u := range n {
		row := targets[offsets[u]:offsets[u+1]]
		for _, v := range row {
			sorted[next[v]] = uint32(u)
			next[v]++
		}
		if err := w.add(len(row)+1, w.total); err != nil {
			return nil, err
		}
	}
	w.end()
	return &csr.Graph{Offsets: offsets, Targets: sorted}, nil
}

// starts converts the degrees in offsets[1:] to offsets, and returns a copy of the beginnings of
// the rows.
func starts(w *work, offsets []int64, done int64) ([]int64, error) {
	for v := 1; v < len(offsets); v++ {
		offsets[v] += offsets[v-1]
		if err := w.add(1, done); err != nil {
			return nil, err
		}
	}
	return slices.Clone(offsets[:len(offsets)-1]), nil
}
