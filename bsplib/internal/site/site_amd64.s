#include "textflag.h"

// func Goroutine() uintptr
TEXT ·Goroutine(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ (TLS), AX
	MOVQ AX, ret+0(FP)
	RET

// func secondCaller() (pc, goroutine uintptr)
// This function has no frame: BP points to its caller's, where the frame
// pointer of that function's caller lies, with the return address behind it.
TEXT ·secondCaller(SB), NOSPLIT|NOFRAME, $0-16
	MOVQ (BP), AX
	MOVQ 8(AX), AX
	MOVQ AX, pc+0(FP)
	MOVQ (TLS), CX
	MOVQ CX, goroutine+8(FP)
	RET
