package pairs

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"

	"heavytail/index/internal/base"
	"heavytail/index/internal/screen"
	"heavytail/storage/vec"
)

// Options sets how a pass over all pairs runs. The zero value works.
type Options struct {
	Workers int // number of goroutines, 0 means GOMAXPROCS

	// Progress, if not nil, receives how many of the pairs of vectors are
	// done, with the stage "joining", from one goroutine at a time and at most
	// about 20 times a second.
	Progress func(stage string, done, total int64)

	sieve screen.Forced
}

// Join calls yield for every vector u in ascending order with its neighbours:
// all v > u within the radius, ascending. So each pair within the radius
// occurs once. The slice is valid during the call only. An error of yield ends
// the join and is returned unchanged. yield runs on the goroutine of the
// caller.
//
// A pair is within the radius if float64(vec.L2Squared(row u, row v)) ≤
// radius². Nothing is approximate.
//
// It costs n(n−1)/2·dim multiply-adds, in tiles that stay in the caches, and
// one vec.L2Squared for each pair whose distance differs from the radius by
// less than the rounding error. These are very few, except inside a cluster
// whose distance from the others is hundreds of times its width: there they
// are most pairs. Where a sample of tiles shows that it is cheaper, 8 to 64
// multiply-adds or products of bytes decide most pairs, and only the rest are
// measured (sieve.go). For embeddings whose vectors have many lengths or few
// directions this takes a fifth to a half of the time, for most others a third
// to a half on processors with AVX-512 VNNI. The memory does not depend on the
// number of pairs found: a second copy of the matrix (4 bytes per element), for
// a sieve 32 to 256 bytes per vector or 1 byte per element, 8 bytes per vector,
// one list of neighbours, and workers+1 bitmaps of one stripe of vectors each:
// 60 bytes per vector of the matrix at dimension 200, at most 120.
//
// Errors: ErrRadius, ErrDimension, ErrNotFinite, ErrOption, or that of ctx, which is
// checked about every 50 µs.
func Join(ctx context.Context, m *vec.Matrix, radius float64, opts Options, yield func(u uint32, neighbors []uint32) error) error {
	return JoinRange(ctx, m, radius, 0, m.Rows, opts, yield)
}

// JoinRange is Join for the vectors u from first on, and below end, so that processes can
// divide a join; ranges of the same length cost less the further behind they are. A range
// outside the vectors is ErrVertex.
func JoinRange(ctx context.Context, m *vec.Matrix, radius float64, first, end int, opts Options, yield func(u uint32, neighbors []uint32) error) error {
	_, err := join(ctx, m, radius, first, end, opts, yield)
	return err
}

// join is JoinRange, and also returns how many pairs had to be measured again.
func join(ctx context.Context, m *vec.Matrix, radius float64, first, end int, opts Options, yield func(u uint32, neighbors []uint32) error) (int64, error) {
	if err := base.CheckShape(m); err != nil {
		return 0, err
	}
	if first < 0 || end < first || end > m.Rows {
		return 0, fmt.Errorf("vectors from %d to %d of %d: %w", first, end, m.Rows, base.ErrVertex)
	}
	if err := base.NotNegative("number of workers", opts.Workers); err != nil {
		return 0, err
	}
	ctx = base.OrBackground(ctx)
	if err := checkRadius(radius); err != nil {
		return 0, err
	}
	s, err := screen.New(ctx, m, opts.Workers)
	if err != nil {
		return 0, fmt.Errorf("join: %w", err)
	}
	limits := s.Threshold(radius)
	s.Sieve = screen.NewSieve(ctx, s, limits, opts.sieve, opts.Workers)
	j := &joiner{
		s:      s,
		limits: limits,
		height: stripeRows(m.Rows, m.Dim),
		first:  first,
		end:    end,
	}
	j.next = first / j.height
	j.meter = base.NewMeter(opts.Progress, "joining", pairs(m.Rows-j.next*j.height)-pairs(m.Rows-min(m.Rows, j.stripes()*j.height)))
	if err := j.run(ctx, opts.Workers, yield); err != nil {
		return 0, err
	}
	j.meter.Finish()
	return j.again, nil
}

