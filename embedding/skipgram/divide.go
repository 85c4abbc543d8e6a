package skipgram

import (
	"cmp"
	"slices"
)

// divide distributes the vertices as centres over the parts by their visits, so that all
// have about the same work. With a tree it finds how many visits pass each node instead.
func (t *trainer) divide() {
	t.visited = shares(t.at.Visits, t.at.Visits)
	if t.tree == nil {
		t.outPart = balance(t.at.Visits, t.Partitions)
		t.steps = float32(1 + t.Negative)
		return
	}
	weights := make([]int64, t.corpus.Vertices)
	for v, visits := range t.at.Visits {
		for _, step := range t.tree.path(uint32(v)) {
			weights[step>>1] += visits
		}
	}
	t.passing = shares(weights, t.at.Visits)
	for _, share := range t.passing {
		t.steps += share
	}
}

// shares returns weights relative to the sum of others.
func shares(weights, others []int64) []float32 {
	sum := int64(0)
	for _, x := range others {
		sum += x
	}
	shares := make([]float32, len(weights))
	for i, x := range weights {
		shares[i] = float32(x) / float32(max(sum, 1))
	}
	return shares
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
