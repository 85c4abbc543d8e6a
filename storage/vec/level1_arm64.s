//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// Four sums or four independent registers are in flight; what is left of a
// vector is done one element at a time, with the same fused operations.

// func dotNEON(a, b *float32, n int) float32
TEXT ·dotNEON(SB), NOSPLIT, $0-28
	MOVD a+0(FP), R0
	MOVD b+8(FP), R1
	MOVD n+16(FP), R2
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	SUBS $16, R2
	BLT  rest

loop:
	VLD1.P 64(R0), [V4.S4, V5.S4, V6.S4, V7.S4]
	VLD1.P 64(R1), [V16.S4, V17.S4, V18.S4, V19.S4]
	VFMLA  V16.S4, V4.S4, V0.S4
	VFMLA  V17.S4, V5.S4, V1.S4
	VFMLA  V18.S4, V6.S4, V2.S4
	VFMLA  V19.S4, V7.S4, V3.S4
	SUBS   $16, R2
	BGE    loop

rest:
	ADD $16, R2

single:
	SUBS   $4, R2
	BLT    sum
	VLD1.P 16(R0), [V4.S4]
	VLD1.P 16(R1), [V16.S4]
	VFMLA  V16.S4, V4.S4, V0.S4
	B      single

sum:
	FADD4S(1, 0, 0)
	FADD4S(3, 2, 2)
	FADD4S(2, 0, 0)
	FADDP4S(0, 0, 0)
	FADDPS(0, 0)
	ADDS $4, R2
	BEQ  done

tail:
	FMOVS.P 4(R0), F4
	FMOVS.P 4(R1), F5
	FMADDS  F5, F0, F4, F0
	SUBS    $1, R2
	BGT     tail

done:
	FMOVS F0, ret+24(FP)
	RET

// func l2SquaredNEON(a, b *float32, n int) float32
TEXT ·l2SquaredNEON(SB), NOSPLIT, $0-28
	MOVD a+0(FP), R0
	MOVD b+8(FP), R1
	MOVD n+16(FP), R2
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	SUBS $16, R2
	BLT  rest

loop:
	VLD1.P 64(R0), [V4.S4, V5.S4, V6.S4, V7.S4]
	VLD1.P 64(R1), [V16.S4, V17.S4, V18.S4, V19.S4]
	FSUB4S(16, 4, 4)
	FSUB4S(17, 5, 5)
	FSUB4S(18, 6, 6)
	FSUB4S(19, 7, 7)
	VFMLA  V4.S4, V4.S4, V0.S4
	VFMLA  V5.S4, V5.S4, V1.S4
	VFMLA  V6.S4, V6.S4, V2.S4
	VFMLA  V7.S4, V7.S4, V3.S4
	SUBS   $16, R2
	BGE    loop

rest:
	ADD $16, R2

single:
	SUBS   $4, R2
	BLT    sum
	VLD1.P 16(R0), [V4.S4]
	VLD1.P 16(R1), [V16.S4]
	FSUB4S(16, 4, 4)
	VFMLA  V4.S4, V4.S4, V0.S4
	B      single

sum:
	FADD4S(1, 0, 0)
	FADD4S(3, 2, 2)
	FADD4S(2, 0, 0)
	FADDP4S(0, 0, 0)
	FADDPS(0, 0)
	ADDS $4, R2
	BEQ  done

tail:
	FMOVS.P 4(R0), F4
	FMOVS.P 4(R1), F5
	FSUBS   F5, F4, F4
	FMADDS  F4, F0, F4, F0
	SUBS    $1, R2
	BGT     tail

done:
	FMOVS F0, ret+24(FP)
	RET

// func axpyNEON(alpha float32, x, y *float32, n int)
TEXT ·axpyNEON(SB), NOSPLIT, $0-32
	FMOVS alpha+0(FP), F0
	VDUP  V0.S[0], V1.S4
	MOVD  x+8(FP), R0
	MOVD  y+16(FP), R1
	MOVD  n+24(FP), R2
	SUBS  $16, R2
	BLT   rest

loop:
	VLD1.P 64(R0), [V4.S4, V5.S4, V6.S4, V7.S4]
	VLD1   (R1), [V16.S4, V17.S4, V18.S4, V19.S4]
	VFMLA  V4.S4, V1.S4, V16.S4
	VFMLA  V5.S4, V1.S4, V17.S4
	VFMLA  V6.S4, V1.S4, V18.S4
	VFMLA  V7.S4, V1.S4, V19.S4
	VST1.P [V16.S4, V17.S4, V18.S4, V19.S4], 64(R1)
	SUBS   $16, R2
	BGE    loop

rest:
	ADD $16, R2

