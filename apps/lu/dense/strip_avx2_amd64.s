//go:build !purego && !noasm

#include "textflag.h"
#include "go_asm.h"

// The tile is 4 rows of three vectors: Y4-Y15, row by row. Y0-Y2 hold a row of B, Y3 an element of A.

// ROW subtracts the product of one element of A with Y0-Y2 from a row of the tile.
#define ROW(elem, c0, c1, c2) \
	VBROADCASTSD elem, Y3;   \
	VFNMADD231PD Y0, Y3, c0; \
	VFNMADD231PD Y1, Y3, c1; \
	VFNMADD231PD Y2, Y3, c2

// LOAD reads a row of the tile and prefetches the same row of the next one.
#define LOAD(r, c0, c1, c2) \
	MOVQ       (strip_cRow+r*8)(DI), BX; \
	VMOVUPD    (SI)(BX*1), c0;           \
	VMOVUPD    32(SI)(BX*1), c1;         \
	VMOVUPD    64(SI)(BX*1), c2;         \
	PREFETCHT0 96(SI)(BX*1);             \
	PREFETCHT0 160(SI)(BX*1)

#define STORE(r, c0, c1, c2) \
	MOVQ    (strip_cRow+r*8)(DI), BX; \
	VMOVUPD c0, (SI)(BX*1);           \
	VMOVUPD c1, 32(SI)(BX*1);         \
	VMOVUPD c2, 64(SI)(BX*1)

// The same for the columns left at the end, one masked vector at a time, in Y4-Y7. Y2 is the mask.
#define LOADTAIL(r, c0) \
	MOVQ       (strip_cRow+r*8)(DI), BX; \
	VMASKMOVPD (SI)(BX*1), Y2, c0

#define STORETAIL(r, c0) \
	MOVQ       (strip_cRow+r*8)(DI), BX; \
	VMASKMOVPD c0, Y2, (SI)(BX*1)

#define ROWTAIL(elem, c0) \
	VBROADCASTSD elem, Y3;  \
	VFNMADD231PD Y0, Y3, c0

// Four vector lanes that are kept, four that are not: a mask of n lanes starts at 32-8n.
DATA lanes<>+0(SB)/8, $-1
DATA lanes<>+8(SB)/8, $-1
DATA lanes<>+16(SB)/8, $-1
DATA lanes<>+24(SB)/8, $-1
DATA lanes<>+32(SB)/8, $0
DATA lanes<>+40(SB)/8, $0
DATA lanes<>+48(SB)/8, $0
DATA lanes<>+56(SB)/8, $0
GLOBL lanes<>(SB), RODATA|NOPTR, $64

// func stripAVX2(s *strip)
// DI s, SI tile of C, AX A, BX B (and row offsets of C), CX bRow, DX k, R8-R10 row offsets of A,
// R11 sliver of B, R12 columns left.
TEXT ·stripAVX2(SB), NOSPLIT, $0-8
	MOVQ s+0(FP), DI
	MOVQ (strip_aRow+8)(DI), R8
	MOVQ (strip_aRow+16)(DI), R9
	MOVQ (strip_aRow+24)(DI), R10
	MOVQ strip_bRow(DI), CX
	MOVQ strip_c(DI), SI
	MOVQ strip_b(DI), R11
	MOVQ strip_cols(DI), R12
	SUBQ $12, R12
	JLT  tail

tile:
	LOAD(0, Y4, Y5, Y6)
	LOAD(1, Y7, Y8, Y9)
	LOAD(2, Y10, Y11, Y12)
	LOAD(3, Y13, Y14, Y15)
	MOVQ strip_a(DI), AX
	MOVQ R11, BX
	MOVQ strip_k(DI), DX

step:
	VMOVUPD    (BX), Y0
	VMOVUPD    32(BX), Y1
	VMOVUPD    64(BX), Y2
	PREFETCHT0 768(BX)
	PREFETCHT0 832(BX)
	ROW((AX), Y4, Y5, Y6)
	ROW((AX)(R8*1), Y7, Y8, Y9)
	ROW((AX)(R9*1), Y10, Y11, Y12)
	ROW((AX)(R10*1), Y13, Y14, Y15)
	ADDQ       $8, AX
	ADDQ       CX, BX
	DECQ       DX
	JNZ        step

	STORE(0, Y4, Y5, Y6)
	STORE(1, Y7, Y8, Y9)
	STORE(2, Y10, Y11, Y12)
	STORE(3, Y13, Y14, Y15)
	ADDQ $96, SI
	ADDQ strip_bSliver(DI), R11
	SUBQ $12, R12
	JGE  tile

tail:
	ADDQ $12, R12
	JZ   done

vector:
	MOVQ    $4, AX
	CMPQ    R12, AX
	CMOVQLT R12, AX
	NEGQ    AX
	LEAQ    lanes<>+32(SB), BX
	VMOVUPD (BX)(AX*8), Y2
	LOADTAIL(0, Y4)
	LOADTAIL(1, Y5)
	LOADTAIL(2, Y6)
	LOADTAIL(3, Y7)
	MOVQ    strip_a(DI), AX
	MOVQ    R11, BX
	MOVQ    strip_k(DI), DX

tailstep:
	VMASKMOVPD (BX), Y2, Y0
	ROWTAIL((AX), Y4)
	ROWTAIL((AX)(R8*1), Y5)
	ROWTAIL((AX)(R9*1), Y6)
	ROWTAIL((AX)(R10*1), Y7)
	ADDQ       $8, AX
	ADDQ       CX, BX
	DECQ       DX
	JNZ        tailstep

	STORETAIL(0, Y4)
	STORETAIL(1, Y5)
	STORETAIL(2, Y6)
	STORETAIL(3, Y7)
	ADDQ $32, SI
	ADDQ $32, R11
	SUBQ $4, R12
	JGT  vector

done:
	VZEROUPPER
	RET
