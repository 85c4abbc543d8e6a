package index

import (
	"context"
)

// Recall measures on the vectors of the index how many of the k nearest other
// vertices searches with ef candidates find, as the mean over some of the
// vertices, spread evenly by number. Of several as near as the k-th, any counts.
// It costs a scan for each of them.
func (h *HNSW) Recall(ctx context.Context, k, ef, queries int) (float64, error) {
	found, all := 0, 0
	queries = min(queries, h.Len())
	for i := range queries {
		v := uint32(int64(i) * int64(h.Len()) / int64(queries))
		if h.levels[v] == absent {
			continue
		}
		opts := SearchOptions{Ef: ef, GraphOnly: true, Filter: func(u uint32) bool { return u != v }}
		want, err := h.exact.Search(ctx, h.exact.m.Row(int(v)), k, h.without(opts))
		if err != nil {
			return 0, err
		}
		got, err := h.Search(ctx, h.exact.m.Row(int(v)), k, opts)
		if err != nil {
			return 0, err
		}
		all += len(want)
		for _, hit := range got {
			if last := want[len(want)-1].Distance; hit.Distance == last || (hit.Distance < last) != h.Metric().Similarity() {
				found++
			}
		}
	}
	if all == 0 {
		return 1, nil
	}
	return float64(found) / float64(all), nil
}
