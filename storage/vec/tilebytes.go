package vec

// TileBytes sets c to a product of 12 rows and 32 columns of bytes. A word has four of
// them, the first in its lowest bits: a[l·12+i] those of row i in step l, which are
// unsigned, and b[l·32+j] those of column j, which are signed.
//
//	c[i·32+j] = base[j] + Σ_{l<steps, t<4} a[l·12+i]_t · b[l·32+j]_t
//
// For signed rows add 128 to each byte, and let base[j] be −128 times the sum of column j.
// Sums are exact, in 32 bits; their conversion to float32 is exact up to 2²⁴. It panics if
// steps is negative or a or b too short.
//
// With [FastBytes] it takes 0.27 of the time of a [Tile] of as many columns as there are
// bytes.
func TileBytes(c *[TileRows * TileCols]float32, steps int, a, b []uint32, base *[TileCols]int32) {
	checkTileBytes(steps, a, b)
	tileBytes(active, c, steps, a, b, base)
}

// TileBytesNear finds pairs with large products in a tile of bytes: bit j of mask[i] is set unless
//
//	c[i·32+j] < rows[0][i]·columns[0][j] + rows[1][i]·columns[1][j] + columns[2][j]
//
// with c as TileBytes sets it. The right side is computed in float32, with or without rounding of
// the products, the last of which is added last. A NaN sets the bit. It reports whether any
// bit is set; otherwise c is not valid.
func TileBytesNear(mask *[TileRows]uint32, c *[TileRows * TileCols]float32, steps int, a, b []uint32, base *[TileCols]int32, rows *RowTerms, columns *ColumnTerms) bool {
	checkTileBytes(steps, a, b)
	return tileBytesNear(active, mask, c, steps, a, b, base, rows, columns)
}

func checkTileBytes(steps int, a, b []uint32) {
	if steps < 0 || len(a) < steps*TileRows || len(b) < steps*TileCols {
		panic("vec: TileBytes: a or b too short, or steps negative")
	}
}

// FastBytes reports whether [TileBytes] uses instructions for products of bytes: on amd64
// AVX-512 VNNI. Otherwise it is slower than [Tile].
func FastBytes() bool { return fastBytes(active) }
