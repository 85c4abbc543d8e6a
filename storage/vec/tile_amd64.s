//go:build !purego

#include "textflag.h"

// The window of 8 lanes that begins n lanes before the middle selects the first
// n lanes of a YMM register.
DATA lanes<>+0(SB)/8, $-1
DATA lanes<>+8(SB)/8, $-1
DATA lanes<>+16(SB)/8, $-1
DATA lanes<>+24(SB)/8, $-1
DATA lanes<>+32(SB)/8, $0
DATA lanes<>+40(SB)/8, $0
DATA lanes<>+48(SB)/8, $0
DATA lanes<>+56(SB)/8, $0
GLOBL lanes<>(SB), RODATA|NOPTR, $64

// The AVX-512 tile: Z8 to Z31 are the 12 × 2 running sums, Z0 and Z1 the row
// of b, Z2 to Z7 elements of a, each in all lanes. An element of a is loaded
// once for its two multiply-adds: 14 loads for 24 multiply-adds stay below the
// two loads a cycle. R8 is the step between rows of a; with its odd multiples
// in registers one pointer reaches all 12 rows: SI + {0, 1, 2, 4, 8}·R8,
// {1, 2}·R10 (3), {1, 2}·R11 (5), R12 (7), R13 (9), AX (11).

#define PAIR(addr, tmp, c0, c1) \
	VBROADCASTSS addr, tmp      \
	VFMADD231PS  Z0, tmp, c0    \
	VFMADD231PS  Z1, tmp, c1

#define STEP(boff) \
	VMOVUPS boff(BX), Z0                   \
	VMOVUPS (boff+64)(BX), Z1              \
	PAIR((SI), Z2, Z8, Z9)                 \
	PAIR((SI)(R8*1), Z3, Z10, Z11)         \
	PAIR((SI)(R8*2), Z4, Z12, Z13)         \
	PAIR((SI)(R10*1), Z5, Z14, Z15)        \
	PAIR((SI)(R8*4), Z6, Z16, Z17)         \
	PAIR((SI)(R11*1), Z7, Z18, Z19)        \
	PAIR((SI)(R10*2), Z2, Z20, Z21)        \
	PAIR((SI)(R12*1), Z3, Z22, Z23)        \
	PAIR((SI)(R8*8), Z4, Z24, Z25)         \
	PAIR((SI)(R13*1), Z5, Z26, Z27)        \
	PAIR((SI)(R11*2), Z6, Z28, Z29)        \
	PAIR((SI)(AX*1), Z7, Z30, Z31)         \
	ADDQ R9, SI

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

#define LOADC(z, off) VMOVUPS off(DI), z
#define STOREC(z, off) VMOVUPS z, off(DI)
#define ZEROC(z, off) VXORPS z, z, z

// func tileAVX512(c *float32, add bool, k int, a *float32, rowStep, kStep uintptr, b, fetch *float32, fetchStep uintptr)
TEXT ·tileAVX512(SB), NOSPLIT, $0-72
	MOVQ    c+0(FP), DI
	MOVQ    k+16(FP), CX
	MOVQ    a+24(FP), SI
	MOVQ    rowStep+32(FP), R8
	MOVQ    kStep+40(FP), R9
	MOVQ    b+48(FP), BX
	MOVQ    fetch+56(FP), DX
	MOVQ    fetchStep+64(FP), R15
	LEAQ    (R8)(R8*2), R10
	LEAQ    (R8)(R8*4), R11
	LEAQ    (R10)(R8*4), R12
	LEAQ    (R8)(R8*8), R13
	LEAQ    (R10)(R8*8), AX
	CMPB    add+8(FP), $0
	JNE     load
	EACH(ZEROC)
	JMP     begin

load:
	EACH(LOADC)

begin:
	TESTQ DX, DX
	JNZ   fetching
	SUBQ  $2, CX
	JLT   odd

pairs:
	STEP(0)
	STEP(128)
	ADDQ $256, BX
	SUBQ $2, CX
	JGE  pairs

