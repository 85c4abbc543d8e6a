package algorithms

import (
	"context"
	"sync"
	"sync/atomic"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Clustering measures how often the neighbours of a vertex are neighbours of each
// other.
type Clustering struct {
	// Average is the mean over all vertices of the fraction of pairs of neighbours
	// that are neighbours themselves, 0 for vertices of degree 0 and 1 (Watts and
	// Strogatz, "Collective dynamics of 'small-world' networks", 1998). It is 0
	// for a graph without vertices.
	Average float64 `json:"average"`
	// Transitivity is the fraction of paths of two edges whose ends are adjacent,
	// 3·Triangles/Paths, 0 without such paths. Unlike in the average, a hub has a
	// large weight because of its many paths.
	Transitivity float64 `json:"transitivity"`
	Triangles    int64   `json:"triangles"`
	Paths        int64   `json:"paths"` // of two edges: the sum of d(d−1)/2
}

// ClusteringCoefficients counts all triangles, exactly. Weights are not used. It takes
// what Triangles takes. The error is that of ctx.
func ClusteringCoefficients(ctx context.Context, g *csr.Graph, w Work) (Clustering, error) {
	triangles, err := Triangles(ctx, g, w)
	if err != nil {
		return Clustering{}, err
	}
	// Summed in the order of the vertices, so that rounding is always the same.
	var c Clustering
	sum, corners := 0.0, int64(0)
	for v, closed := range triangles {
		paths := pairs(g.Degree(uint32(v)))
		c.Paths += paths
		corners += closed
		sum += share(closed, paths)
	}
	c.Triangles = corners / 3
	c.Transitivity = share(corners, c.Paths)
	if n := g.Vertices(); n > 0 {
		c.Average = sum / float64(n)
	}
	return c, nil
}

// Triangles returns the number of triangles of which each vertex is a corner. Weights
// are not used.
//
// Every edge is directed to its end of larger degree, or of equal degrees to
// the larger vertex. Then at most √(2m) edges leave a vertex, and every
// triangle has exactly one vertex that two of its edges leave (Latapy,
// "Main-memory triangle computations for very large (sparse (power-law))
// graphs", 2008): it takes O(m^1.5) time, however large the hubs are. Memory
// beyond the graph is 4 bytes per edge and 28 per vertex, and a bit per vertex
// and worker. The error is that of ctx.
func Triangles(ctx context.Context, g *csr.Graph, w Work) ([]int64, error) {
	o, err := orient(ctx, g, w)
	if err != nil {
		return nil, err
	}
	byRank, err := o.triangles(ctx, w)
	if err != nil {
		return nil, err
	}
	counts := make([]int64, len(byRank))
	for v, rank := range o.ranks {
		counts[v] = byRank[rank]
	}
	return counts, nil
}

// LocalClustering returns for each vertex the fraction of the pairs of its neighbours
// that are adjacent, 0 where the degree is 0 or 1. It takes what Triangles takes.
func LocalClustering(ctx context.Context, g *csr.Graph, w Work) ([]float64, error) {
	triangles, err := Triangles(ctx, g, w)
	if err != nil {
		return nil, err
	}
	values := make([]float64, len(triangles))
	for v, closed := range triangles {
		values[v] = share(closed, pairs(g.Degree(uint32(v))))
	}
	return values, nil
}

// pairs is the number of pairs of d vertices.
func pairs(d int) int64 { return int64(d) * int64(d-1) / 2 }

// share is part/whole, 0 where there is nothing.
func share(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// oriented is a graph whose vertices are numbered by rank, that is by ascending
// degree, and each of whose edges is listed only at its lower end.
type oriented struct {
	ranks   []uint32 // of each vertex
	offsets []int64
	targets []uint32 // of larger rank, by ascending vertex within a row
}

func orient(ctx context.Context, g *csr.Graph, w Work) (*oriented, error) {
	n := g.Vertices()
	o := &oriented{ranks: make([]uint32, n), offsets: make([]int64, n+1)}
	if err := rankByDegree(ctx, g, o.ranks); err != nil {
		return nil, err
	}
	each := func(f func(v, rank uint32)) error {
		w.each(n, func(lo, hi int) {
			for v := lo; v < hi && (v > lo || ctx.Err() == nil); v++ {
				f(uint32(v), o.ranks[v])
			}
		})
		return ctx.Err()
	}
	err := each(func(v, rank uint32) {
		up := int64(0)
		for _, u := range g.Neighbors(v) {
			if o.ranks[u] > rank {
				up++
			}
		}
		o.offsets[rank+1] = up
	})
	if err != nil {
		return nil, err
	}
	for r := range n {
		o.offsets[r+1] += o.offsets[r]
	}
	o.targets = make([]uint32, o.offsets[n])
	err = each(func(v, rank uint32) {
		row := o.row(rank)
		for _, u := range g.Neighbors(v) {
			if high := o.ranks[u]; high > rank {
				row[0], row = high, row[1:]
			}
		}
	})
	return o, err
}

// checkVertices is the number of vertices between two checks of the context:
// they take about a millisecond, or some tens of milliseconds if all of them
// are hubs.
const checkVertices = 1 << 10

// rankByDegree writes the rank of every vertex by ascending degree, equal ones
// by ascending vertex.
func rankByDegree(ctx context.Context, g *csr.Graph, ranks []uint32) error {
	n := g.Vertices()
	start := make([]uint32, n+1) // a degree is below n
	for v := range n {
		start[g.Degree(uint32(v))+1]++
	}
	for d := range n {
		start[d+1] += start[d]
	}
	for v := range n {
		d := g.Degree(uint32(v))
		ranks[v] = start[d]
		start[d]++
		if v%checkVertices == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// row returns the neighbours of larger rank.
func (o *oriented) row(r uint32) []uint32 { return o.targets[o.offsets[r]:o.offsets[r+1]] }

// triangles returns the number of triangles of each rank.
func (o *oriented) triangles(ctx context.Context, w Work) ([]int64, error) {
	const block = 64 // ranks that a worker takes at a time
	n := len(o.ranks)
	counts := make([]int64, n)
	var done atomic.Int64
	report := w.reporter("counting", int64(len(o.targets)))
	// For each worker, bit r is set while rank r is in the row that it processes.
	marks := sync.Pool{New: func() any { return new(make([]uint64, (n+63)/64)) }}
	vec.Parallel(n, block, w.Workers, func(_, lo, hi int) {
		marked := marks.Get().(*[]uint64)
		for r := lo; r < hi; r++ {
			o.lowest(ctx, uint32(r), *marked, counts)
		}
		marks.Put(marked)
		report(done.Add(o.offsets[hi] - o.offsets[lo]))
	})
	return counts, ctx.Err()
}

// lowest counts the triangles of which r is the lowest rank, for all three
// corners. Workers share the counts; sums of integers do not depend on order.
func (o *oriented) lowest(ctx context.Context, r uint32, marked []uint64, counts []int64) {
	row := o.row(r)
	if len(row) < 2 {
		return
	}
	for _, u := range row {
		marked[u/64] |= 1 << (u % 64)
	}
	own := int64(0)
	for i, middle := range row {
		if i%64 == 0 && ctx.Err() != nil {
			break
		}
		closed := int64(0)
		for _, u := range o.row(middle) {
			if marked[u/64]>>(u%64)&1 != 0 {
				atomic.AddInt64(&counts[u], 1)
				closed++
			}
		}
		if closed > 0 {
			atomic.AddInt64(&counts[middle], closed)
			own += closed
		}
	}
	for _, u := range row {
		marked[u/64] = 0
	}
	if own > 0 {
		atomic.AddInt64(&counts[r], own)
	}
}
