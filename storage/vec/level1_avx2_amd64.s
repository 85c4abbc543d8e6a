//go:build !purego

#include "textflag.h"

// A window of 8 lanes into this table that begins n lanes before the middle
// selects the first n lanes of a YMM register.
DATA lanes<>+0(SB)/8, $-1
DATA lanes<>+8(SB)/8, $-1
DATA lanes<>+16(SB)/8, $-1
DATA lanes<>+24(SB)/8, $-1
DATA lanes<>+32(SB)/8, $0
DATA lanes<>+40(SB)/8, $0
DATA lanes<>+48(SB)/8, $0
DATA lanes<>+56(SB)/8, $0
GLOBL lanes<>(SB), RODATA|NOPTR, $64

// As the AVX-512 routines, with 8 lanes.

// YTAIL sets Y15 to the first CX lanes of scale bytes, CX·scale < 32.
#define YTAIL(scale) \
	NEGQ    CX                       \
	LEAQ    lanes<>+32(SB), AX       \
	VMOVDQU (AX)(CX*scale), Y15

// SUMY adds the four sums in Y0 to Y3 and all lanes, into the low lane of X0.
#define SUMY \
	VADDPS       Y1, Y0, Y0  \
	VADDPS       Y3, Y2, Y2  \
	VADDPS       Y2, Y0, Y0  \
	VEXTRACTF128 $1, Y0, X1  \
	VADDPS       X1, X0, X0  \
	VHADDPS      X0, X0, X0  \
	VHADDPS      X0, X0, X0

#define SUMY64 \
	VADDPD       Y1, Y0, Y0  \
	VADDPD       Y3, Y2, Y2  \
	VADDPD       Y2, Y0, Y0  \
	VEXTRACTF128 $1, Y0, X1  \
	VADDPD       X1, X0, X0  \
	VHADDPD      X0, X0, X0

#define ZERO4(a, b, c, d) \
	VXORPS a, a, a \
	VXORPS b, b, b \
	VXORPS c, c, c \
	VXORPS d, d, d

// func dotAVX2(a, b *float32, n int) float32
TEXT ·dotAVX2(SB), NOSPLIT, $0-28
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DI
	MOVQ n+16(FP), CX
	ZERO4(Y0, Y1, Y2, Y3)
	SUBQ $32, CX
	JLT  rest

loop:
	VMOVUPS     (SI), Y4
	VMOVUPS     32(SI), Y5
	VMOVUPS     64(SI), Y6
	VMOVUPS     96(SI), Y7
	VFMADD231PS (DI), Y4, Y0
	VFMADD231PS 32(DI), Y5, Y1
	VFMADD231PS 64(DI), Y6, Y2
	VFMADD231PS 96(DI), Y7, Y3
	ADDQ        $128, SI
	ADDQ        $128, DI
	SUBQ        $32, CX
	JGE         loop

rest:
	ADDQ $32, CX

single:
	SUBQ        $8, CX
	JLT         tail
	VMOVUPS     (SI), Y4
	VFMADD231PS (DI), Y4, Y0
	ADDQ        $32, SI
	ADDQ        $32, DI
	JMP         single

tail:
	ADDQ        $8, CX
	JZ          done
	YTAIL(4)
	VMASKMOVPS  (SI), Y15, Y4
	VMASKMOVPS  (DI), Y15, Y5
	VFMADD231PS Y5, Y4, Y3

done:
	SUMY
	VZEROUPPER
	MOVSS X0, ret+24(FP)
	RET

// func l2SquaredAVX2(a, b *float32, n int) float32
TEXT ·l2SquaredAVX2(SB), NOSPLIT, $0-28
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DI
	MOVQ n+16(FP), CX
	ZERO4(Y0, Y1, Y2, Y3)
	SUBQ $32, CX
	JLT  rest

