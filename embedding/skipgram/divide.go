package skipgram

import (
	"cmp"
	"slices"

	"heavytail/storage/vec"
)

// divide distributes the vertices as centres over the parts by their visits, so that all
// have about the same work. With a tree it finds how many visits pass each node instead,
// which one part does not need.
func (t *trainer) divide() {
	if t.tree == nil {
		t.outPart = balance(t.at.Visits, t.Partitions)
	}
	if t.Partitions == 1 {
		return
	}
	n := t.corpus.Vertices
	t.sharing.vectors, t.sharing.nodes = vec.Zeros[uint32](n), vec.Zeros[uint32](n)
	t.visited = fractions(t.at.Visits, t.at.Visits)
	if t.tree == nil {
		t.steps = float32(1 + t.Negative)
		return
	}
	weights := make([]int64, n)
	for v, visits := range t.at.Visits {
		for _, step := range t.tree.path(uint32(v)) {
			weights[step>>1] += visits
		}
	}
	t.passing = fractions(weights, t.at.Visits)
	for _, fraction := range t.passing {
		t.steps += fraction
	}
}

// fractions returns weights relative to the sum of others.
func fractions(weights, others []int64) []float32 {
	sum := int64(0)
	for _, x := range others {
		sum += x
	}
	list := make([]float32, len(weights))
	for i, x := range weights {
		list[i] = float32(x) / float32(max(sum, 1))
	}
	return list
}

// balance assigns items to parts, the heaviest first, always to the part with the
// least weight so far. Ties go to the lower number.
func balance(weights []int64, parts int) []uint8 {
	part := make([]uint8, len(weights))
	if parts == 1 {
		return part
	}
	order := make([]uint32, len(weights))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(weights[b], weights[a]) })
	sums := make([]int64, parts)
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
