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
	XORQ AX, AX

line:
	CMPQ       AX, DX
	JGE        next
	PREFETCHT0 (SI)(AX*1)
	ADDQ       $64, AX
	JMP        line

next:
	ADDQ $8, BX
	DECQ CX
	JNZ  row
	RET
