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

// The sums stay in registers over the whole list. Entry i goes into sum i mod
// 4: one sum per column would wait 4 cycles for each addition. While entry i
// is added the row of entry i+AHEAD is fetched; the entries are read up to the
// readable end of the list, so the fetches run on into the next list.
//
// SI block, R8 bytes of a row step, R9 the last offset of a row, DI next entry, CX
// entries left, DX entries left that may be read ahead.

#define AHEAD 16

// ROW sets AX to the address of the row of entry i.
#define ROW(i) \
	MOVL  (i*4)(DI), AX \
	IMULQ R8, AX        \
	CMPQ  AX, R9        \
	JHI   outside       \
	ADDQ  SI, AX

// FETCH begins to load the row of entry i+AHEAD. A fetch never faults, so the
// entry need not be valid.
#define FETCH(i) \
	MOVL       ((AHEAD+i)*4)(DI), BX \
	IMULQ      R8, BX                \
	PREFETCHT0 (SI)(BX*1)

#define FETCH2(i) \
	FETCH(i)                    \
	PREFETCHT0 64(SI)(BX*1)

#define ARGS \
	MOVQ x+8(FP), SI       \
	MOVQ step+16(FP), R8   \
	MOVQ last+24(FP), R9   \
	MOVQ idx+32(FP), DI    \
	MOVQ n+40(FP), CX      \
	MOVQ ahead+48(FP), DX  \
	SUBQ $AHEAD, DX

#define ADD32(a, b) \
	VADDPS (AX), a, a   \
	VADDPS 64(AX), b, b

#define ADD16Z(a) \
	VADDPS (AX), a, K1, a

// func gather32AVX512(dst, x *float32, step, last uintptr, idx *uint32, n, ahead int) bool
TEXT ·gather32AVX512(SB), NOSPLIT, $0-57
	ARGS
	VXORPS Z0, Z0, Z0
	VXORPS Z1, Z1, Z1
	VXORPS Z2, Z2, Z2
	VXORPS Z3, Z3, Z3
	VXORPS Z4, Z4, Z4
	VXORPS Z5, Z5, Z5
	VXORPS Z6, Z6, Z6
	VXORPS Z7, Z7, Z7
	SUBQ   $4, CX
	JLT    rest

loop:
	CMPQ DX, $4
	JLT  near
	FETCH2(0)
	FETCH2(1)
	FETCH2(2)
	FETCH2(3)

near:
	ROW(0)
	ADD32(Z0, Z1)
	ROW(1)
	ADD32(Z2, Z3)
	ROW(2)
	ADD32(Z4, Z5)
	ROW(3)
	ADD32(Z6, Z7)
	ADDQ $16, DI
	SUBQ $4, DX
	SUBQ $4, CX
	JGE  loop

rest:
	ADDQ $4, CX
	JZ   done
	CMPQ DX, $4
	JLT  last
	FETCH2(0)
	FETCH2(1)
	FETCH2(2)

last:
	ROW(0)
	ADD32(Z0, Z1)
	DECQ CX
	JZ   done
	ROW(1)
	ADD32(Z2, Z3)
	DECQ CX
	JZ   done
	ROW(2)
	ADD32(Z4, Z5)

done:
	MOVQ    dst+0(FP), DI
	VADDPS  Z2, Z0, Z0
	VADDPS  Z3, Z1, Z1
	VADDPS  Z6, Z4, Z4
	VADDPS  Z7, Z5, Z5
	VADDPS  Z4, Z0, Z0
	VADDPS  Z5, Z1, Z1
	VMOVUPS Z0, (DI)
	VMOVUPS Z1, 64(DI)
	VZEROUPPER
	MOVB    $1, ret+56(FP)
	RET

outside:
	VZEROUPPER
	MOVB $0, ret+56(FP)
	RET

