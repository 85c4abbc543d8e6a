package link

import (
	"sync"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// NewBatch returns the function of New, and in addition a function for lists of pairs of a whole graph:
// batch writes the score of each pair to out, and panics unless out is as long as pairs.
// It prefetches the lists and vectors of later pairs, which is faster if they do not fit
// into the cache of the processor. By l3, katz and local_path in a graph with many paths, those of a vertex of several pairs are
// counted once, so that a pair takes less time the more of them there are. The scores are the same to the bit.
func NewBatch(name string, g *csr.Graph, m *vec.Matrix) (score func(u, v uint32) float64, batch func(pairs []csr.Edge, out []float64), err error) {
	return newBatch(name, undirected(g), m)
}

func newBatch(name string, g ways, m *vec.Matrix) (score func(u, v uint32) float64, batch func(pairs []csr.Edge, out []float64), err error) {
	if score, err = newScore(name, g, m); err != nil {
		return nil, nil, err
	}
	f := fetcher{}
	if heuristic, _ := lookup(name); heuristic == nil {
		f.vectors = m
	} else if CommonNeighborsOnly(name) {
		f.lists = &g
	}
	// Made when the first long batch comes: a single score does not pay for it.
	paths := sync.OnceValue(func() *measures {
		if g.directed() {
			return nil
		}
		return pathMeasures(name, g.out)
	})
	return score, func(pairs []csr.Edge, out []float64) {
		if len(pairs) >= fewPairs {
			if m := paths(); m != nil {
				m.batch(pairs, out)
				return
			}
		}
		f.each(pairs, out, func(e csr.Edge) float64 { return score(e.U, e.V) })
	}, nil
}

// addsPaths reports whether a scorer adds up paths of three edges.
func addsPaths(name string) bool { return name == "l3" || pathWeights(name) != nil }

// Gains reports whether a pair takes less time, by a scorer or by a model, the more pairs a batch
// has. An empty name is a model. It takes O(n).
func Gains(name string, g *csr.Graph) bool { return (name == "" || addsPaths(name)) && isDense(g) }

// fewPairs is the number of pairs below which what pathMeasures prepares does not pay.
const fewPairs = 64

// pathMeasures returns what scores pairs in batches by a scorer that adds up paths of three edges, in a graph in which
// that is faster; nil for others. It takes 12 bytes for each vertex.
func pathMeasures(name string, g *csr.Graph) *measures {
	if !Gains(name, g) {
		return nil
	}
	m, err := newMeasures(g, nil, []column{{name: name, of: -1}})
	if err != nil {
		panic(err) // the graph is there, and nothing else is needed
	}
	m.common = name != "l3"
	return m
}

// batch scores pairs by the only column.
func (m *measures) batch(pairs []csr.Edge, out []float64) {
	a := m.around.Get().(*around)
	defer m.around.Put(a)
	a.grouped(pairs, func(i int) {
		m.set(out[i:i+1], pairs[i].U, pairs[i].V, a.sums(pairs[i].U, pairs[i].V))
	})
}

// fetcher prefetches the lists and vectors that the scores of pairs need.
type fetcher struct {
	lists   *ways       // whose rows are read; nil for none
	vectors *vec.Matrix // nil for none
}

// each scores pairs, and prefetches data for the following pairs.
func (f fetcher) each(pairs []csr.Edge, out []float64, score func(csr.Edge) float64) {
	if len(pairs) != len(out) {
		panic("link: batch: lengths differ")
	}
	var rows vec.RowList
	for i, e := range pairs {
		if next := i + ahead; next < len(pairs) {
			f.fetch(&rows, pairs[next])
		}
		out[i] = score(e)
	}
}

func (f fetcher) fetch(rows *vec.RowList, e csr.Edge) {
	if f.lists != nil {
		vec.FetchList(f.lists.out.Neighbors(e.U))
		vec.FetchList(f.lists.in.Neighbors(e.V))
	}
	if f.vectors != nil {
		rows.Reset(f.vectors.Dim)
		rows.Add(f.vectors.Row(int(e.U)))
		rows.Add(f.vectors.Row(int(e.V)))
		rows.Fetch(0)
	}
}
