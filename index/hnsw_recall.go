package index

import (
	"context"
	"slices"

	"heavytail/index/internal/base"
)

// Recall is the fraction, from 0 to 1, of the nearest vertices that the
// searches of a sample found. Without any search, Mean is 1, Lowest is 1,
// Poor is 0 and so is Compared.
type Recall struct {
	Queries  int        // searches of the sample
	Mean     float64    // fraction found over all searches
	Lowest   float64    // fraction found by the worst search
	Poor     float64    // fraction of the searches that found less than half
	Compared [10]uint32 // vectors that the searches compared: the medians of ten equal shares of them, ascending
}

// recallSum adds up searches to a Recall.
type recallSum struct {
	queries, found, all, poor int
	lowest                    float64
	compared                  []int
}

// add counts a search that compared vectors, and found so many of all the vertices it should
// find.
func (s *recallSum) add(found, all, compared int) {
	if all == 0 {
		return
	}
	share := float64(found) / float64(all)
	if s.queries == 0 || share < s.lowest {
		s.lowest = share
	}
	if 2*found < all {
		s.poor++
	}
	s.queries, s.found, s.all = s.queries+1, s.found+found, s.all+all
	s.compared = append(s.compared, compared)
}

// recall returns the Recall of the searches added.
func (s *recallSum) recall() Recall {
	if s.queries == 0 {
		return Recall{Mean: 1, Lowest: 1}
	}
	r := Recall{
		Queries: s.queries, Mean: float64(s.found) / float64(s.all),
		Lowest: s.lowest, Poor: float64(s.poor) / float64(s.queries),
	}
	slices.Sort(s.compared)
	for i := range r.Compared {
		r.Compared[i] = uint32(s.compared[(2*i+1)*len(s.compared)/(2*len(r.Compared))])
	}
	return r
}

// Recall measures, for a sample of the vertices spread evenly by number, how
// many of the k nearest other vertices a search of the graph finds, with each
// of the given numbers of candidates. Of several vertices as near as the k-th,
// any counts. It costs one scan for each sampled vertex.
func (h *HNSW) Recall(ctx context.Context, k, queries int, efs ...int) ([]Recall, error) {
	if err := base.NotNegative("number of queries", queries); err != nil {
		return nil, err
	}
	sums := make([]recallSum, len(efs))
	queries = min(queries, h.Len())
	for i := range queries {
		v := uint32(int64(i) * int64(h.Len()) / int64(queries))
		if h.levels[v] == absent {
			continue
		}
		query := h.exact.m.Row(int(v))
		opts := SearchOptions{GraphOnly: true, Filter: func(u uint32) bool { return u != v }}
		want, err := h.exact.Search(ctx, query, k, h.without(opts))
		if err != nil {
			return nil, err
		}
		for j, ef := range efs {
			opts.Ef = ef
			got, err := h.Find(ctx, query, k, opts)
			if err != nil {
				return nil, err
			}
			found := 0
			for _, hit := range got.Hits {
				if last := want[len(want)-1].Distance; hit.Distance == last || (hit.Distance < last) != h.Metric().Similarity() {
					found++
				}
			}
			sums[j].add(found, len(want), got.Scored)
		}
	}
	recalls := make([]Recall, len(efs))
	for j := range sums {
		recalls[j] = sums[j].recall()
	}
	return recalls, nil
}

// Calibrate sets the default Ef of the index to the smallest of some numbers
// of candidates with which searches for the k nearest reach the mean recall,
// or to the largest if no number does, and returns the recall of that number.
// The index must not be used by others meanwhile.
func (h *HNSW) Calibrate(ctx context.Context, k, queries int, recall float64) (Recall, error) {
	efs := []int{16, 32, 64, 128, 256, 512}
	recalls, err := h.Recall(ctx, k, queries, efs...)
	if err != nil {
		return Recall{}, err
	}
	best := slices.IndexFunc(recalls, func(r Recall) bool { return r.Mean >= recall })
	if best < 0 {
		best = len(efs) - 1
	}
	h.opts.Ef = efs[best]
	return recalls[best], nil
}
