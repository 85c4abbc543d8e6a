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
	// The degrees become the beginnings of the rows.
	for v := 1; v < len(offsets); v++ {
		offsets[v] += offsets[v-1]
		if err := w.add(1, int64(n)); err != nil {
			return nil, err
		}
	}
	next := slices.Clone(offsets[:n])
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

// fromEdges builds a graph from different edges in any order, none a self-loop, as
// [csr.FromEdgesContext] does, and ends the work.
func fromEdges(w *work, n int, edges []csr.Edge) (*csr.Graph, error) {
	g, err := csr.FromEdgesContext(w.ctx, n, edges)
	if err == nil {
		w.end()
	}
	return g, err
}
