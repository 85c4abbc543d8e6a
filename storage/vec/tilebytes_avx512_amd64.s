//go:build !purego

#include "textflag.h"

// Z8 to Z31 are the 12 × 2 running sums, Z0 and Z1 a step of b, Z2 to Z7 four bytes of a
// row in all lanes. VPDPBUSD adds to each lane of the sums the products of four unsigned
// bytes of a with four signed bytes of b.

#define PAIRB(off, tmp, c0, c1) \
	VPBROADCASTD off(SI), tmp \
	VPDPBUSD     Z0, tmp, c0  \
	VPDPBUSD     Z1, tmp, c1

#define STOREB(c0, c1, off) \
	VMOVUPS c0, off(DI)      \
	VMOVUPS c1, (off+64)(DI)

#define PUTB(c0, c1, off) \
	VCVTDQ2PS c0, c0 \
	VCVTDQ2PS c1, c1 \
	STOREB(c0, c1, off)

#define BEGINB(c0, c1) \
	VMOVDQA64 Z8, c0 \
	VMOVDQA64 Z9, c1

// BASES begins the sums with the base at DX.
#define BASES \
	VMOVDQU32 (DX), Z8   \
	VMOVDQU32 64(DX), Z9 \
	BEGINB(Z10, Z11)     \
	BEGINB(Z12, Z13)     \
	BEGINB(Z14, Z15)     \
	BEGINB(Z16, Z17)     \
	BEGINB(Z18, Z19)     \
	BEGINB(Z20, Z21)     \
	BEGINB(Z22, Z23)     \
	BEGINB(Z24, Z25)     \
	BEGINB(Z26, Z27)     \
	BEGINB(Z28, Z29)     \
	BEGINB(Z30, Z31)

// STEPB adds a step of a at SI and b at BX to the sums.
#define STEPB \
	VMOVDQU32 (BX), Z0       \
	VMOVDQU32 64(BX), Z1     \
	PAIRB(0, Z2, Z8, Z9)     \
	PAIRB(4, Z3, Z10, Z11)   \
	PAIRB(8, Z4, Z12, Z13)   \
	PAIRB(12, Z5, Z14, Z15)  \
	PAIRB(16, Z6, Z16, Z17)  \
	PAIRB(20, Z7, Z18, Z19)  \
	PAIRB(24, Z2, Z20, Z21)  \
	PAIRB(28, Z3, Z22, Z23)  \
	PAIRB(32, Z4, Z24, Z25)  \
	PAIRB(36, Z5, Z26, Z27)  \
	PAIRB(40, Z6, Z28, Z29)  \
	PAIRB(44, Z7, Z30, Z31)  \
	ADDQ $48, SI             \
	ADDQ $128, BX

// func tileBytesVNNI(c *float32, steps int, a, b *uint32, base *int32)
TEXT ·tileBytesVNNI(SB), NOSPLIT, $0-40
	MOVQ      c+0(FP), DI
	MOVQ      steps+8(FP), CX
	MOVQ      a+16(FP), SI
	MOVQ      b+24(FP), BX
	MOVQ      base+32(FP), DX
	BASES
	TESTQ     CX, CX
	JZ        done

step:
	STEPB
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

// NEARB converts the sums of a row, and sets the bits of those that are not less than the
// product of their terms, or unordered: Z0 and Z1, Z2 and Z3, Z4 and Z5 are the
// terms of the columns. DX collects the masks.
#define NEARB(off, c0, c1) \
	VCVTDQ2PS        c0, c0             \
	VCVTDQ2PS        c1, c1             \
	VMOVAPS          Z4, Z6             \
	VMOVAPS          Z5, Z7             \
	VFMADD231PS.BCST off(R8), Z0, Z6    \
	VFMADD231PS.BCST off(R8), Z1, Z7    \
	VFMADD231PS.BCST (off+48)(R8), Z2, Z6 \
	VFMADD231PS.BCST (off+48)(R8), Z3, Z7 \
	VCMPPS           $0x15, Z6, c0, K1  \
	VCMPPS           $0x15, Z7, c1, K2  \
	KUNPCKWD         K1, K2, K1         \
	KMOVD            K1, AX             \
	MOVL             AX, off(R9)        \
	ORL              AX, DX

// func tileBytesNearVNNI(mask *uint32, c *float32, steps int, a, b *uint32, base *int32, rows, columns *float32) bool
TEXT ·tileBytesNearVNNI(SB), NOSPLIT, $0-65
	MOVQ    mask+0(FP), R9
	MOVQ    c+8(FP), DI
	MOVQ    steps+16(FP), CX
	MOVQ    a+24(FP), SI
	MOVQ    b+32(FP), BX
	MOVQ    base+40(FP), DX
	MOVQ    rows+48(FP), R8
	MOVQ    columns+56(FP), R10
	BASES
	TESTQ   CX, CX
	JZ      compare

step:
	STEPB
	DECQ CX
	JNZ  step

compare:
	VMOVUPS (R10), Z0
	VMOVUPS 64(R10), Z1
	VMOVUPS 128(R10), Z2
	VMOVUPS 192(R10), Z3
	VMOVUPS 256(R10), Z4
	VMOVUPS 320(R10), Z5
	XORL    DX, DX
	NEARB(0, Z8, Z9)
	NEARB(4, Z10, Z11)
	NEARB(8, Z12, Z13)
	NEARB(12, Z14, Z15)
	NEARB(16, Z16, Z17)
	NEARB(20, Z18, Z19)
	NEARB(24, Z20, Z21)
	NEARB(28, Z22, Z23)
	NEARB(32, Z24, Z25)
	NEARB(36, Z26, Z27)
	NEARB(40, Z28, Z29)
	NEARB(44, Z30, Z31)
	TESTL   DX, DX
	SETNE   ret+64(FP)
	JZ      none
	STOREB(Z8, Z9, 0)
	STOREB(Z10, Z11, 128)
	STOREB(Z12, Z13, 256)
	STOREB(Z14, Z15, 384)
	STOREB(Z16, Z17, 512)
	STOREB(Z18, Z19, 640)
	STOREB(Z20, Z21, 768)
	STOREB(Z22, Z23, 896)
	STOREB(Z24, Z25, 1024)
	STOREB(Z26, Z27, 1152)
	STOREB(Z28, Z29, 1280)
	STOREB(Z30, Z31, 1408)

none:
	VZEROUPPER
	RET
