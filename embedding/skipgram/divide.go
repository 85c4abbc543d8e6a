package skipgram

import (
	"cmp"
	"slices"
)

// partSubtrees is how many subtrees below the top of the tree each part has, if there
// are several: enough that they can be dealt out evenly, and few enough that a
// block's copies of the top stay near the processor (50 kB with two parts).
const partSubtrees = 32

// divide deals the vertices out to the parts, as x by their visits and as centres
// by those of the subtree that they are in, so that the blocks of a round have
// about the same work.
func (t *trainer) divide() {
	n := t.corpus.Vertices
	t.inPart = deal(t.at.Visits, t.Partitions)
	if t.tree == nil {
		t.outPart = t.inPart
		for p := range t.Partitions {
			t.noise = append(t.noise, newNoise(t.at.Visits, t.outPart, p))
		}
		return
	}
	if t.Partitions > 1 {
		t.top = min(partSubtrees*t.Partitions, n) - 1
	}
	// The unit of a vertex is the first node of its path that is not in the top,
	// or the vertex itself.
	unit := make([]uint32, n)
	weights := make([]int64, 2*n)
	for v := range uint32(n) {
		unit[v] = uint32(n) + v
		for _, step := range t.tree.path(v) {
			if node := uint32(step >> 1); int(node) >= t.top {
				unit[v] = node
				break
			}
		}
		weights[unit[v]] += t.at.Visits[v]
	}
	parts := deal(weights, t.Partitions)
	t.outPart = make([]uint8, n)
	for v, u := range unit {
		t.outPart[v] = parts[u]
	}
}

// deal assigns things to parts, the heaviest first, always to the part with the
// least weight so far. Ties go to the lower number.
func deal(weights []int64, parts int) []uint8 {
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
		// Things without weight are spread out as well.
		sums[least] += max(weights[i], 1)
	}
	return part
}
