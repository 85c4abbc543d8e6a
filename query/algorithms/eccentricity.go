package algorithms

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"time"

	"heavytail/storage/checkpoint"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// EccentricityOptions sets how Eccentricity works. The zero value works.
type EccentricityOptions struct {
	Work
	checkpoint.Checkpoints
}

// Eccentricity returns the largest number of edges on a shortest path from each vertex
// to a vertex of its component. The largest of a component is its diameter, the smallest
// its radius. Weights are not used.
//
// It computes the distances from 64 vertices at a time until the triangle inequality
// leaves one possible value for each vertex: Takes and Kosters, "Computing the
// Eccentricity Distribution of Large Graphs", 2013, with the searches of Harmonic. It
// takes between a few and n/64 searches of O(n + m), on one core, and 56 bytes per
// vertex and 16 for each distance at which the sources of a search reach a vertex, some four; a
// checkpoint writes 16 bytes per vertex.
func Eccentricity(ctx context.Context, g *csr.Graph, opts EccentricityOptions) ([]int64, error) {
	n := g.Vertices()
	e := &eccentricities{
		bitSearch: newBitSearch(ctx, g), bounds: bounds{low: make([]int64, n), high: make([]int64, n)},
		save: opts.Checkpoints, saved: time.Now(), report: opts.reporter("eccentricity", int64(n)),
	}
	if opts.From != nil {
		if err := e.read(bufio.NewReaderSize(opts.From, 1<<16)); err != nil {
			return nil, err
		}
	}
	for i, vertices := range g.Components().Vertices() {
		switch {
		case int64(i) < e.at:
			e.done += int64(len(vertices))
			continue
		case int64(i) > e.at || e.count == 0:
			e.at, e.count = int64(i), 1
			for _, v := range vertices {
				e.high[v] = int64(len(vertices)) - 1
			}
		}
		if err := e.component(vertices); err != nil {
			return nil, err
		}
	}
	return e.low, nil
}

// DiameterBytes is the memory of Diameter for each vertex: 32 bytes for a search, 16 for the bounds, 20
// for the components, and 64 for the distances at which 64 sources reach it, some four.
const DiameterBytes = 132

// Diameter returns bounds of the diameter of the largest component of a graph, which is the largest
// number of edges on a shortest path between two of its vertices; equal bounds are exact, and 0 is that
// of a graph without edges. It computes the distances from at most 127 vertices, as Eccentricity does,
// in DiameterBytes per vertex.
func Diameter(ctx context.Context, g *csr.Graph) (least, most int64, err error) {
	n := g.Vertices()
	if n == 0 {
		return 0, 0, nil
	}
	e := &eccentricities{bitSearch: newBitSearch(ctx, g), bounds: bounds{low: make([]int64, n), high: make([]int64, n)}}
	open := g.Components().Vertices()[0]
	most = int64(len(open)) - 1
	for _, v := range open {
		e.high[v] = most
	}
	for count := 1; count <= 64 && least < most; count *= 2 {
		if !e.refine(e.choose(open, count)) {
			return 0, 0, ctx.Err()
		}
		most = 0
		for _, v := range open {
			least, most = max(least, e.low[v]), max(most, e.high[v])
		}
		open = slices.DeleteFunc(open, func(v uint32) bool { return e.high[v] <= least })
		most = max(least, most)
	}
	return least, most, nil
}

// eccentricities narrows bounds of the eccentricities until they are equal.
type eccentricities struct {
	*bitSearch
	bounds
	save     checkpoint.Checkpoints
	saved    time.Time
	arrivals []*[arrivalBlock]arrival // in blocks, so that none is copied when there are more
	arrived  int                      // arrivals of the present search
	done     int64                    // number of vertices of finished components
	report   func(int64)
}

// bounds has the content of a checkpoint.
type bounds struct {
	low, high []int64
	at        int64 // component
	count     int64 // sources of the next search in it; 0 before the first component
}

// arrival has the sources whose searches reach a vertex at one distance.
type arrival struct {
	vertex   uint32
	distance int32
	sources  uint64
}

// arrivalBlock is the number of arrivals that are allocated at a time.
const arrivalBlock = 1 << 12

// component finds the values of one component. The first round has one source, which
// is enough for a star, and the second round the vertices farthest from it.
func (e *eccentricities) component(open []uint32) error {
	size := int64(len(open))
	for {
		open = slices.DeleteFunc(open, func(v uint32) bool { return e.low[v] == e.high[v] })
		e.report(e.done + size - int64(len(open)))
		if len(open) == 0 {
			e.done += size
			return nil
		}
		if err := e.checkpoint(); err != nil {
			return err
		}
		if e.refine(e.choose(open, int(e.count))) {
			e.count = min(64, 2*e.count)
		}
	}
}

