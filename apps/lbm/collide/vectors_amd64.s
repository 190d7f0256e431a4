//go:build !purego && !noasm

#include "textflag.h"

DATA one<>+0(SB)/8, $1.0
GLOBL one<>(SB), RODATA|NOPTR, $8
DATA three_halves<>+0(SB)/8, $1.5
GLOBL three_halves<>(SB), RODATA|NOPTR, $8
DATA nine_halves<>+0(SB)/8, $4.5
GLOBL nine_halves<>(SB), RODATA|NOPTR, $8

// Places in Moments.
#define DENSITY(cells) 0(cells)
#define STILL(cells) 512(cells)
#define SPEED(k, cells) (1024+512*k)(cells)

// AHEAD asks the memory for populations long before they are needed: processors do not do
// so by themselves for as many arrays as there are velocities.
#define AHEAD(at) \
	PREFETCHT0 512(at)(DX*1)

// PAIR adds the velocities q and q+1 to the density in Y0, and leaves their difference in
// Y5. SI has the slices of populations, DX is the place of the cells in bytes.
#define PAIR(q) \
	MOVQ    (24*q)(SI), AX;    \
	MOVQ    (24*q+24)(SI), BX; \
	VMOVUPD (AX)(DX*1), Y4;    \
	VMOVUPD (BX)(DX*1), Y6;    \
	AHEAD(AX);                 \
	AHEAD(BX);                 \
	VSUBPD  Y6, Y4, Y5;        \
	VADDPD  Y6, Y4, Y4;        \
	VADDPD  Y4, Y0, Y0

// FIND begins to find moments, and FIRST those of four cells: density in Y0, momentum in
// Y1, Y2 and Y3. DI is where moments go, CX how many cells are left.
#define FIND \
	MOVQ         m+0(FP), DI;                \
	MOVQ         in+8(FP), SI;               \
	MOVQ         from+16(FP), DX;            \
	SHLQ         $3, DX;                     \
	MOVQ         n+24(FP), CX;               \
	VBROADCASTSD half+32(FP), Y15;           \
	VBROADCASTSD one<>(SB), Y14;             \
	VBROADCASTSD three_halves<>(SB), Y13

#define FIRST \
	MOVQ    (SI), AX;          \
	VMOVUPD (AX)(DX*1), Y0;    \
	AHEAD(AX);                 \
	VMOVAPD Y15, Y1;           \
	VXORPD  Y2, Y2, Y2;        \
	VXORPD  Y3, Y3, Y3

// BACK goes back to the last four cells, some of which have been done before.
#define BACK \
	SUBQ $4, CX;          \
	LEAQ (DX)(CX*8), DX;  \
	LEAQ (DI)(CX*8), DI;  \
	MOVQ $4, CX

// STORE_SUMS stores the sum and the difference of two speeds for a pair of velocities and
// the next.
#define STORE_SUMS(k, first, second) \
	VADDPD  second, first, Y4; \
	VMOVUPD Y4, SPEED(k, DI);  \
	VSUBPD  second, first, Y5; \
	VMOVUPD Y5, SPEED((k+1), DI)

// func find9AVX2(m *Moments, in *[]float64, from, n int, half float64)
TEXT ·find9AVX2(SB), NOSPLIT, $0-40
	FIND

cells9:
	FIRST
	PAIR(1)
	VADDPD Y5, Y1, Y1
	PAIR(3)
	VADDPD Y5, Y2, Y2
	PAIR(5)
	VADDPD Y5, Y1, Y1
	VADDPD Y5, Y2, Y2
	PAIR(7)
	VADDPD Y5, Y1, Y1
	VSUBPD Y5, Y2, Y2

	VDIVPD  Y0, Y14, Y7
	VMULPD  Y7, Y1, Y1
	VMULPD  Y7, Y2, Y2
	VMOVUPD Y0, DENSITY(DI)
	VMOVUPD Y1, SPEED(1, DI)
	VMOVUPD Y2, SPEED(2, DI)
	STORE_SUMS(3, Y1, Y2)
	VMULPD  Y1, Y1, Y1
	VMULPD  Y2, Y2, Y2
	VADDPD  Y2, Y1, Y1
	VMULPD  Y1, Y13, Y1
	VSUBPD  Y1, Y14, Y1
	VMOVUPD Y1, STILL(DI)

	ADDQ $32, DX
	ADDQ $32, DI
	SUBQ $4, CX
	JLE  end9
	CMPQ CX, $4
	JGE  cells9
	BACK
	JMP  cells9

end9:
	VZEROUPPER
	RET

// func find19AVX2(m *Moments, in *[]float64, from, n int, half float64)
TEXT ·find19AVX2(SB), NOSPLIT, $0-40
	FIND

