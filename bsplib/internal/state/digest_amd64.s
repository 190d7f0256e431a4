//go:build !race

#include "textflag.h"

// func mixLines(lanes *[8]uint64, b unsafe.Pointer, n int, word, lane uint64)
TEXT ·mixLines(SB), NOSPLIT, $0-40
	MOVQ lanes+0(FP), DI
	MOVQ b+8(FP), SI
	MOVQ n+16(FP), CX
	VPBROADCASTQ word+24(FP), Z2
	VPBROADCASTQ lane+32(FP), Z3
	VMOVDQU64 (DI), Z0
more:
	VMOVDQU64 (SI), Z1
	VPMULLQ Z2, Z1, Z1
	VPXORQ  Z1, Z0, Z0
	VPROLQ  $29, Z0, Z0
	VPMULLQ Z3, Z0, Z0
	ADDQ $64, SI
	SUBQ $64, CX
	JNZ  more
	VMOVDQU64 Z0, (DI)
	VZEROUPPER
	RET