// checkpoint checks the context, and saves the bounds if a checkpoint is due.
func (e *eccentricities) checkpoint() error {
	if err := saveAtEnd(e.Context, e.save, e.write); err != nil || e.save.Save == nil || time.Since(e.saved) < e.save.Every {
		return err
	}
	err := e.save.Save(e.write)
	e.saved = time.Now()
	return err
}

var boundsMagic = [8]byte{'e', 'c', 'c', 'e', 'n', 't', 'r', '1'}

// boundsHead is the beginning of a checkpoint. The lower bounds and then the upper bounds
// follow.
type boundsHead struct {
	Magic        [8]byte
	N, At, Count int64
}

func (b *bounds) write(w io.Writer) error {
	return vec.WriteNumbers(w, boundsHead{boundsMagic, int64(len(b.low)), b.at, b.count}, b.low, b.high)
}

// read reads what write has written for the same graph.
func (b *bounds) read(in io.Reader) error {
	var head boundsHead
	if err := vec.ReadNumbers(in, checkpoint.Err, &head); err != nil {
		return err
	}
	n := int64(len(b.low))
	if head.Magic != boundsMagic || head.N != n || head.At < 0 || head.At >= n || head.Count < 1 || head.Count > 64 {
		return fmt.Errorf("%w: it is not one of this graph", checkpoint.Err)
	}
	if err := vec.ReadNumbers(in, checkpoint.Err, b.low, b.high); err != nil {
		return err
	}
	for v, low := range b.low {
		if low < 0 || b.high[v] < low || b.high[v] >= n {
			return fmt.Errorf("%w: bounds %d and %d of %d vertices", checkpoint.Err, low, b.high[v], n)
		}
	}
	b.at, b.count = head.At, head.Count
	return nil
}

// choose takes half of the sources by the largest upper bound, which are peripheral
// vertices, and half by the smallest lower bound, which are central vertices; of
// equal bounds it takes the largest degree.
func (e *eccentricities) choose(open []uint32, count int) []uint32 {
	central := e.first(open, (count+1)/2, func(v uint32) int64 { return e.low[v] })
	outer := e.first(open, count/2, func(v uint32) int64 { return -e.high[v] })
	return append(central, slices.DeleteFunc(outer, func(v uint32) bool { return slices.Contains(central, v) })...)
}

// first returns the vertices of the smallest keys.
func (e *eccentricities) first(open []uint32, count int, key func(v uint32) int64) []uint32 {
	order := func(a, b uint32) int {
		return cmp.Or(cmp.Compare(key(a), key(b)), e.g.Degree(b)-e.g.Degree(a), cmp.Compare(a, b))
	}
	var best []uint32
	for _, v := range open {
		if len(best) == count && (count == 0 || order(v, best[count-1]) > 0) {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, v, order)
		best = slices.Insert(best, at, v)
		best = best[:min(count, len(best))]
	}
	return best
}

// refine narrows all bounds by the distances from some vertices. If the context ends, it
// leaves the bounds unchanged and returns false.
func (e *eccentricities) refine(sources []uint32) bool {
	var own [64]int64
	e.arrived = 0
	e.run(sources, func(v uint32, distance int, new uint64) {
		if e.arrived == len(e.arrivals)*arrivalBlock {
			e.arrivals = append(e.arrivals, &[arrivalBlock]arrival{})
		}
		e.arrivals[e.arrived/arrivalBlock][e.arrived%arrivalBlock] = arrival{v, int32(distance), new}
		e.arrived++
		for ; new != 0; new &= new - 1 {
			own[bits.TrailingZeros64(new)] = int64(distance)
		}
	})
	if e.halted() {
		return false
	}
	for i := range e.arrived {
		a := &e.arrivals[i/arrivalBlock][i%arrivalBlock]
		d, v := int64(a.distance), a.vertex
		for set := a.sources; set != 0; set &= set - 1 {
			far := own[bits.TrailingZeros64(set)]
			e.low[v] = max(e.low[v], d, far-d)
			e.high[v] = min(e.high[v], far+d)
		}
	}
	for i, v := range sources {
		e.low[v], e.high[v] = own[i], own[i]
	}
	return true
}
