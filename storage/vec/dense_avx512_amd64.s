//go:build !purego

#include "textflag.h"

// func updateTimes64AVX512(y, a *float64, step uintptr, n int, u, q, x *float64)
TEXT ·updateTimes64AVX512(SB), NOSPLIT, $0-56
	MOVQ y+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ step+16(FP), R8
	MOVQ n+24(FP), R9
	MOVQ u+32(FP), R10
	MOVQ q+40(FP), R11
	MOVQ x+48(FP), R12
	XORQ DX, DX          // the row

rows:
	VBROADCASTSD (R10)(DX*8), Z0
	VBROADCASTSD (R11)(DX*8), Z1
	VBROADCASTSD (R12)(DX*8), Z2
	VXORPD       Z3, Z3, Z3         // the sums of the scalar product of row and x
	VXORPD       Z4, Z4, Z4
	XORQ         BX, BX             // the column
	MOVQ         DX, CX
	SUBQ         $16, CX
	JLT          single

pairs:
	VMOVUPD      (SI)(BX*8), Z5
	VMOVUPD      64(SI)(BX*8), Z6
	VMOVUPD      (DI)(BX*8), Z7
	VMOVUPD      64(DI)(BX*8), Z8
	VFNMADD231PD (R11)(BX*8), Z0, Z5
	VFNMADD231PD 64(R11)(BX*8), Z0, Z6
	VFNMADD231PD (R10)(BX*8), Z1, Z5
	VFNMADD231PD 64(R10)(BX*8), Z1, Z6
	VMOVUPD      Z5, (SI)(BX*8)
	VMOVUPD      Z6, 64(SI)(BX*8)
	VFMADD231PD  (R12)(BX*8), Z5, Z3
	VFMADD231PD  64(R12)(BX*8), Z6, Z4
	VFMADD231PD  Z5, Z2, Z7
	VFMADD231PD  Z6, Z2, Z8
	VMOVUPD      Z7, (DI)(BX*8)
	VMOVUPD      Z8, 64(DI)(BX*8)
	ADDQ         $16, BX
	SUBQ         $16, CX
	JGE          pairs

single:
	ADDQ         $8, CX
	JLT          tail
	VMOVUPD      (SI)(BX*8), Z5
	VMOVUPD      (DI)(BX*8), Z7
	VFNMADD231PD (R11)(BX*8), Z0, Z5
	VFNMADD231PD (R10)(BX*8), Z1, Z5
	VMOVUPD      Z5, (SI)(BX*8)
	VFMADD231PD  (R12)(BX*8), Z5, Z3
	VFMADD231PD  Z5, Z2, Z7
	VMOVUPD      Z7, (DI)(BX*8)
	ADDQ         $8, BX
	SUBQ         $8, CX

	// 0 to 7 elements left of the diagonal (K2) and the one on it (K3).
tail:
	ADDQ         $8, CX
	MOVL         $1, AX
	SHLL         CX, AX
	KMOVW        AX, K3
	LEAL         -1(AX), CX
	KMOVW        CX, K2
	ORL          AX, CX
	KMOVW        CX, K1
	VMOVUPD.Z    (SI)(BX*8), K1, Z5
	VMOVUPD.Z    (DI)(BX*8), K1, Z7
	VMOVUPD.Z    (R11)(BX*8), K1, Z6
	VMOVUPD.Z    (R10)(BX*8), K1, Z8
	VMOVUPD.Z    (R12)(BX*8), K2, Z9
	VFNMADD231PD Z6, Z0, Z5
	VFNMADD231PD Z8, Z1, Z5
	VMOVUPD      Z5, K1, (SI)(BX*8)
	VFMADD231PD  Z9, Z5, Z3
	VFMADD231PD  Z5, Z2, Z7

	VADDPD        Z4, Z3, Z3
	VEXTRACTF64X4 $1, Z3, Y4
	VADDPD        Y4, Y3, Y3
	VEXTRACTF128  $1, Y3, X4
	VADDPD        X4, X3, X3
	VHADDPD       X3, X3, X3
	VBROADCASTSD  X3, Z3
	VADDPD        Z3, Z7, K3, Z7
	VMOVUPD       Z7, K1, (DI)(BX*8)

	ADDQ R8, SI
	INCQ DX
	CMPQ DX, R9
	JLT  rows
	VZEROUPPER
	RET

