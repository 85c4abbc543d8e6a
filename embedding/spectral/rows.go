package spectral

import (
	"context"
	"sort"
	"sync"

	"heavytail/embedding/eigen"
	"heavytail/embedding/internal/base"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// matrix is the adjacency matrix of a graph that is solved as one matrix. Its entries are
// in memory as one piece, or are read in pieces again for each product. Everything that is
// computed from it adds the entries of a row in their order, so that the pieces do not
// change a bit of the result.
type matrix struct {
	shape    *csr.Graph // its Offsets; the entries only if they are in memory
	weighted bool
	// pieces calls use with all entries in order. Without entries it calls use once or
	// not at all.
	pieces  func(ctx context.Context, use func(p piece) error) error
	scratch *sync.Pool // of *[sumRows * eigen.Width]float32
}

// piece is a run of consecutive entries: Targets and Weights of csr.Graph from entry number
// at on.
type piece struct {
	at      int64
	targets []uint32
	weights []float32 // nil without weights
}

// inMemory returns the matrix of a graph.
func inMemory(g *csr.Graph) matrix {
	return matrix{g, g.Weighted(), func(_ context.Context, use func(p piece) error) error {
		return use(piece{0, g.Targets, g.Weights})
	}, new(sync.Pool)}
}

func (m matrix) vertices() int { return m.shape.Vertices() }

// entries returns the number of entries, two for an edge.
func (m matrix) entries() int64 {
	if m.vertices() == 0 {
		return 0
	}
	return m.shape.Offsets[m.vertices()]
}

// row returns the entries of row v, or those of them that are in the piece.
func (p piece) row(offsets []int64, v int) ([]uint32, []float32) {
	lo, hi := max(offsets[v]-p.at, 0), min(offsets[v+1]-p.at, int64(len(p.targets)))
	if p.weights == nil {
		return p.targets[lo:hi], nil // with the capacity of the piece: see vec.GatherSum
	}
	return p.targets[lo:hi], p.weights[lo:hi]
}

// scan reads all pieces. It calls whole with each piece and the rows from lo to hi-1 that
// are complete in it, and cut with a piece that has only a part of row v: last if the row
// ends there. Each row is in one call of whole or in several of cut, in order.
func (m matrix) scan(ctx context.Context, whole func(p piece, lo, hi int) error, cut func(v int, p piece, last bool)) error {
	n, offsets := m.vertices(), m.shape.Offsets
	next := 0 // the first row that is not finished
	use := func(p piece) error {
		end := p.at + int64(len(p.targets))
		if next < n && offsets[next] < p.at {
			last := offsets[next+1] <= end
			cut(next, p, last)
			if !last {
				return nil
			}
			next++
		}
		lo := next
		next += sort.Search(n-lo, func(i int) bool { return offsets[lo+i+1] > end })
		if err := whole(p, lo, next); err != nil {
			return err
		}
		if next < n && offsets[next] < end {
			cut(next, p, false)
		}
		return nil
	}
	if err := m.pieces(ctx, use); err != nil {
		return err
	}
	if next < n { // rows without entries in a matrix without entries
		return whole(piece{at: m.entries()}, next, n)
	}
	return nil
}

// each calls f with the entries of all rows in order, those of a row that is cut in several
// calls.
func (m matrix) each(ctx context.Context, f func(v int, targets []uint32, weights []float32)) error {
	one := func(v int, p piece, _ bool) {
		targets, weights := p.row(m.shape.Offsets, v)
		f(v, targets, weights)
	}
	return m.scan(ctx, func(p piece, lo, hi int) error {
		for v := lo; v < hi; v++ {
			one(v, p, true)
		}
		return nil
	}, one)
}

// sumRows is the number of rows of a product that are summed before they are used: 4 KB, which stay
// in the first-level cache.
const sumRows = 64

// sums computes the rows of A·x, for a matrix without weights, in several goroutines. It writes them
// to a block, unless that is nil, and calls finish with the sums of the rows from v on, unless that is
// nil. The sums are valid during the call.
func (m matrix) sums(ctx context.Context, rows base.Rows, workers int, x, block []float32, finish func(v int, sums []float32)) error {
	const b = eigen.Width
	offsets := m.shape.Offsets
	carried := new(quarters)
	return m.scan(ctx, func(p piece, lo, hi int) error {
		return rows.Between(ctx, lo, hi, workers, func(lo, hi int) {
			sums, ok := m.scratch.Get().(*[sumRows * b]float32)
			if !ok {
				sums = new([sumRows * b]float32)
			}
			for ; lo < hi; lo += sumRows {
				end := min(lo+sumRows, hi)
				to := sums[:(end-lo)*b]
				if block != nil {
					to = block[lo*b : end*b]
				}
				vec.GatherSums(to, x, offsets[lo:end+1], p.targets[offsets[lo]-p.at:])
				if finish != nil {
					finish(lo, to)
				}
			}
			m.scratch.Put(sums)
		})
	}, func(v int, p piece, last bool) {
		targets, _ := p.row(offsets, v)
		carried.add(x, targets)
		if last {
			sum := carried.total()
			if block != nil {
				copy(block[v*b:], sum[:])
			}
			if finish != nil {
				finish(v, sum[:])
			}
			*carried = quarters{}
		}
	})
}

// quarters sums a list of rows that comes in pieces. The bits are those of vec.GatherSum
// of the whole list.
type quarters struct {
	sums  [4][eigen.Width]float32
	count int
}

func (q *quarters) add(x []float32, list []uint32) {
	for _, u := range list {
		sum, row := &q.sums[q.count&3], (*[eigen.Width]float32)(x[int(u)*eigen.Width:])
		for j := range sum {
			sum[j] += row[j]
		}
		q.count++
	}
}

func (q *quarters) total() *[eigen.Width]float32 {
	sum := new([eigen.Width]float32)
	for j := range sum {
		sum[j] = (q.sums[0][j] + q.sums[1][j]) + (q.sums[2][j] + q.sums[3][j])
	}
	return sum
}

// weightedSums is sums for a matrix with weights, each multiplied by unit, in float64.
func (m matrix) weightedSums(ctx context.Context, rows base.Rows, workers int, unit float64, x []float64, finish func(v int, sum *[eigen.Width]float64)) error {
	const b = eigen.Width
	add := func(sum *[b]float64, p piece, v int) {
		targets, weights := p.row(m.shape.Offsets, v)
		for i, u := range targets {
			vec.Axpy64(unit*float64(weights[i]), x[int(u)*b:][:b], sum[:])
		}
	}
	carried := new([b]float64)
	return m.scan(ctx, func(p piece, lo, hi int) error {
		return rows.Between(ctx, lo, hi, workers, func(lo, hi int) {
			sum := new([b]float64)
			for v := lo; v < hi; v++ {
				clear(sum[:])
				add(sum, p, v)
				finish(v, sum)
			}
		})
	}, func(v int, p piece, last bool) {
		add(carried, p, v)
		if last {
			finish(v, carried)
			clear(carried[:])
		}
	})
}