single:
	SUBS   $4, R2
	BLT    tail
	VLD1.P 16(R0), [V4.S4]
	VLD1   (R1), [V16.S4]
	VFMLA  V4.S4, V1.S4, V16.S4
	VST1.P [V16.S4], 16(R1)
	B      single

tail:
	ADDS $4, R2
	BEQ  done

last:
	FMOVS.P 4(R0), F4
	FMOVS   (R1), F5
	FMADDS  F4, F5, F0, F5
	FMOVS.P F5, 4(R1)
	SUBS    $1, R2
	BGT     last

done:
	RET

// func dot64NEON(a, b *float64, n int) float64
TEXT ·dot64NEON(SB), NOSPLIT, $0-32
	MOVD a+0(FP), R0
	MOVD b+8(FP), R1
	MOVD n+16(FP), R2
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	SUBS $8, R2
	BLT  rest

loop:
	VLD1.P 64(R0), [V4.D2, V5.D2, V6.D2, V7.D2]
	VLD1.P 64(R1), [V16.D2, V17.D2, V18.D2, V19.D2]
	VFMLA  V16.D2, V4.D2, V0.D2
	VFMLA  V17.D2, V5.D2, V1.D2
	VFMLA  V18.D2, V6.D2, V2.D2
	VFMLA  V19.D2, V7.D2, V3.D2
	SUBS   $8, R2
	BGE    loop

rest:
	FADD2D(1, 0, 0)
	FADD2D(3, 2, 2)
	FADD2D(2, 0, 0)
	FADDPD(0, 0)
	ADDS $8, R2
	BEQ  done

tail:
	FMOVD.P 8(R0), F4
	FMOVD.P 8(R1), F5
	FMADDD  F5, F0, F4, F0
	SUBS    $1, R2
	BGT     tail

done:
	FMOVD F0, ret+24(FP)
	RET

// func axpy64NEON(alpha float64, x, y *float64, n int)
TEXT ·axpy64NEON(SB), NOSPLIT, $0-32
	FMOVD alpha+0(FP), F0
	VDUP  V0.D[0], V1.D2
	MOVD  x+8(FP), R0
	MOVD  y+16(FP), R1
	MOVD  n+24(FP), R2
	SUBS  $8, R2
	BLT   rest

loop:
	VLD1.P 64(R0), [V4.D2, V5.D2, V6.D2, V7.D2]
	VLD1   (R1), [V16.D2, V17.D2, V18.D2, V19.D2]
	VFMLA  V4.D2, V1.D2, V16.D2
	VFMLA  V5.D2, V1.D2, V17.D2
	VFMLA  V6.D2, V1.D2, V18.D2
	VFMLA  V7.D2, V1.D2, V19.D2
	VST1.P [V16.D2, V17.D2, V18.D2, V19.D2], 64(R1)
	SUBS   $8, R2
	BGE    loop

rest:
	ADDS $8, R2
	BEQ  done

tail:
	FMOVD.P 8(R0), F4
	FMOVD   (R1), F5
	FMADDD  F4, F5, F0, F5
	FMOVD.P F5, 8(R1)
	SUBS    $1, R2
	BGT     tail

done:
	RET

// func rot64NEON(x, y *float64, n int, c, s float64)
TEXT ·rot64NEON(SB), NOSPLIT, $0-40
	MOVD  x+0(FP), R0
	MOVD  y+8(FP), R1
	MOVD  n+16(FP), R2
	FMOVD c+24(FP), F0
	FMOVD s+32(FP), F1
	VDUP  V0.D[0], V2.D2
	VDUP  V1.D[0], V3.D2
	SUBS  $4, R2
	BLT   rest

loop:
	VLD1   (R0), [V4.D2, V5.D2]
	VLD1   (R1), [V6.D2, V7.D2]
	FMUL2D(2, 4, 16)
	FMUL2D(2, 5, 17)
	FMUL2D(2, 6, 18)
	FMUL2D(2, 7, 19)
	VFMLA  V6.D2, V3.D2, V16.D2
	VFMLA  V7.D2, V3.D2, V17.D2
	VFMLS  V4.D2, V3.D2, V18.D2
	VFMLS  V5.D2, V3.D2, V19.D2
	VST1.P [V16.D2, V17.D2], 32(R0)
	VST1.P [V18.D2, V19.D2], 32(R1)
	SUBS   $4, R2
	BGE    loop

rest:
	ADDS $4, R2
	BEQ  done

tail:
	FMOVD   (R0), F4
	FMOVD   (R1), F6
	FMULD   F0, F4, F16
	FMULD   F0, F6, F18
	FMADDD  F6, F16, F1, F16 // F16 + F1·F6
	FMSUBD  F4, F18, F1, F18 // F18 − F1·F4
	FMOVD.P F16, 8(R0)
	FMOVD.P F18, 8(R1)
	SUBS    $1, R2
	BGT     tail

