package unitball

import (
	"context"

	"heavytail/embedding/internal/base"
	"heavytail/index/pairs"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// perViolation is the number of bytes of a violating pair: a violation and two forces,
// each with the unused capacity of a slice that has grown.
const perViolation = 40

// Bytes estimates the largest memory of Embed at any time, including the result, in
// addition to the graph. Before the garbage collector runs, the heap can be twice as
// large.
func Bytes(g *csr.Graph, o Options) int64 {
	o = o.WithDefaults()
	n, k, m := int64(g.Vertices()), int64(o.Dim), g.Edges()
	matrices := int64(7) // with the copy of a join
	if *o.Anchor > 0 {
		matrices++
	}
	// Runs on graphs of 4,000 to 51,000 vertices filled four fifths of the list at most, and
	// a quarter of it violated its bound: without a skin most pairs do, but only a quarter
	// is listed then. The edges are beyond their bound at the start.
	near := 4 * min(n*(n-1)/2, max(leastCap, 2*n*k)) / 5
	const sieve = 1 // byte for each element, of a join
	bytes := (4*matrices+sieve)*n*k + 76*n + 4*near + perViolation*(near/4+m)
	if n >= manyVertices {
		bytes += pairs.MovingBytes(int(n), int(k)) + 16*n + 8*m // with the graph in another order
	}
	return bytes
}

// Seconds estimates how long Embed takes if it makes all passes of one round, from a join
// and a pass over some of the vertices, in some tenths of a second. A run that finds a
// placement ends earlier, mostly after a fifth to two thirds of the passes; further rounds
// take less than the first one each.
func Seconds(ctx context.Context, g *csr.Graph, o Options) (float64, error) {
	if err := o.Validate(); err != nil {
		return 0, err
	}
	o = o.WithDefaults()
	n := g.Vertices()
	some := min(n, max(256, 1<<18/o.Dim))
	x, err := begin(some, Options{Dim: o.Dim}, nil)
	if err != nil || some == 0 {
		return 0, err
	}
	whole := float64(n) / float64(some)
	join, err := base.MedianSeconds(ctx, func() (float64, error) {
		return 1 / (whole * whole), pairs.Join(ctx, x, 1, pairs.Options{Workers: o.Workers}, func(uint32, []uint32) error { return nil })
	})
	if err != nil {
		return 0, err
	}
	list := make([]uint32, some)
	squares := make([]float32, some)
	for v := range list {
		list[v] = uint32(uint64(v) * 7919 % uint64(some))
	}
	v := 0
	pair, err := base.MedianSeconds(ctx, func() (float64, error) {
		vec.ListL2Squared(squares, x.Row(v%some), x.Data, o.Dim, list)
		v++
		return float64(some), nil
	})
	// A pass measures the edges and about as many near pairs as cost a quarter of a join,
	// adds up both, and moves every vertex, which takes as long as twenty pairs.
	pass := join/4 + pair*(6*float64(g.Edges())+20*float64(n))
	return float64(o.Passes) * pass, err
}
