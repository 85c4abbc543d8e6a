package pairs

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"sort"
	"sync"
	"sync/atomic"

	"heavytail/index/internal/base"
	"heavytail/index/internal/screen"
	"heavytail/storage/vec"
)

// Sweep holds, for each of a list of radii, how many neighbours every vertex
// has within the radius: the degrees of the graphs that [Join] would give. It
// takes 4 bytes per vertex and radius.
type Sweep struct {
	Radii []float64 // ascending
	Edges []int64   // pairs within each radius
	rows  int
	// counts[v·len(Radii)+i] is the number of neighbours of v within Radii[i].
	counts []uint32
}

// NewSweep counts the neighbours of every vertex within each of the radii,
// which must ascend (equal ones are allowed), in one pass over all pairs, under
// the same exact rule as [Join].
//
// It costs what Join does, and a few nanoseconds for each pair within the
// largest radius. Memory: 4 bytes per vertex and radius, what Join takes for the
// matrix and a sieve, and 20 bytes per vector. A caller with too many radii for its memory
// passes a part of them at a time; each call is one pass over all pairs.
//
// Errors: ErrRadius, ErrDimension, ErrNotFinite, or that of ctx.
func NewSweep(ctx context.Context, m *vec.Matrix, radii []float64, opts Options) (*Sweep, error) {
	s, _, err := sweep(ctx, m, radii, opts)
	return s, err
}

// sweep is NewSweep, and also returns how many pairs had to be measured again.
func sweep(ctx context.Context, m *vec.Matrix, radii []float64, opts Options) (*Sweep, int64, error) {
	ctx = base.OrBackground(ctx)
	if err := base.NotNegative("number of workers", opts.Workers); err != nil {
		return nil, 0, err
	}
	if err := base.CheckShape(m); err != nil {
		return nil, 0, err
	}
	for i, r := range radii {
		if err := checkRadius(r); err != nil {
			return nil, 0, err
		}
		if i > 0 && r < radii[i-1] {
			return nil, 0, fmt.Errorf("radius %v after %v: %w", r, radii[i-1], base.ErrRadius)
		}
	}
	result := &Sweep{Radii: radii, Edges: make([]int64, len(radii)), rows: m.Rows, counts: make([]uint32, m.Rows*len(radii))}
	if len(radii) == 0 {
		return result, 0, nil
	}
	s, err := screen.New(ctx, m, opts.Workers)
	if err != nil {
		return nil, 0, fmt.Errorf("sweep: %w", err)
	}
	bins := newBins(s, radii)
	s.Sieve = screen.NewSieve(ctx, s, bins.limits[len(radii)-1], opts.sieve, opts.Workers)
	t := &tally{
		s:      s,
		bins:   bins,
		counts: result.counts,
		locks:  make([]sync.Mutex, (m.Rows+vec.TileCols-1)/vec.TileCols),
		height: stripeRows(m.Rows, m.Dim),
		meter:  base.NewMeter(opts.Progress, "joining", pairs(m.Rows)),
	}
	if err := t.run(ctx, opts.Workers); err != nil {
		return nil, 0, fmt.Errorf("sweep: %w", err)
	}
	result.cumulate(opts.Workers)
	t.meter.Finish()
	return result, t.again.Load(), nil
}

// Degrees returns the number of neighbours of every vertex within Radii[i], in
// dst if it has room.
func (s *Sweep) Degrees(i int, dst []uint32) []uint32 {
	if cap(dst) < s.rows {
		dst = make([]uint32, s.rows)
	}
	dst = dst[:s.rows]
	for v := range dst {
		dst[v] = s.counts[v*len(s.Radii)+i]
	}
	return dst
}

// cumulate converts counts of single bins to counts within each radius, and
// adds up the edges. The counts are integers, so the order does not matter.
func (s *Sweep) cumulate(workers int) {
	width, block := len(s.Radii), 4096
	sums := make([][]int64, (s.rows+block-1)/block)
	vec.Parallel(s.rows, block, workers, func(b, lo, hi int) {
		sums[b] = make([]int64, width)
		for v := lo; v < hi; v++ {
			row, within := s.counts[v*width:(v+1)*width], uint32(0)
			for i, c := range row {
				within += c
				row[i] = within
				sums[b][i] += int64(within)
			}
		}
	})
	for _, sum := range sums {
		for i, ends := range sum {
			s.Edges[i] += ends
		}
	}
	for i := range s.Edges {
		s.Edges[i] /= 2 // every pair was counted at both its ends
	}
}

// tally counts the pairs of all stripes in the histograms of both their ends.
// The vertices of a stripe count in a histogram of the worker, added at the
// end of the stripe; the vertices of a panel count in the common one, under
// the lock of the panel. Workers process different stripes and seldom reach
// the same panel at the same time.
type tally struct {
	s      *screen.Screen
	bins   *bins
	counts []uint32
	locks  []sync.Mutex // one for the 32 vectors of each panel
	height int
	meter  *base.Meter
	again  atomic.Int64
}

