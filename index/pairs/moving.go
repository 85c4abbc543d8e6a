package pairs

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"heavytail/index/internal/base"
	"heavytail/index/internal/screen"
	"heavytail/storage/vec"
)

// Moving joins vectors that move a little between its joins. Of every block of vectors with
// 32 others it keeps a number below all their distances. A join computes only the blocks whose
// number is within the radius, and finds new numbers for these. So it costs least where
// vectors that are near each other have near numbers.
type Moving struct {
	rows, height int     // height is the number of vectors of a block
	bounds, next []uint8 // of each block: at least 1 + x·boundUnit apart; next are those of a join until it ends
	first        []int64 // of each row of blocks, in bounds; as many rows and one more
}

const (
	boundUnit = 1.0 / 100
	mostBound = math.MaxUint8
	// leastHeight is of two tiles. Higher blocks have smaller distances and are computed more often.
	leastHeight, mostHeight = 2 * vec.TileRows, 3072
)

// NewMoving returns a Moving of so many vectors, which knows nothing about their distances.
func NewMoving(rows, dim int) *Moving {
	x := &Moving{rows: rows, height: movingHeight(rows, dim)}
	panels := (rows + vec.TileCols - 1) / vec.TileCols
	x.first = []int64{0}
	for lo := 0; lo < rows; lo += x.height {
		x.first = append(x.first, x.first[len(x.first)-1]+int64(panels-lo/vec.TileCols))
	}
	x.bounds = make([]uint8, x.first[len(x.first)-1])
	x.next = make([]uint8, len(x.bounds))
	return x
}

// movingHeight returns the smallest height of blocks with which their numbers take at most as many
// bytes as the vectors.
func movingHeight(rows, dim int) int {
	height := leastHeight
	for height < mostHeight && pairs(rows)/int64(height*vec.TileCols) > 2*int64(rows)*int64(dim) {
		height *= 2
	}
	return height
}

// MovingBytes is the memory of NewMoving.
func MovingBytes(rows, dim int) int64 {
	return 2*pairs(rows)/int64(movingHeight(rows, dim)*vec.TileCols) + 12*int64(rows)/leastHeight
}

// Bounds returns what is known about the distances. Its bytes belong to x.
func (x *Moving) Bounds() []uint8 { return x.bounds }

// MovingOptions sets how a join of [Moving] runs.
type MovingOptions struct {
	Workers int       // number of goroutines, 0 means GOMAXPROCS
	All     bool      // compute all blocks
	Moves   []float32 // for each vector, how much nearer to others it may have come by its own move since the last join; nil is 0
	Thin    uint64    // compute one in 2^Thin of the blocks, a random one by the seed
	Seed    uint64
}

// Join is [Join] over the blocks that may have pairs within the radius. It returns the number of
// pairs of the blocks that it computed, and whether these were all. If each distance fell by at
// most the sum of the moves of its vectors, all pairs within the radius are found. After an error
// x knows what it knew before. A join with the same vectors and radius and without moves finds the
// same pairs. Errors are those of Join.
func (x *Moving) Join(ctx context.Context, m *vec.Matrix, radius float64, opts MovingOptions, yield func(u uint32, neighbors []uint32) error) (computed int64, all bool, err error) {
	if err := base.CheckShape(m); err != nil {
		return 0, false, err
	}
	if m.Rows != x.rows || opts.Moves != nil && len(opts.Moves) != x.rows {
		return 0, false, fmt.Errorf("%d vectors of %d: %w", m.Rows, x.rows, base.ErrVertex)
	}
	if err := base.NotNegative("number of workers", opts.Workers); err != nil {
		return 0, false, err
	}
	ctx = base.OrBackground(ctx)
	if err := checkRadius(radius); err != nil {
		return 0, false, err
	}
	s, err := screen.New(ctx, m, opts.Workers)
	if err != nil {
		return 0, false, fmt.Errorf("join: %w", err)
	}
	b := x.prepare(ctx, s, radius, opts)
	j := &joiner{s: s, limits: b.limit, height: b.stripe(m.Rows, m.Dim), end: m.Rows, part: b}
	if err := j.run(ctx, opts.Workers, yield); err != nil {
		return 0, false, err
	}
	x.bounds, x.next = x.next, x.bounds
	blocks := int64(0)
	for _, c := range b.computed {
		blocks += c
	}
	return blocks * int64(x.height*vec.TileCols), blocks == int64(len(x.bounds)), nil
}

// blocks are those of one join.
type blocks struct {
	x        *Moving
	o        MovingOptions
	within   int // bounds up to it are within the radius
	limit    screen.Threshold
	bytes    *screen.ByteForm // nil where products of floats take their place
	coarse   float32          // limit of its products
	rows     []int            // how much a row of blocks has moved, in parts of a unit
	panels   []int            // how much a panel has moved
	computed []int64          // blocks of each row
}

