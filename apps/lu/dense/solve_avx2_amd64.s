//go:build !purego && !noasm

#include "textflag.h"

// The tile is 4 adjacent rows of 12 elements in Y4-Y15, row by row; Y3 holds an element of L.

// SOLVE subtracts l[e] times the tile row x0-x2 from the tile row c0-c2.
#define SOLVE(e, x0, x1, x2, c0, c1, c2) \
	VBROADCASTSD (e*8)(AX), Y3; \
	VFNMADD231PD x0, Y3, c0;    \
	VFNMADD231PD x1, Y3, c1;    \
	VFNMADD231PD x2, Y3, c2

#define LOADROW(r, c0, c1, c2) \
	VMOVUPD (r*96)(BX), c0;    \
	VMOVUPD (r*96+32)(BX), c1; \
	VMOVUPD (r*96+64)(BX), c2

#define STOREROW(r, c0, c1, c2) \
	VMOVUPD c0, (r*96)(BX);    \
	VMOVUPD c1, (r*96+32)(BX); \
	VMOVUPD c2, (r*96+64)(BX)

// func solveAVX2(l, b *float64)
TEXT ·solveAVX2(SB), NOSPLIT, $0-16
	MOVQ l+0(FP), AX
	MOVQ b+8(FP), BX
	LOADROW(0, Y4, Y5, Y6)
	LOADROW(1, Y7, Y8, Y9)
	LOADROW(2, Y10, Y11, Y12)
	LOADROW(3, Y13, Y14, Y15)

	SOLVE(4, Y4, Y5, Y6, Y7, Y8, Y9)
	SOLVE(8, Y4, Y5, Y6, Y10, Y11, Y12)
	SOLVE(12, Y4, Y5, Y6, Y13, Y14, Y15)

	SOLVE(9, Y7, Y8, Y9, Y10, Y11, Y12)
	SOLVE(13, Y7, Y8, Y9, Y13, Y14, Y15)

	SOLVE(14, Y10, Y11, Y12, Y13, Y14, Y15)

	STOREROW(1, Y7, Y8, Y9)
	STOREROW(2, Y10, Y11, Y12)
	STOREROW(3, Y13, Y14, Y15)
	VZEROUPPER
	RET

// func copyAVX2(rows int, dst *float64, ldd int, src *float64, lds int)
// The rows have 12 elements.
TEXT ·copyAVX2(SB), NOSPLIT, $0-40
	MOVQ rows+0(FP), DX
	MOVQ dst+8(FP), DI
	MOVQ ldd+16(FP), R8
	MOVQ src+24(FP), SI
	MOVQ lds+32(FP), R9
	SHLQ $3, R8
	SHLQ $3, R9

row:
	VMOVUPD (SI), Y0
	VMOVUPD 32(SI), Y1
	VMOVUPD 64(SI), Y2
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	VMOVUPD Y2, 64(DI)
	ADDQ    R9, SI
	ADDQ    R8, DI
	DECQ    DX
	JNZ     row
	VZEROUPPER
	RET
