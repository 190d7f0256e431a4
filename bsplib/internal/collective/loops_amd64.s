//go:build !race

#include "textflag.h"

// The loops go through 128 bytes a time, four registers of each operand.

#define BEGIN \
	MOVQ to+0(FP), DI \
	MOVQ a+8(FP), SI  \
	MOVQ b+16(FP), DX \
	MOVQ n+24(FP), CX

#define LOADA \
	VMOVUPS (SI), Y0   \
	VMOVUPS 32(SI), Y1 \
	VMOVUPS 64(SI), Y2 \
	VMOVUPS 96(SI), Y3

#define LOADB \
	VMOVUPS (DX), Y4   \
	VMOVUPS 32(DX), Y5 \
	VMOVUPS 64(DX), Y6 \
	VMOVUPS 96(DX), Y7

#define STORE(R0, R1, R2, R3) \
	VMOVUPS R0, (DI)   \
	VMOVUPS R1, 32(DI) \
	VMOVUPS R2, 64(DI) \
	VMOVUPS R3, 96(DI)

#define NEXT(more) \
	ADDQ $128, SI \
	ADDQ $128, DX \
	ADDQ $128, DI \
	SUBQ $128, CX \
	JNZ  more     \
	VZEROUPPER    \
	RET

#define ADD(OP) \
	BEGIN              \
more:                      \
	LOADA              \
	OP (DX), Y0, Y0    \
	OP 32(DX), Y1, Y1  \
	OP 64(DX), Y2, Y2  \
	OP 96(DX), Y3, Y3  \
	STORE(Y0, Y1, Y2, Y3) \
	NEXT(more)

// LESSER leaves in R8 to R11 what Go's min is: t = a < b ? a : b, and then
// (t < a ? t : a) | t, which is NaN if one is, and -0 before +0.
#define LESSER(MIN) \
	MIN Y4, Y0, Y8    \
	MIN Y5, Y1, Y9    \
	MIN Y6, Y2, Y10   \
	MIN Y7, Y3, Y11   \
	MIN Y0, Y8, Y12   \
	MIN Y1, Y9, Y13   \
	MIN Y2, Y10, Y14  \
	VORPS Y12, Y8, Y8 \
	MIN Y3, Y11, Y12  \
	VORPS Y13, Y9, Y9 \
	VORPS Y14, Y10, Y10 \
	VORPS Y12, Y11, Y11

#define MINIMUM(MIN) \
	BEGIN       \
more:               \
	LOADA       \
	LOADB       \
	LESSER(MIN) \
	STORE(Y8, Y9, Y10, Y11) \
	NEXT(more)

#define NEGATE(R0, R1, R2, R3) \
	VXORPS Y15, R0, R0 \
	VXORPS Y15, R1, R1 \
	VXORPS Y15, R2, R2 \
	VXORPS Y15, R3, R3

// As in Go, a maximum is the negated minimum of what is negated.
#define MAXIMUM(MIN) \
more:                \
	LOADA        \
	LOADB        \
	NEGATE(Y0, Y1, Y2, Y3)   \
	NEGATE(Y4, Y5, Y6, Y7)   \
	LESSER(MIN)              \
	NEGATE(Y8, Y9, Y10, Y11) \
	STORE(Y8, Y9, Y10, Y11)  \
	NEXT(more)

DATA sign64<>+0(SB)/8, $0x8000000000000000
GLOBL sign64<>(SB), RODATA|NOPTR, $8
DATA sign32<>+0(SB)/4, $0x80000000
GLOBL sign32<>(SB), RODATA|NOPTR, $4

// func addFloat64s(to, a, b unsafe.Pointer, n int)
TEXT ·addFloat64s(SB), NOSPLIT, $0-32
	ADD(VADDPD)

// func addFloat32s(to, a, b unsafe.Pointer, n int)
TEXT ·addFloat32s(SB), NOSPLIT, $0-32
	ADD(VADDPS)

// func minFloat64s(to, a, b unsafe.Pointer, n int)
TEXT ·minFloat64s(SB), NOSPLIT, $0-32
	MINIMUM(VMINPD)

// func minFloat32s(to, a, b unsafe.Pointer, n int)
TEXT ·minFloat32s(SB), NOSPLIT, $0-32
	MINIMUM(VMINPS)

// func maxFloat64s(to, a, b unsafe.Pointer, n int)
TEXT ·maxFloat64s(SB), NOSPLIT, $0-32
	BEGIN
	VBROADCASTSD sign64<>(SB), Y15
	MAXIMUM(VMINPD)

// func maxFloat32s(to, a, b unsafe.Pointer, n int)
TEXT ·maxFloat32s(SB), NOSPLIT, $0-32
	BEGIN
	VBROADCASTSS sign32<>(SB), Y15
	MAXIMUM(VMINPS)
