//go:build !purego

#include "textflag.h"

// As learnAVX512: a pass of the rows makes the step of one x and takes the scalar
// products of the next. x, the sum of its steps and the next x stay in registers for
// one or two lines; wider rows take several passes, which add up the products.
//
// SI entry of x, R10 the next x, BX rows, R12 four times their number, R9 four times
// the number of the row, R8 the row, R13 gains, DI place for the sums of the row, DX
// column of the first line in bytes, CX lines of this pass.

// STEP makes the step of half a line: e += g·y, y += g·x.
#define STEP(at, x, e, y) \
	VMOVUPS     at(R8), y  \
	VFMADD231PS y, Y12, e  \
	VFMADD231PS x, Y12, y  \
	VMOVUPS     y, at(R8)

// LOAD sets x and the sum of its steps.
#define LOAD(loaded) \
	VMOVUPS (R8), Y0   \
	VMOVUPS 32(R8), Y1 \
	VMOVAPS Y0, Y4     \
	VMOVAPS Y1, Y5     \
	CMPQ    CX, $1     \
	JEQ     loaded     \
	VMOVUPS 64(R8), Y2 \
	VMOVUPS 96(R8), Y3 \
	VMOVAPS Y2, Y6     \
	VMOVAPS Y3, Y7

// STORE stores the moved x.
#define STORE(stored) \
	MOVQ    (SI), R8   \
	ADDQ    DX, R8     \
	VMOVUPS Y4, (R8)   \
	VMOVUPS Y5, 32(R8) \
	CMPQ    CX, $1     \
	JEQ     stored     \
	VMOVUPS Y6, 64(R8) \
	VMOVUPS Y7, 96(R8)

// SUM adds the products of a row to those of earlier passes.
#define SUM(first) \
	TESTQ   DX, DX         \
	JEQ     first          \
	VADDPS  (DI), Y15, Y15

// TERM is a step of Horner's rule.
#define TERM(c) \
	VBROADCASTSS c, X15         \
	VFMADD213PS  X15, X12, X11

// FOLD turns the sums of the four rows that begin at AX into their steps, as in
// learnAVX512; the exponent is put together from its bits.
#define FOLD \
	MOVQ         AX, R8              \
	SHLQ         $3, R8              \
	ADDQ         sums+56(FP), R8     \
	VMOVUPS      (R8), Y12           \
	VHADDPS      32(R8), Y12, Y12    \
	VMOVUPS      64(R8), Y13         \
	VHADDPS      96(R8), Y13, Y13    \
	VHADDPS      Y13, Y12, Y12       \
	VEXTRACTF128 $1, Y12, X13        \
	VADDPS       X13, X12, X12       \
	VBROADCASTSS fold<>+32(SB), X13  \
	VANDPS       X13, X12, X13       \
	VBROADCASTSS limit+68(FP), X14   \
	VCMPPS       $1, X14, X13, X14   \
	VBROADCASTSS fold<>+0(SB), X13   \
	VMULPS       X13, X12, X12       \
	VBROADCASTSS fold<>+36(SB), X13  \
	VMINPS       X13, X12, X12       \
	VBROADCASTSS fold<>+40(SB), X13  \
	VMAXPS       X13, X12, X12       \
	VROUNDPS     $0, X12, X13        \
	VSUBPS       X13, X12, X12       \
	VBROADCASTSS fold<>+28(SB), X11  \
	TERM(fold<>+24(SB))              \
	TERM(fold<>+20(SB))              \
	TERM(fold<>+16(SB))              \
	TERM(fold<>+12(SB))              \
	TERM(fold<>+8(SB))               \
	TERM(fold<>+4(SB))               \
	VCVTPS2DQ    X13, X13            \
	VPSLLD       $23, X13, X13       \
	VPADDD       X15, X13, X13       \
	VMULPS       X13, X11, X11       \
	VADDPS       X15, X11, X11       \
	VDIVPS       X11, X15, X11       \
	MOVQ         targets+40(FP), R8  \
	VMOVUPS      (R8)(AX*1), X12     \
	VSUBPS       X11, X12, X12       \
	VBROADCASTSS alpha+64(FP), X13   \
	VMULPS       X13, X12, X12       \
	VANDPS       X14, X12, X12       \
	VMOVUPS      X12, (R13)(AX*1)

// The constants of FOLD. The bits of 1 are also the exponent 0 in its place.
DATA fold<>+0(SB)/4, $0xbfb8aa3b  // −log2(e)
DATA fold<>+4(SB)/4, $0x3f800000  // 1
DATA fold<>+8(SB)/4, $0x3f317218  // ln 2
DATA fold<>+12(SB)/4, $0x3e75fdf0 // ln² 2 / 2
DATA fold<>+16(SB)/4, $0x3d635847 // ln³ 2 / 6
DATA fold<>+20(SB)/4, $0x3c1d955b // ln⁴ 2 / 24
DATA fold<>+24(SB)/4, $0x3aaec3ff // ln⁵ 2 / 120
DATA fold<>+28(SB)/4, $0x39218490 // ln⁶ 2 / 720
DATA fold<>+32(SB)/4, $0x7fffffff // all but the sign
DATA fold<>+36(SB)/4, $0x42fc0000 // 126
DATA fold<>+40(SB)/4, $0xc2fc0000 // −126
GLOBL fold<>(SB), RODATA|NOPTR, $44

