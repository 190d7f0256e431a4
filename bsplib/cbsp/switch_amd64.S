//go:build !staticrank

// keep pushes the registers that a called function preserves, and restore returns with them.
	.macro keep
	pushq %rbp
	pushq %rbx
	pushq %r12
	pushq %r13
	pushq %r14
	pushq %r15
	subq $8, %rsp
	stmxcsr (%rsp)
	fnstcw 4(%rsp)
	.endm
	.macro restore
	ldmxcsr (%rsp)
	fldcw 4(%rsp)
	addq $8, %rsp
	popq %r15
	popq %r14
	popq %r13
	popq %r12
	popq %rbx
	popq %rbp
	ret
	.endm

// migbsp_switch(void **save, void *to) stores the stack pointer of a rank and continues on the stack of a process;
// migbsp_back(save, to) is the way back. Ranks do not keep the exception flags of the x87 unit: reading them is slow.
	.text
	.globl migbsp_switch
	.type migbsp_switch, @function
migbsp_switch:
	keep
	movq %rsp, (%rdi)
	movq %rsi, %rsp
	fnstsw %ax
	xorw 6(%rsp), %ax
	testb $0x7f, %al // exceptions that are noted
	jnz 2f
1:	restore
2:	subq $32, %rsp
	fnstenv (%rsp)
	movw $0x037f, (%rsp)
	movw 38(%rsp), %ax
	movw %ax, 4(%rsp)
	fldenv (%rsp)
	addq $32, %rsp
	jmp 1b

	.globl migbsp_back
	.globl migbsp_switched
	.type migbsp_back, @function
migbsp_back:
	keep
	fnstsw 6(%rsp)
	movq %rsp, (%rdi)
	movq %rsi, %rsp
migbsp_switched:
	restore

// setjmp and longjmp with plain pointers, which hold on every rank.
	.globl migbsp_setjmp
	.globl migbsp_sigsetjmp
	.type migbsp_setjmp, @function
migbsp_setjmp:
	xorl %esi, %esi
migbsp_sigsetjmp:
	movq %rbx, (%rdi)
	movq %rbp, 8(%rdi)
	movq %r12, 16(%rdi)
	movq %r13, 24(%rdi)
	movq %r14, 32(%rdi)
	movq %r15, 40(%rdi)
	leaq 8(%rsp), %rdx
	movq %rdx, 48(%rdi)
	movq (%rsp), %rdx
	movq %rdx, 56(%rdi)
	jmp migbsp_saves@PLT

	.globl migbsp_longjmp
	.type migbsp_longjmp, @function
migbsp_longjmp:
	movl %esi, %eax
	testl %eax, %eax
	jnz 1f
	incl %eax
1:	movq (%rdi), %rbx
	movq 8(%rdi), %rbp
	movq 16(%rdi), %r12
	movq 24(%rdi), %r13
	movq 32(%rdi), %r14
	movq 40(%rdi), %r15
	movq 48(%rdi), %rsp
	jmp *56(%rdi)

// The function of a TLS descriptor whose second word is a distance from the thread pointer, which it returns.
	.globl migbsp_static_described
	.type migbsp_static_described, @function
migbsp_static_described:
	movq 8(%rax), %rax
	ret

	.section .note.GNU-stack,"",@progbits
