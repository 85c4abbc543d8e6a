package algorithms

import "heavytail/storage/csr"

// Cores returns the core number of each vertex: the largest k for which it belongs to a
// subgraph where every vertex has at least k neighbours (Seidman, "Network Structure and
// Minimum Degree", 1983). Weights are not used. For each k in turn it removes the
// vertices that have k remaining neighbours, and those that these leave with k (Kabir and
// Madduri, "Parallel k-core Decomposition on Multicore Platforms", 2017, on one
// processor). A vertex is looked at once for each k up to its core number, which is at
// most its degree: it takes O(n + m), and 16 bytes per vertex.
func Cores(g *csr.Graph) []int64 {
	n := g.Vertices()
	degree := make([]uint32, n) // number of remaining neighbours; of a removed vertex its core number
	for v := range degree {
		degree[v] = uint32(g.Degree(uint32(v)))
	}
	rest := identity(n) // ascending; vertices that the last k removed are dropped by the next
	var removed []uint32
	for k := uint32(0); len(rest) > 0; k++ {
		left := rest[:0]
		removed = removed[:0]
		for _, v := range rest {
			if degree[v] == k {
				removed = append(removed, v)
			} else if degree[v] > k {
				left = append(left, v)
			}
		}
		rest = left
		for i := 0; i < len(removed); i++ {
			for _, u := range g.Neighbors(removed[i]) {
				if degree[u] > k {
					if degree[u]--; degree[u] == k {
						removed = append(removed, u)
					}
				}
			}
		}
	}
	cores := make([]int64, n)
	for v, d := range degree {
		cores[v] = int64(d)
	}
	return cores
}
