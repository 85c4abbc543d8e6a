package evaluate

import (
	"context"
	"math/rand/v2"
	"slices"

	"heavytail/index"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Overlap returns the fraction of the k nearest vectors of a vector, by Euclidean distance,
// that two embeddings of the same vertices have in common: the mean over a sample of
// vertices. If the sample is as large as the embedding, all vertices are used. It takes one
// batch of searches in each embedding for every 1,024 vertices of the sample.
func Overlap(ctx context.Context, a, b *vec.Matrix, k, sample int, seed uint64, workers int) (float64, error) {
	if a.Rows < 2 || k < 1 {
		return 1, nil
	}
	var both [2]*index.Exact
	for i, m := range []*vec.Matrix{a, b} {
		var err error
		if both[i], err = index.NewExact(m, index.L2); err != nil {
			return 0, err
		}
	}
	const most = 1024 // vertices whose nearest are in memory at a time
	same, all := 0, 0
	for rows := range slices.Chunk(sampleOf(a.Rows, sample, seed), most) {
		var near [2][][]uint32
		for i, m := range []*vec.Matrix{a, b} {
			queries := vec.NewMatrix(len(rows), m.Dim)
			for q, v := range rows {
				copy(queries.Row(q), m.Row(v))
			}
			// Search for k + 1 vectors, since the query vector itself is among the results,
			// unless k equal vectors come before it.
			answers, err := both[i].SearchBatch(ctx, queries, k+1, index.SearchOptions{Workers: workers})
			if err != nil {
				return 0, err
			}
			near[i] = make([][]uint32, len(rows))
			for q, hits := range answers {
				for _, h := range hits {
					if int(h.Vertex) != rows[q] && len(near[i][q]) < k {
						near[i][q] = append(near[i][q], h.Vertex)
					}
				}
			}
		}
		for q := range rows {
			all += len(near[0][q])
			for _, u := range near[0][q] {
				if slices.Contains(near[1][q], u) {
					same++
				}
			}
		}
	}
	return float64(same) / float64(max(all, 1)), nil
}

// sampleOf returns ascending numbers below n: all of them, or count random
// ones.
func sampleOf(n, count int, seed uint64) []int {
	list := make([]int, 0, min(n, count))
	random := rand.New(rand.NewPCG(seed, 0x5a3b))
	for i := range n {
		if random.IntN(n-i) < count-len(list) {
			list = append(list, i)
		}
	}
	return list
}

// EdgeAUC returns how well Euclidean distances separate the edges of a graph from
// non-edges: the area under the ROC curve for a random sample of edges and as many
// non-edges. 1 is perfect, and ½ is no better than chance; a graph without edges, or
// without non-edges, has ½.
func EdgeAUC(ctx context.Context, g *csr.Graph, m *vec.Matrix, sample int, seed uint64) (float64, error) {
	n := g.Vertices()
	if g.Edges() == 0 || 2*g.Edges() == int64(n)*int64(n-1) {
		return 0.5, nil
	}
	random := rand.New(rand.NewPCG(seed, 0x77d1))
	near := func(u, v uint32) float64 { return -float64(vec.L2Squared(m.Row(int(u)), m.Row(int(v)))) }
	var linked, others []float64
	for i := range sample {
		if i%1000 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		arc := random.Int64N(int64(len(g.Targets)))
		source, found := slices.BinarySearch(g.Offsets, arc)
		if !found {
			source--
		}
		for g.Offsets[source+1] <= arc { // vertices without edges
			source++
		}
		linked = append(linked, near(uint32(source), g.Targets[arc]))
		// In an almost complete graph there are few non-edges to find.
		for range 1000 {
			if u, v := uint32(random.IntN(n)), uint32(random.IntN(n)); u != v && !g.HasEdge(u, v) {
				others = append(others, near(u, v))
				break
			}
		}
	}
	if len(others) == 0 {
		return 0.5, nil
	}
	return AUC(linked, others), nil
}