odd:
	ADDQ $2, CX
	JZ   done
	STEP(0)
	JMP  done

	// With columns of a panel as rows each step touches another line, which no
	// prefetcher of the processor follows: its last element is asked for 8 steps
	// before.
fetching:
	TESTQ CX, CX
	JZ    done
	LEAQ  (R9*8), R14

fetch:
	PREFETCHT1 (DX)
	PREFETCHT0 44(SI)(R14*1)
	ADDQ       R15, DX
	STEP(0)
	ADDQ       $128, BX
	DECQ       CX
	JNZ        fetch

done:
	EACH(STOREC)
	VZEROUPPER
	RET

// The tall AVX-512 tile has 24 rows in two runs of 12, which begin at SI and R14, and 16 columns: its
// running sums are in the registers and places of the 12 × 32 tile, the second run right of the first.
// A row of b is one register, so an element of a is used once, from memory: 25 loads for 24
// multiply-adds.

#define RUNS(z, addr1, addr2, c0, c1) \
	VFMADD231PS.BCST addr1, z, c0 \
	VFMADD231PS.BCST addr2, z, c1

#define TALLSTEP(boff, z) \
	VMOVUPS boff(BX), z                                \
	RUNS(z, (SI), (R14), Z8, Z9)                       \
	RUNS(z, (SI)(R8*1), (R14)(R8*1), Z10, Z11)         \
	RUNS(z, (SI)(R8*2), (R14)(R8*2), Z12, Z13)         \
	RUNS(z, (SI)(R10*1), (R14)(R10*1), Z14, Z15)       \
	RUNS(z, (SI)(R8*4), (R14)(R8*4), Z16, Z17)         \
	RUNS(z, (SI)(R11*1), (R14)(R11*1), Z18, Z19)       \
	RUNS(z, (SI)(R10*2), (R14)(R10*2), Z20, Z21)       \
	RUNS(z, (SI)(R12*1), (R14)(R12*1), Z22, Z23)       \
	RUNS(z, (SI)(R8*8), (R14)(R8*8), Z24, Z25)         \
	RUNS(z, (SI)(R13*1), (R14)(R13*1), Z26, Z27)       \
	RUNS(z, (SI)(R11*2), (R14)(R11*2), Z28, Z29)       \
	RUNS(z, (SI)(AX*1), (R14)(AX*1), Z30, Z31)         \
	ADDQ R9, SI                                        \
	ADDQ R9, R14

// func tileTallAVX512(c *float32, add bool, k int, a, second *float32, rowStep, kStep uintptr, b, fetch *float32, fetchStep uintptr)
TEXT ·tileTallAVX512(SB), NOSPLIT, $0-80
	MOVQ    c+0(FP), DI
	MOVQ    k+16(FP), CX
	MOVQ    a+24(FP), SI
	MOVQ    second+32(FP), R14
	MOVQ    rowStep+40(FP), R8
	MOVQ    kStep+48(FP), R9
	MOVQ    b+56(FP), BX
	MOVQ    fetch+64(FP), DX
	MOVQ    fetchStep+72(FP), R15
	LEAQ    (R8)(R8*2), R10
	LEAQ    (R8)(R8*4), R11
	LEAQ    (R10)(R8*4), R12
	LEAQ    (R8)(R8*8), R13
	LEAQ    (R10)(R8*8), AX
	CMPB    add+8(FP), $0
	JNE     load
	EACH(ZEROC)
	JMP     begin

load:
	EACH(LOADC)

begin:
	TESTQ DX, DX
	JNZ   fetching
	SUBQ  $2, CX
	JLT   odd

pairs:
	TALLSTEP(0, Z0)
	TALLSTEP(64, Z1)
	ADDQ $128, BX
	SUBQ $2, CX
	JGE  pairs

odd:
	ADDQ $2, CX
	JZ   done
	TALLSTEP(0, Z0)
	JMP  done

fetching:
	TESTQ CX, CX
	JZ    done

