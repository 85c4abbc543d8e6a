package link

import (
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// NewBatch returns the function of New, and in addition a function for lists of pairs:
// batch writes the score of each pair to out, and panics unless out is as long as pairs.
// It prefetches the lists and vectors of later pairs, which is faster if they do not fit
// into the cache of the processor. The scores are the same to the bit.
func NewBatch(name string, g *csr.Graph, m *vec.Matrix) (score func(u, v uint32) float64, batch func(pairs []csr.Edge, out []float64), err error) {
	if score, err = New(name, g, m); err != nil {
		return nil, nil, err
	}
	f := fetcher{}
	if heuristic, _ := lookup(name); heuristic == nil {
		f.vectors = m
	} else if CommonNeighborsOnly(name) {
		f.lists = g
	}
	return score, func(pairs []csr.Edge, out []float64) {
		f.each(pairs, out, func(e csr.Edge) float64 { return score(e.U, e.V) })
	}, nil
}

// ahead is the number of pairs whose lists and vectors are prefetched.
const ahead = 4

// fetcher prefetches the lists and vectors that the scores of pairs need.
type fetcher struct {
	lists   *csr.Graph  // whose rows are read; nil for none
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
		vec.FetchList(f.lists.Neighbors(e.U))
		vec.FetchList(f.lists.Neighbors(e.V))
	}
	if f.vectors != nil {
		rows.Reset(f.vectors.Dim)
		rows.Add(f.vectors.Row(int(e.U)))
		rows.Add(f.vectors.Row(int(e.V)))
		rows.Fetch(0)
	}
}