loop:
	VMOVUPS     (SI), Y4
	VMOVUPS     32(SI), Y5
	VMOVUPS     64(SI), Y6
	VMOVUPS     96(SI), Y7
	VSUBPS      (DI), Y4, Y4
	VSUBPS      32(DI), Y5, Y5
	VSUBPS      64(DI), Y6, Y6
	VSUBPS      96(DI), Y7, Y7
	VFMADD231PS Y4, Y4, Y0
	VFMADD231PS Y5, Y5, Y1
	VFMADD231PS Y6, Y6, Y2
	VFMADD231PS Y7, Y7, Y3
	ADDQ        $128, SI
	ADDQ        $128, DI
	SUBQ        $32, CX
	JGE         loop

rest:
	ADDQ $32, CX

single:
	SUBQ        $8, CX
	JLT         tail
	VMOVUPS     (SI), Y4
	VSUBPS      (DI), Y4, Y4
	VFMADD231PS Y4, Y4, Y0
	ADDQ        $32, SI
	ADDQ        $32, DI
	JMP         single

tail:
	ADDQ        $8, CX
	JZ          done
	YTAIL(4)
	VMASKMOVPS  (SI), Y15, Y4
	VMASKMOVPS  (DI), Y15, Y5
	VSUBPS      Y5, Y4, Y4
	VFMADD231PS Y4, Y4, Y3

done:
	SUMY
	VZEROUPPER
	MOVSS X0, ret+24(FP)
	RET

// func axpyAVX2(alpha float32, x, y *float32, n int)
TEXT ·axpyAVX2(SB), NOSPLIT, $0-32
	VBROADCASTSS alpha+0(FP), Y0
	MOVQ         x+8(FP), SI
	MOVQ         y+16(FP), DI
	MOVQ         n+24(FP), CX
	SUBQ         $32, CX
	JLT          rest

loop:
	VMOVUPS     (DI), Y4
	VMOVUPS     32(DI), Y5
	VMOVUPS     64(DI), Y6
	VMOVUPS     96(DI), Y7
	VFMADD231PS (SI), Y0, Y4
	VFMADD231PS 32(SI), Y0, Y5
	VFMADD231PS 64(SI), Y0, Y6
	VFMADD231PS 96(SI), Y0, Y7
	VMOVUPS     Y4, (DI)
	VMOVUPS     Y5, 32(DI)
	VMOVUPS     Y6, 64(DI)
	VMOVUPS     Y7, 96(DI)
	ADDQ        $128, SI
	ADDQ        $128, DI
	SUBQ        $32, CX
	JGE         loop

rest:
	ADDQ $32, CX

single:
	SUBQ        $8, CX
	JLT         tail
	VMOVUPS     (DI), Y4
	VFMADD231PS (SI), Y0, Y4
	VMOVUPS     Y4, (DI)
	ADDQ        $32, SI
	ADDQ        $32, DI
	JMP         single

tail:
	ADDQ        $8, CX
	JZ          done
	YTAIL(4)
	VMASKMOVPS  (SI), Y15, Y4
	VMASKMOVPS  (DI), Y15, Y5
	VFMADD231PS Y4, Y0, Y5
	VMASKMOVPS  Y5, Y15, (DI)

done:
	VZEROUPPER
	RET

// func dot64AVX2(a, b *float64, n int) float64
TEXT ·dot64AVX2(SB), NOSPLIT, $0-32
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DI
	MOVQ n+16(FP), CX
	ZERO4(Y0, Y1, Y2, Y3)
	SUBQ $16, CX
	JLT  rest

loop:
	VMOVUPD     (SI), Y4
	VMOVUPD     32(SI), Y5
	VMOVUPD     64(SI), Y6
	VMOVUPD     96(SI), Y7
	VFMADD231PD (DI), Y4, Y0
	VFMADD231PD 32(DI), Y5, Y1
	VFMADD231PD 64(DI), Y6, Y2
	VFMADD231PD 96(DI), Y7, Y3
	ADDQ        $128, SI
	ADDQ        $128, DI
	SUBQ        $16, CX
	JGE         loop

rest:
	ADDQ $16, CX

single:
	SUBQ        $4, CX
	JLT         tail
	VMOVUPD     (SI), Y4
	VFMADD231PD (DI), Y4, Y0
	ADDQ        $32, SI
	ADDQ        $32, DI
	JMP         single