fetch:
	PREFETCHT1 (DX)
	PREFETCHT1 64(DX)
	PREFETCHT0 44(SI)(R9*8)
	PREFETCHT0 44(R14)(R9*8)
	ADDQ       R15, DX
	TALLSTEP(0, Z0)
	ADDQ       $64, BX
	DECQ       CX
	JNZ        fetch

done:
	EACH(STOREC)
	VZEROUPPER
	RET

// func tileStoreHalfAVX512(y *float32, step uintptr, rows int, beta, alpha float32, c *float32)
TEXT ·tileStoreHalfAVX512(SB), NOSPLIT, $0-40
	MOVQ         y+0(FP), DI
	MOVQ         step+8(FP), R8
	MOVQ         rows+16(FP), CX
	VBROADCASTSS beta+24(FP), Z30
	VBROADCASTSS alpha+28(FP), Z31
	MOVQ         c+32(FP), SI
	VXORPS       Z29, Z29, Z29
	VUCOMISS     X29, X30
	JNE          mix
	JPS          mix

rows:
	VMULPS  (SI), Z31, Z0
	VMOVUPS Z0, (DI)
	ADDQ    $128, SI
	ADDQ    R8, DI
	DECQ    CX
	JNZ     rows
	VZEROUPPER
	RET

mix:
	VMULPS      (SI), Z31, Z0
	VFMADD231PS (DI), Z30, Z0
	VMOVUPS     Z0, (DI)
	ADDQ        $128, SI
	ADDQ        R8, DI
	DECQ        CX
	JNZ         mix
	VZEROUPPER
	RET

// func tileWithinAVX512(mask *uint32, c, rowNorms, colNorms *float32, limit float32) bool
TEXT ·tileWithinAVX512(SB), NOSPLIT, $0-41
	MOVQ         mask+0(FP), DI
	MOVQ         c+8(FP), SI
	MOVQ         rowNorms+16(FP), BX
	MOVQ         colNorms+24(FP), R8
	VBROADCASTSS limit+32(FP), Z30
	VMOVUPS      (R8), Z28
	VMOVUPS      64(R8), Z29
	MOVL         $0x40000000, AX // 2.0
	VPBROADCASTD AX, Z31
	MOVL         $12, CX
	XORL         DX, DX

rows:
	VBROADCASTSS (BX), Z0
	VADDPS       Z28, Z0, Z1
	VADDPS       Z29, Z0, Z2
	VFNMADD231PS (SI), Z31, Z1
	VFNMADD231PS 64(SI), Z31, Z2
	VCMPPS       $0x1A, Z30, Z1, K1 // not greater, or unordered
	VCMPPS       $0x1A, Z30, Z2, K2
	KUNPCKWD     K1, K2, K1
	KMOVD        K1, AX
	MOVL         AX, (DI)
	ORL          AX, DX
	ADDQ         $128, SI
	ADDQ         $4, BX
	ADDQ         $4, DI
	DECL         CX
	JNZ          rows
	TESTL        DX, DX
	SETNE        ret+40(FP)
	VZEROUPPER
	RET

// func tileLeastAVX512(c, rowNorms, colNorms *float32) float32
TEXT ·tileLeastAVX512(SB), NOSPLIT, $0-28
	MOVQ         c+0(FP), SI
	MOVQ         rowNorms+8(FP), BX
	MOVQ         colNorms+16(FP), R8
	VMOVUPS      (R8), Z28
	VMOVUPS      64(R8), Z29
	MOVL         $0x40000000, AX // 2.0
	VPBROADCASTD AX, Z31
	MOVL         $0x7F800000, AX // +Inf
	VPBROADCASTD AX, Z3
	VMOVAPS      Z3, Z4
	MOVL         $12, CX

