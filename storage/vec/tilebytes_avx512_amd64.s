//go:build !purego

#include "textflag.h"

// Z8 to Z31 are the 12 × 2 running sums, Z0 and Z1 a step of b, Z2 to Z7 four bytes of a
// row in all lanes. VPDPBUSD adds to each lane of the sums the products of four unsigned
// bytes of a with four signed bytes of b.

#define PAIRB(off, tmp, c0, c1) \
	VPBROADCASTD off(SI), tmp \
	VPDPBUSD     Z0, tmp, c0  \
	VPDPBUSD     Z1, tmp, c1

#define PUTB(c0, c1, off) \
	VCVTDQ2PS c0, c0            \
	VCVTDQ2PS c1, c1            \
	VMOVUPS   c0, off(DI)       \
	VMOVUPS   c1, (off+64)(DI)

#define BEGINB(c0, c1) \
	VMOVDQA64 Z8, c0 \
	VMOVDQA64 Z9, c1

// func tileBytesVNNI(c *float32, steps int, a, b *uint32, base *int32)
TEXT ·tileBytesVNNI(SB), NOSPLIT, $0-40
	MOVQ      c+0(FP), DI
	MOVQ      steps+8(FP), CX
	MOVQ      a+16(FP), SI
	MOVQ      b+24(FP), BX
	MOVQ      base+32(FP), DX
	VMOVDQU32 (DX), Z8
	VMOVDQU32 64(DX), Z9
	BEGINB(Z10, Z11)
	BEGINB(Z12, Z13)
	BEGINB(Z14, Z15)
	BEGINB(Z16, Z17)
	BEGINB(Z18, Z19)
	BEGINB(Z20, Z21)
	BEGINB(Z22, Z23)
	BEGINB(Z24, Z25)
	BEGINB(Z26, Z27)
	BEGINB(Z28, Z29)
	BEGINB(Z30, Z31)
	TESTQ     CX, CX
	JZ        done

step:
	VMOVDQU32 (BX), Z0
	VMOVDQU32 64(BX), Z1
	PAIRB(0, Z2, Z8, Z9)
	PAIRB(4, Z3, Z10, Z11)
	PAIRB(8, Z4, Z12, Z13)
	PAIRB(12, Z5, Z14, Z15)
	PAIRB(16, Z6, Z16, Z17)
	PAIRB(20, Z7, Z18, Z19)
	PAIRB(24, Z2, Z20, Z21)
	PAIRB(28, Z3, Z22, Z23)
	PAIRB(32, Z4, Z24, Z25)
	PAIRB(36, Z5, Z26, Z27)
	PAIRB(40, Z6, Z28, Z29)
	PAIRB(44, Z7, Z30, Z31)
	ADDQ $48, SI
	ADDQ $128, BX
	DECQ CX
	JNZ  step

done:
	PUTB(Z8, Z9, 0)
	PUTB(Z10, Z11, 128)
	PUTB(Z12, Z13, 256)
	PUTB(Z14, Z15, 384)
	PUTB(Z16, Z17, 512)
	PUTB(Z18, Z19, 640)
	PUTB(Z20, Z21, 768)
	PUTB(Z22, Z23, 896)
	PUTB(Z24, Z25, 1024)
	PUTB(Z26, Z27, 1152)
	PUTB(Z28, Z29, 1280)
	PUTB(Z30, Z31, 1408)
	VZEROUPPER
	RET