// The row that one rotation leaves to the next stays in Z0 and Z1.
//
// func rotateRows64AVX512(row *float64, n int, turns *float64)
TEXT ·rotateRows64AVX512(SB), NOSPLIT, $0-24
	MOVQ    row+0(FP), DI
	MOVQ    n+8(FP), CX
	MOVQ    turns+16(FP), SI
	VMOVUPD (DI), Z0
	VMOVUPD 64(DI), Z1

loop:
	VBROADCASTSD (SI), Z2
	VBROADCASTSD 8(SI), Z3
	VMOVUPD      -128(DI), Z4
	VMOVUPD      -64(DI), Z5
	VMULPD       Z0, Z2, Z6
	VMULPD       Z1, Z2, Z7
	VMULPD       Z4, Z2, Z8
	VMULPD       Z5, Z2, Z9
	VFMADD231PD  Z4, Z3, Z6
	VFMADD231PD  Z5, Z3, Z7
	VFNMADD213PD Z8, Z3, Z0
	VFNMADD213PD Z9, Z3, Z1
	VMOVUPD      Z6, (DI)
	VMOVUPD      Z7, 64(DI)
	SUBQ         $128, DI
	ADDQ         $16, SI
	DECQ         CX
	JNZ          loop
	VMOVUPD      Z0, (DI)
	VMOVUPD      Z1, 64(DI)
	VZEROUPPER
	RET

// The registers are those of tileAVX512: Z8 to Z31 are the 12 × 2 running sums.

#define PAIR(addr, tmp, c0, c1) \
	VBROADCASTSD addr, tmp      \
	VFMADD231PD  Z0, tmp, c0    \
	VFMADD231PD  Z1, tmp, c1

#define EACH(op) \
	op(Z8, 0)        \
	op(Z9, 64)       \
	op(Z10, 128)     \
	op(Z11, 192)     \
	op(Z12, 256)     \
	op(Z13, 320)     \
	op(Z14, 384)     \
	op(Z15, 448)     \
	op(Z16, 512)     \
	op(Z17, 576)     \
	op(Z18, 640)     \
	op(Z19, 704)     \
	op(Z20, 768)     \
	op(Z21, 832)     \
	op(Z22, 896)     \
	op(Z23, 960)     \
	op(Z24, 1024)    \
	op(Z25, 1088)    \
	op(Z26, 1152)    \
	op(Z27, 1216)    \
	op(Z28, 1280)    \
	op(Z29, 1344)    \
	op(Z30, 1408)    \
	op(Z31, 1472)

#define LOADC(z, off) VMOVUPD off(DI), z
#define STOREC(z, off) VMOVUPD z, off(DI)

// func tile64AVX512(c *float64, k int, a *float64, rowStep uintptr, b *float64)
TEXT ·tile64AVX512(SB), NOSPLIT, $0-40
	MOVQ  c+0(FP), DI
	MOVQ  k+8(FP), CX
	MOVQ  a+16(FP), SI
	MOVQ  rowStep+24(FP), R8
	MOVQ  b+32(FP), BX
	LEAQ  (R8)(R8*2), R10
	LEAQ  (R8)(R8*4), R11
	LEAQ  (R10)(R8*4), R12
	LEAQ  (R8)(R8*8), R13
	LEAQ  (R10)(R8*8), AX
	EACH(LOADC)
	TESTQ CX, CX
	JZ    done

loop:
	VMOVUPD (BX), Z0
	VMOVUPD 64(BX), Z1
	PAIR((SI), Z2, Z8, Z9)
	PAIR((SI)(R8*1), Z3, Z10, Z11)
	PAIR((SI)(R8*2), Z4, Z12, Z13)
	PAIR((SI)(R10*1), Z5, Z14, Z15)
	PAIR((SI)(R8*4), Z6, Z16, Z17)
	PAIR((SI)(R11*1), Z7, Z18, Z19)
	PAIR((SI)(R10*2), Z2, Z20, Z21)
	PAIR((SI)(R12*1), Z3, Z22, Z23)
	PAIR((SI)(R8*8), Z4, Z24, Z25)
	PAIR((SI)(R13*1), Z5, Z26, Z27)
	PAIR((SI)(R11*2), Z6, Z28, Z29)
	PAIR((SI)(AX*1), Z7, Z30, Z31)
	ADDQ    $8, SI
	ADDQ    $128, BX
	DECQ    CX
	JNZ     loop

done:
	EACH(STOREC)
	VZEROUPPER
	RET
