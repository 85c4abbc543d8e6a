//go:build !purego

#include "textflag.h"

// The kernels of lists of rows of one block. While four rows are summed the first
// lines of the next four are fetched, as they are anywhere in memory; the processor
// fetches the lines that follow by itself.

#define FETCHLINE(off)

#include "fourrows_avx512_amd64.h"

// ROW sets r to the address of the row of entry i of the list.
#define ROW(i, r) \
	MOVL  (i*4)(BX), r \
	IMULQ R15, r       \
	ADDQ  R13, r

// FETCH begins to load the row of entry i.
#define FETCH(i) \
	MOVL       (i*4)(BX), AX  \
	IMULQ      R15, AX        \
	ADDQ       R13, AX        \
	PREFETCHT0 (AX)           \
	PREFETCHT0 64(AX)         \
	PREFETCHT0 128(AX)        \
	PREFETCHT0 192(AX)

// FOUR finds the next four rows, with the first in the place of those that are
// missing, and sets K2 to which of them there are.
#define FOUR \
	ROW(0, R8)           \
	MOVQ  R8, R9         \
	MOVQ  R8, R10        \
	MOVQ  R8, R11        \
	MOVL  $1, AX         \
	CMPQ  R12, $2        \
	JLT   ready          \
	ROW(1, R9)           \
	MOVL  $3, AX         \
	CMPQ  R12, $3        \
	JLT   ready          \
	ROW(2, R10)          \
	MOVL  $7, AX         \
	CMPQ  R12, $4        \
	JLT   ready          \
	ROW(3, R11)          \
	MOVL  $15, AX        \
	CMPQ  R12, $8        \
	JLT   ready          \
	FETCH(4)             \
	FETCH(5)             \
	FETCH(6)             \
	FETCH(7)             \
	MOVL  $15, AX        \
ready:                   \
	KMOVW AX, K2

// func listDotsAVX512(dst, x *float32, dim int, block *float32, step uintptr, idx *uint32, n int)
TEXT ·listDotsAVX512(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ block+24(FP), R13
	MOVQ step+32(FP), R15
	MOVQ idx+40(FP), BX
	MOVQ n+48(FP), R12
	MOVQ dim+16(FP), CX
	LASTLINE

four:
	FOUR
	MOVQ x+8(FP), SI
	MOVQ dim+16(FP), CX
	SUMS(PROD, PRODREST)
	ADDQ $16, BX
	SUBQ $4, R12
	JGT  four
	VZEROUPPER
	RET

// func listL2SquaredAVX512(dst, x *float32, dim int, block *float32, step uintptr, idx *uint32, n int)
TEXT ·listL2SquaredAVX512(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ block+24(FP), R13
	MOVQ step+32(FP), R15
	MOVQ idx+40(FP), BX
	MOVQ n+48(FP), R12
	MOVQ dim+16(FP), CX
	LASTLINE

four:
	FOUR
	MOVQ x+8(FP), SI
	MOVQ dim+16(FP), CX
	SUMS(DIFF, DIFFREST)
	ADDQ $16, BX
	SUBQ $4, R12
	JGT  four
	VZEROUPPER
	RET