// BEGIN sets the registers to the first row and the lines of the next pass, of
// which left is the number without those of the passes before.
#define BEGIN \
	MOVQ    rows+16(FP), BX \
	XORQ    R9, R9          \
	MOVQ    sums+56(FP), DI \
	MOVQ    left-8(SP), CX  \
	MOVQ    $2, AX          \
	CMPQ    CX, AX          \
	CMOVQGT AX, CX          \
	MOVQ    (SI), R8        \
	ADDQ    DX, R8

// func learnAVX2(xs **float32, count int, rows **float32, n, lines int, targets, gains, sums *float32, alpha, limit float32)
TEXT ·learnAVX2(SB), NOSPLIT, $16-72
	MOVQ xs+0(FP), SI
	MOVQ n+24(FP), R12
	SHLQ $2, R12
	MOVQ gains+48(FP), R13

	// The scalar products of an x that no pass before has taken.
fresh:
	MOVQ lines+32(FP), AX
	MOVQ AX, left-8(SP)
	XORQ DX, DX

dots:
	BEGIN
	LOAD(dotsRow)

dotsRow:
	MOVQ        (BX)(R9*2), R8
	ADDQ        DX, R8
	VMULPS      (R8), Y0, Y15
	VMULPS      32(R8), Y1, Y14
	CMPQ        CX, $1
	JEQ         dotsLines
	VFMADD231PS 64(R8), Y2, Y15
	VFMADD231PS 96(R8), Y3, Y14

dotsLines:
	VADDPS Y14, Y15, Y15
	SUM(dotsFirst)

dotsFirst:
	VMOVUPS Y15, (DI)
	ADDQ    $32, DI
	ADDQ    $4, R9
	CMPQ    R9, R12
	JNE     dotsRow
	ADDQ    $128, DX
	SUBQ    $2, left-8(SP)
	JGT     dots
	XORQ    AX, AX

dotsFold:
	FOLD
	ADDQ $16, AX
	CMPQ AX, R12
	JLT  dotsFold

	// The step of x, with the scalar products of the next if there is one and it
	// is another row.
pair:
	MOVQ lines+32(FP), AX
	MOVQ AX, left-8(SP)
	XORQ DX, DX
	CMPQ count+8(FP), $1
	JEQ  only
	MOVQ 8(SI), R10
	CMPQ R10, (SI)
	JEQ  only

both:
	BEGIN
	LOAD(bothLoaded)
	VMOVUPS 64(R10), Y10
	VMOVUPS 96(R10), Y11

bothLoaded:
	VMOVUPS (R10), Y8
	VMOVUPS 32(R10), Y9
	ADDQ    $128, R10

bothRow:
	MOVQ         (BX)(R9*2), R8
	ADDQ         DX, R8
	VBROADCASTSS (R13)(R9*1), Y12
	STEP(0, Y0, Y4, Y13)
	STEP(32, Y1, Y5, Y14)
	VMULPS       Y8, Y13, Y15
	VFMADD231PS  Y9, Y14, Y15
	CMPQ         CX, $1
	JEQ          bothLines
	STEP(64, Y2, Y6, Y13)
	STEP(96, Y3, Y7, Y14)
	VFMADD231PS  Y10, Y13, Y15
	VFMADD231PS  Y11, Y14, Y15

bothLines:
	SUM(bothFirst)

bothFirst:
	VMOVUPS Y15, (DI)
	ADDQ    $32, DI
	ADDQ    $4, R9
	CMPQ    R9, R12
	JNE     bothRow
	STORE(bothStored)

bothStored:
	ADDQ $128, DX
	SUBQ $2, left-8(SP)
	JGT  both
	XORQ AX, AX

bothFold:
	FOLD
	ADDQ $16, AX
	CMPQ AX, R12
	JLT  bothFold
	ADDQ $8, SI
	DECQ count+8(FP)
	JMP  pair

only:
	BEGIN
	LOAD(onlyRow)

onlyRow:
	MOVQ         (BX)(R9*2), R8
	ADDQ         DX, R8
	VBROADCASTSS (R13)(R9*1), Y12
	STEP(0, Y0, Y4, Y13)
	STEP(32, Y1, Y5, Y14)
	CMPQ         CX, $1
	JEQ          onlyLines
	STEP(64, Y2, Y6, Y13)
	STEP(96, Y3, Y7, Y14)

onlyLines:
	ADDQ $4, R9
	CMPQ R9, R12
	JNE  onlyRow
	STORE(onlyStored)

onlyStored:
	ADDQ $128, DX
	SUBQ $2, left-8(SP)
	JGT  only
	ADDQ $8, SI
	DECQ count+8(FP)
	JNE  fresh
	VZEROUPPER
	RET