rows:
	VBROADCASTSS (BX), Z0
	VADDPS       Z28, Z0, Z1
	VADDPS       Z29, Z0, Z2
	VFNMADD231PS (SI), Z31, Z1
	VFNMADD231PS 64(SI), Z31, Z2
	VMINPS       Z1, Z3, Z3
	VMINPS       Z2, Z4, Z4
	ADDQ         $128, SI
	ADDQ         $4, BX
	DECL         CX
	JNZ          rows
	VMINPS        Z4, Z3, Z3
	VEXTRACTF64X4 $1, Z3, Y4
	VMINPS        Y4, Y3, Y3
	VEXTRACTF128  $1, Y3, X4
	VMINPS        X4, X3, X3
	VPERMILPS     $0x4E, X3, X4
	VMINPS        X4, X3, X3
	VPERMILPS     $0xB1, X3, X4
	VMINPS        X4, X3, X3
	VMOVSS        X3, ret+24(FP)
	VZEROUPPER
	RET

// func tileAdd64AVX512(acc *float64, c *float32)
TEXT ·tileAdd64AVX512(SB), NOSPLIT, $0-16
	MOVQ acc+0(FP), DI
	MOVQ c+8(FP), SI
	MOVL $12, CX

rows:
	VCVTPS2PD (SI), Z0
	VCVTPS2PD 32(SI), Z1
	VCVTPS2PD 64(SI), Z2
	VCVTPS2PD 96(SI), Z3
	VADDPD    (DI), Z0, Z0
	VADDPD    64(DI), Z1, Z1
	VADDPD    128(DI), Z2, Z2
	VADDPD    192(DI), Z3, Z3
	VMOVUPD   Z0, (DI)
	VMOVUPD   Z1, 64(DI)
	VMOVUPD   Z2, 128(DI)
	VMOVUPD   Z3, 192(DI)
	ADDQ      $128, SI
	ADDQ      $256, DI
	DECL      CX
	JNZ       rows
	VZEROUPPER
	RET

// func tileStoreAVX512(y *float32, step uintptr, rows, cols int, beta, alpha float32, c *float32)
TEXT ·tileStoreAVX512(SB), NOSPLIT, $0-48
	MOVQ         y+0(FP), DI
	MOVQ         step+8(FP), R8
	MOVQ         cols+24(FP), CX
	VBROADCASTSS beta+32(FP), Z30
	VBROADCASTSS alpha+36(FP), Z31
	MOVQ         c+40(FP), SI
	MOVQ         $1, AX
	SHLQ         CX, AX
	DECQ         AX
	KMOVD        AX, K1            // columns 0 to 15
	KSHIFTRD     $16, K1, K2       // columns 16 to 31
	MOVQ         rows+16(FP), CX
	VXORPS       Z29, Z29, Z29
	VUCOMISS     X29, X30
	JNE          mix
	JPS          mix

rows:
	VMULPS  (SI), Z31, Z0
	VMULPS  64(SI), Z31, Z1
	VMOVUPS Z0, K1, (DI)
	VMOVUPS Z1, K2, 64(DI)
	ADDQ    $128, SI
	ADDQ    R8, DI
	DECQ    CX
	JNZ     rows
	VZEROUPPER
	RET

mix:
	VMULPS      (SI), Z31, Z0
	VMULPS      64(SI), Z31, Z1
	VMOVUPS.Z   (DI), K1, Z2
	VMOVUPS.Z   64(DI), K2, Z3
	VFMADD231PS Z2, Z30, Z0
	VFMADD231PS Z3, Z30, Z1
	VMOVUPS     Z0, K1, (DI)
	VMOVUPS     Z1, K2, 64(DI)
	ADDQ        $128, SI
	ADDQ        R8, DI
	DECQ        CX
	JNZ         mix
	VZEROUPPER
	RET

// The AVX2 tile has 16 registers and so goes over k four times, for 6 rows and
// 16 columns each: Y4 to Y15 are the sums, Y0 and Y1 the row of b, Y2 and Y3
// elements of a. The order of the sums of an element is that of k as ever.

