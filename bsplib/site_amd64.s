#include "textflag.h"

// func frameCallerPC() uintptr
// The caller's frame pointer is in BP: this function has no frame.
TEXT ·frameCallerPC(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ 8(BP), AX
	MOVQ AX, ret+0(FP)
	RET
