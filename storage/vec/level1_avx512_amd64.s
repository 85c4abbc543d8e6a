//go:build !purego

#include "textflag.h"

// All routines keep four sums or four independent lines in flight, so that the
// latency of the multiply-add (4 cycles) does not show. The end of a vector is
// done with a mask and not by a scalar loop. The AVX state is cleared before
// any scalar instruction that the compiler may emit after the return.

// KTAIL sets K1 to the first CX lanes, 0 < CX < 16.
#define KTAIL \
	MOVL  $1, AX   \
	SHLL  CX, AX   \
	DECL  AX       \
	KMOVW AX, K1

// SUMZ adds the four sums in Z0 to Z3 and all lanes, into the low lane of X0.
#define SUMZ \
	VADDPS        Z1, Z0, Z0  \
	VADDPS        Z3, Z2, Z2  \
	VADDPS        Z2, Z0, Z0  \
	VEXTRACTF64X4 $1, Z0, Y1  \
	VADDPS        Y1, Y0, Y0  \
	VEXTRACTF128  $1, Y0, X1  \
	VADDPS        X1, X0, X0  \
	VHADDPS       X0, X0, X0  \
	VHADDPS       X0, X0, X0

#define SUMZ64 \
	VADDPD        Z1, Z0, Z0  \
	VADDPD        Z3, Z2, Z2  \
	VADDPD        Z2, Z0, Z0  \
	VEXTRACTF64X4 $1, Z0, Y1  \
	VADDPD        Y1, Y0, Y0  \
	VEXTRACTF128  $1, Y0, X1  \
	VADDPD        X1, X0, X0  \
	VHADDPD       X0, X0, X0

#define ZERO4(a, b, c, d) \
	VXORPS a, a, a \
	VXORPS b, b, b \
	VXORPS c, c, c \
	VXORPS d, d, d

// func dotAVX512(a, b *float32, n int) float32
TEXT ·dotAVX512(SB), NOSPLIT, $0-28
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DI
	MOVQ n+16(FP), CX
	ZERO4(Z0, Z1, Z2, Z3)
	SUBQ $64, CX
	JLT  rest

loop:
	VMOVUPS     (SI), Z4
	VMOVUPS     64(SI), Z5
	VMOVUPS     128(SI), Z6
	VMOVUPS     192(SI), Z7
	VFMADD231PS (DI), Z4, Z0
	VFMADD231PS 64(DI), Z5, Z1
	VFMADD231PS 128(DI), Z6, Z2
	VFMADD231PS 192(DI), Z7, Z3
	ADDQ        $256, SI
	ADDQ        $256, DI
	SUBQ        $64, CX
	JGE         loop

rest:
	ADDQ        $64, CX
	CMPQ        CX, $32
	JLT         half
	VMOVUPS     (SI), Z4
	VMOVUPS     64(SI), Z5
	VFMADD231PS (DI), Z4, Z0
	VFMADD231PS 64(DI), Z5, Z1
	ADDQ        $128, SI
	ADDQ        $128, DI
	SUBQ        $32, CX

half:
	CMPQ        CX, $16
	JLT         tail
	VMOVUPS     (SI), Z6
	VFMADD231PS (DI), Z6, Z2
	ADDQ        $64, SI
	ADDQ        $64, DI
	SUBQ        $16, CX

tail:
	TESTQ       CX, CX
	JZ          done
	KTAIL
	VMOVUPS.Z   (SI), K1, Z4
	VMOVUPS.Z   (DI), K1, Z5
	VFMADD231PS Z5, Z4, Z3

done:
	SUMZ
	VZEROUPPER
	MOVSS X0, ret+24(FP)
	RET

// func l2SquaredAVX512(a, b *float32, n int) float32
TEXT ·l2SquaredAVX512(SB), NOSPLIT, $0-28
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DI
	MOVQ n+16(FP), CX
	ZERO4(Z0, Z1, Z2, Z3)
	SUBQ $64, CX
	JLT  rest

