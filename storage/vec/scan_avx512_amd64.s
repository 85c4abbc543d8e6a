//go:build !purego

#include "textflag.h"

// The kernels of rows that lie one behind the other. Four rows at a time share
// the lines of x; each has its own four sums, added up as dotAVX512 and
// l2SquaredAVX512 have theirs, so that the bits are the same.
//
// The processor fetches ahead by itself, but not over the end of a page. So each
// line is asked for AHEAD bytes before it is needed, into the second-level cache,
// which keeps more requests in flight than the first.

#define AHEAD 8192

#define ZERO4(a, b, c, d) \
	VXORPS a, a, a \
	VXORPS b, b, b \
	VXORPS c, c, c \
	VXORPS d, d, d

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

// DIFF adds the squared differences of one line of x and of the four rows to a
// sum of each, PROD their products.
#define DIFF(off, a, b, c, d) \
	VMOVUPS     off(SI)(DX*1), Z16      \
	PREFETCHT1  (AHEAD+off)(R8)(DX*1) \
	PREFETCHT1  (AHEAD+off)(R9)(DX*1) \
	PREFETCHT1  (AHEAD+off)(R10)(DX*1) \
	PREFETCHT1  (AHEAD+off)(R11)(DX*1) \
	VSUBPS      off(R8)(DX*1), Z16, Z17 \
	VSUBPS      off(R9)(DX*1), Z16, Z18 \
	VSUBPS      off(R10)(DX*1), Z16, Z19 \
	VSUBPS      off(R11)(DX*1), Z16, Z20 \
	VFMADD231PS Z17, Z17, a             \
	VFMADD231PS Z18, Z18, b             \
	VFMADD231PS Z19, Z19, c             \
	VFMADD231PS Z20, Z20, d

#define PROD(off, a, b, c, d) \
	VMOVUPS     off(SI)(DX*1), Z16     \
	PREFETCHT1  (AHEAD+off)(R8)(DX*1) \
	PREFETCHT1  (AHEAD+off)(R9)(DX*1) \
	PREFETCHT1  (AHEAD+off)(R10)(DX*1) \
	PREFETCHT1  (AHEAD+off)(R11)(DX*1) \
	VFMADD231PS off(R8)(DX*1), Z16, a  \
	VFMADD231PS off(R9)(DX*1), Z16, b  \
	VFMADD231PS off(R10)(DX*1), Z16, c \
	VFMADD231PS off(R11)(DX*1), Z16, d

// SUMROW adds four sums and folds them to four lanes.
#define SUMROW(a, b, c, d, y, x) \
	VADDPS        b, a, a    \
	VADDPS        d, c, c    \
	VADDPS        c, a, a    \
	VEXTRACTF64X4 $1, a, Y16 \
	VADDPS        Y16, y, y  \
	VEXTRACTF32X4 $1, y, X16 \
	VADDPS        X16, x, x

// func scanDotsAVX512(dst, x *float32, dim int, rows *float32, n int)
TEXT ·scanDotsAVX512(SB), NOSPLIT, $0-40
	MOVQ  dst+0(FP), DI
	MOVQ  rows+24(FP), R8
	MOVQ  n+32(FP), R12
	MOVQ  dim+16(FP), R13
	SHLQ  $2, R13          // bytes of a row
	MOVQ  dim+16(FP), CX
	ANDQ  $15, CX
	MOVL  $1, AX
	SHLL  CX, AX
	DECL  AX
	KMOVW AX, K1

four:
	NEXT4
	MOVQ x+8(FP), SI
	MOVQ dim+16(FP), CX
	XORQ DX, DX
	ZERO4(Z0, Z1, Z2, Z3)
	ZERO4(Z4, Z5, Z6, Z7)
	ZERO4(Z8, Z9, Z10, Z11)
	ZERO4(Z12, Z13, Z14, Z15)
	SUBQ $64, CX
	JLT  rest

lines:
	PROD(0, Z0, Z4, Z8, Z12)
	PROD(64, Z1, Z5, Z9, Z13)
	PROD(128, Z2, Z6, Z10, Z14)
	PROD(192, Z3, Z7, Z11, Z15)
	ADDQ $256, DX
	SUBQ $64, CX
	JGE  lines

rest:
	ADDQ $64, CX
	CMPQ CX, $32
	JLT  half
	PROD(0, Z0, Z4, Z8, Z12)
	PROD(64, Z1, Z5, Z9, Z13)
	ADDQ $128, DX
	SUBQ $32, CX

half:
	CMPQ CX, $16
	JLT  tail
	PROD(0, Z2, Z6, Z10, Z14)
	ADDQ $64, DX
	SUBQ $16, CX

