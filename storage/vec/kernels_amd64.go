//go:build !purego

package vec

// The declarations of the assembly. Pointers are to the first element and may
// be to anything if the length is 0; steps are in bytes.

// dotAVX512 is [Dot] for n elements.
//
//go:noescape
func dotAVX512(a, b *float32, n int) float32

// dotAVX2 is [Dot] for n elements.
//
//go:noescape
func dotAVX2(a, b *float32, n int) float32

// l2SquaredAVX512 is [L2Squared] for n elements.
//
//go:noescape
func l2SquaredAVX512(a, b *float32, n int) float32

// l2SquaredAVX2 is [L2Squared] for n elements.
//
//go:noescape
func l2SquaredAVX2(a, b *float32, n int) float32

// axpyAVX512 is [Axpy] for n elements.
//
//go:noescape
func axpyAVX512(alpha float32, x, y *float32, n int)

// axpyAVX2 is [Axpy] for n elements.
//
//go:noescape
func axpyAVX2(alpha float32, x, y *float32, n int)

// dot64AVX512 is [Dot64] for n elements.
//
//go:noescape
func dot64AVX512(a, b *float64, n int) float64

// dot64AVX2 is [Dot64] for n elements.
//
//go:noescape
func dot64AVX2(a, b *float64, n int) float64

// axpy64AVX512 is [Axpy64] for n elements.
//
//go:noescape
func axpy64AVX512(alpha float64, x, y *float64, n int)

// axpy64AVX2 is [Axpy64] for n elements.
//
//go:noescape
func axpy64AVX2(alpha float64, x, y *float64, n int)

// updateTimes64AVX512 is [UpdateTimes64] for n > 0, with y cleared.
//
//go:noescape
func updateTimes64AVX512(y, a *float64, step uintptr, n int, u, q, x *float64)

// rotateRows64AVX512 is [RotateRows64] for n > 0 rotations, given the first row.
//
//go:noescape
func rotateRows64AVX512(row *float64, n int, turns *float64)

// rotateRows64AVX2 is rotateRows64AVX512.
//
//go:noescape
func rotateRows64AVX2(row *float64, n int, turns *float64)

// tile64AVX512 is [Tile64].
//
//go:noescape
func tile64AVX512(c *float64, k int, a *float64, rowStep uintptr, b *float64)

// stepRowsAVX512 is [StepRows] for rows > 0.
//
//go:noescape
func stepRowsAVX512(y, sums, once, scaled, x *float32, offsets *int64, s *float32, rows int, alpha, beta, gamma float32)

// stepRowAVX2 is a row of [StepRows].
//
//go:noescape
func stepRowAVX2(y, sum, once, scaled, x *[16]float32, d, s, beta, gamma float32)

// gather32AVX512 sums 32 columns of the n listed rows of a block. Row i begins
// i·step bytes after x, and last is the greatest such offset that is allowed;
// step is below 2³¹. The first ahead ≥ n entries of idx may be read. It reports
// whether all n rows were inside; if not, dst is unchanged.
//
//go:noescape
func gather32AVX512(dst, x *float32, step, last uintptr, idx *uint32, n, ahead int) bool

// gather16AVX512 is gather32AVX512 for 1 to 16 columns.
//
//go:noescape
func gather16AVX512(dst, x *float32, step, last uintptr, idx *uint32, n, ahead int, cols int) bool

// gatherSumsAVX512 is [GatherSums] for rows and idx that are not empty. ahead entries of idx may be
// read. It returns false when an entry is a row whose offset, in bytes, is above last.
//
//go:noescape
func gatherSumsAVX512(dst, x *float32, last uintptr, offsets *int64, rows int, idx *uint32, ahead int) bool

// gather16AVX2 is gather32AVX512 for exactly 16 columns.
//
//go:noescape
func gather16AVX2(dst, x *float32, step, last uintptr, idx *uint32, n, ahead int) bool

// gather8AVX2 is gather32AVX512 for 1 to 8 columns.
//
//go:noescape
func gather8AVX2(dst, x *float32, step, last uintptr, idx *uint32, n, ahead int, cols int) bool

// tileAVX512 is [Tile]; with add it continues the sums in c. Unless fetch is nil, step l
// also brings the line l·fetchStep bytes after it into the second-level cache.
//
//go:noescape
func tileAVX512(c *float32, add bool, k int, a *float32, rowStep, kStep uintptr, b, fetch *float32, fetchStep uintptr)

// tileTallAVX512 is tileTall, with the prefetches of tileAVX512 for two lines a step.
//
//go:noescape
func tileTallAVX512(c *float32, add bool, k int, a, second *float32, rowStep, kStep uintptr, b, fetch *float32, fetchStep uintptr)

