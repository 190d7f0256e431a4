//go:build !purego && !noasm

#include "textflag.h"

// window has words of ones from word 16 to word 31.
DATA window<>+0(SB)/8, $0
DATA window<>+8(SB)/8, $0
DATA window<>+16(SB)/8, $0
DATA window<>+24(SB)/8, $0
DATA window<>+32(SB)/8, $-1
DATA window<>+40(SB)/8, $-1
DATA window<>+48(SB)/8, $-1
DATA window<>+56(SB)/8, $-1
DATA window<>+64(SB)/8, $0
DATA window<>+72(SB)/8, $0
DATA window<>+80(SB)/8, $0
DATA window<>+88(SB)/8, $0
GLOBL window<>(SB), RODATA|NOPTR, $96

// single has a word of ones, word 15.
DATA single<>+0(SB)/8, $0
DATA single<>+8(SB)/8, $0
DATA single<>+16(SB)/8, $0
DATA single<>+24(SB)/8, $0xffff000000000000
DATA single<>+32(SB)/8, $0
DATA single<>+40(SB)/8, $0
DATA single<>+48(SB)/8, $0
DATA single<>+56(SB)/8, $0
GLOBL single<>(SB), RODATA|NOPTR, $64

// DOWN moves each lane's number to the lane of the row below. The first row gets it from
// the line above.
#define DOWN(x, line, to) \
	VPERM2I128 $0x81, x, x, to;               \
	VPALIGNR   $2, x, to, to;                 \
	VPBLENDVB  Y13, (line)(CX*2), to, to

// STEP computes a cell of each row from H in Y0, E in Y1, F of the row below in Y2, and the
// H above and left in Y3. It leaves H, E and the largest H so far in h, e and m.
#define STEP(h, e, m) \
	DOWN(Y0, R8, Y5);             \
	DOWN(Y2, R9, Y6);             \
	VPMOVSXBW (SI), Y7;           \
	VPADDSW   Y3, Y7, Y7;         \
	VMOVDQA   Y5, Y3;             \
	VPMAXSW   Y12, Y7, Y7;        \
	VPMAXSW   Y1, Y7, Y7;         \
	VPSUBSW   Y10, Y7, Y8;        \
	VPSUBSW   Y11, Y6, Y5;        \
	VPMAXSW   Y8, Y5, Y2;         \
	VPMAXSW   Y6, Y7, h;          \
	VPSUBSW   Y10, h, Y8;         \
	VPSUBSW   Y11, Y1, Y5;        \
	VPMAXSW   Y8, Y5, e;          \
	VPMAXSW   Y4, h, m;           \
	VMOVDQU   h, (R10)(CX*2);     \
	VMOVDQU   Y2, (R11)(CX*2);    \
	ADDQ      $16, SI;            \
	INCQ      CX

// EDGE is a step in which some lanes have not come to the first column, or are beyond the
// last one: these remain as they are.
#define EDGE \
	LEAQ      window<>(SB), DX;       \
	LEAQ      -1(R12), AX;            \
	SUBQ      CX, AX;                 \
	XORL      BX, BX;                 \
	CMPQ      AX, BX;                 \
	CMOVQGT   AX, BX;                 \
	NEGQ      BX;                     \
	VMOVDQU   32(DX)(BX*2), Y15;      \
	ADDQ      R13, AX;                \
	MOVL      $16, BX;                \
	CMPQ      AX, BX;                 \
	CMOVQGT   BX, AX;                 \
	NEGQ      AX;                     \
	VPAND     64(DX)(AX*2), Y15, Y15; \
	STEP(Y7, Y9, Y14);                \
	VPBLENDVB Y15, Y7, Y0, Y0;        \
	VPBLENDVB Y15, Y9, Y1, Y1;        \
	VPBLENDVB Y15, Y14, Y4, Y4

