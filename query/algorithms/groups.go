package algorithms

import "math/rand/v2"

// This file has lists of groups and their vertices.

// shuffled returns the numbers below n in random order.
func shuffled(rng *rand.Rand, n int) []uint32 {
	order := identity(n)
	rng.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order
}

// identity is the list of the numbers below n.
func identity(n int) []uint32 {
	list := make([]uint32, n)
	for i := range list {
		list[i] = uint32(i)
	}
	return list
}

// membersOf returns the vertices by group: those of group c are from first[c] to
// first[c+1].
func membersOf(group []uint32, groups int) (members []uint32, first []int) {
	first = make([]int, groups+2)
	for _, c := range group {
		first[c+2]++
	}
	for c := 2; c < len(first); c++ {
		first[c] += first[c-1]
	}
	members = make([]uint32, len(group))
	for v, c := range group {
		members[first[c+1]] = uint32(v)
		first[c+1]++
	}
	return members, first
}

// compact numbers groups in the order of their first vertices, in place, and returns
// how many there are.
func compact(group []uint32) int {
	const unseen = ^uint32(0)
	number := make([]uint32, len(group))
	for i := range number {
		number[i] = unseen
	}
	count := uint32(0)
	for v, c := range group {
		if number[c] == unseen {
			number[c] = count
			count++
		}
		group[v] = number[c]
	}
	return int(count)
}