// tileStoreHalfAVX512 is tileStoreAVX512 for all 16 columns of a half of a tile.
//
//go:noescape
func tileStoreHalfAVX512(y *float32, step uintptr, rows int, beta, alpha float32, c *float32)

// tileAVX2 is [Tile]; with add it continues the sums in c.
//
//go:noescape
func tileAVX2(c *float32, add bool, k int, a *float32, rowStep, kStep uintptr, b *float32)

// tileBytesVNNI is [TileBytes].
//
//go:noescape
func tileBytesVNNI(c *float32, steps int, a, b *uint32, base *int32)

// tileBytesNearVNNI is [TileBytesNear].
//
//go:noescape
func tileBytesNearVNNI(mask *uint32, c *float32, steps int, a, b *uint32, base *int32, rows, columns *float32) bool

// tileWithinAVX512 is [TileWithin].
//
//go:noescape
func tileWithinAVX512(mask *uint32, c, rowNorms, colNorms *float32, limit float32) bool

// tileLeastAVX512 is [TileLeast].
//
//go:noescape
func tileLeastAVX512(c, rowNorms, colNorms *float32) float32

// tileWithinAVX2 is [TileWithin].
//
//go:noescape
func tileWithinAVX2(mask *uint32, c, rowNorms, colNorms *float32, limit float32) bool

// tileAdd64AVX512 adds a tile to float64 sums.
//
//go:noescape
func tileAdd64AVX512(acc *float64, c *float32)

// tileAdd64AVX2 adds a tile to float64 sums.
//
//go:noescape
func tileAdd64AVX2(acc *float64, c *float32)

// tileStoreAVX512 sets rows × cols elements, both at least 1, to beta·y +
// alpha·c, without reading y if beta is 0.
//
//go:noescape
func tileStoreAVX512(y *float32, step uintptr, rows, cols int, beta, alpha float32, c *float32)

// tileStoreAVX2 is the same as tileStoreAVX512.
//
//go:noescape
func tileStoreAVX2(y *float32, step uintptr, rows, cols int, beta, alpha float32, c *float32)

// rowDotsAVX512 is [RowList.Dots] for n rows and dim columns.
//
//go:noescape
func rowDotsAVX512(dst, x *float32, dim int, rows **float32, n int)

// rowDotsAVX2 is rowDotsAVX512.
//
//go:noescape
func rowDotsAVX2(dst, x *float32, dim int, rows **float32, n int)

// learnAVX512 is [RowList.Learn] for count > 0 vectors, n > 0 rows and lines > 0
// lines of 16 columns. targets, gains and sums have room for n rounded up to a
// multiple of 4, sums for a line each.
//
//go:noescape
func learnAVX512(xs **float32, count int, rows **float32, n, lines int, targets, gains, sums *float32, alpha, limit float32)

// learnAVX2 is learnAVX512; the sum of a row has half a line.
//
//go:noescape
func learnAVX2(xs **float32, count int, rows **float32, n, lines int, targets, gains, sums *float32, alpha, limit float32)

// fetchRowsAMD64 is [RowList.Fetch] for n > 0 rows and dim columns.
//
//go:noescape
func fetchRowsAMD64(rows **float32, n, dim int)

// listDotsAVX512 is [ListDots] for n > 0 rows of dim > 0 elements.
//
//go:noescape
func listDotsAVX512(dst, x *float32, dim int, block *float32, step uintptr, idx *uint32, n int)

// listL2SquaredAVX512 is [ListL2Squared] for n > 0 rows of dim > 0 elements.
//
//go:noescape
func listL2SquaredAVX512(dst, x *float32, dim int, block *float32, step uintptr, idx *uint32, n int)

// scanDotsAVX512 is [ScanDots] for n > 0 rows of dim > 0 elements.
//
//go:noescape
func scanDotsAVX512(dst, x *float32, dim int, rows *float32, n int)

// scanL2SquaredAVX512 is [ScanL2Squared] for n > 0 rows of dim > 0 elements.
//
//go:noescape
func scanL2SquaredAVX512(dst, x *float32, dim int, rows *float32, n int)

// pairSumAVX512 is [PairSum] for n elements.
//
//go:noescape
func pairSumAVX512(w, v, a, b *float32, n int) float32

// pairSumAVX2 is [PairSum] for n elements.
//
//go:noescape
func pairSumAVX2(w, v, a, b *float32, n int) float32

// fetchToWrite begins to load a row into the cache in order to write it, if the processor has an
// instruction for that.
//
//go:noescape
func fetchToWrite(row *[16]float32)
