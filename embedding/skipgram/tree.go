package skipgram

import (
	"cmp"
	"slices"

	"heavytail/storage/vec"
)

// tree is the Huffman tree of the visits. Its inner nodes are numbered from
// the root, which is 0, by descending weight, so that the nodes that change
// most come first.
type tree struct {
	first []int64  // of vertex v are steps[first[v]:first[v+1]]
	steps []uint32 // from the root down: the node, and in the lowest bit the turn
}

// newTree builds the tree of 1 ≤ n ≤ 2³¹ leaves in O(n log n). Ties go to the lower
// vertex.
func newTree(visits []int64) *tree {
	n := len(visits)
	order := make([]uint32, n) // leaves by rising weight
	for v := range order {
		order[v] = uint32(v)
	}
	slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(visits[a], visits[b]) })

	// Leaves are 0 to n−1, inner nodes n to 2n−2 in the order of creation,
	// which is also the order of their weights, so the two lightest are always
	// at the heads of two queues.
	weight := make([]int64, n, 2*n-1)
	copy(weight, visits)
	parent := make([]uint32, 2*n-1)
	turn := make([]bool, 2*n-1)
	leaf, inner := 0, n
	lightest := func() uint32 {
		if leaf < n && (inner >= len(weight) || weight[order[leaf]] <= weight[inner]) {
			leaf++
			return order[leaf-1]
		}
		inner++
		return uint32(inner - 1)
	}
	for made := n; made < 2*n-1; made++ {
		a, b := lightest(), lightest()
		parent[a], parent[b], turn[b] = uint32(made), uint32(made), true
		weight = append(weight, weight[a]+weight[b])
	}

	root := uint32(2*n - 2)
	depth := make([]int32, 2*n-1)
	for node := int(root) - 1; node >= n; node-- {
		depth[node] = depth[parent[node]] + 1
	}
	t := &tree{first: vec.Zeros[int64](n + 1)}
	for v := range n {
		if n > 1 {
			depth[v] = depth[parent[v]] + 1
		}
		t.first[v+1] = t.first[v] + int64(depth[v])
	}
	t.steps = vec.Zeros[uint32](int(t.first[n]))
	for v := range n {
		at := uint32(v)
		for i := t.first[v+1] - 1; i >= t.first[v]; i-- {
			step := (root - parent[at]) << 1
			if turn[at] {
				step |= 1
			}
			t.steps[i] = step
			at = parent[at]
		}
	}
	return t
}

// path returns the steps from the root to a vertex.
func (t *tree) path(v uint32) []uint32 { return t.steps[t.first[v]:t.first[v+1]] }
