package vec

import (
	"context"
	"sync"
)

const (
	// runRows is how many products MulTN adds in float32. 256 keep the rounding
	// error near that of storing the elements as float32 in the first place.
	// Shorter runs add tiles to the float64 sums more often; longer ones of 256
	// columns no longer fit into a second-level cache of 1 MB together with those sums.
	runRows  = 256
	partRows = 128

	// A block of rows has float64 sums of its own. With fewer than 2048 rows for each
	// they cost more than a second worker gains. With 32 blocks or 8 MB of sums there is
	// enough work for many workers. The blocks depend on the shapes alone, and
	// so does the order of the additions.
	minBlockRows = 2048
	maxSumBlocks = 32
	minSumBlocks = 4
	maxSumBytes  = 8 << 20
)

// MulTN sets c to aᵀ·b for two tall panels of the same number of rows: c is
// a.Cols × b.Cols, row-major. Products are added in float32 over runs of 256
// rows, and the sums of the runs in float64 in an order that depends on the
// shapes alone, so the error of an element is at most about
// 256·2⁻²⁴·Σ|a·b| however tall the panels are.
//
// The result does not depend on workers (0 means GOMAXPROCS), nor an element
// on its place in c. If a and b are the same panel, c is symmetric and only
// half of the work is done, with the same bits. The cost is
// 2·Rows·a.Cols·b.Cols operations, and at least that of 12 × 32 columns. It
// needs up to about 8 MB, or four times the size of c if that is more. It
// panics if a shape does not fit.
func MulTN(c []float64, a, b Panel, workers int) {
	_ = mulTN(context.Background(), active, c, a, b, false, workers) // only a cancelled context is an error
}

// MulTNContext is [MulTN] that stops within some milliseconds when ctx is
// done. It then returns ctx.Err(), and c is undefined.
func MulTNContext(ctx context.Context, c []float64, a, b Panel, workers int) error {
	return new(Sums).MulTN(ctx, c, a, b, workers)
}

// Sums computes products as [MulTNContext] and [MulNNContext] do and keeps the memory that they need, of
// sums up to 8 MB, from one product to the next. The zero value is ready for use, by one product at a time.
type Sums struct {
	tiles   []tileSums
	workers sync.Pool // of *gramScratch
	packed  []float32 // of mulNN: c, and the last rows
}

// MulTN is [MulTNContext].
func (s *Sums) MulTN(ctx context.Context, c []float64, a, b Panel, workers int) error {
	return s.mulTN(ctx, active, c, a, b, false, workers)
}

// MulTNSymmetric is MulTN for panels whose product is known to be
// symmetric apart from rounding, such as the product of vectors with their
// images under a symmetric matrix. It takes half the time: the entries right
// of the diagonal, with the same bits, are copied to the other side.
func (s *Sums) MulTNSymmetric(ctx context.Context, c []float64, a, b Panel, workers int) error {
	if a.Cols != b.Cols {
		panic("vec: MulTNSymmetric: shapes differ")
	}
	return s.mulTN(ctx, active, c, a, b, true, workers)
}

func mulTN(ctx context.Context, k kind, c []float64, a, b Panel, symmetric bool, workers int) error {
	return new(Sums).mulTN(ctx, k, c, a, b, symmetric, workers)
}