loop:
	VMOVUPS     (SI), Z4
	VMOVUPS     64(SI), Z5
	VMOVUPS     128(SI), Z6
	VMOVUPS     192(SI), Z7
	VSUBPS      (DI), Z4, Z4
	VSUBPS      64(DI), Z5, Z5
	VSUBPS      128(DI), Z6, Z6
	VSUBPS      192(DI), Z7, Z7
	VFMADD231PS Z4, Z4, Z0
	VFMADD231PS Z5, Z5, Z1
	VFMADD231PS Z6, Z6, Z2
	VFMADD231PS Z7, Z7, Z3
	ADDQ        $256, SI
	ADDQ        $256, DI
	SUBQ        $64, CX
	JGE         loop

rest:
	ADDQ        $64, CX
	CMPQ        CX, $32
	JLT         half
	VMOVUPS     (SI), Z4
	VMOVUPS     64(SI), Z5
	VSUBPS      (DI), Z4, Z4
	VSUBPS      64(DI), Z5, Z5
	VFMADD231PS Z4, Z4, Z0
	VFMADD231PS Z5, Z5, Z1
	ADDQ        $128, SI
	ADDQ        $128, DI
	SUBQ        $32, CX

half:
	CMPQ        CX, $16
	JLT         tail
	VMOVUPS     (SI), Z6
	VSUBPS      (DI), Z6, Z6
	VFMADD231PS Z6, Z6, Z2
	ADDQ        $64, SI
	ADDQ        $64, DI
	SUBQ        $16, CX

tail:
	TESTQ       CX, CX
	JZ          done
	KTAIL
	VMOVUPS.Z   (SI), K1, Z4
	VMOVUPS.Z   (DI), K1, Z5
	VSUBPS      Z5, Z4, Z4
	VFMADD231PS Z4, Z4, Z3

done:
	SUMZ
	VZEROUPPER
	MOVSS X0, ret+24(FP)
	RET

// func axpyAVX512(alpha float32, x, y *float32, n int)
TEXT ·axpyAVX512(SB), NOSPLIT, $0-32
	VBROADCASTSS alpha+0(FP), Z0
	MOVQ         x+8(FP), SI
	MOVQ         y+16(FP), DI
	MOVQ         n+24(FP), CX
	SUBQ         $64, CX
	JLT          rest

loop:
	VMOVUPS     (DI), Z4
	VMOVUPS     64(DI), Z5
	VMOVUPS     128(DI), Z6
	VMOVUPS     192(DI), Z7
	VFMADD231PS (SI), Z0, Z4
	VFMADD231PS 64(SI), Z0, Z5
	VFMADD231PS 128(SI), Z0, Z6
	VFMADD231PS 192(SI), Z0, Z7
	VMOVUPS     Z4, (DI)
	VMOVUPS     Z5, 64(DI)
	VMOVUPS     Z6, 128(DI)
	VMOVUPS     Z7, 192(DI)
	ADDQ        $256, SI
	ADDQ        $256, DI
	SUBQ        $64, CX
	JGE         loop

rest:
	ADDQ $64, CX

single:
	SUBQ        $16, CX
	JLT         tail
	VMOVUPS     (DI), Z4
	VFMADD231PS (SI), Z0, Z4
	VMOVUPS     Z4, (DI)
	ADDQ        $64, SI
	ADDQ        $64, DI
	JMP         single

tail:
	ADDQ        $16, CX
	JZ          done
	KTAIL
	VMOVUPS.Z   (SI), K1, Z4
	VMOVUPS.Z   (DI), K1, Z5
	VFMADD231PS Z4, Z0, Z5
	VMOVUPS     Z5, K1, (DI)

done:
	VZEROUPPER
	RET

// func dot64AVX512(a, b *float64, n int) float64
TEXT ·dot64AVX512(SB), NOSPLIT, $0-32
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DI
	MOVQ n+16(FP), CX
	ZERO4(Z0, Z1, Z2, Z3)
	SUBQ $32, CX
	JLT  rest