#define PAIRY(addr, tmp, c0, c1) \
	VBROADCASTSS addr, tmp       \
	VFMADD231PS  Y0, tmp, c0     \
	VFMADD231PS  Y1, tmp, c1

#define STEPY(boff) \
	VMOVUPS boff(BX), Y0                    \
	VMOVUPS (boff+32)(BX), Y1               \
	PAIRY((SI), Y2, Y4, Y5)                 \
	PAIRY((SI)(R8*1), Y3, Y6, Y7)           \
	PAIRY((SI)(R8*2), Y2, Y8, Y9)           \
	PAIRY((SI)(R10*1), Y3, Y10, Y11)        \
	PAIRY((SI)(R8*4), Y2, Y12, Y13)         \
	PAIRY((SI)(R11*1), Y3, Y14, Y15)        \
	ADDQ R9, SI

#define EACHY(op) \
	op(Y4, 0)       \
	op(Y5, 32)      \
	op(Y6, 128)     \
	op(Y7, 160)     \
	op(Y8, 256)     \
	op(Y9, 288)     \
	op(Y10, 384)    \
	op(Y11, 416)    \
	op(Y12, 512)    \
	op(Y13, 544)    \
	op(Y14, 640)    \
	op(Y15, 672)

// func tileAVX2(c *float32, add bool, k int, a *float32, rowStep, kStep uintptr, b *float32)
TEXT ·tileAVX2(SB), NOSPLIT, $0-56
	MOVQ c+0(FP), DI
	MOVQ rowStep+32(FP), R8
	MOVQ kStep+40(FP), R9
	LEAQ (R8)(R8*2), R10
	LEAQ (R8)(R8*4), R11
	LEAQ (R10)(R10*1), R12
	MOVQ a+24(FP), R13
	MOVQ b+48(FP), DX
	MOVL $4, AX

quarter:
	MOVQ k+16(FP), CX
	MOVQ R13, SI
	MOVQ DX, BX
	CMPB add+8(FP), $0
	JNE  load
	EACHY(ZEROC)
	JMP  begin

load:
	EACHY(LOADC)

begin:
	SUBQ $2, CX
	JLT  odd

pairs:
	STEPY(0)
	STEPY(128)
	ADDQ $256, BX
	SUBQ $2, CX
	JGE  pairs

odd:
	ADDQ $2, CX
	JZ   done
	STEPY(0)

done:
	EACHY(STOREC)

	// The quarters in order: upper left, upper right, lower left, lower right.
	DECL  AX
	JZ    return
	TESTL $1, AX
	JZ    down
	ADDQ  $64, DI
	ADDQ  $64, DX
	JMP   quarter

down:
	ADDQ $(6*128-64), DI
	SUBQ $64, DX
	ADDQ R12, R13
	JMP  quarter

return:
	VZEROUPPER
	RET

// func tileWithinAVX2(mask *uint32, c, rowNorms, colNorms *float32, limit float32) bool
TEXT ·tileWithinAVX2(SB), NOSPLIT, $0-41
	MOVQ         mask+0(FP), DI
	MOVQ         c+8(FP), SI
	MOVQ         rowNorms+16(FP), BX
	MOVQ         colNorms+24(FP), R8
	VBROADCASTSS limit+32(FP), Y14
	VMOVUPS      (R8), Y10
	VMOVUPS      32(R8), Y11
	VMOVUPS      64(R8), Y12
	VMOVUPS      96(R8), Y13
	MOVL         $0x40000000, AX // 2.0
	VMOVD        AX, X15
	VPBROADCASTD X15, Y15
	MOVL         $12, CX
	XORL         DX, DX