tail:
	ADDQ        $4, CX
	JZ          done
	YTAIL(8)
	VMASKMOVPD  (SI), Y15, Y4
	VMASKMOVPD  (DI), Y15, Y5
	VFMADD231PD Y5, Y4, Y3

done:
	SUMY64
	VZEROUPPER
	MOVSD X0, ret+24(FP)
	RET

// func axpy64AVX2(alpha float64, x, y *float64, n int)
TEXT ·axpy64AVX2(SB), NOSPLIT, $0-32
	VBROADCASTSD alpha+0(FP), Y0
	MOVQ         x+8(FP), SI
	MOVQ         y+16(FP), DI
	MOVQ         n+24(FP), CX
	SUBQ         $16, CX
	JLT          rest

loop:
	VMOVUPD     (DI), Y4
	VMOVUPD     32(DI), Y5
	VMOVUPD     64(DI), Y6
	VMOVUPD     96(DI), Y7
	VFMADD231PD (SI), Y0, Y4
	VFMADD231PD 32(SI), Y0, Y5
	VFMADD231PD 64(SI), Y0, Y6
	VFMADD231PD 96(SI), Y0, Y7
	VMOVUPD     Y4, (DI)
	VMOVUPD     Y5, 32(DI)
	VMOVUPD     Y6, 64(DI)
	VMOVUPD     Y7, 96(DI)
	ADDQ        $128, SI
	ADDQ        $128, DI
	SUBQ        $16, CX
	JGE         loop

rest:
	ADDQ $16, CX

single:
	SUBQ        $4, CX
	JLT         tail
	VMOVUPD     (DI), Y4
	VFMADD231PD (SI), Y0, Y4
	VMOVUPD     Y4, (DI)
	ADDQ        $32, SI
	ADDQ        $32, DI
	JMP         single

tail:
	ADDQ        $4, CX
	JZ          done
	YTAIL(8)
	VMASKMOVPD  (SI), Y15, Y4
	VMASKMOVPD  (DI), Y15, Y5
	VFMADD231PD Y4, Y0, Y5
	VMASKMOVPD  Y5, Y15, (DI)

done:
	VZEROUPPER
	RET

// func stepRowAVX2(y, sum, once, scaled, x *[16]float32, d, s, beta, gamma float32)
TEXT ·stepRowAVX2(SB), NOSPLIT, $0-56
	MOVQ         y+0(FP), DI
	MOVQ         sum+8(FP), SI
	MOVQ         once+16(FP), R8
	MOVQ         scaled+24(FP), R9
	MOVQ         x+32(FP), R10
	VBROADCASTSS d+40(FP), Y0
	VBROADCASTSS s+44(FP), Y1
	VBROADCASTSS beta+48(FP), Y2
	VMULPS       (R9), Y0, Y3
	VMOVUPS      (R8), Y4
	VSUBPS       Y3, Y4, Y4
	VADDPS       (SI), Y4, Y4
	VMULPS       Y4, Y1, Y4
	VMULPS       (R10), Y2, Y3
	VADDPS       Y3, Y4, Y4
	VMULPS       32(R9), Y0, Y5
	VMOVUPS      32(R8), Y6
	VSUBPS       Y5, Y6, Y6
	VADDPS       32(SI), Y6, Y6
	VMULPS       Y6, Y1, Y6
	VMULPS       32(R10), Y2, Y5
	VADDPS       Y5, Y6, Y6
	MOVL         gamma+52(FP), AX
	SHLL         $1, AX // without its sign
	JEQ          store
	VBROADCASTSS gamma+52(FP), Y7
	VMULPS       (DI), Y7, Y3
	VMULPS       32(DI), Y7, Y5
	VADDPS       Y3, Y4, Y4
	VADDPS       Y5, Y6, Y6

store:
	VMOVUPS Y4, (DI)
	VMOVUPS Y6, 32(DI)
	VZEROUPPER
	RET

// A quarter of the row that one rotation leaves to the next stays in each of Y0 to Y3.