done:
	RET

// func stepRowNEON(y, sum, once, scaled, x *[16]float32, d, s, beta, gamma float32)
TEXT ·stepRowNEON(SB), NOSPLIT, $0-56
	MOVD  y+0(FP), R0
	MOVD  sum+8(FP), R1
	MOVD  once+16(FP), R2
	MOVD  scaled+24(FP), R3
	MOVD  x+32(FP), R4
	FMOVS d+40(FP), F0
	FMOVS s+44(FP), F1
	FMOVS beta+48(FP), F2
	FMOVS gamma+52(FP), F3
	VDUP  V0.S[0], V0.S4
	VDUP  V1.S[0], V1.S4
	VDUP  V2.S[0], V2.S4
	VLD1  (R3), [V4.S4, V5.S4, V6.S4, V7.S4]
	VLD1  (R2), [V16.S4, V17.S4, V18.S4, V19.S4]
	VLD1  (R1), [V20.S4, V21.S4, V22.S4, V23.S4]
	VLD1  (R4), [V24.S4, V25.S4, V26.S4, V27.S4]
	FMUL4S(0, 4, 4)
	FSUB4S(4, 16, 16)
	FADD4S(16, 20, 20)
	FMUL4S(1, 20, 20)
	FMUL4S(2, 24, 24)
	FADD4S(24, 20, 20)
	FMUL4S(0, 5, 5)
	FSUB4S(5, 17, 17)
	FADD4S(17, 21, 21)
	FMUL4S(1, 21, 21)
	FMUL4S(2, 25, 25)
	FADD4S(25, 21, 21)
	FMUL4S(0, 6, 6)
	FSUB4S(6, 18, 18)
	FADD4S(18, 22, 22)
	FMUL4S(1, 22, 22)
	FMUL4S(2, 26, 26)
	FADD4S(26, 22, 22)
	FMUL4S(0, 7, 7)
	FSUB4S(7, 19, 19)
	FADD4S(19, 23, 23)
	FMUL4S(1, 23, 23)
	FMUL4S(2, 27, 27)
	FADD4S(27, 23, 23)
	FCMPS $(0.0), F3
	BEQ   store
	VDUP  V3.S[0], V3.S4
	VLD1  (R0), [V4.S4, V5.S4, V6.S4, V7.S4]
	FMUL4S(3, 4, 4)
	FADD4S(4, 20, 20)
	FMUL4S(3, 5, 5)
	FADD4S(5, 21, 21)
	FMUL4S(3, 6, 6)
	FADD4S(6, 22, 22)
	FMUL4S(3, 7, 7)
	FADD4S(7, 23, 23)

store:
	VST1 [V20.S4, V21.S4, V22.S4, V23.S4], (R0)
	RET

// func pairSumNEON(w, v, a, b *float32, n int) float32
TEXT ·pairSumNEON(SB), NOSPLIT, $0-44
	MOVD w+0(FP), R3
	MOVD v+8(FP), R4
	MOVD a+16(FP), R0
	MOVD b+24(FP), R1
	MOVD n+32(FP), R2
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	SUBS $8, R2
	BLT  rest

loop:
	VLD1.P 32(R0), [V4.S4, V5.S4]
	VLD1.P 32(R1), [V6.S4, V7.S4]
	VLD1.P 32(R3), [V16.S4, V17.S4]
	VLD1.P 32(R4), [V18.S4, V19.S4]
	FABD4S(6, 4, 20)
	FABD4S(7, 5, 21)
	FMUL4S(6, 4, 4)
	FMUL4S(7, 5, 5)
	VFMLA  V16.S4, V4.S4, V0.S4
	VFMLA  V17.S4, V5.S4, V1.S4
	VFMLA  V18.S4, V20.S4, V2.S4
	VFMLA  V19.S4, V21.S4, V3.S4
	SUBS   $8, R2
	BGE    loop

rest:
	FADD4S(1, 0, 0)
	FADD4S(3, 2, 2)
	FADD4S(2, 0, 0)
	FADDP4S(0, 0, 0)
	FADDPS(0, 0)
	ADDS $8, R2
	BEQ  done

tail:
	FMOVS.P 4(R0), F4
	FMOVS.P 4(R1), F6
	FMOVS.P 4(R3), F16
	FMOVS.P 4(R4), F18
	FSUBS   F6, F4, F5
	FABSS   F5, F5
	FMULS   F6, F4, F4
	FMADDS  F16, F0, F4, F0
	FMADDS  F18, F0, F5, F0
	SUBS    $1, R2
	BGT     tail

done:
	FMOVS F0, ret+40(FP)
	RET