loop:
	VMOVUPD     (SI), Z4
	VMOVUPD     64(SI), Z5
	VMOVUPD     128(SI), Z6
	VMOVUPD     192(SI), Z7
	VFMADD231PD (DI), Z4, Z0
	VFMADD231PD 64(DI), Z5, Z1
	VFMADD231PD 128(DI), Z6, Z2
	VFMADD231PD 192(DI), Z7, Z3
	ADDQ        $256, SI
	ADDQ        $256, DI
	SUBQ        $32, CX
	JGE         loop

rest:
	ADDQ $32, CX

single:
	SUBQ        $8, CX
	JLT         tail
	VMOVUPD     (SI), Z4
	VFMADD231PD (DI), Z4, Z0
	ADDQ        $64, SI
	ADDQ        $64, DI
	JMP         single

tail:
	ADDQ        $8, CX
	JZ          done
	KTAIL
	VMOVUPD.Z   (SI), K1, Z4
	VMOVUPD.Z   (DI), K1, Z5
	VFMADD231PD Z5, Z4, Z3

done:
	SUMZ64
	VZEROUPPER
	MOVSD X0, ret+24(FP)
	RET

// func axpy64AVX512(alpha float64, x, y *float64, n int)
TEXT ·axpy64AVX512(SB), NOSPLIT, $0-32
	VBROADCASTSD alpha+0(FP), Z0
	MOVQ         x+8(FP), SI
	MOVQ         y+16(FP), DI
	MOVQ         n+24(FP), CX
	SUBQ         $32, CX
	JLT          rest

loop:
	VMOVUPD     (DI), Z4
	VMOVUPD     64(DI), Z5
	VMOVUPD     128(DI), Z6
	VMOVUPD     192(DI), Z7
	VFMADD231PD (SI), Z0, Z4
	VFMADD231PD 64(SI), Z0, Z5
	VFMADD231PD 128(SI), Z0, Z6
	VFMADD231PD 192(SI), Z0, Z7
	VMOVUPD     Z4, (DI)
	VMOVUPD     Z5, 64(DI)
	VMOVUPD     Z6, 128(DI)
	VMOVUPD     Z7, 192(DI)
	ADDQ        $256, SI
	ADDQ        $256, DI
	SUBQ        $32, CX
	JGE         loop

rest:
	ADDQ $32, CX

single:
	SUBQ        $8, CX
	JLT         tail
	VMOVUPD     (DI), Z4
	VFMADD231PD (SI), Z0, Z4
	VMOVUPD     Z4, (DI)
	ADDQ        $64, SI
	ADDQ        $64, DI
	JMP         single

tail:
	ADDQ        $8, CX
	JZ          done
	KTAIL
	VMOVUPD.Z   (SI), K1, Z4
	VMOVUPD.Z   (DI), K1, Z5
	VFMADD231PD Z4, Z0, Z5
	VMOVUPD     Z5, K1, (DI)

done:
	VZEROUPPER
	RET

// func stepRowsAVX512(y, sums, once, scaled, x *float32, offsets *int64, s *float32, rows int, alpha, beta, gamma float32)
TEXT ·stepRowsAVX512(SB), NOSPLIT, $0-76
	MOVQ         y+0(FP), DI
	MOVQ         sums+8(FP), SI
	MOVQ         once+16(FP), R8
	MOVQ         scaled+24(FP), R9
	MOVQ         x+32(FP), R10
	MOVQ         offsets+40(FP), R11
	MOVQ         s+48(FP), R12
	MOVQ         rows+56(FP), CX
	VMOVSS       alpha+64(FP), X6
	VBROADCASTSS beta+68(FP), Z2
	VBROADCASTSS gamma+72(FP), Z7
	MOVL         gamma+72(FP), R13
	SHLL         $1, R13                           // without its sign
	XORQ         BX, BX

