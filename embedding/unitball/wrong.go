package unitball

import (
	"context"
	"fmt"
	"math"

	"heavytail/index/pairs"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Wrong counts the pairs of vertices for which "at most 1 apart" and "adjacent"
// differ.
type Wrong struct {
	Edges  int64 // of the graph
	Missed int64 // edges longer than 1
	False  int64 // pairs without an edge within 1
}

// Pairs returns the number of wrong pairs.
func (w Wrong) Pairs() int64 { return w.Missed + w.False }

// better reports whether w has a larger F1 than o, or the same and fewer wrong pairs.
// F1 = 2t/(2t + wrong), with t the edges that are within 1, ascends with t/wrong.
func (w Wrong) better(o Wrong) bool {
	own := float64(w.Edges-w.Missed) * float64(o.Pairs())
	other := float64(o.Edges-o.Missed) * float64(w.Pairs())
	return own > other || own == other && w.Pairs() < o.Pairs()
}

// Precision returns the fraction of the pairs within 1 that are edges, NaN if
// there is no such pair.
func (w Wrong) Precision() float64 {
	return ratio(w.Edges-w.Missed, w.Edges-w.Missed+w.False)
}

// Recall returns the fraction of the edges that are within 1, NaN without edges.
func (w Wrong) Recall() float64 { return ratio(w.Edges-w.Missed, w.Edges) }

func ratio(part, all int64) float64 {
	if all == 0 {
		return math.NaN()
	}
	return float64(part) / float64(all)
}

// Check compares all pairs of rows with the graph, by [pairs.Join] at radius 1, so
// that its counts are those of a reconstruction at this radius. Row v of m is the
// vector of vertex v. Errors: ErrStart for a matrix of another number of rows, those
// of Join, or that of ctx.
func Check(ctx context.Context, g *csr.Graph, m *vec.Matrix, workers int) (Wrong, error) {
	if m.Rows != g.Vertices() {
		return Wrong{}, fmt.Errorf("%w: %d rows for %d vertices", ErrStart, m.Rows, g.Vertices())
	}
	w := Wrong{Edges: g.Edges()}
	found := int64(0)
	err := pairs.Join(ctx, m, 1, pairs.Options{Workers: workers}, func(u uint32, near []uint32) error {
		edges := len(near) - countOthers(above(g, u), near)
		found += int64(edges)
		w.False += int64(len(near) - edges)
		return nil
	})
	w.Missed = w.Edges - found
	return w, err
}

// above returns the neighbours of v that are larger than v.
func above(g *csr.Graph, v uint32) []uint32 {
	all := g.Neighbors(v)
	lo, hi := 0, len(all)
	for lo < hi {
		if mid := (lo + hi) / 2; all[mid] < v {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return all[lo:]
}

// countOthers returns the number of elements of near that are not in edges; both
// ascend.
func countOthers(edges, near []uint32) int {
	others := 0
	eachOther(edges, near, func(uint32) { others++ })
	return others
}

// eachOther calls f for every element of near that is not in edges; both ascend.
func eachOther(edges, near []uint32, f func(v uint32)) {
	for _, v := range near {
		for len(edges) > 0 && edges[0] < v {
			edges = edges[1:]
		}
		if len(edges) == 0 || edges[0] != v {
			f(v)
		}
	}
}
