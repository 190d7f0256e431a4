//go:build !purego && !noasm

#include "textflag.h"

// func timesAhead(y *float64, starts *int, rows int, columns *int32, values *float64, nonzeros int, x *float64, length int) int
// DI y, SI where rows end, R13 the row, CX rows; R9 columns, R8 values, R12 nonzeros; R10 x,
// R15 its length. AX is the nonzero, DX the end of the row, BX that of eight nonzeros or
// of the row, R11 the column.
TEXT ·timesAhead(SB), NOSPLIT, $0-72
	MOVQ y+0(FP), DI
	MOVQ starts+8(FP), SI
	MOVQ rows+16(FP), CX
	MOVQ columns+24(FP), R9
	MOVQ values+32(FP), R8
	MOVQ nonzeros+40(FP), R12
	MOVQ x+48(FP), R10
	MOVQ length+56(FP), R15
	XORQ R13, R13
	MOVQ (SI), AX
	CMPQ AX, R12
	JHI  end

row:
	MOVQ  8(SI)(R13*8), DX
	CMPQ  DX, R12
	JHI   end
	XORPS X0, X0
	CMPQ  AX, DX
	JGE   store

eight:
	PREFETCHT0 4096(R8)(AX*8)
	PREFETCHT0 2048(R9)(AX*4)
	LEAQ       8(AX), BX
	CMPQ       BX, DX
	CMOVQGT    DX, BX

nonzero:
	MOVLQSX (R9)(AX*4), R11
	CMPQ    R11, R15
	JCC     end
	MOVSD   (R8)(AX*8), X1
	MULSD   (R10)(R11*8), X1
	ADDSD   X1, X0
	INCQ    AX
	CMPQ    AX, BX
	JLT     nonzero
	CMPQ    AX, DX
	JLT     eight

store:
	MOVSD X0, (DI)(R13*8)
	INCQ  R13
	CMPQ  R13, CX
	JLT   row

end:
	MOVQ R13, ret+64(FP)
	RET