tail:
	TESTQ     CX, CX
	JEQ       sum
	VMOVUPS.Z (SI)(DX*1), K1, Z16
	VMOVUPS.Z (R8)(DX*1), K1, Z17
	VMOVUPS.Z (R9)(DX*1), K1, Z18
	VMOVUPS.Z (R10)(DX*1), K1, Z19
	VMOVUPS.Z (R11)(DX*1), K1, Z20
	VFMADD231PS Z17, Z16, Z3
	VFMADD231PS Z18, Z16, Z7
	VFMADD231PS Z19, Z16, Z11
	VFMADD231PS Z20, Z16, Z15

sum:
	SUMROW(Z0, Z1, Z2, Z3, Y0, X0)
	SUMROW(Z4, Z5, Z6, Z7, Y4, X4)
	SUMROW(Z8, Z9, Z10, Z11, Y8, X8)
	SUMROW(Z12, Z13, Z14, Z15, Y12, X12)
	VHADDPS X4, X0, X0
	VHADDPS X12, X8, X8
	VHADDPS X8, X0, X0
	VMOVUPS X0, K2, (DI)
	ADDQ    $16, DI
	LEAQ    (R8)(R13*4), R8
	SUBQ    $4, R12
	JGT     four
	VZEROUPPER
	RET

// func scanL2SquaredAVX512(dst, x *float32, dim int, rows *float32, n int)
TEXT ·scanL2SquaredAVX512(SB), NOSPLIT, $0-40
	MOVQ  dst+0(FP), DI
	MOVQ  rows+24(FP), R8
	MOVQ  n+32(FP), R12
	MOVQ  dim+16(FP), R13
	SHLQ  $2, R13          // bytes of a row
	MOVQ  dim+16(FP), CX
	ANDQ  $15, CX
	MOVL  $1, AX
	SHLL  CX, AX
	DECL  AX
	KMOVW AX, K1

four:
	NEXT4
	MOVQ x+8(FP), SI
	MOVQ dim+16(FP), CX
	XORQ DX, DX
	ZERO4(Z0, Z1, Z2, Z3)
	ZERO4(Z4, Z5, Z6, Z7)
	ZERO4(Z8, Z9, Z10, Z11)
	ZERO4(Z12, Z13, Z14, Z15)
	SUBQ $64, CX
	JLT  rest

lines:
	DIFF(0, Z0, Z4, Z8, Z12)
	DIFF(64, Z1, Z5, Z9, Z13)
	DIFF(128, Z2, Z6, Z10, Z14)
	DIFF(192, Z3, Z7, Z11, Z15)
	ADDQ $256, DX
	SUBQ $64, CX
	JGE  lines

rest:
	ADDQ $64, CX
	CMPQ CX, $32
	JLT  half
	DIFF(0, Z0, Z4, Z8, Z12)
	DIFF(64, Z1, Z5, Z9, Z13)
	ADDQ $128, DX
	SUBQ $32, CX

half:
	CMPQ CX, $16
	JLT  tail
	DIFF(0, Z2, Z6, Z10, Z14)
	ADDQ $64, DX
	SUBQ $16, CX

tail:
	TESTQ     CX, CX
	JEQ       sum
	VMOVUPS.Z (SI)(DX*1), K1, Z16
	VMOVUPS.Z (R8)(DX*1), K1, Z17
	VMOVUPS.Z (R9)(DX*1), K1, Z18
	VMOVUPS.Z (R10)(DX*1), K1, Z19
	VMOVUPS.Z (R11)(DX*1), K1, Z20
	VSUBPS Z17, Z16, Z17
	VSUBPS Z18, Z16, Z18
	VSUBPS Z19, Z16, Z19
	VSUBPS Z20, Z16, Z20
	VFMADD231PS Z17, Z17, Z3
	VFMADD231PS Z18, Z18, Z7
	VFMADD231PS Z19, Z19, Z11
	VFMADD231PS Z20, Z20, Z15

sum:
	SUMROW(Z0, Z1, Z2, Z3, Y0, X0)
	SUMROW(Z4, Z5, Z6, Z7, Y4, X4)
	SUMROW(Z8, Z9, Z10, Z11, Y8, X8)
	SUMROW(Z12, Z13, Z14, Z15, Y12, X12)
	VHADDPS X4, X0, X0
	VHADDPS X12, X8, X8
	VHADDPS X8, X0, X0
	VMOVUPS X0, K2, (DI)
	ADDQ    $16, DI
	LEAQ    (R8)(R13*4), R8
	SUBQ    $4, R12
	JGT     four
	VZEROUPPER
	RET
