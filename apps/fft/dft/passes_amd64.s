//go:build !purego && !noasm

#include "textflag.h"

// TIMES multiplies the two numbers in z by the root whose parts are in re and im. z is
// overwritten, and so is Y13.
#define TIMES(re, im, z) \
	VPERMILPD $5, z, Y13;  \
	VMULPD    re, z, z;    \
	VMULPD    im, Y13, Y13; \
	VADDSUBPD Y13, z, z

// BUTTERFLY adds and subtracts what is in Y6 to Y9: Y10 is the first result, Y12, Y8 and
// Y9 are the third, second and fourth, yet to be multiplied.
#define BUTTERFLY \
	VADDPD    Y8, Y6, Y10;   \
	VADDPD    Y9, Y7, Y11;   \
	VSUBPD    Y8, Y6, Y6;    \
	VSUBPD    Y9, Y7, Y7;    \
	VSUBPD    Y11, Y10, Y12; \
	VADDPD    Y11, Y10, Y10; \
	VPERMILPD $5, Y7, Y7;    \
	VMULPD    Y15, Y7, Y7;   \
	VADDPD    Y7, Y6, Y8;    \
	VSUBPD    Y7, Y6, Y9

// SIGNS makes Y15 sign, -sign, sign, -sign of -sign.
#define SIGNS(minus) \
	VBROADCASTSD minus, Y15;   \
	VXORPD       Y14, Y14, Y14; \
	VADDSUBPD    Y15, Y14, Y15

// func fourAVX2(x *complex128, ld, m, s int, y, w *complex128, minus float64)
// AX row j of x, R8 bytes to the next, R9 to row j+m; SI, DI, R12, R13 the four rows read;
// BX y, R10 and R14 bytes of one and three rows there; CX roots, DX rows, R11 pairs to do.
TEXT ·fourAVX2(SB), NOSPLIT, $0-56
	MOVQ x+0(FP), AX
	MOVQ ld+8(FP), R8
	SHLQ $4, R8
	MOVQ m+16(FP), DX
	MOVQ s+24(FP), R10
	SHLQ $4, R10
	MOVQ y+32(FP), BX
	MOVQ w+40(FP), CX
	SIGNS(minus+48(FP))
	MOVQ  R8, R9
	IMULQ DX, R9
	LEAQ  (R10)(R10*2), R14

row:
	MOVQ         AX, SI
	LEAQ         (AX)(R9*1), DI
	LEAQ         (AX)(R9*2), R12
	LEAQ         (R12)(R9*1), R13
	VBROADCASTSD 0(CX), Y0
	VBROADCASTSD 8(CX), Y1
	VBROADCASTSD 16(CX), Y2
	VBROADCASTSD 24(CX), Y3
	VBROADCASTSD 32(CX), Y4
	VBROADCASTSD 40(CX), Y5
	MOVQ         R10, R11
	SHRQ         $5, R11

pair:
	VMOVUPD (SI), Y6
	VMOVUPD (DI), Y7
	VMOVUPD (R12), Y8
	VMOVUPD (R13), Y9
	BUTTERFLY
	VMOVUPD Y10, (BX)
	TIMES(Y2, Y3, Y12)
	VMOVUPD Y12, (BX)(R10*2)
	TIMES(Y0, Y1, Y8)
	VMOVUPD Y8, (BX)(R10*1)
	TIMES(Y4, Y5, Y9)
	VMOVUPD Y9, (BX)(R14*1)
	ADDQ    $32, SI
	ADDQ    $32, DI
	ADDQ    $32, R12
	ADDQ    $32, R13
	ADDQ    $32, BX
	DECQ    R11
	JNZ     pair

	ADDQ R14, BX
	ADDQ $48, CX
	ADDQ R8, AX
	DECQ DX
	JNZ  row
	VZEROUPPER
	RET

// func lastAVX2(x *complex128, ld, s int, y *complex128, minus float64)
// Registers as in fourAVX2.
TEXT ·lastAVX2(SB), NOSPLIT, $0-40
	MOVQ x+0(FP), SI
	MOVQ ld+8(FP), R9
	SHLQ $4, R9
	MOVQ s+16(FP), R10
	SHLQ $4, R10
	MOVQ y+24(FP), BX
	SIGNS(minus+32(FP))
	LEAQ (R10)(R10*2), R14
	LEAQ (SI)(R9*1), DI
	LEAQ (SI)(R9*2), R12
	LEAQ (R12)(R9*1), R13
	MOVQ R10, R11
	SHRQ $5, R11

lastPair:
	VMOVUPD (SI), Y6
	VMOVUPD (DI), Y7
	VMOVUPD (R12), Y8
	VMOVUPD (R13), Y9
	BUTTERFLY
	VMOVUPD Y10, (BX)
	VMOVUPD Y12, (BX)(R10*2)
	VMOVUPD Y8, (BX)(R10*1)
	VMOVUPD Y9, (BX)(R14*1)
	ADDQ    $32, SI
	ADDQ    $32, DI
	ADDQ    $32, R12
	ADDQ    $32, R13
	ADDQ    $32, BX
	DECQ    R11
	JNZ     lastPair
	VZEROUPPER
	RET

// ROOTS loads root k of two butterflies, and splits them into parts in re and im.
#define ROOTS(k, re, im, low) \
	VMOVUPD     (16*k)(CX), low;           \
	VINSERTF128 $1, (48+16*k)(CX), im, im; \
	VMOVDDUP    im, re;                    \
	VPERMILPD   $15, im, im

// STORE stores two numbers as number k of two results.
#define STORE(k, z, low) \
	VMOVUPD      low, (16*k)(BX); \
	VEXTRACTF128 $1, z, (64+16*k)(BX)

// func singleAVX2(x *complex128, m int, y, w *complex128, minus float64)
// Registers as in fourAVX2; m is even.
TEXT ·singleAVX2(SB), NOSPLIT, $0-40
	MOVQ x+0(FP), SI
	MOVQ m+8(FP), R9
	MOVQ R9, R11
	SHRQ $1, R11
	SHLQ $4, R9
	MOVQ y+16(FP), BX
	MOVQ w+24(FP), CX
	SIGNS(minus+32(FP))
	LEAQ (SI)(R9*1), DI
	LEAQ (SI)(R9*2), R12
	LEAQ (R12)(R9*1), R13

singlePair:
	VMOVUPD (SI), Y6
	VMOVUPD (DI), Y7
	VMOVUPD (R12), Y8
	VMOVUPD (R13), Y9
	BUTTERFLY
	STORE(0, Y10, X10)
	ROOTS(0, Y0, Y1, X1)
	TIMES(Y0, Y1, Y8)
	STORE(1, Y8, X8)
	ROOTS(1, Y2, Y3, X3)
	TIMES(Y2, Y3, Y12)
	STORE(2, Y12, X12)
	ROOTS(2, Y4, Y5, X5)
	TIMES(Y4, Y5, Y9)
	STORE(3, Y9, X9)
	ADDQ $32, SI
	ADDQ $32, DI
	ADDQ $32, R12
	ADDQ $32, R13
	ADDQ $128, BX
	ADDQ $96, CX
	DECQ R11
	JNZ  singlePair
	VZEROUPPER
	RET