func (s *Sums) mulTN(ctx context.Context, k kind, c []float64, a, b Panel, symmetric bool, workers int) error {
	a.check("MulTN")
	b.check("MulTN")
	if a.Rows != b.Rows || len(c) != a.Cols*b.Cols {
		panic("vec: MulTN: shapes differ")
	}
	if a.Rows == 0 || len(c) == 0 {
		clear(c)
		return ctx.Err()
	}

	g := newGram(k, a, b, symmetric)
	blockRows := g.blockRows()
	blocks := (a.Rows-1)/blockRows + 1
	sums := s.zeros(blocks * len(g.tiles))
	parallel(a.Rows, blockRows, workers, func(turn *Turn, i, lo, hi int) {
		w, ok := s.workers.Get().(*gramScratch)
		if !ok {
			w = new(gramScratch)
		}
		w.fit(g)
		g.add(ctx, turn, w, sums[i*len(g.tiles):][:len(g.tiles)], lo, hi)
		s.workers.Put(w)
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	const tilesAtATime = 32 // about 20 µs
	Parallel(len(g.tiles), tilesAtATime, workers, func(_, lo, hi int) {
		for t := lo; t < hi; t++ {
			total := &sums[t]
			for i := 1; i < blocks; i++ {
				axpy64(k, 1, sums[i*len(g.tiles)+t][:], total[:])
			}
			g.put(c, g.tiles[t], total)
		}
	})
	return nil
}

// zeros returns n sums of zeros.
func (s *Sums) zeros(n int) []tileSums {
	s.tiles = grown(s.tiles, n)
	clear(s.tiles)
	return s.tiles
}

// grown returns a slice of length n, with the memory of the old one if that is large enough.
func grown[T any](old []T, n int) []T {
	if cap(old) < n {
		old = make([]T, max(n, 2*cap(old))) // products often get larger step by step
	}
	return old[:n]
}

// tileSums holds the float64 sums of one tile.
type tileSums = [TileRows * TileCols]float64

// gram is one product aᵀ·b, cut into tiles of 12 columns of a and 32 of b.
type gram struct {
	kind      kind
	a, b      Panel
	symmetric bool       // the product is symmetric: a and b are the same panel, or the caller guarantees it
	tall      bool       // the tiles are tall
	tiles     []gramTile // ordered by columns of b, then of a
}

// gramTile is the place of a tile in c.
type gramTile struct {
	row        int // first column of a
	second     int // first column of a in the second half of a tall tile
	skip       int // rows at the top that belong to the tile above
	skipSecond int // rows at the top of the second half that belong to a tile above
	col        int // first column of b
}

func newGram(k kind, a, b Panel, symmetric bool) *gram {
	g := &gram{kind: k, a: a, b: b}
	g.symmetric = symmetric || a.Cols == b.Cols && a.Stride == b.Stride && &a.Data[0] == &b.Data[0]
	if g.tall = fastTall(k) && b.Cols == tallCols && b.Stride == tallCols && a.Cols >= TileRows; g.tall {
		// The last run is moved up as the last tile is below.
		for row := 0; row < a.Cols; row += tallRows {
			last := a.Cols - TileRows
			t := gramTile{row: min(row, last), second: min(row+TileRows, last)}
			t.skip, t.skipSecond = row-t.row, row+TileRows-t.second
			g.tiles = append(g.tiles, t)
		}
		return g
	}
	for col := 0; col < b.Cols; col += TileCols {
		for row := 0; row < a.Cols; row += TileRows {
			if g.symmetric && row >= col+TileCols {
				break // entirely below the diagonal
			}
			t := gramTile{row: row, col: col}
			// The last tile is moved up until it ends with the panel. It repeats
			// some rows of the tile above, to the same bits, and needs no copy.
			if over := row + TileRows - a.Cols; over > 0 && a.Cols >= TileRows {
				t.row, t.skip = row-over, over
			}
			g.tiles = append(g.tiles, t)
		}
	}
	return g
}

// blockRows returns how many rows share one set of float64 sums.
func (g *gram) blockRows() int {
	tiles := len(g.tiles)
	if g.tall {
		tiles = (g.a.Cols-1)/TileRows + 1 // of all kinds the same, so that all add in the same order
	}
	blocks := maxSumBytes / (tiles * TileRows * TileCols * 8)
	blocks = min(max(blocks, minSumBlocks), maxSumBlocks, (g.a.Rows-1)/minBlockRows+1)
	if blocks > 1 {
		blocks &^= 1 // an even number, so that two workers end together
	}
	return ((g.a.Rows-1)/blocks/runRows + 1) * runRows
}

// add adds the products of the rows [lo, hi) to sums, one for each tile. It
// stops early when ctx is done.
func (g *gram) add(ctx context.Context, turn *Turn, w *gramScratch, sums []tileSums, lo, hi int) {
	for ; lo < hi; lo += runRows {
		if ctx.Err() != nil {
			return
		}
		for t := 0; t < len(g.tiles); {
			t = g.addRun(w, sums, t, lo, min(lo+runRows, hi))
			turn.Pass()
		}
	}
}

// gramScratch is the workspace of one worker in addition to the panels and the
// sums.
type gramScratch struct {
	tiles   [][TileRows * TileCols]float32 // the tiles of 32 columns of b
	columns []float32                      // a part of 32 columns of b, packed; nil if b is
	narrow  []float32                      // a part of a, 12 columns wide; nil if a is wide enough
}

// fit makes a workspace that of a product.
func (w *gramScratch) fit(g *gram) {
	w.tiles = grown(w.tiles, (g.a.Cols-1)/TileRows+1)
	w.columns, w.narrow = nil, nil
	if !g.tall && (g.b.Stride != TileCols || g.b.Cols != TileCols) {
		w.columns = make([]float32, partRows*TileCols)
	}
	if g.a.Cols < TileRows {
		w.narrow = make([]float32, partRows*TileRows)
	}
}

// addRun adds the products of one run of rows [lo, hi) to the sums of all tiles
// that share the columns of b with the tile first, and returns the first tile
// of the next columns.
func (g *gram) addRun(w *gramScratch, sums []tileSums, first, lo, hi int) int {
	col := g.tiles[first].col
	last := first + 1
	for last < len(g.tiles) && g.tiles[last].col == col {
		last++
	}
	for part := lo; part < hi; part += partRows {
		n := min(hi-part, partRows)
		a, step := g.a.Data[part*g.a.Stride:], g.a.Stride
		if w.narrow != nil {
			for l := range n {
				copy(w.narrow[l*TileRows:], a[l*step:][:g.a.Cols]) // the rest stays zero
			}
			a, step = w.narrow, TileRows
		}
		b := g.b.Data[part*g.b.Stride+col:]
		if w.columns != nil {
			PackCols(w.columns, Panel{Data: b, Rows: n, Cols: min(g.b.Cols-col, TileCols), Stride: g.b.Stride})
			b = w.columns
		}
		for t := first; t < last; t++ {
			to, at, next := &w.tiles[t-first], g.tiles[t], g.ahead(t, part, lo+runRows)
			if g.tall {
				tileTall(g.kind, to, part > lo, n, a[at.row:], a[at.second:], 1, step, b, next)
			} else {
				tile(g.kind, to, part > lo, n, a[at.row:], 1, step, b, next)
			}
		}
	}
	for t := first; t < last; t++ {
		tileAdd64(g.kind, &sums[t], &w.tiles[t-first])
	}
	return last
}

// ahead returns the part of the next run of a, from row next on, that tile t
// prefetches while it computes its part of the current run. Reading memory and
// computing take about the same time if b has 32 columns, so they should
// overlap.
func (g *gram) ahead(t, part, next int) fetch {
	if next+runRows > g.a.Rows {
		return fetch{}
	}
	most := 64
	if g.tall {
		most *= 2
	}
	const parts = runRows / partRows
	share := runRows * g.a.Stride / (len(g.tiles) * parts) // elements
	number := (part+runRows-next)/partRows*len(g.tiles) + t
	return fetch{
		from: &g.a.Data[min(next*g.a.Stride+number*share, len(g.a.Data)-1)],
		step: uintptr(min(share*4/partRows+1, most)),
	}
}

// put writes the sums of a tile to its place in c, and of a symmetric product
// also to the mirrored place.
func (g *gram) put(c []float64, at gramTile, sums *tileSums) {
	if g.tall {
		g.putColumns(c, at, sums[:], tallCols)
		g.putColumns(c, gramTile{row: at.second, skip: at.skipSecond}, sums[tallCols:], tallCols)
		return
	}
	g.putColumns(c, at, sums[:], min(g.b.Cols-at.col, TileCols))
}

// putColumns is put for the leading columns of the sums.
func (g *gram) putColumns(c []float64, at gramTile, sums []float64, cols int) {
	rows := min(g.a.Cols-at.row, TileRows)
	for i := at.skip; i < rows; i++ {
		row := at.row + i
		for j, v := range sums[i*TileCols:][:cols] {
			col := at.col + j
			if !g.symmetric {
				c[row*g.b.Cols+col] = v
			} else if row <= col {
				c[row*g.b.Cols+col] = v
				c[col*g.b.Cols+row] = v
			}
		}
	}
}
