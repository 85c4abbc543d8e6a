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
