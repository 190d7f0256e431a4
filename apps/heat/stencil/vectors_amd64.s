//go:build !purego && !noasm

#include "textflag.h"

// DI is the cell to be computed next, SI the same one before the step, CX how many are
// left. R8 and R9 are the cells of the lines before and after, R10 and R11 those of the
// layers. Y15 and Y14 are the weights, of a cell and of its neighbours.

// BESIDE adds up the four neighbours of four cells in a layer, in Y0.
#define BESIDE \
	VMOVUPD -8(SI), Y0;    \
	VADDPD  8(SI), Y0, Y0; \
	VMOVUPD (R8), Y1;      \
	VADDPD  (R9), Y1, Y1;  \
	VADDPD  Y1, Y0, Y0

// WEIGH makes cells of themselves and of the sums of their neighbours.
#define WEIGH \
	VMULPD  (SI), Y15, Y2; \
	VMULPD  Y14, Y0, Y0;   \
	VADDPD  Y0, Y2, Y0;    \
	VMOVUPD Y0, (DI)

// GO goes on by so many bytes in a layer.
#define GO(bytes) \
	ADDQ bytes, DI; \
	ADDQ bytes, SI; \
	ADDQ bytes, R8; \
	ADDQ bytes, R9

// func line2AVX2(to, from *float64, n, y int, w *Weights)
TEXT ·line2AVX2(SB), NOSPLIT, $0-40
	MOVQ         to+0(FP), DI
	MOVQ         from+8(FP), SI
	MOVQ         n+16(FP), CX
	MOVQ         y+24(FP), DX
	MOVQ         w+32(FP), AX
	VBROADCASTSD (AX), Y15
	VBROADCASTSD 8(AX), Y14
	LEAQ         (SI)(DX*8), R9
	NEGQ         DX
	LEAQ         (SI)(DX*8), R8

cells2:
	BESIDE
	WEIGH
	SUBQ $4, CX
	JLE  done2
	GO($32)
	CMPQ CX, $4
	JGE  cells2

	// Fewer than four are left: back to the last four.
	LEAQ -32(CX*8), DX
	GO(DX)
	MOVQ $4, CX
	JMP  cells2

done2:
	VZEROUPPER
	RET

// func line3AVX2(to, from *float64, n, y, z int, w *Weights)
TEXT ·line3AVX2(SB), NOSPLIT, $0-48
	MOVQ         to+0(FP), DI
	MOVQ         from+8(FP), SI
	MOVQ         n+16(FP), CX
	MOVQ         y+24(FP), DX
	MOVQ         z+32(FP), BX
	MOVQ         w+40(FP), AX
	VBROADCASTSD (AX), Y15
	VBROADCASTSD 8(AX), Y14
	LEAQ         (SI)(DX*8), R9
	NEGQ         DX
	LEAQ         (SI)(DX*8), R8
	LEAQ         (SI)(BX*8), R11
	NEGQ         BX
	LEAQ         (SI)(BX*8), R10

cells3:
	BESIDE
	VMOVUPD (R10), Y1
	VADDPD  (R11), Y1, Y1
	VADDPD  Y1, Y0, Y0
	WEIGH
	SUBQ    $4, CX
	JLE     done3
	GO($32)
	ADDQ    $32, R10
	ADDQ    $32, R11
	CMPQ    CX, $4
	JGE     cells3

	LEAQ -32(CX*8), DX
	GO(DX)
	ADDQ DX, R10
	ADDQ DX, R11
	MOVQ $4, CX
	JMP  cells3

done3:
	VZEROUPPER
	RET
