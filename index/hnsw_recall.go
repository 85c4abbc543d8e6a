package index

import (
	"context"
	"slices"
)

// Recall measures on the vectors of the index how many of the k nearest other
// vertices searches with each of the numbers of candidates find in the graph, as
// the mean over some of the vertices, spread evenly by number. Of several as near
// as the k-th, any counts. It costs a scan for each of the vertices.
func (h *HNSW) Recall(ctx context.Context, k, queries int, efs ...int) ([]float64, error) {
	found, all := make([]int, len(efs)), 0
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
		all += len(want)
		for j, ef := range efs {
			opts.Ef = ef
			got, err := h.Search(ctx, query, k, opts)
			if err != nil {
				return nil, err
			}
			for _, hit := range got {
				if last := want[len(want)-1].Distance; hit.Distance == last || (hit.Distance < last) != h.Metric().Similarity() {
					found[j]++
				}
			}
		}
	}
	recalls := make([]float64, len(efs))
	for j := range efs {
		if recalls[j] = 1; all > 0 {
			recalls[j] = float64(found[j]) / float64(all)
		}
	}
	return recalls, nil
}

// Calibrate makes the least of some numbers of candidates the default of the
// index with which searches for the k nearest reach a recall, or the largest of
// them, and returns what that reaches. No one else may use the index meanwhile.
func (h *HNSW) Calibrate(ctx context.Context, k, queries int, recall float64) (float64, error) {
	efs := []int{16, 32, 64, 128, 256, 512}
	recalls, err := h.Recall(ctx, k, queries, efs...)
	if err != nil {
		return 0, err
	}
	best := slices.IndexFunc(recalls, func(r float64) bool { return r >= recall })
	if best < 0 {
		best = len(efs) - 1
	}
	h.opts.Ef = efs[best]
	return recalls[best], nil
}