// func gather16AVX512(dst, x *float32, step, last uintptr, idx *uint32, n, ahead int, cols int) bool
TEXT ·gather16AVX512(SB), NOSPLIT, $0-65
	MOVQ   cols+56(FP), CX
	MOVL   $1, AX
	SHLL   CX, AX
	DECL   AX
	KMOVW  AX, K1
	ARGS
	VXORPS Z0, Z0, Z0
	VXORPS Z1, Z1, Z1
	VXORPS Z2, Z2, Z2
	VXORPS Z3, Z3, Z3
	SUBQ   $4, CX
	JLT    rest

loop:
	CMPQ DX, $4
	JLT  near
	FETCH(0)
	FETCH(1)
	FETCH(2)
	FETCH(3)

near:
	ROW(0)
	ADD16Z(Z0)
	ROW(1)
	ADD16Z(Z1)
	ROW(2)
	ADD16Z(Z2)
	ROW(3)
	ADD16Z(Z3)
	ADDQ $16, DI
	SUBQ $4, DX
	SUBQ $4, CX
	JGE  loop

rest:
	ADDQ $4, CX
	JZ   done
	CMPQ DX, $4
	JLT  last
	FETCH(0)
	FETCH(1)
	FETCH(2)

last:
	ROW(0)
	ADD16Z(Z0)
	DECQ CX
	JZ   done
	ROW(1)
	ADD16Z(Z1)
	DECQ CX
	JZ   done
	ROW(2)
	ADD16Z(Z2)

done:
	MOVQ    dst+0(FP), DI
	VADDPS  Z1, Z0, Z0
	VADDPS  Z3, Z2, Z2
	VADDPS  Z2, Z0, Z0
	VMOVUPS Z0, K1, (DI)
	VZEROUPPER
	MOVB    $1, ret+64(FP)
	RET

outside:
	VZEROUPPER
	MOVB $0, ret+64(FP)
	RET

// func gatherSumsAVX512(dst, x *float32, last uintptr, offsets *int64, rows int, idx *uint32, ahead int) bool
//
// R10 offsets, R11 rows left, R12 row of dst, R13 first entry of the next row.
TEXT ·gatherSumsAVX512(SB), NOSPLIT, $0-57
	MOVQ dst+0(FP), R12
	MOVQ x+8(FP), SI
	MOVQ last+16(FP), R9
	MOVQ offsets+24(FP), R10
	MOVQ rows+32(FP), R11
	MOVQ idx+40(FP), DI
	MOVQ ahead+48(FP), DX
	SUBQ $AHEAD, DX
	MOVQ $64, R8

row:
	BYTE   $0x41; BYTE $0x0F; BYTE $0x0D; BYTE $0x8C; BYTE $0x24; BYTE $0x00; BYTE $0x04; BYTE $0x00; BYTE $0x00 // PREFETCHW 1024(R12)
	MOVQ   8(R10), CX
	SUBQ   (R10), CX
	LEAQ   (DI)(CX*4), R13
	VXORPS Z0, Z0, Z0
	VXORPS Z1, Z1, Z1
	VXORPS Z2, Z2, Z2
	VXORPS Z3, Z3, Z3
	SUBQ   $4, CX
	JLT    rest

loop:
	CMPQ DX, $4
	JLT  near
	FETCH(0)
	FETCH(1)
	FETCH(2)
	FETCH(3)

near:
	ROW(0)
	VADDPS (AX), Z0, Z0
	ROW(1)
	VADDPS (AX), Z1, Z1
	ROW(2)
	VADDPS (AX), Z2, Z2
	ROW(3)
	VADDPS (AX), Z3, Z3
	ADDQ   $16, DI
	SUBQ   $4, DX
	SUBQ   $4, CX
	JGE    loop

rest:
	ADDQ $4, CX
	JZ   done
	CMPQ DX, $4
	JLT  last
	FETCH(0)
	FETCH(1)
	FETCH(2)

last:
	SUBQ   CX, DX
	ROW(0)
	VADDPS (AX), Z0, Z0
	DECQ   CX
	JZ     done
	ROW(1)
	VADDPS (AX), Z1, Z1
	DECQ   CX
	JZ     done
	ROW(2)
	VADDPS (AX), Z2, Z2

