// Package vec holds dense float32 matrices and the kernels in which most
// computing time is spent: scalar products and distances of short vectors,
// sums of listed rows (a sparse matrix times a block of vectors), products of
// tall matrices with small ones, and the tiles of all-pairs distances.
//
// # Kinds
//
// Each kernel exists in a portable version in Go and in assembly: "avx512" and
// "avx2" (with FMA) on amd64, "neon" on arm64. The best kind that the
// processor and the operating system support is chosen when the program starts
// and does not change; [Kind] names it. The environment variable HEAVYTAIL_KERNELS selects
// another one, so that machines of several kinds compute the same bytes. The build tag purego
// leaves the portable kind only.
//
// # Determinism
//
// Within a kind, equal inputs give equal bits, whatever the number of workers
// and GOMAXPROCS: work is cut by its shape alone, and partial sums are added in
// the order of the cut. An element of [Tile], [MulTN] or [MulNNContext] is one chain of
// multiply-adds in the order of the inner dimension, so it does not depend on
// its row, its column or its neighbours. Between kinds results differ by
// rounding, except those of [GatherSum] and [GatherSums], which are the same everywhere.
//
// # Errors
//
// The functions check lengths and shapes once per call, and panic with a
// constant message if they do not match: that is an error of the program. They
// do not check values: NaN and infinities propagate as in arithmetic. Slices
// may begin at any address, and nothing outside them is written. Functions
// with a context return its error and no other.
//
// All functions may be called from several goroutines at once on results that
// do not overlap.
//
// # Adding a kernel
//
// Write the portable version in portable.go, its caller with the checks next
// to similar ones, and a line in each dispatch file: that is enough for
// correct results everywhere. Then write the assembly, with a declaration and
// a comment in kernels_amd64.go or kernels_arm64.go. Test it with eachKind,
// for every short
// length and with NaN around what it writes (guarded). AVX routines execute
// VZEROUPPER before they return: a single scalar instruction of the compiler
// that meets a dirty upper half costs more than most kernels.
package vec
