//go:build !purego && !noasm

#include "textflag.h"

// UPDATE subtracts x (Y2) times a vector of y from a vector of the row.
#define UPDATE(off) \
	VMOVUPD      off(DX), Y0; \
	VMOVUPD      off(DI), Y1; \
	VFNMADD231PD Y0, Y2, Y1;  \
	VMOVUPD      Y1, off(DI)

// func gerAVX2(rows, cols int, x *float64, incX int, y, a *float64, lda int)
// One row after the other, while the next one is prefetched. The last four columns of a row are computed
// first and stored last: where they overlap with whole vectors they store the same values again.
// R8 rows left, R9 columns, SI x, BX distance of x, R10 y, R11 row of A, R12 stride of A, R13 offset of
// the last four columns, Y3 y and Y4 the row there; DX and DI walk y and the row, CX columns left.
TEXT ·gerAVX2(SB), NOSPLIT, $0-56
	MOVQ    rows+0(FP), R8
	MOVQ    cols+8(FP), R9
	MOVQ    x+16(FP), SI
	MOVQ    incX+24(FP), BX
	MOVQ    y+32(FP), R10
	MOVQ    a+40(FP), R11
	MOVQ    lda+48(FP), R12
	SHLQ    $3, BX
	SHLQ    $3, R12
	LEAQ    -32(R9*8), R13
	CMPQ    R9, $4
	JLT     narrow
	VMOVUPD (R10)(R13*1), Y3

row:
	VBROADCASTSD (SI), Y2
	VMOVUPD      (R11)(R13*1), Y4
	VFNMADD231PD Y3, Y2, Y4
	MOVQ         R10, DX
	MOVQ         R11, DI
	MOVQ         R9, CX
	SUBQ         $16, CX
	JLT          last16

cols16:
	UPDATE(0)
	UPDATE(32)
	UPDATE(64)
	UPDATE(96)
	PREFETCHT0 (DI)(R12*1)
	PREFETCHT0 64(DI)(R12*1)
	ADDQ       $128, DX
	ADDQ       $128, DI
	SUBQ       $16, CX
	JGE        cols16

last16:
	PREFETCHT0 (DI)(R12*1)
	PREFETCHT0 64(DI)(R12*1)
	ADDQ       $12, CX
	JLE        last4

cols4:
	UPDATE(0)
	ADDQ $32, DX
	ADDQ $32, DI
	SUBQ $4, CX
	JGT  cols4

last4:
	VMOVUPD Y4, (R11)(R13*1)
	ADDQ    BX, SI
	ADDQ    R12, R11
	DECQ    R8
	JNZ     row
	VZEROUPPER
	RET

narrow:
	VMOVSD (SI), X2
	XORQ   CX, CX

narrowcol:
	VMOVSD       (R10)(CX*8), X0
	VMOVSD       (R11)(CX*8), X1
	VFNMADD231SD X0, X2, X1
	VMOVSD       X1, (R11)(CX*8)
	INCQ         CX
	CMPQ         CX, R9
	JLT          narrowcol
	ADDQ         BX, SI
	ADDQ         R12, R11
	DECQ         R8
	JNZ          narrow
	VZEROUPPER
	RET
