//go:build !staticrank

// migbsp_switch(void **save, void *to) stores the stack pointer, with all that a called
// function keeps, and goes on from the stack to; migbsp_back is the same, from a process to its rank.
	.text
	.globl migbsp_switch
	.globl migbsp_back
	.globl migbsp_switched
	.type migbsp_switch, %function
migbsp_switch:
migbsp_back:
	sub sp, sp, #176
	stp x19, x20, [sp, #0]
	stp x21, x22, [sp, #16]
	stp x23, x24, [sp, #32]
	stp x25, x26, [sp, #48]
	stp x27, x28, [sp, #64]
	stp x29, x30, [sp, #80]
	stp d8, d9, [sp, #96]
	stp d10, d11, [sp, #112]
	stp d12, d13, [sp, #128]
	stp d14, d15, [sp, #144]
	mrs x2, fpcr
	str x2, [sp, #160]
	mrs x2, fpsr
	str x2, [sp, #168]
	mov x2, sp
	str x2, [x0]
	mov sp, x1
migbsp_switched:
	ldr x2, [sp, #160]
	msr fpcr, x2
	ldr x2, [sp, #168]
	msr fpsr, x2
	ldp x19, x20, [sp, #0]
	ldp x21, x22, [sp, #16]
	ldp x23, x24, [sp, #32]
	ldp x25, x26, [sp, #48]
	ldp x27, x28, [sp, #64]
	ldp x29, x30, [sp, #80]
	ldp d8, d9, [sp, #96]
	ldp d10, d11, [sp, #112]
	ldp d12, d13, [sp, #128]
	ldp d14, d15, [sp, #144]
	add sp, sp, #176
	ret

	.globl migbsp_setjmp
	.globl migbsp_sigsetjmp
	.type migbsp_setjmp, %function
migbsp_setjmp:
	mov w1, #0
migbsp_sigsetjmp:
	stp x19, x20, [x0, #0]
	stp x21, x22, [x0, #16]
	stp x23, x24, [x0, #32]
	stp x25, x26, [x0, #48]
	stp x27, x28, [x0, #64]
	stp x29, x30, [x0, #80]
	mov x2, sp
	str x2, [x0, #96]
	stp d8, d9, [x0, #104]
	stp d10, d11, [x0, #120]
	stp d12, d13, [x0, #136]
	stp d14, d15, [x0, #152]
	b migbsp_saves

	.globl migbsp_longjmp
	.type migbsp_longjmp, %function
migbsp_longjmp:
	ldp x19, x20, [x0, #0]
	ldp x21, x22, [x0, #16]
	ldp x23, x24, [x0, #32]
	ldp x25, x26, [x0, #48]
	ldp x27, x28, [x0, #64]
	ldp x29, x30, [x0, #80]
	ldr x2, [x0, #96]
	mov sp, x2
	ldp d8, d9, [x0, #104]
	ldp d10, d11, [x0, #120]
	ldp d12, d13, [x0, #136]
	ldp d14, d15, [x0, #152]
	cmp w1, #0
	csinc w0, w1, wzr, ne
	ret

// The function of a TLS descriptor whose second word is a distance from the thread pointer, which it returns.
	.globl migbsp_static_described
	.type migbsp_static_described, %function
migbsp_static_described:
	ldr x0, [x0, #8]
	ret

	.section .note.GNU-stack,"",%progbits
