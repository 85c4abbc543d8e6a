//go:build !purego

#include "textflag.h"

// The kernels of rows that lie one behind the other.
//
// The processor fetches ahead by itself, but not over the end of a page. So each
// line is asked for AHEAD bytes before it is needed, into the second-level cache,
// which keeps more requests in flight than the first.

#define AHEAD 8192

#define FETCHLINE(off) \
	PREFETCHT1 (AHEAD+off)(R8)(DX*1)  \
	PREFETCHT1 (AHEAD+off)(R9)(DX*1)  \
	PREFETCHT1 (AHEAD+off)(R10)(DX*1) \
	PREFETCHT1 (AHEAD+off)(R11)(DX*1)

#include "fourrows_avx512_amd64.h"

// NEXT4 sets R9 to R11 to the rows after R8, with R8 in the place of those that are
// missing, and K2 to which of the four there are.
#define NEXT4 \
	MOVQ  R8, R9         \
	MOVQ  R8, R10        \
	MOVQ  R8, R11        \
	MOVL  $1, AX         \
	CMPQ  R12, $2        \
	JLT   ready          \
	ADDQ  R13, R9        \
	MOVL  $3, AX         \
	CMPQ  R12, $3        \
	JLT   ready          \
	LEAQ  (R8)(R13*2), R10 \
	MOVL  $7, AX         \
	CMPQ  R12, $4        \
	JLT   ready          \
	LEAQ  (R9)(R13*2), R11 \
	MOVL  $15, AX        \
ready:                   \
	KMOVW AX, K2

// func scanDotsAVX512(dst, x *float32, dim int, rows *float32, n int)
TEXT ·scanDotsAVX512(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ rows+24(FP), R8
	MOVQ n+32(FP), R12
	MOVQ dim+16(FP), R13
	SHLQ $2, R13         // bytes of a row
	MOVQ dim+16(FP), CX
	LASTLINE

four:
	NEXT4
	MOVQ x+8(FP), SI
	MOVQ dim+16(FP), CX
	SUMS(PROD, PRODREST)
	LEAQ (R8)(R13*4), R8
	SUBQ $4, R12
	JGT  four
	VZEROUPPER
	RET

// func scanL2SquaredAVX512(dst, x *float32, dim int, rows *float32, n int)
TEXT ·scanL2SquaredAVX512(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ rows+24(FP), R8
	MOVQ n+32(FP), R12
	MOVQ dim+16(FP), R13
	SHLQ $2, R13         // bytes of a row
	MOVQ dim+16(FP), CX
	LASTLINE

four:
	NEXT4
	MOVQ x+8(FP), SI
	MOVQ dim+16(FP), CX
	SUMS(DIFF, DIFFREST)
	LEAQ (R8)(R13*4), R8
	SUBQ $4, R12
	JGT  four
	VZEROUPPER
	RET
