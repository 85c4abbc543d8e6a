//go:build !purego

#include "textflag.h"

// DOTS2 multiplies two lines of X, at SI, with those of four rows and adds them
// to two sums for each row.
#define DOTS2 \
	VMOVUPS     (SI), Z8           \
	VMOVUPS     64(SI), Z9         \
	VFMADD231PS (R8)(DX*1), Z8, Z0 \
	VFMADD231PS (R9)(DX*1), Z8, Z1 \
	VFMADD231PS (R10)(DX*1), Z8, Z2 \
	VFMADD231PS (R11)(DX*1), Z8, Z3 \
	VFMADD231PS 64(R8)(DX*1), Z9, Z4 \
	VFMADD231PS 64(R9)(DX*1), Z9, Z5 \
	VFMADD231PS 64(R10)(DX*1), Z9, Z6 \
	VFMADD231PS 64(R11)(DX*1), Z9, Z7

// FOLD adds the upper half of z to its lower half y.
#define FOLD(z, y) \
	VEXTRACTF64X4 $1, z, Y16 \
	VADDPS        Y16, y, y

// func rowDotsAVX512(dst *float32, x *float32, dim int, rows **float32, n int)
//
// Four rows at a time share the lines of x. Where less than four are left, the
// first of them stands in for the missing ones, and the store leaves them out.
TEXT ·rowDotsAVX512(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ rows+24(FP), BX
	MOVQ n+32(FP), R12

	// K1 is the mask of the last line of x, if it is not whole.
	MOVQ  dim+16(FP), CX
	ANDQ  $15, CX
	MOVL  $1, AX
	SHLL  CX, AX
	DECL  AX
	KMOVW AX, K1

four:
	CMPQ R12, $0
	JLE  done
	MOVQ (BX), R8
	MOVQ R8, R9
	MOVQ R8, R10
	MOVQ R8, R11
	MOVL $1, AX
	CMPQ R12, $2
	JLT  ready
	MOVQ 8(BX), R9
	MOVL $3, AX
	CMPQ R12, $3
	JLT  ready
	MOVQ 16(BX), R10
	MOVL $7, AX
	CMPQ R12, $4
	JLT  ready
	MOVQ 24(BX), R11
	MOVL $15, AX

ready:
	KMOVW  AX, K2
	MOVQ   x+8(FP), SI
	MOVQ   dim+16(FP), CX
	XORQ   DX, DX
	VXORPS Z0, Z0, Z0
	VXORPS Z1, Z1, Z1
	VXORPS Z2, Z2, Z2
	VXORPS Z3, Z3, Z3
	VXORPS Z4, Z4, Z4
	VXORPS Z5, Z5, Z5
	VXORPS Z6, Z6, Z6
	VXORPS Z7, Z7, Z7
	SUBQ   $32, CX
	JLT    rest

lines:
	DOTS2
	ADDQ $128, SI
	ADDQ $128, DX
	SUBQ $32, CX
	JGE  lines

rest:
	ADDQ        $32, CX
	CMPQ        CX, $16
	JLT         tail
	VMOVUPS     (SI), Z8
	VFMADD231PS (R8)(DX*1), Z8, Z0
	VFMADD231PS (R9)(DX*1), Z8, Z1
	VFMADD231PS (R10)(DX*1), Z8, Z2
	VFMADD231PS (R11)(DX*1), Z8, Z3
	ADDQ        $64, SI
	ADDQ        $64, DX
	SUBQ        $16, CX

tail:
	TESTQ       CX, CX
	JEQ         sum
	VMOVUPS.Z   (SI), K1, Z8
	VMOVUPS.Z   (R8)(DX*1), K1, Z9
	VMOVUPS.Z   (R9)(DX*1), K1, Z10
	VMOVUPS.Z   (R10)(DX*1), K1, Z11
	VMOVUPS.Z   (R11)(DX*1), K1, Z12
	VFMADD231PS Z9, Z8, Z4
	VFMADD231PS Z10, Z8, Z5
	VFMADD231PS Z11, Z8, Z6
	VFMADD231PS Z12, Z8, Z7

sum:
	VADDPS       Z4, Z0, Z0
	VADDPS       Z5, Z1, Z1
	VADDPS       Z6, Z2, Z2
	VADDPS       Z7, Z3, Z3
	FOLD(Z0, Y0)
	FOLD(Z1, Y1)
	FOLD(Z2, Y2)
	FOLD(Z3, Y3)
	VHADDPS      Y1, Y0, Y0
	VHADDPS      Y3, Y2, Y2
	VHADDPS      Y2, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPS       X1, X0, X0
	VMOVUPS      X0, K2, (DI)
	ADDQ         $16, DI
	ADDQ         $32, BX
	SUBQ         $4, R12
	JMP          four

done:
	VZEROUPPER
	RET

// STEP makes one line of a row: e += g·y, y += g·x.
#define STEP(off, x, e, y) \
	VMOVUPS     off(R8)(DX*1), y \
	VFMADD231PS y, Z16, e        \
	VFMADD231PS x, Z16, y        \
	VMOVUPS     y, off(R8)(DX*1)

// func rowStepsAVX512(x *float32, dim int, rows **float32, factor *float32, n int)
//
// x and the sum of the steps stay in registers for 128, 64 or 16 columns while
// all rows pass by.
TEXT ·rowStepsAVX512(SB), NOSPLIT, $0-40
	MOVQ x+0(FP), SI
	MOVQ dim+8(FP), CX
	XORQ DX, DX

wide:
	CMPQ    CX, $128
	JLT     half
	VMOVUPS (SI)(DX*1), Z0
	VMOVUPS 64(SI)(DX*1), Z1
	VMOVUPS 128(SI)(DX*1), Z2
	VMOVUPS 192(SI)(DX*1), Z3
	VMOVUPS 256(SI)(DX*1), Z4
	VMOVUPS 320(SI)(DX*1), Z5
	VMOVUPS 384(SI)(DX*1), Z6
	VMOVUPS 448(SI)(DX*1), Z7
	VMOVAPS Z0, Z8
	VMOVAPS Z1, Z9
	VMOVAPS Z2, Z10
	VMOVAPS Z3, Z11
	VMOVAPS Z4, Z12
	VMOVAPS Z5, Z13
	VMOVAPS Z6, Z14
	VMOVAPS Z7, Z15
	MOVQ    rows+16(FP), BX
	MOVQ    factor+24(FP), R9
	MOVQ    n+32(FP), R12

wideRow:
	MOVQ         (BX), R8
	VBROADCASTSS (R9), Z16
	STEP(0, Z0, Z8, Z17)
	STEP(64, Z1, Z9, Z18)
	STEP(128, Z2, Z10, Z19)
	STEP(192, Z3, Z11, Z20)
	STEP(256, Z4, Z12, Z21)
	STEP(320, Z5, Z13, Z22)
	STEP(384, Z6, Z14, Z23)
	STEP(448, Z7, Z15, Z24)
	ADDQ         $8, BX
	ADDQ         $4, R9
	DECQ         R12
	JNZ          wideRow
	VMOVUPS      Z8, (SI)(DX*1)
	VMOVUPS      Z9, 64(SI)(DX*1)
	VMOVUPS      Z10, 128(SI)(DX*1)
	VMOVUPS      Z11, 192(SI)(DX*1)
	VMOVUPS      Z12, 256(SI)(DX*1)
	VMOVUPS      Z13, 320(SI)(DX*1)
	VMOVUPS      Z14, 384(SI)(DX*1)
	VMOVUPS      Z15, 448(SI)(DX*1)
	ADDQ         $512, DX
	SUBQ         $128, CX
	JMP          wide

half:
	CMPQ    CX, $64
	JLT     narrow
	VMOVUPS (SI)(DX*1), Z0
	VMOVUPS 64(SI)(DX*1), Z1
	VMOVUPS 128(SI)(DX*1), Z2
	VMOVUPS 192(SI)(DX*1), Z3
	VMOVAPS Z0, Z8
	VMOVAPS Z1, Z9
	VMOVAPS Z2, Z10
	VMOVAPS Z3, Z11
	MOVQ    rows+16(FP), BX
	MOVQ    factor+24(FP), R9
	MOVQ    n+32(FP), R12

halfRow:
	MOVQ         (BX), R8
	VBROADCASTSS (R9), Z16
	STEP(0, Z0, Z8, Z17)
	STEP(64, Z1, Z9, Z18)
	STEP(128, Z2, Z10, Z19)
	STEP(192, Z3, Z11, Z20)
	ADDQ         $8, BX
	ADDQ         $4, R9
	DECQ         R12
	JNZ          halfRow
	VMOVUPS      Z8, (SI)(DX*1)
	VMOVUPS      Z9, 64(SI)(DX*1)
	VMOVUPS      Z10, 128(SI)(DX*1)
	VMOVUPS      Z11, 192(SI)(DX*1)
	ADDQ         $256, DX
	SUBQ         $64, CX

narrow:
	CMPQ  CX, $0
	JLE   done
	MOVL  $0xffff, AX
	CMPQ  CX, $16
	JGE   masked
	MOVL  $1, AX
	SHLL  CX, AX
	DECL  AX

masked:
	KMOVW     AX, K1
	VMOVUPS.Z (SI)(DX*1), K1, Z0
	VMOVAPS   Z0, Z8
	MOVQ      rows+16(FP), BX
	MOVQ      factor+24(FP), R9
	MOVQ      n+32(FP), R12

narrowRow:
	MOVQ         (BX), R8
	VBROADCASTSS (R9), Z16
	VMOVUPS.Z    (R8)(DX*1), K1, Z17
	VFMADD231PS  Z17, Z16, Z8
	VFMADD231PS  Z0, Z16, Z17
	VMOVUPS      Z17, K1, (R8)(DX*1)
	ADDQ         $8, BX
	ADDQ         $4, R9
	DECQ         R12
	JNZ          narrowRow
	VMOVUPS      Z8, K1, (SI)(DX*1)
	ADDQ         $64, DX
	SUBQ         $16, CX
	JMP          narrow

done:
	VZEROUPPER
	RET

// The constants of the logistic function: e^x = 2^n · 2^f with x·log2(e) = n + f,
// |f| ≤ ½, and 2^f by the first seven terms of its series.
DATA logistic<>+0(SB)/4, $0xbfb8aa3b  // −log2(e)
DATA logistic<>+4(SB)/4, $0x3f800000  // 1
DATA logistic<>+8(SB)/4, $0x3f317218  // ln 2
DATA logistic<>+12(SB)/4, $0x3e75fdf0 // ln² 2 / 2
DATA logistic<>+16(SB)/4, $0x3d635847 // ln³ 2 / 6
DATA logistic<>+20(SB)/4, $0x3c1d955b // ln⁴ 2 / 24
DATA logistic<>+24(SB)/4, $0x3aaec3ff // ln⁵ 2 / 120
DATA logistic<>+28(SB)/4, $0x39218490 // ln⁶ 2 / 720
DATA logistic<>+32(SB)/4, $0x7fffffff // all but the sign
GLOBL logistic<>(SB), RODATA|NOPTR, $36

// func logisticStepsAVX512(products, targets *float32, n int, alpha, limit float32)
TEXT ·logisticStepsAVX512(SB), NOSPLIT, $0-32
	MOVQ         products+0(FP), DI
	MOVQ         targets+8(FP), SI
	MOVQ         n+16(FP), CX
	VBROADCASTSS alpha+24(FP), Z30
	VBROADCASTSS limit+28(FP), Z31
	VBROADCASTSS logistic<>+0(SB), Z20
	VBROADCASTSS logistic<>+4(SB), Z21
	VBROADCASTSS logistic<>+8(SB), Z22
	VBROADCASTSS logistic<>+12(SB), Z23
	VBROADCASTSS logistic<>+16(SB), Z24
	VBROADCASTSS logistic<>+20(SB), Z25
	VBROADCASTSS logistic<>+24(SB), Z26
	VBROADCASTSS logistic<>+28(SB), Z27
	VBROADCASTSS logistic<>+32(SB), Z28

sixteen:
	CMPQ  CX, $0
	JLE   over
	MOVL  $0xffff, AX
	CMPQ  CX, $16
	JGE   whole
	MOVL  $1, AX
	SHLL  CX, AX
	DECL  AX

whole:
	KMOVW        AX, K1
	VMOVUPS.Z    (DI), K1, Z0
	VMOVUPS.Z    (SI), K1, Z1
	VANDPS       Z28, Z0, Z2
	VCMPPS       $1, Z31, Z2, K2 // |product| < limit; not so for NaN
	VMULPS       Z20, Z0, Z3
	VRNDSCALEPS  $0, Z3, Z4
	VSUBPS       Z4, Z3, Z3
	VMOVAPS      Z27, Z5
	VFMADD213PS  Z26, Z3, Z5
	VFMADD213PS  Z25, Z3, Z5
	VFMADD213PS  Z24, Z3, Z5
	VFMADD213PS  Z23, Z3, Z5
	VFMADD213PS  Z22, Z3, Z5
	VFMADD213PS  Z21, Z3, Z5
	VSCALEFPS    Z4, Z5, Z5
	VADDPS       Z21, Z5, Z5
	VDIVPS       Z5, Z21, Z5
	VSUBPS       Z5, Z1, Z1
	VMULPS.Z     Z30, Z1, K2, Z1
	VMOVUPS      Z1, K1, (DI)
	ADDQ         $64, DI
	ADDQ         $64, SI
	SUBQ         $16, CX
	JMP          sixteen

over:
	VZEROUPPER
	RET
