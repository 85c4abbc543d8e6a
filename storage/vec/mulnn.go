package vec

import "context"

// nnBlockRows is how many rows of y a worker takes at a time: a multiple of
// 12, enough that distributing the blocks costs little, and computed in much
// less than a millisecond.
const nnBlockRows = 40 * TileRows

// MulNNContext sets y to beta·y + alpha·a·c for a tall panel a and a small matrix c
// of a.Cols × y.Cols, row-major. With beta 0 the old y is not read and may
// hold anything.
//
// y may alias a if row i of both lies in the same row of one matrix, that is,
// if the two are column ranges, overlapping or not, of one matrix: every row
// is read before it is written. Any other overlap is an error that is not
// detected, as is an overlap of y and c.
//
// The result does not depend on workers (0 means GOMAXPROCS), nor an element
// on its place. Each is one float32 chain over the columns of a, so its error
// is at most about (a.Cols+2)·2⁻²⁴·|alpha|·Σ|a·c|. The cost is
// 2·Rows·a.Cols·y.Cols operations, with y.Cols rounded up to a multiple of 32;
// it needs memory for c once more and 2 KB per 32 columns and worker. It
// panics if a shape does not fit. When ctx is done it stops within some
// milliseconds and returns ctx.Err(), and y is undefined.
func MulNNContext(ctx context.Context, y Panel, beta, alpha float32, a Panel, c []float32, workers int) error {
	return new(Sums).MulNN(ctx, y, beta, alpha, a, c, workers)
}

// MulNN is [MulNNContext].
func (s *Sums) MulNN(ctx context.Context, y Panel, beta, alpha float32, a Panel, c []float32, workers int) error {
	return s.mulNN(ctx, active, y, beta, alpha, a, c, workers)
}

func (s *Sums) mulNN(ctx context.Context, k kind, y Panel, beta, alpha float32, a Panel, c []float32, workers int) error {
	y.check("MulNN")
	a.check("MulNN")
	if y.Rows != a.Rows || len(c) != a.Cols*y.Cols {
		panic("vec: MulNN: shapes differ")
	}
	if y.Rows == 0 || y.Cols == 0 {
		return ctx.Err()
	}
	if a.Cols == 0 {
		a = Panel{Rows: a.Rows} // its data are not read
	}

	if fastTall(k) && y.Cols == tallCols {
		return s.mulNNTall(ctx, k, y, beta, alpha, a, c, workers)
	}
	panels := (y.Cols-1)/TileCols + 1
	s.packed = grown(s.packed, (panels*TileCols+TileRows)*a.Cols)
	packed, rest := s.packed[:panels*a.Cols*TileCols], s.packed[panels*a.Cols*TileCols:] // the last rows, padded to 12
	for p := range panels {
		col := p * TileCols
		src := Panel{Rows: a.Cols, Cols: min(y.Cols-col, TileCols), Stride: y.Cols}
		if a.Cols > 0 {
			src.Data = c[col:]
		}
		PackCols(packed[p*a.Cols*TileCols:], src)
	}
	share := TileRows * a.Stride / panels // elements
	shareStep := uintptr(min(share*4/max(a.Cols, 1)+1, 64))
	parallel(y.Rows, nnBlockRows, workers, func(turn *Turn, _, lo, hi int) {
		tiles := make([][TileRows * TileCols]float32, panels)
		for ; lo < hi; lo += TileRows {
			if ctx.Err() != nil {
				return
			}
			n := min(hi-lo, TileRows)
			rows, step := a.padded(rest, lo, n, TileRows)
			for p := range panels {
				var next fetch // a share of the next 12 rows
				if at := (lo+TileRows)*a.Stride + p*share; at < len(a.Data) {
					next = fetch{from: &a.Data[at], step: shareStep}
				}
				tile(k, &tiles[p], false, a.Cols, rows, step, 1, packed[p*a.Cols*TileCols:], next)
			}
			for p := range panels {
				col := p * TileCols
				tileStore(k, y.Data[lo*y.Stride+col:], y.Stride, n, min(y.Cols-col, TileCols), beta, alpha, &tiles[p])
			}
			turn.Pass()
		}
	})
	return ctx.Err()
}

// padded returns n rows from lo on, and the step from one to the next. If a tile has more rows, they
// are a copy in rest with zeros behind it.
func (p Panel) padded(rest []float32, lo, n, tile int) (rows []float32, step int) {
	rows = p.Data[lo*p.Stride:]
	if n == tile {
		return rows, p.Stride
	}
	for i := range n {
		copy(rest[i*p.Cols:], rows[i*p.Stride:][:p.Cols])
	}
	clear(rest[n*p.Cols:])
	return rest, p.Cols
}

// mulNNTall is mulNN by tall tiles, for 16 columns.
func (s *Sums) mulNNTall(ctx context.Context, k kind, y Panel, beta, alpha float32, a Panel, c []float32, workers int) error {
	share := tallRows * a.Stride // elements
	step := uintptr(min(share*4/max(a.Cols, 1)+1, 128))
	s.packed = grown(s.packed, tallRows*a.Cols)
	rest := s.packed // the last rows, padded to 24
	parallel(y.Rows, nnBlockRows, workers, func(turn *Turn, _, lo, hi int) {
		var to [TileRows * TileCols]float32
		for ; lo < hi; lo += tallRows {
			if ctx.Err() != nil {
				return
			}
			n := min(hi-lo, tallRows)
			rows, stride := a.padded(rest, lo, n, tallRows)
			var next fetch // the next 24 rows
			if at := (lo + tallRows) * a.Stride; at < len(a.Data) {
				next = fetch{from: &a.Data[at], step: step}
			}
			tileTall(k, &to, false, a.Cols, rows, rows[TileRows*stride:], stride, 1, c, next)
			for half := range 2 {
				if first := half * TileRows; first < n {
					at := lo + first
					tileStoreHalf(k, y.Data[at*y.Stride:], y.Stride, min(n-first, TileRows), beta, alpha, to[half*tallCols:])
				}
			}
			if lo/tallRows%4 == 3 { // a tile takes about 1 µs, and asking for the time a few percent of that
				turn.Pass()
			}
		}
	})
	return ctx.Err()
}
