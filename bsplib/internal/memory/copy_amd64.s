//go:build !race

#include "textflag.h"

// func stringCopy(to, from unsafe.Pointer, n int)
TEXT ·stringCopy(SB), NOSPLIT, $0-24
	MOVQ to+0(FP), DI
	MOVQ from+8(FP), SI
	MOVQ n+16(FP), CX
	REP; MOVSB
	RET
