package main

import (
	"context"
	"fmt"
	"strconv"

	"heavytail/index"
)

// hnsw builds an index of METHOD.npy and searches for the 10 nearest of 1000 of
// its rows, with each number of candidates: a line for the build, and a line of
// queries per CPU second and recall for each, the best of some rounds.
func (f folder) hnsw(method string, efs []string) error {
	const queries, k, rounds = 1000, 10, 5
	m, err := f.vectors(method)
	if err != nil {
		return err
	}
	ctx := context.Background()
	clock := startClock()
	h, err := index.NewHNSW(ctx, m, index.L2, index.HNSWOptions{Workers: 1})
	if err != nil {
		return err
	}
	fmt.Printf("build %.2f\n", clock.spent().Seconds())
	exact, err := index.NewExact(m, index.L2)
	if err != nil {
		return err
	}
	last := make([]float32, queries) // distance of the k-th nearest row
	query := func(i int) []float32 { return m.Row(i * m.Rows / queries) }
	for i := range last {
		hits, err := exact.Search(ctx, query(i), k, index.SearchOptions{Workers: 1})
		if err != nil {
			return err
		}
		last[i] = hits[k-1].Distance
	}
	for _, text := range efs {
		ef, err := strconv.Atoi(text)
		if err != nil {
			return err
		}
		best, found := 0.0, 0
		for range rounds {
			found = 0
			clock := startClock()
			for i := range queries {
				hits, err := h.Search(ctx, query(i), k, index.SearchOptions{Ef: ef, GraphOnly: true})
				if err != nil {
					return err
				}
				for _, hit := range hits {
					if hit.Distance <= last[i] {
						found++
					}
				}
			}
			best = max(best, queries/clock.spent().Seconds())
		}
		fmt.Printf("%d %.0f %.4f\n", ef, best, float64(found)/queries/k)
	}
	return nil
}
