package algorithms

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"heavytail/storage/csr"
)

// FireOptions sets how ForestFire works. The zero value works.
type FireOptions struct {
	Vertices int // number of vertices in the sample; 0 means 1,000
	// Forward is the probability that a burning vertex lights one more neighbour, above
	// 0 and below 1; 0 means 0.7, which preserves the properties of networks best in
	// the paper.
	Forward float64
	Seed    uint64
}

// ForestFire returns a sample of the vertices of a graph in ascending order, or all vertices
// if the graph has no more: a fire starts at a random vertex and spreads from each burning
// one to x random neighbours that have not burned, x of the geometric distribution with the
// mean Forward/(1-Forward). When it dies, another fire starts (Leskovec and Faloutsos,
// "Sampling from Large Graphs", 2006, section 3.3.3; a fire spreads in the order in which
// the vertices caught it). It takes O(n + m) on one core, and up to 17 bytes per vertex.
func ForestFire(ctx context.Context, g *csr.Graph, opts FireOptions) ([]uint32, error) {
	opts.Vertices = cmp.Or(opts.Vertices, 1000)
	opts.Forward = cmp.Or(opts.Forward, 0.7)
	switch {
	case opts.Vertices < 0:
		return nil, &OptionError{"vertices", opts.Vertices, "at least 1"}
	case !(opts.Forward > 0 && opts.Forward < 1):
		return nil, &OptionError{"forward", opts.Forward, "above 0 and below 1"}
	}
	f := &fire{
		g: g, rng: rand.New(rand.NewPCG(opts.Seed, 0xf19e)), forward: opts.Forward,
		most: min(opts.Vertices, g.Vertices()), burned: make([]bool, g.Vertices()),
	}
	for _, start := range f.rng.Perm(g.Vertices()) {
		if len(f.list) == f.most {
			break
		}
		if f.burned[start] {
			continue
		}
		f.light(uint32(start))
		for ; f.next < len(f.list); f.next++ {
			if f.next%checkVertices == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			f.spread(f.list[f.next])
		}
	}
	slices.Sort(f.list)
	return f.list, ctx.Err()
}

// fire is a sample that grows.
type fire struct {
	g       *csr.Graph
	rng     *rand.Rand
	forward float64
	most    int      // vertices of the sample
	burned  []bool   // by vertex
	list    []uint32 // of the vertices that burned, in the order in which they caught fire
	next    int      // index in list of the first vertex that has not spread the fire yet
	fuel    []uint32 // unburned neighbours of the vertex that spreads the fire
}

func (f *fire) light(v uint32) {
	f.burned[v] = true
	f.list = append(f.list, v)
}

// spread lights neighbours of v.
func (f *fire) spread(v uint32) {
	f.fuel = f.fuel[:0]
	for _, u := range f.g.Neighbors(v) {
		if !f.burned[u] {
			f.fuel = append(f.fuel, u)
		}
	}
	for left := f.fuel; len(left) > 0 && len(f.list) < f.most && f.rng.Float64() < f.forward; left = left[1:] {
		i := f.rng.IntN(len(left))
		left[0], left[i] = left[i], left[0]
		f.light(left[0])
	}
}