#define TURN(off, x) \
	VMOVUPD      (off-128)(DI), Y6 \
	VMULPD       x, Y4, Y7         \
	VMULPD       Y6, Y4, Y8        \
	VFMADD231PD  Y6, Y5, Y7        \
	VFNMADD213PD Y8, Y5, x         \
	VMOVUPD      Y7, off(DI)

// func rotateRows64AVX2(row *float64, n int, turns *float64)
TEXT ·rotateRows64AVX2(SB), NOSPLIT, $0-24
	MOVQ    row+0(FP), DI
	MOVQ    n+8(FP), CX
	MOVQ    turns+16(FP), SI
	VMOVUPD (DI), Y0
	VMOVUPD 32(DI), Y1
	VMOVUPD 64(DI), Y2
	VMOVUPD 96(DI), Y3

loop:
	VBROADCASTSD (SI), Y4
	VBROADCASTSD 8(SI), Y5
	TURN(0, Y0)
	TURN(32, Y1)
	TURN(64, Y2)
	TURN(96, Y3)
	SUBQ         $128, DI
	ADDQ         $16, SI
	DECQ         CX
	JNZ          loop
	VMOVUPD      Y0, (DI)
	VMOVUPD      Y1, 32(DI)
	VMOVUPD      Y2, 64(DI)
	VMOVUPD      Y3, 96(DI)
	VZEROUPPER
	RET

// func pairSumAVX2(w, v, a, b *float32, n int) float32
TEXT ·pairSumAVX2(SB), NOSPLIT, $0-44
	MOVQ     w+0(FP), R8
	MOVQ     v+8(FP), R9
	MOVQ     a+16(FP), SI
	MOVQ     b+24(FP), DI
	MOVQ     n+32(FP), CX
	VPCMPEQD Y14, Y14, Y14
	VPSRLD   $1, Y14, Y14  // all but the sign
	ZERO4(Y0, Y1, Y2, Y3)
	SUBQ     $16, CX
	JLT      rest

loop:
	VMOVUPS     (SI), Y4
	VMOVUPS     32(SI), Y5
	VMOVUPS     (DI), Y6
	VMOVUPS     32(DI), Y7
	VSUBPS      Y6, Y4, Y8
	VSUBPS      Y7, Y5, Y9
	VMULPS      Y6, Y4, Y4
	VMULPS      Y7, Y5, Y5
	VANDPS      Y14, Y8, Y8
	VANDPS      Y14, Y9, Y9
	VFMADD231PS (R8), Y4, Y0
	VFMADD231PS 32(R8), Y5, Y1
	VFMADD231PS (R9), Y8, Y2
	VFMADD231PS 32(R9), Y9, Y3
	ADDQ        $64, SI
	ADDQ        $64, DI
	ADDQ        $64, R8
	ADDQ        $64, R9
	SUBQ        $16, CX
	JGE         loop

rest:
	ADDQ        $16, CX
	CMPQ        CX, $8
	JLT         tail
	VMOVUPS     (SI), Y4
	VMOVUPS     (DI), Y6
	VSUBPS      Y6, Y4, Y8
	VMULPS      Y6, Y4, Y4
	VANDPS      Y14, Y8, Y8
	VFMADD231PS (R8), Y4, Y0
	VFMADD231PS (R9), Y8, Y2
	ADDQ        $32, SI
	ADDQ        $32, DI
	ADDQ        $32, R8
	ADDQ        $32, R9
	SUBQ        $8, CX

tail:
	TESTQ       CX, CX
	JZ          done
	YTAIL(4)
	VMASKMOVPS  (SI), Y15, Y4
	VMASKMOVPS  (DI), Y15, Y6
	VMASKMOVPS  (R8), Y15, Y10
	VMASKMOVPS  (R9), Y15, Y11
	VSUBPS      Y6, Y4, Y8
	VMULPS      Y6, Y4, Y4
	VANDPS      Y14, Y8, Y8
	VFMADD231PS Y10, Y4, Y1
	VFMADD231PS Y11, Y8, Y3

done:
	SUMY
	VZEROUPPER
	MOVSS X0, ret+40(FP)
	RET
