//go:build !purego && !noasm

#include "textflag.h"

// UPDATE subtracts the product of a multiplier and the pivot row from a row of the block.
#define UPDATE(l, row) \
	VBROADCASTSD l, Z1;       \
	VFNMADD231PD Z30, Z1, row

// LARGER keeps in max the larger of it and the absolute value of x; it keeps max if x is NaN.
#define LARGER(x, max) \
	VANDPD X6, x, X1;   \
	VMAXSD max, X1, max

// func eliminateAVX512(blocks, cols int, pivot, a *float64, lda int) (best int, largest float64)
// In every block of 8 rows the first column is collected in Z0, divided, and put back; the other columns
// are one masked vector per row in Z8-Z15.
// SI block, R8-R13 and DX offsets of its rows 1-7, CX blocks done, DI blocks to do, AX best, X7 largest,
// Z31 pivot, Z30 pivot row, X6 all bits but the sign, K1 columns.
TEXT ·eliminateAVX512(SB), NOSPLIT, $0-56
	MOVQ         blocks+0(FP), DI
	MOVQ         cols+8(FP), CX
	MOVQ         pivot+16(FP), BX
	MOVQ         a+24(FP), SI
	MOVQ         lda+32(FP), R8
	MOVL         $-1, AX
	BZHIL        CX, AX, AX
	SHRL         $1, AX
	KMOVW        AX, K1
	VBROADCASTSD (BX), Z31
	VMOVUPD.Z    8(BX), K1, Z30
	MOVQ         $0x7fffffffffffffff, AX
	VMOVQ        AX, X6
	MOVQ         $0xbff0000000000000, AX // -1
	VMOVQ        AX, X7
	SHLQ         $3, R8
	LEAQ         (R8)(R8*1), R9
	LEAQ         (R8)(R8*2), R10
	LEAQ         (R9)(R9*1), R11
	LEAQ         (R8)(R8*4), R12
	LEAQ         (R10)(R10*1), R13
	LEAQ         (R10)(R8*4), DX
	XORQ         CX, CX
	XORQ         AX, AX

block:
	VMOVSD       (SI), X0
	VMOVHPD      (SI)(R8*1), X0, X0
	VMOVSD       (SI)(R9*1), X1
	VMOVHPD      (SI)(R10*1), X1, X1
	VMOVSD       (SI)(R11*1), X2
	VMOVHPD      (SI)(R12*1), X2, X2
	VMOVSD       (SI)(R13*1), X3
	VMOVHPD      (SI)(DX*1), X3, X3
	VINSERTF128  $1, X1, Y0, Y0
	VINSERTF128  $1, X3, Y2, Y2
	VINSERTF64X4 $1, Y2, Z0, Z0
	VDIVPD       Z31, Z0, Z0

	VMOVUPD.Z 8(SI), K1, Z8
	VMOVUPD.Z 8(SI)(R8*1), K1, Z9
	VMOVUPD.Z 8(SI)(R9*1), K1, Z10
	VMOVUPD.Z 8(SI)(R10*1), K1, Z11
	VMOVUPD.Z 8(SI)(R11*1), K1, Z12
	VMOVUPD.Z 8(SI)(R12*1), K1, Z13
	VMOVUPD.Z 8(SI)(R13*1), K1, Z14
	VMOVUPD.Z 8(SI)(DX*1), K1, Z15

	VEXTRACTF64X4 $1, Z0, Y2
	VEXTRACTF128  $1, Y0, X1
	VEXTRACTF128  $1, Y2, X3
	VMOVLPD       X0, (SI)
	VMOVHPD       X0, (SI)(R8*1)
	VMOVLPD       X1, (SI)(R9*1)
	VMOVHPD       X1, (SI)(R10*1)
	VMOVLPD       X2, (SI)(R11*1)
	VMOVHPD       X2, (SI)(R12*1)
	VMOVLPD       X3, (SI)(R13*1)
	VMOVHPD       X3, (SI)(DX*1)

	UPDATE((SI), Z8)
	UPDATE((SI)(R8*1), Z9)
	UPDATE((SI)(R9*1), Z10)
	UPDATE((SI)(R10*1), Z11)
	UPDATE((SI)(R11*1), Z12)
	UPDATE((SI)(R12*1), Z13)
	UPDATE((SI)(R13*1), Z14)
	UPDATE((SI)(DX*1), Z15)

	VMOVUPD Z8, K1, 8(SI)
	VMOVUPD Z9, K1, 8(SI)(R8*1)
	VMOVUPD Z10, K1, 8(SI)(R9*1)
	VMOVUPD Z11, K1, 8(SI)(R10*1)
	VMOVUPD Z12, K1, 8(SI)(R11*1)
	VMOVUPD Z13, K1, 8(SI)(R12*1)
	VMOVUPD Z14, K1, 8(SI)(R13*1)
	VMOVUPD Z15, K1, 8(SI)(DX*1)

	VMOVAPD  X7, X4
	VMOVAPD  X7, X5
	LARGER(X8, X4)
	LARGER(X9, X5)
	LARGER(X10, X4)
	LARGER(X11, X5)
	LARGER(X12, X4)
	LARGER(X13, X5)
	LARGER(X14, X4)
	LARGER(X15, X5)
	VMAXSD   X4, X5, X4
	VUCOMISD X7, X4
	JLS      next
	VMOVAPD  X4, X7
	MOVQ     CX, AX

next:
	LEAQ   (SI)(R8*8), SI
	INCQ   CX
	CMPQ   CX, DI
	JLT    block
	MOVQ   AX, best+40(FP)
	VMOVSD X7, largest+48(FP)
	VZEROUPPER
	RET