rows:
	VMULSS       (R12), X6, X1
	VBROADCASTSS X1, Z1
	VMOVUPS      (SI)(BX*1), Z4
	TESTQ        R8, R8
	JEQ          scale
	MOVQ         8(R11), AX
	SUBQ         (R11), AX
	VCVTSI2SSQ   AX, X6, X0
	VBROADCASTSS X0, Z0
	VMULPS       (R9)(BX*1), Z0, Z3
	VMOVUPS      (R8)(BX*1), Z5
	VSUBPS       Z3, Z5, Z5
	VADDPS       Z5, Z4, Z4
	ADDQ         $8, R11

scale:
	VMULPS (R10)(BX*1), Z2, Z5
	VMULPS Z4, Z1, Z4
	VADDPS Z5, Z4, Z4
	TESTL  R13, R13
	JEQ    store
	VMULPS (DI)(BX*1), Z7, Z5
	VADDPS Z5, Z4, Z4

store:
	LEAQ    1024(DI)(BX*1), AX
	BYTE    $0x0F; BYTE $0x0D; BYTE $0x08 // PREFETCHW (AX), 16 rows ahead
	VMOVUPS Z4, (DI)(BX*1)
	ADDQ    $64, BX
	ADDQ    $4, R12
	DECQ    CX
	JNZ     rows
	VZEROUPPER
	RET

// func pairSumAVX512(w, v, a, b *float32, n int) float32
TEXT ·pairSumAVX512(SB), NOSPLIT, $0-44
	MOVQ         w+0(FP), R8
	MOVQ         v+8(FP), R9
	MOVQ         a+16(FP), SI
	MOVQ         b+24(FP), DI
	MOVQ         n+32(FP), CX
	MOVL         $0x7fffffff, AX
	VPBROADCASTD AX, Z31
	ZERO4(Z0, Z1, Z2, Z3)
	SUBQ         $32, CX
	JLT          rest

loop:
	VMOVUPS     (SI), Z4
	VMOVUPS     64(SI), Z5
	VMOVUPS     (DI), Z6
	VMOVUPS     64(DI), Z7
	VSUBPS      Z6, Z4, Z8
	VSUBPS      Z7, Z5, Z9
	VMULPS      Z6, Z4, Z4
	VMULPS      Z7, Z5, Z5
	VANDPS      Z31, Z8, Z8
	VANDPS      Z31, Z9, Z9
	VFMADD231PS (R8), Z4, Z0
	VFMADD231PS 64(R8), Z5, Z1
	VFMADD231PS (R9), Z8, Z2
	VFMADD231PS 64(R9), Z9, Z3
	ADDQ        $128, SI
	ADDQ        $128, DI
	ADDQ        $128, R8
	ADDQ        $128, R9
	SUBQ        $32, CX
	JGE         loop

rest:
	ADDQ        $32, CX
	CMPQ        CX, $16
	JLT         tail
	VMOVUPS     (SI), Z4
	VMOVUPS     (DI), Z6
	VSUBPS      Z6, Z4, Z8
	VMULPS      Z6, Z4, Z4
	VANDPS      Z31, Z8, Z8
	VFMADD231PS (R8), Z4, Z0
	VFMADD231PS (R9), Z8, Z2
	ADDQ        $64, SI
	ADDQ        $64, DI
	ADDQ        $64, R8
	ADDQ        $64, R9
	SUBQ        $16, CX

tail:
	TESTQ       CX, CX
	JZ          done
	KTAIL
	VMOVUPS.Z   (SI), K1, Z4
	VMOVUPS.Z   (DI), K1, Z6
	VMOVUPS.Z   (R8), K1, Z10
	VMOVUPS.Z   (R9), K1, Z11
	VSUBPS      Z6, Z4, Z8
	VMULPS      Z6, Z4, Z4
	VANDPS      Z31, Z8, Z8
	VFMADD231PS Z10, Z4, Z1
	VFMADD231PS Z11, Z8, Z3

done:
	SUMZ
	VZEROUPPER
	MOVSS X0, ret+40(FP)
	RET
