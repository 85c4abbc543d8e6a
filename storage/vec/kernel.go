package vec

// The size of the micro-kernel of all matrix products, in elements of the
// result. 12 rows of two 16-lane registers are 24 running sums: with two
// registers for b and some for a they fill the 32 registers of AVX-512, and 24
// chains keep two multiply-add units of latency 4 busy.
const (
	TileRows = 12
	TileCols = 32
)

// The kernels of dense eigenproblems work in float64 on strips: 16 columns of a matrix, row after row, so
// that a row is two cache lines. [Tile64] fills the registers as [Tile] does, with half as many columns.
const (
	StripCols  = 16
	Tile64Rows = TileRows
)

// blockCols is the number of columns of the blocks of GatherSums.
const blockCols = 16

// maxGatherStride keeps the offset of any uint32 row, in bytes, below 2⁶³, so
// that the assembly compares offsets and GatherSum needs no division.
const maxGatherStride = 1<<29 - 1

// fetch is the memory that a tile prefetches into the second-level cache while
// it computes: one line at each step, two if the tile is tall, from an address on. The zero
// value fetches nothing. It is a hint that kinds may ignore.
type fetch struct {
	from *float32
	step uintptr // bytes
}

// RowTerms and ColumnTerms are what TileBytesNear compares the products of 12 rows and 32 columns with.
type (
	RowTerms    [2][TileRows]float32
	ColumnTerms [3][TileCols]float32
)
