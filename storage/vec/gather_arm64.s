//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// The sums of 16 columns stay in registers over the whole list, entry i in sum
// i mod 4: V16 to V19, V20 to V23, V24 to V27, V28 to V31. The row of the entry
// AHEAD places on is fetched meanwhile; entries are read up to the readable
// end of the list.
//
// R0 block, R1 bytes of a row step, R2 the last offset of a row, R3 next entry, R4
// entries left, R5 entries left that may be read ahead.

#define AHEAD 16

#define ADDROW(i, s0, s1, s2, s3) \
	MOVWU (i*4)(R3), R6                         \
	MUL   R1, R6, R6                            \
	CMP   R2, R6                                \
	BHI   outside                               \
	ADD   R0, R6                                \
	VLD1  (R6), [V0.S4, V1.S4, V2.S4, V3.S4]    \
	FADD4S(0, s0, s0)                           \
	FADD4S(1, s1, s1)                           \
	FADD4S(2, s2, s2)                           \
	FADD4S(3, s3, s3)

#define FETCH(i) \
	MOVWU ((AHEAD+i)*4)(R3), R7   \
	MADD  R1, R0, R7, R7          \
	PRFM  (R7), PLDL1KEEP

// func gather16NEON(dst, x *float32, step, last uintptr, idx *uint32, n, ahead int) bool
TEXT ·gather16NEON(SB), NOSPLIT, $0-57
	MOVD x+8(FP), R0
	MOVD step+16(FP), R1
	MOVD last+24(FP), R2
	MOVD idx+32(FP), R3
	MOVD n+40(FP), R4
	MOVD ahead+48(FP), R5
	SUB  $AHEAD, R5
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
	SUBS $4, R4
	BLT  rest

loop:
	CMP $4, R5
	BLT near
	FETCH(0)
	FETCH(1)
	FETCH(2)
	FETCH(3)

near:
	ADDROW(0, 16, 17, 18, 19)
	ADDROW(1, 20, 21, 22, 23)
	ADDROW(2, 24, 25, 26, 27)
	ADDROW(3, 28, 29, 30, 31)
	ADD  $16, R3
	SUB  $4, R5
	SUBS $4, R4
	BGE  loop

rest:
	ADDS $4, R4
	BEQ  done
	ADDROW(0, 16, 17, 18, 19)
	SUBS $1, R4
	BEQ  done
	ADDROW(1, 20, 21, 22, 23)
	SUBS $1, R4
	BEQ  done
	ADDROW(2, 24, 25, 26, 27)

done:
	MOVD dst+0(FP), R8
	FADD4S(20, 16, 16)
	FADD4S(21, 17, 17)
	FADD4S(22, 18, 18)
	FADD4S(23, 19, 19)
	FADD4S(28, 24, 24)
	FADD4S(29, 25, 25)
	FADD4S(30, 26, 26)
	FADD4S(31, 27, 27)
	FADD4S(24, 16, 16)
	FADD4S(25, 17, 17)
	FADD4S(26, 18, 18)
	FADD4S(27, 19, 19)
	VST1 [V16.S4, V17.S4, V18.S4, V19.S4], (R8)
	MOVD $1, R6
	MOVB R6, ret+56(FP)
	RET

outside:
	MOVB ZR, ret+56(FP)
	RET

// func fetchToWrite(row *[16]float32)
TEXT ·fetchToWrite(SB), NOSPLIT, $0-8
	MOVD row+0(FP), R0
	PRFM (R0), PSTL1KEEP
	RET
