package vec

// Tile sets c to a product of 12 rows and 32 columns:
//
//	c[i·32+j] = Σ_{l<k} a[i·rowStep+l·kStep] · b[l·32+j]
//
// Rows and products of a lie at any steps: rowStep = stride and kStep = 1 read
// rows of a row-major matrix (a·b, a·aᵀ), rowStep = 1 and kStep = stride its
// columns (aᵀ·b). b is packed, by [PackCols] or [PackRows].
//
// Every element is one chain of multiply-adds with l ascending, so it does not
// depend on its place in the tile. The error of an element is at most about
// k·2⁻²⁴·Σ|a·b|. Tile panics if k or a step is negative or a or b too short.
func Tile(c *[TileRows * TileCols]float32, k int, a []float32, rowStep, kStep int, b []float32) {
	checkTile(k, a, rowStep, kStep, b)
	tile(active, c, false, k, a, rowStep, kStep, b, fetch{})
}

// A tall tile has 24 rows and 16 columns, of which a tile of 32 columns would compute half for nothing.
// c holds it as two halves side by side, one for each run of 12 rows.
const (
	tallRows = 2 * TileRows
	tallCols = TileCols / 2
)

func checkTile(k int, a []float32, rowStep, kStep int, b []float32) {
	if k < 0 || rowStep < 0 || kStep < 0 {
		panic("vec: Tile: negative size")
	}
	if k > 0 && (len(a) <= (TileRows-1)*rowStep+(k-1)*kStep || len(b) < k*TileCols) {
		panic("vec: Tile: a or b too short")
	}
}

// TileWithin finds the near pairs of a tile. c holds the scalar products of 12
// row vectors and 32 column vectors, rowNorms and colNorms their squared
// norms. Bit j of mask[i] is set unless
//
//	rowNorms[i] + colNorms[j] − 2·c[i·32+j] > limit
//
// in float32. It reports whether any bit is set, so that a tile without near
// pairs costs one test. A NaN, from norms that overflow, sets the bit. Padding
// rows and columns must have the norm +Inf: they are never near.
//
// The left side cancels: its error is at most about (k+3)·2⁻²⁴·(rowNorms[i] +
// colNorms[j]) for vectors of k elements. For exact results raise limit by
// that much and check the survivors.
func TileWithin(mask *[TileRows]uint32, c *[TileRows * TileCols]float32, rowNorms *[TileRows]float32, colNorms *[TileCols]float32, limit float32) bool {
	return tileWithin(active, mask, c, rowNorms, colNorms, limit)
}

// TileLeast returns the least rowNorms[i] + colNorms[j] − 2·c[i·32+j] of a tile, the numbers that
// [TileWithin] compares with a limit. No number may be NaN.
func TileLeast(c *[TileRows * TileCols]float32, rowNorms *[TileRows]float32, colNorms *[TileCols]float32) float32 {
	return tileLeast(active, c, rowNorms, colNorms)
}

// PackCols packs a panel of at most 32 columns as the b of [Tile]:
// dst[l·32+j] = element (l, j) of src, and zero for j ≥ src.Cols. It panics if
// src has more columns or dst is shorter than 32·src.Rows.
func PackCols(dst []float32, src Panel) {
	src.check("PackCols")
	if src.Cols > TileCols || len(dst) < src.Rows*TileCols {
		panic("vec: PackCols: too many columns or dst too short")
	}
	for l := range src.Rows {
		row := dst[l*TileCols:][:TileCols]
		n := copy(row, src.Data[l*src.Stride:][:src.Cols])
		clear(row[n:])
	}
}

// PackRows packs at most 32 rows, transposed, as the b of [Tile]:
// dst[l·32+j] = element (j, l) of src, and zero for j ≥ src.Rows, for l <
// src.Cols. A tile of them then holds scalar products of rows with rows. It
// panics if src has more rows or dst is shorter than 32·src.Cols.
func PackRows(dst []float32, src Panel) {
	src.check("PackRows")
	if src.Rows > TileCols || len(dst) < src.Cols*TileCols {
		panic("vec: PackRows: too many rows or dst too short")
	}
	if src.Rows < TileCols {
		clear(dst[:src.Cols*TileCols])
	}
	for j := range src.Rows {
		for l, v := range src.Data[j*src.Stride:][:src.Cols] {
			dst[l*TileCols+j] = v
		}
	}
}

// check panics if the panel reaches outside its data.
func (p Panel) check(op string) {
	switch {
	case p.Rows < 0 || p.Cols < 0 || p.Stride < p.Cols:
		panic("vec: " + op + ": malformed panel")
	case p.Rows > 0 && p.Cols > 0 && len(p.Data) < (p.Rows-1)*p.Stride+p.Cols:
		panic("vec: " + op + ": panel larger than its data")
	}
}