// run starts the workers and waits for them.
func (t *tally) run(ctx context.Context, workers int) error {
	rows := t.s.M.Rows
	stripes := (rows + t.height - 1) / t.height
	workers = max(1, min(base.Processors(workers), stripes))
	var next atomic.Int64
	vec.Parallel(workers, 1, workers, func(_, _, _ int) {
		w := &walker{s: t.s}
		own := make([]uint32, t.height*t.bins.width())
		for {
			lo := (int(next.Add(1)) - 1) * t.height
			if lo >= rows || t.count(ctx, w, own, stripe{lo, min(lo+t.height, rows)}) != nil {
				break
			}
		}
		t.again.Add(w.again)
	})
	return ctx.Err()
}

// count adds the pairs of one stripe.
func (t *tally) count(ctx context.Context, w *walker, own []uint32, st stripe) error {
	clear(own)
	width, limit := t.bins.width(), t.bins.limits[t.bins.width()-1]
	lock := func(p int) { t.locks[p].Lock() }
	unlock := func(p int) { t.locks[p].Unlock() }
	err := w.walk(ctx, st, limit, t.meter, lock, unlock, func(group, r, p int) {
		first := p * vec.TileCols
		t.tile(w, group, r, first, own[(r-st.lo)*width:], t.counts[first*width:])
	})
	if err != nil {
		return err
	}
	for lo := st.lo; lo < st.hi; lo += vec.TileCols {
		hi, p := min(lo+vec.TileCols, st.hi), lo/vec.TileCols
		lock(p)
		sum := t.counts[lo*width : hi*width]
		for i, c := range own[(lo-st.lo)*width : (hi-st.lo)*width] {
			sum[i] += c
		}
		unlock(p)
	}
	return nil
}

// tile counts the near pairs of one tile. rows and columns are the histograms
// from its first row and first column on.
func (t *tally) tile(w *walker, group, r, first int, rows, columns []uint32) {
	width, limits := t.bins.width(), t.bins.limits
	low, high := (*[vec.TileCols]float32)(t.s.Low[first:]), (*[vec.TileCols]float32)(t.s.High[first:])
	for i, near := range w.near {
		if near == 0 {
			continue
		}
		products := (*[vec.TileCols]float32)(w.tile[i*vec.TileCols:])
		rowLow, rowHigh := w.low[group][i], w.high[group][i]
		row := rows[i*width : (i+1)*width]
		for ; near != 0; near &= near - 1 {
			j := bits.TrailingZeros32(near) & (vec.TileCols - 1)
			if w.exact {
				bin := t.bins.exact(products[j])
				row[bin]++
				columns[j*width+bin]++
				continue
			}
			bin := t.bins.first((rowLow + low[j]) - 2*products[j])
			if bin == width {
				continue
			}
			if (rowHigh+high[j])-2*products[j] > limits[bin].Sure {
				// A radius lies between the bounds of the pair.
				if bin = t.bins.exact(w.measure(r+i, first+j)); bin == width {
					continue
				}
			}
			row[bin]++
			columns[j*width+bin]++
		}
	}
}

// bins finds the first radius of a list that may hold a pair.
type bins struct {
	limits []screen.Threshold // ascending
	// start[c] is the first radius whose near limit is not below cell c. The
	// cells divide the bit patterns of positive floats, which ascend as the
	// floats do, into equal parts: about equal ratios.
	start  []uint16
	origin uint32 // bit pattern at the beginning of cell 0
	shift  uint
}

func newBins(s *screen.Screen, radii []float64) *bins {
	b := &bins{limits: make([]screen.Threshold, len(radii))}
	for i, r := range radii {
		b.limits[i] = s.Threshold(r)
	}
	// 2048 cells take 4 KB, a small part of the first-level cache, and few
	// have more than one radius.
	const cells = 2048
	b.origin = math.Float32bits(b.limits[0].Near)
	span := math.Float32bits(b.limits[len(radii)-1].Near) - b.origin
	for span>>b.shift >= cells {
		b.shift++
	}
	b.start = make([]uint16, span>>b.shift+1)
	at := 0
	for c := range b.start {
		edge := math.Float32frombits(b.origin + uint32(c)<<b.shift)
		for b.limits[at].Near < edge {
			at++
		}
		b.start[c] = uint16(min(at, math.MaxUint16)) // first continues from there
	}
	return b
}

func (b *bins) width() int { return len(b.limits) }

// first returns the first radius whose near limit is at least x, or the number
// of radii if there is none.
func (b *bins) first(x float32) int {
	if x <= b.limits[0].Near {
		return 0
	}
	cell := (math.Float32bits(x) - b.origin) >> b.shift
	if cell >= uint32(len(b.start)) {
		return len(b.limits)
	}
	bin := int(b.start[cell])
	for bin < len(b.limits) && b.limits[bin].Near < x {
		bin++
	}
	return bin
}

// exact returns the first radius that holds a measured pair, or the number of
// radii if there is none.
func (b *bins) exact(squared float32) int {
	return sort.Search(len(b.limits), func(i int) bool { return squared <= b.limits[i].Exact })
}