func (x *Moving) prepare(ctx context.Context, s *screen.Screen, radius float64, opts MovingOptions) *blocks {
	b := &blocks{
		x: x, o: opts, within: max(0, int(math.Floor((min(radius, 8)-1)/boundUnit))), limit: s.Threshold(radius),
		rows: mostOf(opts.Moves, x.rows, x.height), panels: mostOf(opts.Moves, x.rows, vec.TileCols),
		computed: make([]int64, len(x.first)-1),
	}
	b.coarse = b.limit.Near
	if vec.FastBytes() {
		if b.bytes = screen.NewByteForm(ctx, s, float64(b.limit.Near), opts.Workers); b.bytes != nil {
			b.coarse = b.bytes.Limit
		}
	}
	return b
}

// A unit of bounds has so many parts.
const unitParts = 256

// mostOf returns the largest move of each so many vectors, in parts of a unit.
func mostOf(moves []float32, rows, every int) []int {
	most := make([]int, (rows+every-1)/every)
	for v, by := range moves {
		parts := math.Ceil(float64(by) / boundUnit * unitParts)
		most[v/every] = max(most[v/every], int(min(parts, unitParts*mostBound)))
	}
	return most
}

// stripe is a multiple of the height of blocks and of 96.
func (b *blocks) stripe(rows, dim int) int {
	height := max(96, b.x.height)
	return height * max(1, stripeRows(rows, dim)/height)
}

// fill finds the pairs of one stripe.
func (b *blocks) fill(ctx context.Context, w *walker, f *finding) error {
	w.pack(stripe{f.lo, f.hi}, (f.hi-f.lo+vec.TileRows-1)/vec.TileRows)
	if b.bytes != nil {
		w.fine = screen.Fitted(w.fine, len(w.low))
		for g := range w.fine {
			b.bytes.Pack(&w.fine[g], f.lo+g*vec.TileRows)
		}
	}
	height := b.x.height
	for p := f.lo / vec.TileCols; p < len(b.panels); p++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		for lo := f.lo; lo < min(f.hi, (p+1)*vec.TileCols); lo += height {
			row := lo / height
			at := b.x.first[row] + int64(p-lo/vec.TileCols)
			bound := uint8(max(0, int(b.x.bounds[at])*unitParts-b.rows[row]-b.panels[p]) / unitParts)
			if (int(bound) <= b.within || b.o.All) && b.picks(at) {
				bound = b.compute(w, f, lo, p)
				b.computed[row]++
			}
			b.x.next[at] = bound
		}
	}
	return nil
}

// picks reports whether a block belongs to the random part that is computed.
func (b *blocks) picks(at int64) bool {
	return b.o.Thin == 0 || vec.Mix(vec.Mix(uint64(at))+b.o.Seed)>>(64-b.o.Thin) == 0
}

// compute finds the pairs of a block with panel p, and returns its bound.
func (b *blocks) compute(w *walker, f *finding, lo, p int) uint8 {
	least, first := float32(math.Inf(1)), p*vec.TileCols
	for r := lo; r < min(lo+b.x.height, f.hi) && r < first+vec.TileCols-1; r += vec.TileRows {
		g := (r - f.lo) / vec.TileRows
		rows, columns := &w.low[g], w.s.Low[first:]
		if b.bytes != nil {
			rows, columns = &w.fine[g].Norms, b.bytes.Norms[first:]
			b.bytes.Multiply(&w.tile, &w.fine[g], p)
		} else {
			w.multiply(g, p)
		}
		own := vec.TileLeast(&w.tile, rows, (*[vec.TileCols]float32)(columns))
		least = min(least, own)
		if own <= b.coarse && b.near(w, g, r, p) {
			b.put(w, f, r, p)
		}
	}
	return b.bound(w.s, least)
}

// bound returns the bound of a block with the least number of its tiles.
func (b *blocks) bound(s *screen.Screen, least float32) uint8 {
	d := math.Sqrt(float64(max(0, least)))
	if b.bytes != nil {
		d = d*b.bytes.Step - b.bytes.Off
	}
	const slack = 1e-6 // limits have more
	d = max(0, min(mostBound, (d/s.Scale-1-slack)/boundUnit))
	return uint8(d)
}

// near sets near to the pairs u < v of a tile that are within the radius, and reports whether
// there are any. The tile has the products of which one is within the limit.
func (b *blocks) near(w *walker, g, r, p int) bool {
	first, left := p*vec.TileCols, screen.Few(w.s.M.Dim)+1
	if b.bytes != nil {
		b.bytes.Within(&w.near, &w.tile, &w.fine[g], p)
		w.clip(r, first)
		left = screen.PairsIn(&w.near)
		if left > screen.Few(w.s.M.Dim) {
			w.multiply(g, p)
		}
	}
	if left <= screen.Few(w.s.M.Dim) {
		return left > 0 && w.measureNear(r, first, b.limit)
	}
	vec.TileWithin(&w.near, &w.tile, &w.low[g], (*[vec.TileCols]float32)(w.s.Low[first:]), b.limit.Near)
	w.clip(r, first)
	w.exact = false
	w.split(g, r, p, b.limit)
	return true
}

// put appends the near pairs of a tile to the lists of a finding. Panels come in ascending order.
func (b *blocks) put(w *walker, f *finding, r, p int) {
	for i, near := range w.near {
		for ; near != 0; near &= near - 1 {
			list := &f.lists[r+i-f.lo]
			*list = append(*list, uint32(p*vec.TileCols+bits.TrailingZeros32(near)))
		}
	}
}
