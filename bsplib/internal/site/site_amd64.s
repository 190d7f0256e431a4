#include "textflag.h"

// func Goroutine() uintptr
TEXT ·Goroutine(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ (TLS), AX
	MOVQ AX, ret+0(FP)
	RET

// func secondCallerPC() uintptr
// This function has no frame: BP points to its caller's, where the frame
// pointer of that function's caller lies, with the return address behind it.
TEXT ·secondCallerPC(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ (BP), AX
	MOVQ 8(AX), AX
	MOVQ AX, ret+0(FP)
	RET
