//go:build !purego

#include "textflag.h"

// A pass of the rows makes the step of one x and takes the scalar products of the
// next with the rows as the step leaves them, so that a row is loaded and stored
// once for each x. Up to 13 lines of x and of the sum of its steps stay in
// registers; wider rows take several passes, which add up the products.
//
// SI entry of x, R10 the next x, BX rows, R12 four times their number, R9 four times
// the number of the row, R8 the row, R13 gains, DI place for the sums of the row, DX
// column of the first line in bytes, CX lines of this pass.

// LOADX sets x to a line and goes to done after the last.
#define LOADX(k, x, done) \
	VMOVUPS (64*k)(R8), x \
	CMPQ    CX, $(k+1)    \
	JEQ     done

#define LOADS(done) \
	LOADX(0, Z0, done)   \
	LOADX(1, Z1, done)   \
	LOADX(2, Z2, done)   \
	LOADX(3, Z3, done)   \
	LOADX(4, Z4, done)   \
	LOADX(5, Z5, done)   \
	LOADX(6, Z6, done)   \
	LOADX(7, Z7, done)   \
	LOADX(8, Z8, done)   \
	LOADX(9, Z9, done)   \
	LOADX(10, Z10, done) \
	LOADX(11, Z11, done) \
	VMOVUPS 768(R8), Z12

// STOREX stores a line of the moved x.
#define STOREX(k, e, done) \
	VMOVUPS e, (64*k)(R8) \
	CMPQ    CX, $(k+1)    \
	JEQ     done

// DOT adds the products of a line to a sum.
#define DOT(k, x, sum, done) \
	VFMADD231PS (64*k)(R8), x, sum \
	CMPQ        CX, $(k+1)         \
	JEQ         done

// STEP makes the step of a line: e += g·y, y += g·x. A multiplication and an
// addition take less time here than one instruction for both: on Zen 5 a store
// shares its way to the registers with two multiply-adds, and not with these.
#define STEP(k, x, e, y) \
	VMOVUPS     (64*k)(R8), y \
	VFMADD231PS y, Z26, e     \
	VMULPS      x, Z26, Z31   \
	VADDPS      Z31, y, y     \
	VMOVUPS     y, (64*k)(R8)

#define STEPONLY(k, x, e, y, done) \
	STEP(k, x, e, y)   \
	CMPQ CX, $(k+1)    \
	JEQ  done

#define STEPDOT(k, x, e, y, sum, done) \
	STEP(k, x, e, y)                \
	VFMADD231PS (64*k)(R10), y, sum \
	CMPQ        CX, $(k+1)          \
	JEQ         done

#define COPY \
	VMOVAPS Z0, Z13 \
	VMOVAPS Z1, Z14 \
	VMOVAPS Z2, Z15 \
	VMOVAPS Z3, Z16 \
	VMOVAPS Z4, Z17 \
	VMOVAPS Z5, Z18 \
	VMOVAPS Z6, Z19 \
	VMOVAPS Z7, Z20 \
	VMOVAPS Z8, Z21 \
	VMOVAPS Z9, Z22 \
	VMOVAPS Z10, Z23 \
	VMOVAPS Z11, Z24 \
	VMOVAPS Z12, Z25

#define STORES(done) \
	STOREX(0, Z13, done) \
	STOREX(1, Z14, done) \
	STOREX(2, Z15, done) \
	STOREX(3, Z16, done) \
	STOREX(4, Z17, done) \
	STOREX(5, Z18, done) \
	STOREX(6, Z19, done) \
	STOREX(7, Z20, done) \
	STOREX(8, Z21, done) \
	STOREX(9, Z22, done) \
	STOREX(10, Z23, done) \
	STOREX(11, Z24, done) \
	VMOVUPS Z25, 768(R8)

