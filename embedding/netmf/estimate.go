package netmf

import (
	"context"
	"math"

	"heavytail/embedding/eigen"
	"heavytail/embedding/internal/base"
	"heavytail/storage/csr"
)

// estimate is what a sample of the rows says about the number of entries of the matrix.
type estimate struct {
	// entries is two standard errors above the estimate. There are hardly fewer than least.
	// Both are exact if the sample has all vertices.
	entries, least int64
	arcs           int64 // read by a step of a group of vertices, on average
}

// A sample has groups of width vertices: at most sampleGroups, and only one if that is
// as much work as sampleGathers.
const (
	sampleGroups  = 8
	sampleGathers = 1 << 25 // about a fifth of a second
)

// estimate computes the rows of vertices that are spread evenly over s.order. Their
// entries, divided by those that the rows could have at most, are the fraction that is
// expected of all rows: for short walks, hubs have so many more entries than other
// vertices that the mean of a sample would depend on whether it has a hub. It takes about
// a fifth of a second, and longer only if one group has more work than that.
func (s *steps) estimate(ctx context.Context) (estimate, error) {
	n := len(s.order)
	work := int64(s.window)*int64(len(s.g.Targets)) + 1
	groups := int(min(max(sampleGathers/work, 1), sampleGroups, int64(n+width-1)/width))
	rows := min(n, groups*width)
	if rows == 0 {
		return estimate{}, nil
	}
	most := s.most()
	c := newScratch(s.g.Vertices())
	arcs := int64(0)
	var found, possible []float64
	for lo := 0; lo < rows; lo += width {
		var group []uint32
		for i := lo; i < min(rows, lo+width); i++ {
			group = append(group, s.order[(2*i+1)*n/(2*rows)])
		}
		if err := c.rows(ctx, s, group); err != nil {
			return estimate{}, err
		}
		for i, v := range group {
			found, possible = append(found, float64(len(c.targets[i]))), append(possible, most[v])
		}
		arcs += c.arcs
	}
	all, ratio := sum(most), sum(found)/sum(possible)
	squares := 0.0
	for i, x := range found {
		squares += (x - ratio*possible[i]) * (x - ratio*possible[i])
	}
	unseen := 1 - float64(rows)/float64(n)
	deviation := float64(n) * math.Sqrt(squares*unseen) / float64(rows)
	// A sample of r rows that are all alike does not exclude that 3/r of the others differ.
	alike := ratio * all * unseen * 3 / float64(rows)
	return estimate{
		entries: int64(math.Round(min(ratio*all+2*deviation, all))), least: int64(math.Round(max(ratio*all-4*deviation-alike, 0))),
		arcs: arcs / int64(s.window) / int64((rows+width-1)/width),
	}, nil
}

// most returns, for each vertex, a number of entries that its row cannot exceed: that of
// the walks of at most T steps, and of the vertices of its component. It is 0 for vertices
// without edges.
func (s *steps) most() []float64 {
	n := s.g.Vertices()
	walks, next, most := make([]float64, n), make([]float64, n), make([]float64, n)
	for _, v := range s.order {
		walks[v] = 1
	}
	for range s.window {
		open := false
		for _, v := range s.order {
			size := float64(s.components.Sizes[s.components.Label[v]])
			next[v] = 0
			for _, u := range s.g.Neighbors(v) {
				next[v] += walks[u]
			}
			most[v] = min(most[v]+next[v], size)
			open = open || most[v] < size
		}
		if walks, next = next, walks; !open {
			break
		}
	}
	return most
}

func sum(list []float64) (total float64) {
	for _, x := range list {
		total += x
	}
	return total
}

// Bytes estimates the memory of NetMF without the graph, with the result. The number of
// entries is that of a sample of the rows and two standard errors more, so that it takes
// about a fifth of a second. Processes grew by 1.0 to 1.3 times the estimate on six graphs
// of 2,708 to 51,264 vertices, with garbage that was not yet collected.
func Bytes(g *csr.Graph, o Options) int64 {
	o = o.WithDefaults()
	s := newSteps(g, o)
	e, err := s.estimate(context.Background())
	if err != nil {
		return 0 // the context does not end
	}
	n, linked := int64(g.Vertices()), int64(len(s.order))
	k := min(int64(o.Dim), linked)
	matrix := 8*e.entries + linked/width*partBytes
	first := int64(s.workers) * (scratchBytes(n) + 16*width*(e.entries/max(linked, 1)))
	// During the solve for the smallest eigenvalues the vectors of the largest are in memory,
	// and the result has both.
	second := max(eigen.Bytes(int(linked), int(k), 0)+4*linked*k, 8*linked*k+4*n*int64(o.Dim))
	const perVertex = 24 // of steps, of twins and of most
	return 2*perVertex*n + matrix + max(first, second)
}

// Seconds estimates how long NetMF takes on this machine, from the speed of its products
// on a sample of the vertices. The spectrum is not known in advance; usually the time is
// between a third and three times the estimate. The error is ErrOptions, an *EntriesError
// if the run would be refused, or that of ctx.
func Seconds(ctx context.Context, g *csr.Graph, o Options) (float64, error) {
	if err := o.Validate(); err != nil {
		return 0, err
	}
	o = o.WithDefaults()
	s := newSteps(g, o)
	e, err := s.estimate(ctx)
	if err != nil {
		return 0, err
	}
	if e.least > int64(o.Entries) {
		return 0, &EntriesError{Vertices: len(s.order), Entries: e.entries, Limit: int64(o.Entries)}
	}
	gather, err := base.GatherSeconds(ctx, g, width)
	if err != nil {
		return 0, err
	}
	first := float64(e.arcs) * gather
	if s.g.Weighted() {
		first *= 2
	}
	workers := float64(s.workers)
	const logarithm, multiply = 2e-8, 1e-10 // seconds of an entry, and of a multiply-add of the solver
	rows := float64(len(s.twins.first))/width*float64(s.window)*first + logarithm*float64(e.entries)
	product := 2 * gather * float64(e.entries) / workers
	return rows/workers + eigen.Seconds(len(s.order), min(o.Dim, len(s.order)), product, multiply) + eigen.Seconds(len(s.order), min(firstSmallest, len(s.order)), product, multiply), nil
}
