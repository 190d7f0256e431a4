//go:build !purego && !noasm

#include "textflag.h"
#include "go_asm.h"

// The tile is 8 rows of three vectors: Z8-Z31, row by row. Z0-Z2 hold a row of B, Z3 an element of A.

// ROW subtracts the product of one element of A with Z0-Z2 from a row of the tile.
#define ROW(elem, c0, c1, c2) \
	VBROADCASTSD elem, Z3;   \
	VFNMADD231PD Z0, Z3, c0; \
	VFNMADD231PD Z1, Z3, c1; \
	VFNMADD231PD Z2, Z3, c2

// LOAD reads a row of the tile and prefetches the same row of the next one.
#define LOAD(r, c0, c1, c2) \
	MOVQ       (strip_cRow+r*8)(DI), BX; \
	VMOVUPD    (SI)(BX*1), c0;           \
	VMOVUPD    64(SI)(BX*1), c1;         \
	VMOVUPD    128(SI)(BX*1), c2;        \
	PREFETCHT0 192(SI)(BX*1);            \
	PREFETCHT0 256(SI)(BX*1);            \
	PREFETCHT0 320(SI)(BX*1)

#define STORE(r, c0, c1, c2) \
	MOVQ    (strip_cRow+r*8)(DI), BX; \
	VMOVUPD c0, (SI)(BX*1);           \
	VMOVUPD c1, 64(SI)(BX*1);         \
	VMOVUPD c2, 128(SI)(BX*1)

// The same for the columns left at the end, one masked vector at a time, in Z8-Z15.
#define LOADTAIL(r, c0) \
	MOVQ      (strip_cRow+r*8)(DI), BX; \
	VMOVUPD.Z (SI)(BX*1), K1, c0

#define STORETAIL(r, c0) \
	MOVQ    (strip_cRow+r*8)(DI), BX; \
	VMOVUPD c0, K1, (SI)(BX*1)

// func stripAVX512(s *strip)
// DI s, SI tile of C, AX A, BX B (and row offsets of C), CX bRow, R14 k, R8-R13 and DX row offsets of A.
TEXT ·stripAVX512(SB), NOSPLIT, $16-8
	MOVQ s+0(FP), DI
	MOVQ (strip_aRow+8)(DI), R8
	MOVQ (strip_aRow+16)(DI), R9
	MOVQ (strip_aRow+24)(DI), R10
	MOVQ (strip_aRow+32)(DI), R11
	MOVQ (strip_aRow+40)(DI), R12
	MOVQ (strip_aRow+48)(DI), R13
	MOVQ (strip_aRow+56)(DI), DX
	MOVQ strip_bRow(DI), CX
	MOVQ strip_c(DI), SI
	MOVQ strip_b(DI), AX
	MOVQ AX, sliver-8(SP)
	MOVQ strip_cols(DI), AX
	SUBQ $24, AX
	MOVQ AX, left-16(SP)
	JLT  tail

tile:
	LOAD(0, Z8, Z9, Z10)
	LOAD(1, Z11, Z12, Z13)
	LOAD(2, Z14, Z15, Z16)
	LOAD(3, Z17, Z18, Z19)
	LOAD(4, Z20, Z21, Z22)
	LOAD(5, Z23, Z24, Z25)
	LOAD(6, Z26, Z27, Z28)
	LOAD(7, Z29, Z30, Z31)
	MOVQ strip_a(DI), AX
	MOVQ sliver-8(SP), BX
	MOVQ strip_k(DI), R14

step:
	VMOVUPD    (BX), Z0
	VMOVUPD    64(BX), Z1
	VMOVUPD    128(BX), Z2
	PREFETCHT0 768(BX)
	PREFETCHT0 832(BX)
	PREFETCHT0 896(BX)
	ROW((AX), Z8, Z9, Z10)
	ROW((AX)(R8*1), Z11, Z12, Z13)
	ROW((AX)(R9*1), Z14, Z15, Z16)
	ROW((AX)(R10*1), Z17, Z18, Z19)
	ROW((AX)(R11*1), Z20, Z21, Z22)
	ROW((AX)(R12*1), Z23, Z24, Z25)
	ROW((AX)(R13*1), Z26, Z27, Z28)
	ROW((AX)(DX*1), Z29, Z30, Z31)
	ADDQ       $8, AX
	ADDQ       CX, BX
	DECQ       R14
	JNZ        step

	STORE(0, Z8, Z9, Z10)
	STORE(1, Z11, Z12, Z13)
	STORE(2, Z14, Z15, Z16)
	STORE(3, Z17, Z18, Z19)
	STORE(4, Z20, Z21, Z22)
	STORE(5, Z23, Z24, Z25)
	STORE(6, Z26, Z27, Z28)
	STORE(7, Z29, Z30, Z31)
	ADDQ $192, SI
	MOVQ strip_bSliver(DI), BX
	ADDQ BX, sliver-8(SP)
	SUBQ $24, left-16(SP)
	JGE  tile

tail:
	ADDQ $24, left-16(SP)
	JZ   done

vector:
	MOVL  $0xff, AX
	MOVQ  left-16(SP), BX
	BZHIL BX, AX, AX
	KMOVW AX, K1
	LOADTAIL(0, Z8)
	LOADTAIL(1, Z9)
	LOADTAIL(2, Z10)
	LOADTAIL(3, Z11)
	LOADTAIL(4, Z12)
	LOADTAIL(5, Z13)
	LOADTAIL(6, Z14)
	LOADTAIL(7, Z15)
	MOVQ  strip_a(DI), AX
	MOVQ  sliver-8(SP), BX
	MOVQ  strip_k(DI), R14

tailstep:
	VMOVUPD.Z         (BX), K1, Z0
	VFNMADD231PD.BCST (AX), Z0, Z8
	VFNMADD231PD.BCST (AX)(R8*1), Z0, Z9
	VFNMADD231PD.BCST (AX)(R9*1), Z0, Z10
	VFNMADD231PD.BCST (AX)(R10*1), Z0, Z11
	VFNMADD231PD.BCST (AX)(R11*1), Z0, Z12
	VFNMADD231PD.BCST (AX)(R12*1), Z0, Z13
	VFNMADD231PD.BCST (AX)(R13*1), Z0, Z14
	VFNMADD231PD.BCST (AX)(DX*1), Z0, Z15
	ADDQ              $8, AX
	ADDQ              CX, BX
	DECQ              R14
	JNZ               tailstep

	STORETAIL(0, Z8)
	STORETAIL(1, Z9)
	STORETAIL(2, Z10)
	STORETAIL(3, Z11)
	STORETAIL(4, Z12)
	STORETAIL(5, Z13)
	STORETAIL(6, Z14)
	STORETAIL(7, Z15)
	ADDQ $64, SI
	ADDQ $64, sliver-8(SP)
	SUBQ $8, left-16(SP)
	JGT  vector

done:
	VZEROUPPER
	RET