// FOLD turns the sums of the four rows that begin at AX into their steps: e^−x =
// 2^n · 2^f with −x·log2(e) = n + f, |f| ≤ ½, and 2^f by the first seven terms of its
// series. It comes after all rows of a pass, when the next pass can begin with the
// first four while the last are still on their way; in the midst of the rows it
// keeps the processor from going on with them.
#define FOLD \
	MOVQ             AX, R8                       \
	SHLQ             $4, R8                       \
	ADDQ             sums+56(FP), R8              \
	VMOVUPS          (R8), Y26                    \
	VADDPS           32(R8), Y26, Y26             \
	VMOVUPS          64(R8), Y27                  \
	VADDPS           96(R8), Y27, Y27             \
	VUNPCKLPS        Y27, Y26, Y28                \
	VUNPCKHPS        Y27, Y26, Y26                \
	VADDPS           Y28, Y26, Y26                \
	VMOVUPS          128(R8), Y27                 \
	VADDPS           160(R8), Y27, Y27            \
	VMOVUPS          192(R8), Y28                 \
	VADDPS           224(R8), Y28, Y28            \
	VUNPCKLPS        Y28, Y27, Y29                \
	VUNPCKHPS        Y28, Y27, Y27                \
	VADDPS           Y29, Y27, Y27                \
	VUNPCKLPD        Y27, Y26, Y28                \
	VUNPCKHPD        Y27, Y26, Y26                \
	VADDPS           Y28, Y26, Y26                \
	VEXTRACTF32X4    $1, Y26, X27                 \
	VADDPS           X27, X26, X26                \
	VANDPS.BCST      learn<>+32(SB), X26, X27     \
	VCMPPS.BCST      $1, limit+68(FP), X27, K1    \
	VMULPS.BCST      learn<>+0(SB), X26, X26      \
	VRNDSCALEPS      $0, X26, X27                 \
	VSUBPS           X27, X26, X26                \
	VBROADCASTSS     learn<>+28(SB), X28          \
	VFMADD213PS.BCST learn<>+24(SB), X26, X28     \
	VFMADD213PS.BCST learn<>+20(SB), X26, X28     \
	VFMADD213PS.BCST learn<>+16(SB), X26, X28     \
	VFMADD213PS.BCST learn<>+12(SB), X26, X28     \
	VFMADD213PS.BCST learn<>+8(SB), X26, X28      \
	VFMADD213PS.BCST learn<>+4(SB), X26, X28      \
	VSCALEFPS        X27, X28, X28                \
	VBROADCASTSS     learn<>+4(SB), X27           \
	VADDPS           X27, X28, X28                \
	VDIVPS           X28, X27, X27                \
	MOVQ             targets+40(FP), R8           \
	VMOVUPS          (R8)(AX*1), X28              \
	VSUBPS           X27, X28, X28                \
	VMULPS.BCST.Z    alpha+64(FP), X28, K1, X28   \
	VMOVUPS          X28, (R13)(AX*1)

// The constants of FOLD.
DATA learn<>+0(SB)/4, $0xbfb8aa3b  // −log2(e)
DATA learn<>+4(SB)/4, $0x3f800000  // 1
DATA learn<>+8(SB)/4, $0x3f317218  // ln 2
DATA learn<>+12(SB)/4, $0x3e75fdf0 // ln² 2 / 2
DATA learn<>+16(SB)/4, $0x3d635847 // ln³ 2 / 6
DATA learn<>+20(SB)/4, $0x3c1d955b // ln⁴ 2 / 24
DATA learn<>+24(SB)/4, $0x3aaec3ff // ln⁵ 2 / 120
DATA learn<>+28(SB)/4, $0x39218490 // ln⁶ 2 / 720
DATA learn<>+32(SB)/4, $0x7fffffff // all but the sign
GLOBL learn<>(SB), RODATA|NOPTR, $36

// BEGIN sets the registers to the first row and the lines of the next pass, of
// which left is the number without those of the passes before.
#define BEGIN \
	MOVQ    rows+16(FP), BX \
	XORQ    R9, R9          \
	MOVQ    sums+56(FP), DI \
	MOVQ    left-8(SP), CX  \
	MOVQ    $13, AX         \
	CMPQ    CX, AX          \
	CMOVQGT AX, CX          \
	MOVQ    (SI), R8        \
	ADDQ    DX, R8

// func learnAVX512(xs **float32, count int, rows **float32, n, lines int, targets, gains, sums *float32, alpha, limit float32)
TEXT ·learnAVX512(SB), NOSPLIT, $16-72
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
	LOADS(dotsRow)

dotsRow:
	MOVQ   (BX)(R9*2), R8
	ADDQ   DX, R8
	VXORPS X27, X27, X27
	VXORPS X28, X28, X28
	DOT(0, Z0, Z27, dotsSummed)
	DOT(1, Z1, Z28, dotsSummed)
	DOT(2, Z2, Z27, dotsSummed)
	DOT(3, Z3, Z28, dotsSummed)
	DOT(4, Z4, Z27, dotsSummed)
	DOT(5, Z5, Z28, dotsSummed)
	DOT(6, Z6, Z27, dotsSummed)
	DOT(7, Z7, Z28, dotsSummed)
	DOT(8, Z8, Z27, dotsSummed)
	DOT(9, Z9, Z28, dotsSummed)
	DOT(10, Z10, Z27, dotsSummed)
	DOT(11, Z11, Z28, dotsSummed)
	VFMADD231PS 768(R8), Z12, Z27