rows:
	VBROADCASTSS (BX), Y0
	VADDPS       Y10, Y0, Y1
	VADDPS       Y11, Y0, Y2
	VADDPS       Y12, Y0, Y3
	VADDPS       Y13, Y0, Y4
	VFNMADD231PS (SI), Y15, Y1
	VFNMADD231PS 32(SI), Y15, Y2
	VFNMADD231PS 64(SI), Y15, Y3
	VFNMADD231PS 96(SI), Y15, Y4
	VCMPPS       $0x1A, Y14, Y1, Y1 // not greater, or unordered
	VCMPPS       $0x1A, Y14, Y2, Y2
	VCMPPS       $0x1A, Y14, Y3, Y3
	VCMPPS       $0x1A, Y14, Y4, Y4
	VMOVMSKPS    Y1, AX
	VMOVMSKPS    Y2, R9
	VMOVMSKPS    Y3, R10
	VMOVMSKPS    Y4, R11
	SHLL         $8, R9
	SHLL         $16, R10
	SHLL         $24, R11
	ORL          R9, AX
	ORL          R10, AX
	ORL          R11, AX
	MOVL         AX, (DI)
	ORL          AX, DX
	ADDQ         $128, SI
	ADDQ         $4, BX
	ADDQ         $4, DI
	DECL         CX
	JNZ          rows
	TESTL        DX, DX
	SETNE        ret+40(FP)
	VZEROUPPER
	RET

// func tileAdd64AVX2(acc *float64, c *float32)
TEXT ·tileAdd64AVX2(SB), NOSPLIT, $0-16
	MOVQ acc+0(FP), DI
	MOVQ c+8(FP), SI
	MOVL $24, CX

halves:
	VCVTPS2PD (SI), Y0
	VCVTPS2PD 16(SI), Y1
	VCVTPS2PD 32(SI), Y2
	VCVTPS2PD 48(SI), Y3
	VADDPD    (DI), Y0, Y0
	VADDPD    32(DI), Y1, Y1
	VADDPD    64(DI), Y2, Y2
	VADDPD    96(DI), Y3, Y3
	VMOVUPD   Y0, (DI)
	VMOVUPD   Y1, 32(DI)
	VMOVUPD   Y2, 64(DI)
	VMOVUPD   Y3, 96(DI)
	ADDQ      $64, SI
	ADDQ      $128, DI
	DECL      CX
	JNZ       halves
	VZEROUPPER
	RET

// func tileStoreAVX2(y *float32, step uintptr, rows, cols int, beta, alpha float32, c *float32)
TEXT ·tileStoreAVX2(SB), NOSPLIT, $0-48
	MOVQ         y+0(FP), DI
	MOVQ         step+8(FP), R8
	MOVQ         rows+16(FP), DX
	MOVQ         cols+24(FP), CX
	VBROADCASTSS beta+32(FP), Y14
	VBROADCASTSS alpha+36(FP), Y13
	MOVQ         c+40(FP), SI
	MOVQ         CX, R9
	SHRQ         $3, R9              // full groups of 8 columns
	ANDQ         $7, CX
	NEGQ         CX
	LEAQ         lanes<>+32(SB), AX
	VMOVDQU      (AX)(CX*4), Y15     // the lanes of the last group
	VXORPS       Y12, Y12, Y12
	VUCOMISS     X12, X14
	SETNE        R12
	SETPS        R13
	ORB          R13, R12            // beta is not zero

rows:
	MOVQ  DI, R10
	MOVQ  SI, R11
	MOVQ  R9, AX
	TESTQ AX, AX
	JZ    tail

groups:
	VMULPS      (R11), Y13, Y0
	TESTB       R12, R12
	JZ          put
	VFMADD231PS (R10), Y14, Y0

put:
	VMOVUPS Y0, (R10)
	ADDQ    $32, R10
	ADDQ    $32, R11
	DECQ    AX
	JNZ     groups

tail:
	TESTQ       CX, CX
	JZ          next
	VMULPS      (R11), Y13, Y0
	TESTB       R12, R12
	JZ          putTail
	VMASKMOVPS  (R10), Y15, Y1
	VFMADD231PS Y1, Y14, Y0

putTail:
	VMASKMOVPS Y0, Y15, (R10)

next:
	ADDQ $128, SI
	ADDQ R8, DI
	DECQ DX
	JNZ  rows
	VZEROUPPER
	RET
