//go:build !purego && !noasm

#include "textflag.h"

// func swapAVX2(blocks int, x, y *float64)
// Exchanges blocks of 8 elements. Both rows are prefetched one kilobyte ahead: they are used once, and
// too short for the hardware to find their pattern.
TEXT ·swapAVX2(SB), NOSPLIT, $0-24
	MOVQ blocks+0(FP), CX
	MOVQ x+8(FP), SI
	MOVQ y+16(FP), DI

block:
	PREFETCHT0 1024(SI)
	PREFETCHT0 1024(DI)
	VMOVUPD    (SI), Y0
	VMOVUPD    32(SI), Y1
	VMOVUPD    (DI), Y2
	VMOVUPD    32(DI), Y3
	VMOVUPD    Y0, (DI)
	VMOVUPD    Y1, 32(DI)
	VMOVUPD    Y2, (SI)
	VMOVUPD    Y3, 32(SI)
	ADDQ       $64, SI
	ADDQ       $64, DI
	DECQ       CX
	JNZ        block
	VZEROUPPER
	RET