dotsSummed:
	VADDPS  Z28, Z27, Z27
	TESTQ   DX, DX
	JEQ     dotsFirst
	VADDPS  (DI), Z27, Z27

dotsFirst:
	VMOVUPS Z27, (DI)
	ADDQ    $64, DI
	ADDQ    $4, R9
	CMPQ    R9, R12
	JNE     dotsRow
	CMPQ    left-8(SP), $13
	JGT     dotsFolded
	XORQ    AX, AX

dotsFold:
	FOLD
	ADDQ $16, AX
	CMPQ AX, R12
	JLT  dotsFold

dotsFolded:
	ADDQ $832, DX
	SUBQ $13, left-8(SP)
	JGT  dots

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
	LOADS(bothLoaded)

bothLoaded:
	COPY
	MOVQ 8(SI), R10
	ADDQ DX, R10

bothRow:
	MOVQ         (BX)(R9*2), R8
	ADDQ         DX, R8
	VBROADCASTSS (R13)(R9*1), Z26
	VXORPS       X27, X27, X27
	VXORPS       X28, X28, X28
	STEPDOT(0, Z0, Z13, Z29, Z27, bothSummed)
	STEPDOT(1, Z1, Z14, Z30, Z28, bothSummed)
	STEPDOT(2, Z2, Z15, Z30, Z27, bothSummed)
	STEPDOT(3, Z3, Z16, Z29, Z28, bothSummed)
	STEPDOT(4, Z4, Z17, Z30, Z27, bothSummed)
	STEPDOT(5, Z5, Z18, Z30, Z28, bothSummed)
	STEPDOT(6, Z6, Z19, Z29, Z27, bothSummed)
	STEPDOT(7, Z7, Z20, Z30, Z28, bothSummed)
	STEPDOT(8, Z8, Z21, Z30, Z27, bothSummed)
	STEPDOT(9, Z9, Z22, Z29, Z28, bothSummed)
	STEPDOT(10, Z10, Z23, Z30, Z27, bothSummed)
	STEPDOT(11, Z11, Z24, Z30, Z28, bothSummed)
	STEP(12, Z12, Z25, Z29)
	VFMADD231PS 768(R10), Z29, Z27

bothSummed:
	VADDPS  Z28, Z27, Z27
	TESTQ   DX, DX
	JEQ     bothFirst
	VADDPS  (DI), Z27, Z27

bothFirst:
	VMOVUPS Z27, (DI)
	ADDQ    $64, DI
	ADDQ    $4, R9
	CMPQ    R9, R12
	JNE     bothRow
	CMPQ    left-8(SP), $13
	JGT     bothFolded
	XORQ    AX, AX

bothFold:
	FOLD
	ADDQ $16, AX
	CMPQ AX, R12
	JLT  bothFold

bothFolded:
	MOVQ (SI), R8
	ADDQ DX, R8
	STORES(bothStored)

bothStored:
	ADDQ $832, DX
	SUBQ $13, left-8(SP)
	JGT  both
	ADDQ $8, SI
	DECQ count+8(FP)
	JMP  pair

only:
	BEGIN
	LOADS(onlyLoaded)

onlyLoaded:
	COPY

onlyRow:
	MOVQ         (BX)(R9*2), R8
	ADDQ         DX, R8
	VBROADCASTSS (R13)(R9*1), Z26
	STEPONLY(0, Z0, Z13, Z29, onlyDone)
	STEPONLY(1, Z1, Z14, Z30, onlyDone)
	STEPONLY(2, Z2, Z15, Z30, onlyDone)
	STEPONLY(3, Z3, Z16, Z27, onlyDone)
	STEPONLY(4, Z4, Z17, Z28, onlyDone)
	STEPONLY(5, Z5, Z18, Z29, onlyDone)
	STEPONLY(6, Z6, Z19, Z30, onlyDone)
	STEPONLY(7, Z7, Z20, Z30, onlyDone)
	STEPONLY(8, Z8, Z21, Z27, onlyDone)
	STEPONLY(9, Z9, Z22, Z28, onlyDone)
	STEPONLY(10, Z10, Z23, Z29, onlyDone)
	STEPONLY(11, Z11, Z24, Z30, onlyDone)
	STEP(12, Z12, Z25, Z30)

onlyDone:
	ADDQ $4, R9
	CMPQ R9, R12
	JNE  onlyRow
	MOVQ (SI), R8
	ADDQ DX, R8
	STORES(onlyStored)

onlyStored:
	ADDQ $832, DX
	SUBQ $13, left-8(SP)
	JGT  only
	ADDQ $8, SI
	DECQ count+8(FP)
	JNE  fresh
	VZEROUPPER
	RET
