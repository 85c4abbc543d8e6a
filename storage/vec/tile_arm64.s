//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// The tile goes over k four times, for 12 rows and 8 columns each: V8 to V31
// are the sums, V0 and V1 the row of b, V2 to V7 elements of a in all lanes.
// Three pointers to rows 0, 4 and 8 keep the chains of additions to an address
// short.

#define TWO(p, v, c0, c1) \
	VLD1R.P (p)(R8), [v.S4]            \
	VFMLA   V0.S4, v.S4, c0.S4         \
	VFMLA   V1.S4, v.S4, c1.S4

#define LAST(p, v, c0, c1) \
	VLD1R.P (p)(R9), [v.S4]            \
	VFMLA   V0.S4, v.S4, c0.S4         \
	VFMLA   V1.S4, v.S4, c1.S4

// func tileNEON(c *float32, add bool, k int, a *float32, rowStep, kStep uintptr, b *float32)
TEXT ·tileNEON(SB), NOSPLIT, $0-56
	MOVD  c+0(FP), R0
	MOVBU add+8(FP), R1
	MOVD  k+16(FP), R2
	MOVD  a+24(FP), R3
	MOVD  rowStep+32(FP), R8
	MOVD  kStep+40(FP), R9
	MOVD  b+48(FP), R4
	LSL   $2, R8, R10
	SUB   R8, R9, R9
	SUB   R8<<1, R9, R9 // from the last row of three steps to the next product
	MOVD  $128, R15
	MOVD  $4, R14

quarter:
	MOVD R2, R7
	MOVD R4, R5
	MOVD R3, R11
	ADD  R10, R11, R12
	ADD  R10, R12, R13
	CBNZ R1, load
	VEOR V8.B16, V8.B16, V8.B16
	VEOR V9.B16, V9.B16, V9.B16
	VEOR V10.B16, V10.B16, V10.B16
	VEOR V11.B16, V11.B16, V11.B16
	VEOR V12.B16, V12.B16, V12.B16
	VEOR V13.B16, V13.B16, V13.B16
	VEOR V14.B16, V14.B16, V14.B16
	VEOR V15.B16, V15.B16, V15.B16
	VEOR V16.B16, V16.B16, V16.B16
	VEOR V17.B16, V17.B16, V17.B16
	VEOR V18.B16, V18.B16, V18.B16
	VEOR V19.B16, V19.B16, V19.B16
	VEOR V20.B16, V20.B16, V20.B16
	VEOR V21.B16, V21.B16, V21.B16
	VEOR V22.B16, V22.B16, V22.B16
	VEOR V23.B16, V23.B16, V23.B16
	VEOR V24.B16, V24.B16, V24.B16
	VEOR V25.B16, V25.B16, V25.B16
	VEOR V26.B16, V26.B16, V26.B16
	VEOR V27.B16, V27.B16, V27.B16
	VEOR V28.B16, V28.B16, V28.B16
	VEOR V29.B16, V29.B16, V29.B16
	VEOR V30.B16, V30.B16, V30.B16
	VEOR V31.B16, V31.B16, V31.B16
	B    begin

load:
	MOVD   R0, R6
	VLD1.P (R6)(R15), [V8.S4, V9.S4]
	VLD1.P (R6)(R15), [V10.S4, V11.S4]
	VLD1.P (R6)(R15), [V12.S4, V13.S4]
	VLD1.P (R6)(R15), [V14.S4, V15.S4]
	VLD1.P (R6)(R15), [V16.S4, V17.S4]
	VLD1.P (R6)(R15), [V18.S4, V19.S4]
	VLD1.P (R6)(R15), [V20.S4, V21.S4]
	VLD1.P (R6)(R15), [V22.S4, V23.S4]
	VLD1.P (R6)(R15), [V24.S4, V25.S4]
	VLD1.P (R6)(R15), [V26.S4, V27.S4]
	VLD1.P (R6)(R15), [V28.S4, V29.S4]
	VLD1.P (R6)(R15), [V30.S4, V31.S4]

begin:
	CBZ R7, store

loop:
	VLD1.P (R5)(R15), [V0.S4, V1.S4]
	TWO(R11, V2, V8, V9)
	TWO(R12, V3, V16, V17)
	TWO(R13, V4, V24, V25)
	TWO(R11, V5, V10, V11)
	TWO(R12, V6, V18, V19)
	TWO(R13, V7, V26, V27)
	TWO(R11, V2, V12, V13)
	TWO(R12, V3, V20, V21)
	TWO(R13, V4, V28, V29)
	LAST(R11, V5, V14, V15)
	LAST(R12, V6, V22, V23)
	LAST(R13, V7, V30, V31)
	SUBS $1, R7
	BNE  loop

store:
	MOVD   R0, R6
	VST1.P [V8.S4, V9.S4], (R6)(R15)
	VST1.P [V10.S4, V11.S4], (R6)(R15)
	VST1.P [V12.S4, V13.S4], (R6)(R15)
	VST1.P [V14.S4, V15.S4], (R6)(R15)
	VST1.P [V16.S4, V17.S4], (R6)(R15)
	VST1.P [V18.S4, V19.S4], (R6)(R15)
	VST1.P [V20.S4, V21.S4], (R6)(R15)
	VST1.P [V22.S4, V23.S4], (R6)(R15)
	VST1.P [V24.S4, V25.S4], (R6)(R15)
	VST1.P [V26.S4, V27.S4], (R6)(R15)
	VST1.P [V28.S4, V29.S4], (R6)(R15)
	VST1.P [V30.S4, V31.S4], (R6)(R15)
	ADD    $32, R0
	ADD    $32, R4
	SUBS   $1, R14
	BNE    quarter
	RET

