package index

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"sync"

	"heavytail/storage/vec"
)

// JoinOptions sets how a pass over all pairs runs. The zero value works.
type JoinOptions struct {
	Workers int // number of goroutines, 0 means GOMAXPROCS

	// Progress, if not nil, is told how many of the pairs of rows are done,
	// under the stage "joining", from one goroutine at a time and at most about
	// 20 times a second.
	Progress func(stage string, done, total int64)

	directions int // of the lead; see newLead
}

// Join calls yield for every row u in ascending order with its neighbours: all
// v > u within the radius, ascending. Each pair within the radius so comes
// once. The slice is valid during the call only. An error of yield ends the
// join and is returned as it is. yield runs on the goroutine of the caller.
//
// A pair is within if float64(vec.L2Squared(row u, row v)) ≤ radius². Nothing
// is approximate.
//
// It costs n(n−1)/2·dim multiply-adds, in tiles that stay in the caches, and
// one vec.L2Squared for each pair that lies nearer to the radius than rounding
// can tell: hardly any, but most pairs inside of a cluster that is hundreds of
// times farther from the other clusters than it is wide. Where a sample of tiles
// says that it is cheaper, 8 to 64 multiply-adds settle most pairs, and the rest are
// measured (lead.go): a fifth to a half of the time with embeddings whose rows have
// many lengths or few directions. Memory, whatever the number of pairs found: a
// second copy of the matrix (4 bytes per element), 32 to 256 bytes per row for the
// short forms if there are any, 8 bytes per row, one list of neighbours, and
// workers+1 bitmaps of one stripe of rows each: 60 bytes per row of the matrix at
// dimension 200, at most 120.
//
// Errors: ErrRadius, ErrDimension, ErrNotFinite, or that of ctx, which is
// looked at every 50 µs or so.
func Join(ctx context.Context, m *vec.Matrix, radius float64, opts JoinOptions, yield func(u uint32, neighbours []uint32) error) error {
	_, err := join(ctx, m, radius, opts, yield)
	return err
}

// join is Join, and also returns how many pairs had to be measured again.
func join(ctx context.Context, m *vec.Matrix, radius float64, opts JoinOptions, yield func(u uint32, neighbours []uint32) error) (int64, error) {
	if err := checkShape(m); err != nil {
		return 0, err
	}
	if err := checkRadius(radius); err != nil {
		return 0, err
	}
	s, err := newScreen(ctx, m, opts.Workers)
	if err != nil {
		return 0, fmt.Errorf("index: join: %w", err)
	}
	limits := s.threshold(radius)
	s.lead = newLead(ctx, s, limits, opts.directions, opts.Workers)
	j := &joiner{
		s:      s,
		limits: limits,
		height: stripeRows(m.Rows, m.Dim),
		meter:  newMeter(opts.Progress, pairs(m.Rows)),
	}
	if err := j.run(ctx, opts.Workers, yield); err != nil {
		return 0, err
	}
	j.meter.finish()
	return j.again, nil
}

// joiner runs the stripes of one join in several workers and hands their pairs
// on in order.
type joiner struct {
	s      *screen
	limits threshold
	height int // rows of a stripe
	meter  *meter

	mu    sync.Mutex
	next  int   // first stripe that no worker has begun
	again int64 // pairs that were measured again
}

// finding is the pairs of one stripe, as a bitmap: a size that does not depend
// on how many pairs there are, and an order that needs no sort.
type finding struct {
	stripe int
	lo, hi int
	width  int      // words of a row
	bits   []uint32 // row r of the stripe is bits[r·width : (r+1)·width]; bit 0 is column lo
}

// run drives the workers. Every stripe that has been begun holds one of
// workers+1 findings until its pairs have been yielded. A worker takes its
// finding before its stripe, so the stripe that yield waits for always has one.
func (j *joiner) run(ctx context.Context, workers int, yield func(u uint32, neighbours []uint32) error) error {
	rows := j.s.m.Rows
	stripes := (rows + j.height - 1) / j.height
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = max(1, min(workers, stripes))

	inner, cancel := context.WithCancel(ctx)
	free := make(chan *finding, workers+1)
	done := make(chan *finding, workers+1)
	for range workers + 1 {
		free <- new(finding)
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	for range workers {
		wg.Go(func() { j.work(inner, stripes, free, done) })
	}

	waiting := make(map[int]*finding, workers+1)
	var neighbours []uint32
	for next := 0; next < stripes; next++ {
		for waiting[next] == nil {
			select {
			case f := <-done:
				waiting[f.stripe] = f
			case <-ctx.Done():
				return fmt.Errorf("index: join: %w", ctx.Err())
			}
		}
		f := waiting[next]
		delete(waiting, next)
		for u := f.lo; u < f.hi; u++ {
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("index: join: %w", err)
			}
			neighbours = f.neighbours(neighbours[:0], u)
			if err := yield(uint32(u), neighbours); err != nil {
				return err
			}
		}
		free <- f
	}
	return nil
}

// work computes stripes until there are none left or ctx ends.
func (j *joiner) work(ctx context.Context, stripes int, free <-chan *finding, done chan<- *finding) {
	w := &walker{s: j.s}
	defer func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.again += w.again
	}()
	for {
		var f *finding
		select {
		case f = <-free:
		case <-ctx.Done():
			return
		}
		j.mu.Lock()
		number := j.next
		j.next++
		j.mu.Unlock()
		if number >= stripes {
			return
		}
		f.reset(number, j.height, j.s.m.Rows)
		if j.fill(ctx, w, f) != nil {
			return
		}
		done <- f
	}
}

// fill finds the pairs of one stripe.
func (j *joiner) fill(ctx context.Context, w *walker, f *finding) error {
	nothing := func(int) {}
	return w.walk(ctx, stripe{f.lo, f.hi}, j.limits, j.meter, nothing, nothing, func(group, r, p int) {
		w.settle(group, r, p, j.limits)
		word := p - f.lo/vec.TileCols
		for i, near := range w.near {
			if near != 0 {
				f.bits[(r+i-f.lo)*f.width+word] = near
			}
		}
	})
}

// reset empties f for a stripe.
func (f *finding) reset(number, height, rows int) {
	f.stripe = number
	f.lo, f.hi = number*height, min((number+1)*height, rows)
	f.width = (rows - f.lo + vec.TileCols - 1) / vec.TileCols
	size := (f.hi - f.lo) * f.width
	if cap(f.bits) < size {
		f.bits = make([]uint32, size)
	}
	f.bits = f.bits[:size]
	clear(f.bits)
}

// neighbours appends the neighbours of row u, ascending.
func (f *finding) neighbours(dst []uint32, u int) []uint32 {
	for word, set := range f.bits[(u-f.lo)*f.width:][:f.width] {
		for ; set != 0; set &= set - 1 {
			dst = append(dst, uint32(f.lo+word*vec.TileCols+bits.TrailingZeros32(set)))
		}
	}
	return dst
}

// pairs returns n(n−1)/2.
func pairs(n int) int64 { return int64(n) * int64(n-1) / 2 }

func checkRadius(radius float64) error {
	if !(radius >= 0) || math.IsInf(radius, 1) {
		return fmt.Errorf("index: radius %v: %w", radius, ErrRadius)
	}
	return nil
}