cells19:
	FIRST
	PAIR(1)
	VADDPD Y5, Y1, Y1
	PAIR(3)
	VADDPD Y5, Y2, Y2
	PAIR(5)
	VADDPD Y5, Y3, Y3
	PAIR(7)
	VADDPD Y5, Y1, Y1
	VADDPD Y5, Y2, Y2
	PAIR(9)
	VADDPD Y5, Y1, Y1
	VSUBPD Y5, Y2, Y2
	PAIR(11)
	VADDPD Y5, Y1, Y1
	VADDPD Y5, Y3, Y3
	PAIR(13)
	VADDPD Y5, Y1, Y1
	VSUBPD Y5, Y3, Y3
	PAIR(15)
	VADDPD Y5, Y2, Y2
	VADDPD Y5, Y3, Y3
	PAIR(17)
	VADDPD Y5, Y2, Y2
	VSUBPD Y5, Y3, Y3

	VDIVPD  Y0, Y14, Y7
	VMULPD  Y7, Y1, Y1
	VMULPD  Y7, Y2, Y2
	VMULPD  Y7, Y3, Y3
	VMOVUPD Y0, DENSITY(DI)
	VMOVUPD Y1, SPEED(1, DI)
	VMOVUPD Y2, SPEED(2, DI)
	VMOVUPD Y3, SPEED(3, DI)
	STORE_SUMS(4, Y1, Y2)
	STORE_SUMS(6, Y1, Y3)
	STORE_SUMS(8, Y2, Y3)
	VMULPD  Y1, Y1, Y1
	VMULPD  Y2, Y2, Y2
	VMULPD  Y3, Y3, Y3
	VADDPD  Y2, Y1, Y1
	VADDPD  Y3, Y1, Y1
	VMULPD  Y1, Y13, Y1
	VSUBPD  Y1, Y14, Y1
	VMOVUPD Y1, STILL(DI)

	ADDQ $32, DX
	ADDQ $32, DI
	SUBQ $4, CX
	JLE  end19
	CMPQ CX, $4
	JGE  cells19
	BACK
	JMP  cells19

end19:
	VZEROUPPER
	RET

// func relaxAVX2(outA, outB, inA, inB *float64, m *Moments, speed *[piece]float64, r *rates, n int)
// Y15 to Y11 are the rates. R8 and R9 out, SI and DI in, BX moments, DX speeds, AX the
// place of the cells, CX how many there are, R10 the place of the last four.
TEXT ·relaxAVX2(SB), NOSPLIT, $0-64
	MOVQ         outA+0(FP), R8
	MOVQ         outB+8(FP), R9
	MOVQ         inA+16(FP), SI
	MOVQ         inB+24(FP), DI
	MOVQ         m+32(FP), BX
	MOVQ         speed+40(FP), DX
	MOVQ         r+48(FP), AX
	MOVQ         n+56(FP), CX
	VBROADCASTSD 0(AX), Y15
	VBROADCASTSD 8(AX), Y14
	VBROADCASTSD 16(AX), Y13
	VBROADCASTSD 24(AX), Y12
	VBROADCASTSD 32(AX), Y11
	VBROADCASTSD nine_halves<>(SB), Y10
	XORQ         AX, AX
	LEAQ         -4(CX), R10

relax:
	VMOVUPD (SI)(AX*8), Y0
	VMOVUPD (DI)(AX*8), Y1
	VMOVUPD (BX)(AX*8), Y2
	VMOVUPD (DX)(AX*8), Y3
	VMULPD  Y3, Y10, Y4
	VMULPD  Y3, Y4, Y4
	VADDPD  512(BX)(AX*8), Y4, Y4
	VMULPD  Y2, Y13, Y5
	VMULPD  Y4, Y5, Y5
	VADDPD  Y1, Y0, Y6
	VMULPD  Y6, Y15, Y6
	VSUBPD  Y5, Y6, Y6            // even
	VMULPD  Y2, Y12, Y7
	VMULPD  Y3, Y7, Y7
	VSUBPD  Y1, Y0, Y8
	VMULPD  Y8, Y14, Y8
	VSUBPD  Y7, Y8, Y8
	VSUBPD  Y11, Y8, Y8           // odd
	VSUBPD  Y6, Y0, Y0
	VSUBPD  Y8, Y0, Y0
	VSUBPD  Y6, Y1, Y1
	VADDPD  Y8, Y1, Y1
	VMOVUPD Y0, (R8)(AX*8)
	VMOVUPD Y1, (R9)(AX*8)
	CMPQ    AX, R10
	JGE     end
	ADDQ    $4, AX
	CMPQ    AX, R10
	CMOVQGT R10, AX
	JMP     relax

end:
	VZEROUPPER
	RET
