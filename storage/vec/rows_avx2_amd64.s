//go:build !purego

#include "textflag.h"

// A window of 8 lanes into this table that begins n lanes before the middle
// selects the first n lanes.
DATA rowLanes<>+0(SB)/8, $-1
DATA rowLanes<>+8(SB)/8, $-1
DATA rowLanes<>+16(SB)/8, $-1
DATA rowLanes<>+24(SB)/8, $-1
DATA rowLanes<>+32(SB)/8, $0
DATA rowLanes<>+40(SB)/8, $0
DATA rowLanes<>+48(SB)/8, $0
DATA rowLanes<>+56(SB)/8, $0
GLOBL rowLanes<>(SB), RODATA|NOPTR, $64

// func rowDotsAVX2(dst *float32, x *float32, dim int, rows **float32, n int)
//
// As rowDotsAVX512: four rows at a time, of which the first stands in for those
// that are missing.
TEXT ·rowDotsAVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ rows+24(FP), BX
	MOVQ n+32(FP), R12
	LEAQ rowLanes<>+32(SB), R13

	// Y15 selects the end of x, if it is not whole.
	MOVQ    dim+16(FP), CX
	ANDQ    $7, CX
	NEGQ    CX
	VMOVDQU (R13)(CX*4), Y15

four:
	CMPQ R12, $0
	JLE  done
	MOVQ (BX), R8
	MOVQ R8, R9
	MOVQ R8, R10
	MOVQ R8, R11
	MOVQ $-1, AX
	CMPQ R12, $2
	JLT  ready
	MOVQ 8(BX), R9
	MOVQ $-2, AX
	CMPQ R12, $3
	JLT  ready
	MOVQ 16(BX), R10
	MOVQ $-3, AX
	CMPQ R12, $4
	JLT  ready
	MOVQ 24(BX), R11
	MOVQ $-4, AX

ready:
	MOVQ   x+8(FP), SI
	MOVQ   dim+16(FP), CX
	XORQ   DX, DX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	SUBQ   $16, CX
	JLT    rest

lines:
	VMOVUPS     (SI), Y8
	VMOVUPS     32(SI), Y9
	VFMADD231PS (R8)(DX*1), Y8, Y0
	VFMADD231PS (R9)(DX*1), Y8, Y1
	VFMADD231PS (R10)(DX*1), Y8, Y2
	VFMADD231PS (R11)(DX*1), Y8, Y3
	VFMADD231PS 32(R8)(DX*1), Y9, Y4
	VFMADD231PS 32(R9)(DX*1), Y9, Y5
	VFMADD231PS 32(R10)(DX*1), Y9, Y6
	VFMADD231PS 32(R11)(DX*1), Y9, Y7
	ADDQ        $64, SI
	ADDQ        $64, DX
	SUBQ        $16, CX
	JGE         lines

rest:
	ADDQ        $16, CX
	CMPQ        CX, $8
	JLT         tail
	VMOVUPS     (SI), Y8
	VFMADD231PS (R8)(DX*1), Y8, Y0
	VFMADD231PS (R9)(DX*1), Y8, Y1
	VFMADD231PS (R10)(DX*1), Y8, Y2
	VFMADD231PS (R11)(DX*1), Y8, Y3
	ADDQ        $32, SI
	ADDQ        $32, DX
	SUBQ        $8, CX

tail:
	TESTQ       CX, CX
	JEQ         sum
	VMASKMOVPS  (SI), Y15, Y8
	VMASKMOVPS  (R8)(DX*1), Y15, Y9
	VMASKMOVPS  (R9)(DX*1), Y15, Y10
	VMASKMOVPS  (R10)(DX*1), Y15, Y11
	VMASKMOVPS  (R11)(DX*1), Y15, Y12
	VFMADD231PS Y9, Y8, Y4
	VFMADD231PS Y10, Y8, Y5
	VFMADD231PS Y11, Y8, Y6
	VFMADD231PS Y12, Y8, Y7

sum:
	VADDPS       Y4, Y0, Y0
	VADDPS       Y5, Y1, Y1
	VADDPS       Y6, Y2, Y2
	VADDPS       Y7, Y3, Y3
	VHADDPS      Y1, Y0, Y0
	VHADDPS      Y3, Y2, Y2
	VHADDPS      Y2, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPS       X1, X0, X0
	VMOVDQU      (R13)(AX*4), X1
	VMASKMOVPS   X0, X1, (DI)
	ADDQ         $16, DI
	ADDQ         $32, BX
	SUBQ         $4, R12
	JMP          four

done:
	VZEROUPPER
	RET