// func stripAVX2(s *strip)
//
// CX is the step, SI the pairs. R8, R9 are the lines above, R10, R11 those below, R12 and
// R13 how many rows and columns there are. Y10 and Y11 are the costs of gaps, Y12 is 0
// less the base, and Y13 tells which lane has the first row.
TEXT ·stripAVX2(SB), NOSPLIT, $0-8
	MOVQ s+0(FP), DI
	MOVQ 0(DI), R8
	MOVQ 8(DI), R9
	MOVQ 16(DI), R10
	MOVQ 24(DI), R11
	MOVQ 32(DI), SI
	MOVQ 40(DI), R12
	MOVQ 48(DI), R13

	VPBROADCASTW 56(DI), Y10
	VPBROADCASTW 58(DI), Y11
	VPBROADCASTW 60(DI), Y12
	VPBROADCASTW 62(DI), Y3

	VMOVDQU 64(DI), Y0
	VMOVDQU 96(DI), Y1
	VMOVDQU 128(DI), Y4
	VPXOR   Y2, Y2, Y2

	LEAQ    single<>+32(SB), DX
	MOVQ    R12, AX
	NEGQ    AX
	VMOVDQU (DX)(AX*2), Y13
	XORL    CX, CX

enter:
	LEAQ -1(R12), AX
	CMPQ CX, AX
	JGE  inside
	EDGE
	JMP  enter

inside:
	CMPQ CX, R13
	JGE  leave
	STEP(Y0, Y1, Y4)
	JMP  inside

leave:
	LEAQ -1(R12)(R13*1), AX
	CMPQ CX, AX
	JGE  done
	EDGE
	JMP  leave

done:
	VMOVDQU Y0, 64(DI)
	VMOVDQU Y1, 96(DI)
	VMOVDQU Y4, 128(DI)
	VZEROUPPER
	RET

// ROWS loads sixteen bytes from place i and from place i+8.
#define ROWS(i, x, y) \
	MOVQ        (8*i)(SI), AX;          \
	MOVQ        (8*i+64)(SI), BX;       \
	VMOVDQU     (AX)(DX*1), x;          \
	VINSERTI128 $1, (BX)(DX*1), y, y

// WRITE puts what two columns have of both halves side by side.
#define WRITE(i, y) \
	VPERMQ  $0xd8, y, y; \
	VMOVDQU y, (32*i)(DI)

// func pairsAVX2(to *[tileColumns + 2*lanes][lanes]int8, from *[lanes]*int8, count int)
TEXT ·pairsAVX2(SB), NOSPLIT, $0-24
	MOVQ to+0(FP), DI
	MOVQ from+8(FP), SI
	MOVQ count+16(FP), CX
	XORL DX, DX

group:
	ROWS(0, X0, Y0)
	ROWS(1, X1, Y1)
	ROWS(2, X2, Y2)
	ROWS(3, X3, Y3)
	ROWS(4, X4, Y4)
	ROWS(5, X5, Y5)
	ROWS(6, X6, Y6)
	ROWS(7, X7, Y7)

	VPUNPCKLBW Y1, Y0, Y8
	VPUNPCKHBW Y1, Y0, Y9
	VPUNPCKLBW Y3, Y2, Y10
	VPUNPCKHBW Y3, Y2, Y11
	VPUNPCKLBW Y5, Y4, Y12
	VPUNPCKHBW Y5, Y4, Y13
	VPUNPCKLBW Y7, Y6, Y14
	VPUNPCKHBW Y7, Y6, Y15

	VPUNPCKLWD Y10, Y8, Y0
	VPUNPCKHWD Y10, Y8, Y1
	VPUNPCKLWD Y14, Y12, Y2
	VPUNPCKHWD Y14, Y12, Y3
	VPUNPCKLWD Y11, Y9, Y4
	VPUNPCKHWD Y11, Y9, Y5
	VPUNPCKLWD Y15, Y13, Y6
	VPUNPCKHWD Y15, Y13, Y7

	VPUNPCKLDQ Y2, Y0, Y8
	VPUNPCKHDQ Y2, Y0, Y9
	VPUNPCKLDQ Y3, Y1, Y10
	VPUNPCKHDQ Y3, Y1, Y11
	VPUNPCKLDQ Y6, Y4, Y12
	VPUNPCKHDQ Y6, Y4, Y13
	VPUNPCKLDQ Y7, Y5, Y14
	VPUNPCKHDQ Y7, Y5, Y15

	WRITE(0, Y8)
	WRITE(1, Y9)
	WRITE(2, Y10)
	WRITE(3, Y11)
	WRITE(4, Y12)
	WRITE(5, Y13)
	WRITE(6, Y14)
	WRITE(7, Y15)

	ADDQ $16, DX
	ADDQ $256, DI
	DECQ CX
	JNZ  group
	VZEROUPPER
	RET
