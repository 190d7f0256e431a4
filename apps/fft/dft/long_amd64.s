//go:build !purego && !noasm

#include "textflag.h"

// TIMES multiplies the two numbers in z by roots whose parts are in re and im. z is
// overwritten, and so is Y13.
#define TIMES(re, im, z) \
	VPERMILPD $5, z, Y13;  \
	VMULPD    re, z, z;    \
	VMULPD    im, Y13, Y13; \
	VADDSUBPD Y13, z, z

// func rotateAVX2(y *complex128, ld int, x, powers, bases *complex128, rows int)
// DI row of y, R8 bytes to the next, SI x, BX powers, CX bases, DX rows, R11 pairs, R12
// where in the row of y.
TEXT ·rotateAVX2(SB), NOSPLIT, $0-48
	MOVQ y+0(FP), DI
	MOVQ ld+8(FP), R8
	SHLQ $4, R8
	MOVQ x+16(FP), SI
	MOVQ powers+24(FP), BX
	MOVQ bases+32(FP), CX
	MOVQ rows+40(FP), DX

row:
	VBROADCASTSD 0(CX), Y0
	VBROADCASTSD 8(CX), Y1
	MOVQ         DI, R12
	MOVQ         $4, R11

pair:
	VMOVUPD   (BX), Y2
	TIMES(Y0, Y1, Y2)
	VMOVDDUP  Y2, Y3
	VPERMILPD $15, Y2, Y4
	VMOVUPD   (SI), Y5
	TIMES(Y3, Y4, Y5)
	VMOVUPD   Y5, (R12)
	ADDQ      $32, BX
	ADDQ      $32, SI
	ADDQ      $32, R12
	DECQ      R11
	JNZ       pair

	ADDQ R8, DI
	ADDQ $16, CX
	DECQ DX
	JNZ  row
	VZEROUPPER
	RET

// TWO makes two numbers of a row of y of two rows of x.
#define TWO(first, second, low, z, at) \
	VMOVUPD     first, low;        \
	VINSERTF128 $1, second, z, z;  \
	VMOVUPD     z, at(DI)

// func flipAVX2(y *complex128, ld int, x *complex128, next, columns int)
// DI row of y, R8 bytes to the next; SI row 0 of x, BX row 3, R12 row 6, R9 bytes from row
// to row; DX columns of x to do.
TEXT ·flipAVX2(SB), NOSPLIT, $0-40
	MOVQ y+0(FP), DI
	MOVQ ld+8(FP), R8
	SHLQ $4, R8
	MOVQ x+16(FP), SI
	MOVQ next+24(FP), R9
	SHLQ $4, R9
	MOVQ columns+32(FP), DX
	LEAQ (R9)(R9*2), R10
	LEAQ (SI)(R10*1), BX
	LEAQ (BX)(R10*1), R12

column:
	TWO((SI), (SI)(R9*1), X0, Y0, 0)
	TWO((SI)(R9*2), (BX), X1, Y1, 32)
	TWO((BX)(R9*1), (BX)(R9*2), X2, Y2, 64)
	TWO((R12), (R12)(R9*1), X3, Y3, 96)
	ADDQ $16, SI
	ADDQ $16, BX
	ADDQ $16, R12
	ADDQ R8, DI
	DECQ DX
	JNZ  column
	VZEROUPPER
	RET
