//go:build !purego

package vec

// The declarations of the assembly. Pointers are to the first element and may
// be to anything if the length is 0; steps are in bytes.

// dotNEON is [Dot] for n elements.
//
//go:noescape
func dotNEON(a, b *float32, n int) float32

// l2SquaredNEON is [L2Squared] for n elements.
//
//go:noescape
func l2SquaredNEON(a, b *float32, n int) float32

// axpyNEON is [Axpy] for n elements.
//
//go:noescape
func axpyNEON(alpha float32, x, y *float32, n int)

// dot64NEON is [Dot64] for n elements.
//
//go:noescape
func dot64NEON(a, b *float64, n int) float64

// axpy64NEON is [Axpy64] for n elements.
//
//go:noescape
func axpy64NEON(alpha float64, x, y *float64, n int)

// rot64NEON rotates the plane of x and y, of n elements.
//
//go:noescape
func rot64NEON(x, y *float64, n int, c, s float64)

// stepRowNEON is stepRow by NEON.
//
//go:noescape
func stepRowNEON(y, sum, once, scaled, x *[16]float32, d, s, beta, gamma float32)

// gather16NEON sums 16 columns of the n listed rows of a block. Row i begins
// i·step bytes after x, and last is the greatest such offset that is allowed;
// step is below 2³¹. The first ahead ≥ n entries of idx may be read. It reports
// whether all n rows were inside; if not, dst is unchanged.
//
//go:noescape
func gather16NEON(dst, x *float32, step, last uintptr, idx *uint32, n, ahead int) bool

// tileNEON is [Tile]; with add it continues the sums in c.
//
//go:noescape
func tileNEON(c *float32, add bool, k int, a *float32, rowStep, kStep uintptr, b *float32)

// tileWithinNEON is [TileWithin].
//
//go:noescape
func tileWithinNEON(mask *uint32, c, rowNorms, colNorms *float32, limit float32) bool

// tileAdd64NEON adds a tile to float64 sums.
//
//go:noescape
func tileAdd64NEON(acc *float64, c *float32)

// tileStoreNEON sets rows × cols elements, both at least 1, to beta·y +
// alpha·c, without reading y if beta is 0.
//
//go:noescape
func tileStoreNEON(y *float32, step uintptr, rows, cols int, beta, alpha float32, c *float32)

// pairSumNEON is [PairSum] for n elements.
//
//go:noescape
func pairSumNEON(w, v, a, b *float32, n int) float32

// fetchToWrite begins to load a row into the cache in order to write it, if the processor has an
// instruction for that.
//
//go:noescape
func fetchToWrite(row *[16]float32)