// joiner runs the stripes of one join in several workers and yields their
// pairs in order.
type joiner struct {
	s      *screen.Screen
	limits screen.Threshold
	height int // vectors of a stripe
	first  int // the vectors that are yielded begin here
	end    int // and end before this one
	meter  *base.Meter
	part   filler // of a join that does not compute all pairs; nil otherwise

	mu    sync.Mutex
	next  int   // first stripe that no worker has begun
	again int64 // pairs that were measured again
}

// finding holds the pairs of one stripe as a bitmap: its size does not depend
// on the number of pairs, and reading it in order needs no sort.
type finding struct {
	stripe int
	lo, hi int
	width  int        // words of a row
	bits   []uint32   // row r of the stripe is bits[r·width : (r+1)·width]; bit 0 is column lo
	lists  [][]uint32 // in place of the bits where few blocks are computed, of each row
}

// filler finds the pairs of a stripe.
type filler interface {
	fill(ctx context.Context, w *walker, f *finding) error
}

// stripes is the number of stripes up to the last vector that is yielded.
func (j *joiner) stripes() int {
	if j.first == j.end {
		return j.first / j.height
	}
	return (j.end + j.height - 1) / j.height
}

// run starts the workers. Every stripe that has been begun holds one of
// workers+1 findings until its pairs have been yielded. A worker takes its
// finding before its stripe, so the stripe that yield waits for always has one.
func (j *joiner) run(ctx context.Context, workers int, yield func(u uint32, neighbors []uint32) error) error {
	begin, stripes := j.next, j.stripes()
	workers = max(1, min(base.Processors(workers), stripes-begin))

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
	var neighbors []uint32
	for next := begin; next < stripes; next++ {
		for waiting[next] == nil {
			select {
			case f := <-done:
				waiting[f.stripe] = f
			case <-ctx.Done():
				return fmt.Errorf("join: %w", ctx.Err())
			}
		}
		f := waiting[next]
		delete(waiting, next)
		for u := max(f.lo, j.first); u < min(f.hi, j.end); u++ {
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("join: %w", err)
			}
			neighbors = f.neighbors(neighbors[:0], u)
			if err := yield(uint32(u), neighbors); err != nil {
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
		f.reset(number, j.height, j.s.M.Rows, j.part != nil)
		if j.fill(ctx, w, f) != nil {
			return
		}
		done <- f
	}
}

// fill finds the pairs of one stripe.
func (j *joiner) fill(ctx context.Context, w *walker, f *finding) error {
	if j.part != nil {
		return j.part.fill(ctx, w, f)
	}
	nothing := func(int) {}
	return w.walk(ctx, stripe{f.lo, f.hi}, j.limits, j.meter, nothing, nothing, func(group, r, p int) {
		w.split(group, r, p, j.limits)
		word := p - f.lo/vec.TileCols
		for i, near := range w.near {
			if near != 0 {
				f.bits[(r+i-f.lo)*f.width+word] = near
			}
		}
	})
}

// reset empties f for a stripe.
func (f *finding) reset(number, height, rows int, lists bool) {
	f.stripe = number
	f.lo, f.hi = number*height, min((number+1)*height, rows)
	if lists {
		f.lists = slices.Grow(f.lists, height)[:f.hi-f.lo]
		for r := range f.lists {
			f.lists[r] = f.lists[r][:0]
		}
		return
	}
	f.width = (rows - f.lo + vec.TileCols - 1) / vec.TileCols
	size := (f.hi - f.lo) * f.width
	if cap(f.bits) < size {
		f.bits = make([]uint32, size)
	}
	f.bits = f.bits[:size]
	clear(f.bits)
}

// neighbors appends the neighbours of row u, ascending.
func (f *finding) neighbors(dst []uint32, u int) []uint32 {
	if f.lists != nil {
		return append(dst, f.lists[u-f.lo]...)
	}
	for word, set := range f.bits[(u-f.lo)*f.width:][:f.width] {
		for ; set != 0; set &= set - 1 {
			dst = append(dst, uint32(f.lo+word*vec.TileCols+bits.TrailingZeros32(set)))
		}
	}
	return dst
}

func pairs(n int) int64 { return int64(n) * int64(n-1) / 2 }

func checkRadius(radius float64) error {
	if !(radius >= 0) || math.IsInf(radius, 1) {
		return fmt.Errorf("radius %v: %w", radius, base.ErrRadius)
	}
	return nil
}
