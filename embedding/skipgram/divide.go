package skipgram

import (
	"cmp"
	"slices"
)

// divide distributes the vertices as centres over the parts by their visits, so that all
// have about the same work. With a tree it finds how many visits pass each node.
func (t *trainer) divide() {
	if t.tree == nil {
		t.outPart = balance(t.at.Visits, t.Partitions)
		return
	}
	weights, total := make([]int64, t.corpus.Vertices), int64(0)
	for v, visits := range t.at.Visits {
		for _, step := range t.tree.path(uint32(v)) {
			weights[step>>1] += visits
		}
		total += visits
	}
	t.passing = make([]float32, len(weights))
	for node, weight := range weights {
		t.passing[node] = float32(weight) / float32(total)
	}
}

// balance assigns items to parts, the heaviest first, always to the part with the
// least weight so far. Ties go to the lower number.
func balance(weights []int64, parts int) []uint8 {
	order := make([]uint32, len(weights))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(weights[b], weights[a]) })
	sums := make([]int64, parts)
	part := make([]uint8, len(weights))
	for _, i := range order {
		least := 0
		for p, sum := range sums {
			if sum < sums[least] {
				least = p
			}
		}
		part[i] = uint8(least)
		// Items without weight are distributed as well.
		sums[least] += max(weights[i], 1)
	}
	return part
}
