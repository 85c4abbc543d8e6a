// Package vec holds dense float32 matrices and the kernels that everything
// above spends its time in: scalar products and distances of short vectors,
// sums of listed rows (a sparse matrix times a block of vectors), products of
// tall matrices with small ones, and the tiles that all-pairs distances are
// made of.
//
// # Kinds
//
// Each kernel exists in a portable version in Go and in assembly: "avx512" and
// "avx2" (with FMA) on amd64, "neon" on arm64. The best kind that the
// processor and the operating system support is chosen when the program starts
// and does not change; [Kind] names it. The build tag purego leaves the
// portable kind only.
//
// # Determinism
//
// Within a kind, equal inputs give equal bits, whatever the number of workers
// and GOMAXPROCS: work is cut by its shape alone, and partial sums are added in
// the order of the cut. An element of [Tile], [MulTN] or [MulNN] is one chain of
// multiply-adds in the order of the inner dimension, so it does not depend on
// its row, its column or its neighbours. Between kinds results differ by
// rounding, except those of [GatherSum], which are the same everywhere.
//
// # Errors
//
// The functions check lengths and shapes, once per call, and panic on a wrong
// one with a constant message: that is a mistake in the program. They do not
// look at values. NaN and infinities pass through as arithmetic has it. Slices
// may begin at any address, and nothing outside of them is written. Functions
// with a context return its error and nothing else.
//
// All functions may be called from several goroutines at once on results that
// do not overlap.
//
// # Adding a kernel
//
// Write the portable version in portable.go, its caller with the checks beside
// its like, and a line in each dispatch file: that is enough to be right
// everywhere. Then the assembly, with a declaration and a comment in
// kernels_amd64.go or kernels_arm64.go. Test it with eachKind, for every short
// length and with NaN around what it writes (guarded). AVX routines execute
// VZEROUPPER before they return: a single scalar instruction of the compiler
// that meets a dirty upper half costs more than most kernels.
package vec
