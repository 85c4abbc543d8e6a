package algorithms

import (
	"context"

	"heavytail/storage/csr"
)

// DirectedEccentricity returns the largest number of arcs on a shortest path from each vertex to one that it
// reaches, 0 for a vertex from which no arc leads; the largest of all is the diameter. For the paths to a
// vertex d.Reversed is used. Weights are not used.
//
// It searches from all vertices, 64 at a time as Harmonic does, and takes at most O(n(n + m)), and 132 bytes
// per vertex and 32 per vertex and worker. Of a checkpoint see Harmonic.
func DirectedEccentricity(ctx context.Context, d *csr.Directed, opts EccentricityOptions) ([]int64, error) {
	n := d.Vertices()
	if n == 0 {
		return nil, ctx.Err()
	}
	all := identity(n)
	o := DistanceOptions{Work: opts.Work, Checkpoints: opts.Checkpoints}
	values, err := o.accumulate(ctx, n, (n+63)/64, Slots, "eccentricity", false, func() visitor {
		b := newBitSearch(ctx, rowsOf(&d.Out))
		return func(unit int, sum []float64) bool {
			sources := all[unit*64 : min(n, unit*64+64)]
			var farthest [64]float64
			b.levels(sources, func(distance int, reached uint64) {
				for i := range sources {
					if reached>>i&1 == 1 {
						farthest[i] = float64(distance)
					}
				}
			})
			if b.halted() {
				return false
			}
			for i, v := range sources {
				sum[v] = farthest[i]
			}
			return true
		}
	})
	if err != nil {
		return nil, err
	}
	list := make([]int64, n)
	for v, x := range values {
		list[v] = int64(x)
	}
	return list, nil
}

// levels calls f for each distance with the sources that first reach a vertex at it, as bits.
func (b *bitSearch) levels(sources []uint32, f func(distance int, reached uint64)) {
	last, reached := 0, uint64(0)
	b.run(sources, func(_ uint32, distance int, new uint64) {
		if distance > last {
			f(last, reached)
			last, reached = distance, 0
		}
		reached |= new
	})
	f(last, reached)
}