done:
	MOVQ    R13, DI
	VADDPS  Z1, Z0, Z0
	VADDPS  Z3, Z2, Z2
	VADDPS  Z2, Z0, Z0
	VMOVUPS Z0, (R12)
	ADDQ    $64, R12
	ADDQ    $8, R10
	DECQ    R11
	JNZ     row
	VZEROUPPER
	MOVB    $1, ret+56(FP)
	RET

outside:
	VZEROUPPER
	MOVB $0, ret+56(FP)
	RET

#define ADD16Y(a, b) \
	VADDPS (AX), a, a   \
	VADDPS 32(AX), b, b

#define ADD8M(a) \
	VMASKMOVPS (AX), Y15, Y4 \
	VADDPS     Y4, a, a

// func gather16AVX2(dst, x *float32, step, last uintptr, idx *uint32, n, ahead int) bool
TEXT ·gather16AVX2(SB), NOSPLIT, $0-57
	ARGS
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	SUBQ   $4, CX
	JLT    rest

loop:
	CMPQ DX, $4
	JLT  near
	FETCH(0)
	FETCH(1)
	FETCH(2)
	FETCH(3)

near:
	ROW(0)
	ADD16Y(Y0, Y1)
	ROW(1)
	ADD16Y(Y2, Y3)
	ROW(2)
	ADD16Y(Y4, Y5)
	ROW(3)
	ADD16Y(Y6, Y7)
	ADDQ $16, DI
	SUBQ $4, DX
	SUBQ $4, CX
	JGE  loop

rest:
	ADDQ $4, CX
	JZ   done
	ROW(0)
	ADD16Y(Y0, Y1)
	DECQ CX
	JZ   done
	ROW(1)
	ADD16Y(Y2, Y3)
	DECQ CX
	JZ   done
	ROW(2)
	ADD16Y(Y4, Y5)

done:
	MOVQ    dst+0(FP), DI
	VADDPS  Y2, Y0, Y0
	VADDPS  Y3, Y1, Y1
	VADDPS  Y6, Y4, Y4
	VADDPS  Y7, Y5, Y5
	VADDPS  Y4, Y0, Y0
	VADDPS  Y5, Y1, Y1
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VZEROUPPER
	MOVB    $1, ret+56(FP)
	RET

outside:
	VZEROUPPER
	MOVB $0, ret+56(FP)
	RET

// func gather8AVX2(dst, x *float32, step, last uintptr, idx *uint32, n, ahead int, cols int) bool
TEXT ·gather8AVX2(SB), NOSPLIT, $0-65
	MOVQ    cols+56(FP), CX
	NEGQ    CX
	LEAQ    lanes<>+32(SB), AX
	VMOVDQU (AX)(CX*4), Y15
	ARGS
	VXORPS  Y0, Y0, Y0
	VXORPS  Y1, Y1, Y1
	VXORPS  Y2, Y2, Y2
	VXORPS  Y3, Y3, Y3
	SUBQ    $4, CX
	JLT     rest

loop:
	CMPQ DX, $4
	JLT  near
	FETCH(0)
	FETCH(1)
	FETCH(2)
	FETCH(3)

near:
	ROW(0)
	ADD8M(Y0)
	ROW(1)
	ADD8M(Y1)
	ROW(2)
	ADD8M(Y2)
	ROW(3)
	ADD8M(Y3)
	ADDQ $16, DI
	SUBQ $4, DX
	SUBQ $4, CX
	JGE  loop

rest:
	ADDQ $4, CX
	JZ   done
	ROW(0)
	ADD8M(Y0)
	DECQ CX
	JZ   done
	ROW(1)
	ADD8M(Y1)
	DECQ CX
	JZ   done
	ROW(2)
	ADD8M(Y2)

done:
	MOVQ       dst+0(FP), DI
	VADDPS     Y1, Y0, Y0
	VADDPS     Y3, Y2, Y2
	VADDPS     Y2, Y0, Y0
	VMASKMOVPS Y0, Y15, (DI)
	VZEROUPPER
	MOVB       $1, ret+64(FP)
	RET

outside:
	VZEROUPPER
	MOVB $0, ret+64(FP)
	RET
