//go:build !purego && !noasm

#include "textflag.h"

// PRODUCT adds a pair of a domain's pixels times those of all isometries of two blocks.
#define PRODUCT(off, sum0, sum1) \
	VPBROADCASTD off(SI), Y10; \
	VPMADDWD     Y8, Y10, Y11; \
	VPADDD       Y11, sum0, sum0; \
	VPMADDWD     Y9, Y10, Y12; \
	VPADDD       Y12, sum1, sum1

// PAIR does so for a pair of pixels of four domains.
#define PAIR(block, pix) \
	VMOVDQU block(DI), Y8;         \
	VMOVDQU block(DI)(R8*1), Y9;   \
	PRODUCT((pix+0), Y0, Y4);      \
	PRODUCT((pix+4), Y1, Y5);      \
	PRODUCT((pix+8), Y2, Y6);      \
	PRODUCT((pix+12), Y3, Y7)

// REACH puts into a byte of BX which of eight sums reach what they must: Y8 times the domain's root, and Y9,
// less the slack in Y13.
#define REACH(off, sum, shift) \
	VPABSD       sum, sum;             \
	VCVTDQ2PS    sum, sum;             \
	VBROADCASTSS off(R10), Y12;        \
	VMULPS       Y8, Y12, Y12;         \
	VMAXPS       Y9, Y12, Y12;         \
	VSUBPS       Y13, Y12, Y12;        \
	VCMPPS       $0x0d, Y12, sum, sum; \
	VMOVMSKPS    sum, AX;              \
	SHLL         $shift, AX;           \
	ORL          AX, BX

// func screenAVX2(n int, pix *int16, roots *[lanes]float32, blocks *int16, limits *limit, count int, hits *uint32, slack float32)
// Two blocks at a time. R8 bytes of a block, R10 roots, R11 limits, R12 blocks left, R13 hits, DX the domains'
// pixels, R9 steps of two pairs; SI and DI walk pixels and blocks, CX steps left.
TEXT ·screenAVX2(SB), NOSPLIT, $0-60
	MOVQ         n+0(FP), R8
	MOVQ         pix+8(FP), DX
	MOVQ         roots+16(FP), R10
	MOVQ         blocks+24(FP), DI
	MOVQ         limits+32(FP), R11
	MOVQ         count+40(FP), R12
	MOVQ         hits+48(FP), R13
	VBROADCASTSS slack+56(FP), Y13
	MOVQ         R8, R9
	SHRQ         $2, R9
	SHLQ         $4, R8

blocks:
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	VPXOR Y4, Y4, Y4
	VPXOR Y5, Y5, Y5
	VPXOR Y6, Y6, Y6
	VPXOR Y7, Y7, Y7
	MOVQ  DX, SI
	MOVQ  R9, CX

pairs:
	PAIR(0, 0)
	PAIR(32, 16)
	ADDQ $64, DI
	ADDQ $32, SI
	DECQ CX
	JNZ  pairs

	XORL         BX, BX
	VBROADCASTSS (R11), Y8
	VBROADCASTSS 4(R11), Y9
	REACH(0, Y0, 0)
	REACH(4, Y1, 8)
	REACH(8, Y2, 16)
	REACH(12, Y3, 24)
	MOVL         BX, (R13)
	XORL         BX, BX
	VBROADCASTSS 8(R11), Y8
	VBROADCASTSS 12(R11), Y9
	REACH(0, Y4, 0)
	REACH(4, Y5, 8)
	REACH(8, Y6, 16)
	REACH(12, Y7, 24)
	MOVL         BX, 4(R13)
	ADDQ         R8, DI
	ADDQ         $16, R11
	ADDQ         $8, R13
	SUBQ         $2, R12
	JG           blocks
	VZEROUPPER
	RET

// func productsAVX2(n int, pix, block *int16, sums *[Isometries]int32)
// Two pairs of pixels at a time, in Y0 and Y1. SI and DI walk the domain and the block, CX steps left.
TEXT ·productsAVX2(SB), NOSPLIT, $0-32
	MOVQ  n+0(FP), CX
	MOVQ  pix+8(FP), SI
	MOVQ  block+16(FP), DI
	MOVQ  sums+24(FP), DX
	SHRQ  $2, CX
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1

pairs:
	VPBROADCASTD (SI), Y2
	VPMADDWD     (DI), Y2, Y3
	VPADDD       Y3, Y0, Y0
	VPBROADCASTD 16(SI), Y4
	VPMADDWD     32(DI), Y4, Y5
	VPADDD       Y5, Y1, Y1
	ADDQ         $32, SI
	ADDQ         $64, DI
	DECQ         CX
	JNZ          pairs

	VPADDD  Y1, Y0, Y0
	VMOVDQU Y0, (DX)
	VZEROUPPER
	RET
