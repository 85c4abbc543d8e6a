//go:build !purego

#include "textflag.h"

// func fetchRowsAMD64(rows **float32, n, dim int)
TEXT ·fetchRowsAMD64(SB), NOSPLIT, $0-24
	MOVQ rows+0(FP), BX
	MOVQ n+8(FP), CX
	MOVQ dim+16(FP), DX
	SHLQ $2, DX

row:
	MOVQ (BX), SI
	MOVQ DX, AX
	SUBQ $256, AX
	JLT  rest

lines:
	PREFETCHT0 (SI)
	PREFETCHT0 64(SI)
	PREFETCHT0 128(SI)
	PREFETCHT0 192(SI)
	ADDQ       $256, SI
	SUBQ       $256, AX
	JGE        lines

rest:
	ADDQ $256, AX
	JEQ  next

line:
	PREFETCHT0 (SI)
	ADDQ       $64, SI
	SUBQ       $64, AX
	JGT        line

next:
	ADDQ $8, BX
	DECQ CX
	JNZ  row
	RET

// func fetchToWrite(row *[16]float32)
TEXT ·fetchToWrite(SB), NOSPLIT, $0-8
	MOVQ row+0(FP), AX
	BYTE $0x0F; BYTE $0x0D; BYTE $0x08 // PREFETCHW (AX)
	RET