// BITS adds to V6 the bits of four columns that are greater than the limit:
// colNorms in n, weights in w.
#define BITS(n, w, c, creg) \
	FADD4S(n, 0, 1)                        \
	VFMLS creg.S4, V31.S4, V1.S4           \
	FCMGT4S(30, 1, 1)                      \
	VAND  w.B16, V1.B16, V1.B16            \
	VORR  V1.B16, V6.B16, V6.B16

// func tileWithinNEON(mask *uint32, c, rowNorms, colNorms *float32, limit float32) bool
TEXT ·tileWithinNEON(SB), NOSPLIT, $0-41
	MOVD  mask+0(FP), R0
	MOVD  c+8(FP), R1
	MOVD  rowNorms+16(FP), R2
	MOVD  colNorms+24(FP), R3
	FMOVS limit+32(FP), F30
	VDUP  V30.S[0], V30.S4
	FMOVS $2.0, F31
	VDUP  V31.S[0], V31.S4

	// V16 to V23: the norms; V8 to V15: the bit of each column.
	VLD1.P 64(R3), [V16.S4, V17.S4, V18.S4, V19.S4]
	VLD1.P 64(R3), [V20.S4, V21.S4, V22.S4, V23.S4]
	MOVD   $0x0000000200000001, R4
	VMOV   R4, V8.D[0]
	MOVD   $0x0000000800000004, R4
	VMOV   R4, V8.D[1]
	VSHL   $4, V8.S4, V9.S4
	VSHL   $8, V8.S4, V10.S4
	VSHL   $12, V8.S4, V11.S4
	VSHL   $16, V8.S4, V12.S4
	VSHL   $20, V8.S4, V13.S4
	VSHL   $24, V8.S4, V14.S4
	VSHL   $28, V8.S4, V15.S4
	MOVD   $12, R5
	MOVD   ZR, R6

rows:
	VLD1R.P 4(R2), [V0.S4]
	VEOR    V6.B16, V6.B16, V6.B16
	VLD1.P  64(R1), [V24.S4, V25.S4, V26.S4, V27.S4]
	BITS(16, V8, 24, V24)
	BITS(17, V9, 25, V25)
	BITS(18, V10, 26, V26)
	BITS(19, V11, 27, V27)
	VLD1.P  64(R1), [V24.S4, V25.S4, V26.S4, V27.S4]
	BITS(20, V12, 24, V24)
	BITS(21, V13, 25, V25)
	BITS(22, V14, 26, V26)
	BITS(23, V15, 27, V27)
	VADDV   V6.S4, V6    // the bits of the lanes are apart
	VMOV    V6.S[0], R7
	MVNW    R7, R7
	MOVW.P  R7, 4(R0)
	ORR     R7, R6
	SUBS    $1, R5
	BNE     rows
	CMPW    $0, R6
	CSET    NE, R6
	MOVB    R6, ret+40(FP)
	RET

// func tileAdd64NEON(acc *float64, c *float32)
TEXT ·tileAdd64NEON(SB), NOSPLIT, $0-16
	MOVD acc+0(FP), R0
	MOVD c+8(FP), R1
	MOVD $48, R2

loop:
	VLD1.P 32(R1), [V0.S4, V1.S4]
	VLD1   (R0), [V4.D2, V5.D2, V6.D2, V7.D2]
	FCVTL2D(0, 16)
	FCVTL2D2(0, 17)
	FCVTL2D(1, 18)
	FCVTL2D2(1, 19)
	FADD2D(16, 4, 4)
	FADD2D(17, 5, 5)
	FADD2D(18, 6, 6)
	FADD2D(19, 7, 7)
	VST1.P [V4.D2, V5.D2, V6.D2, V7.D2], 64(R0)
	SUBS   $1, R2
	BNE    loop
	RET

// func tileStoreNEON(y *float32, step uintptr, rows, cols int, beta, alpha float32, c *float32)
TEXT ·tileStoreNEON(SB), NOSPLIT, $0-48
	MOVD  y+0(FP), R0
	MOVD  step+8(FP), R1
	MOVD  rows+16(FP), R2
	MOVD  cols+24(FP), R3
	FMOVS beta+32(FP), F30
	FMOVS alpha+36(FP), F31
	MOVD  c+40(FP), R4
	VDUP  V30.S[0], V28.S4
	VDUP  V31.S[0], V29.S4
	FCMPS $(0.0), F30
	CSET  NE, R5            // beta is not zero, or NaN
	LSR   $2, R3, R6        // full groups of 4 columns
	AND   $3, R3            // columns left

rows:
	MOVD R0, R7
	MOVD R4, R8
	MOVD R6, R9
	CBZ  R9, tail

groups:
	VLD1.P 16(R8), [V0.S4]
	FMUL4S(29, 0, 0)
	CBZ    R5, put
	VLD1   (R7), [V1.S4]
	VFMLA  V1.S4, V28.S4, V0.S4

put:
	VST1.P [V0.S4], 16(R7)
	SUBS   $1, R9
	BNE    groups

tail:
	MOVD R3, R9
	CBZ  R9, next

last:
	FMOVS.P 4(R8), F0
	FMULS   F31, F0, F0
	CBZ     R5, putLast
	FMOVS   (R7), F1
	FMADDS  F1, F0, F30, F0

putLast:
	FMOVS.P F0, 4(R7)
	SUBS    $1, R9
	BNE     last

next:
	ADD  $128, R4
	ADD  R1, R0
	SUBS $1, R2
	BNE  rows
	RET
