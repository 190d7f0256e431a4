//go:build !purego && !noasm

#include "textflag.h"

// UPDATE subtracts x (Z2) times a vector of y from a vector of the row.
#define UPDATE(off) \
	VMOVUPD      off(DX), Z0; \
	VMOVUPD      off(DI), Z1; \
	VFNMADD231PD Z0, Z2, Z1;  \
	VMOVUPD      Z1, off(DI)

// func gerAVX512(rows, cols int, x *float64, incX int, y, a *float64, lda int)
// One row after the other, while the next one is prefetched. The last eight columns of a row are computed
// first and stored last: where they overlap with whole vectors they store the same values again.
// R8 rows left, R9 columns, SI x, BX distance of x, R10 y, R11 row of A, R12 stride of A, R13 offset of
// the last eight columns, Z3 y and Z4 the row there; DX and DI walk y and the row, CX columns left.
TEXT ·gerAVX512(SB), NOSPLIT, $0-56
	MOVQ    rows+0(FP), R8
	MOVQ    cols+8(FP), R9
	MOVQ    x+16(FP), SI
	MOVQ    incX+24(FP), BX
	MOVQ    y+32(FP), R10
	MOVQ    a+40(FP), R11
	MOVQ    lda+48(FP), R12
	SHLQ    $3, BX
	SHLQ    $3, R12
	LEAQ    -64(R9*8), R13
	CMPQ    R9, $8
	JLT     narrow
	VMOVUPD (R10)(R13*1), Z3

row:
	VBROADCASTSD (SI), Z2
	VMOVUPD      (R11)(R13*1), Z4
	VFNMADD231PD Z3, Z2, Z4
	MOVQ         R10, DX
	MOVQ         R11, DI
	MOVQ         R9, CX
	SUBQ         $32, CX
	JLT          last32

cols32:
	UPDATE(0)
	UPDATE(64)
	UPDATE(128)
	UPDATE(192)
	PREFETCHT0 (DI)(R12*1)
	PREFETCHT0 64(DI)(R12*1)
	PREFETCHT0 128(DI)(R12*1)
	PREFETCHT0 192(DI)(R12*1)
	ADDQ       $256, DX
	ADDQ       $256, DI
	SUBQ       $32, CX
	JGE        cols32

last32:
	ADDQ $24, CX
	JLE  last8

cols8:
	UPDATE(0)
	PREFETCHT0 (DI)(R12*1)
	ADDQ       $64, DX
	ADDQ       $64, DI
	SUBQ       $8, CX
	JGT        cols8

last8:
	VMOVUPD Z4, (R11)(R13*1)
	ADDQ    BX, SI
	ADDQ    R12, R11
	DECQ    R8
	JNZ     row
	VZEROUPPER
	RET

narrow:
	MOVL      $0xff, AX
	BZHIL     R9, AX, AX
	KMOVW     AX, K1
	VMOVUPD.Z (R10), K1, Z3

narrowrow:
	VBROADCASTSD (SI), Z2
	VMOVUPD.Z    (R11), K1, Z4
	VFNMADD231PD Z3, Z2, Z4
	VMOVUPD      Z4, K1, (R11)
	ADDQ         BX, SI
	ADDQ         R12, R11
	DECQ         R8
	JNZ          narrowrow
	VZEROUPPER
	RET
