// Package cbsp runs programs that were written for BSPlib in C, C++ or Fortran, unchanged, as
// processes of package bsplib: many on a rank, accounted for, and moved between ranks at any
// bsp_sync.
//
// # How a process moves
//
// The program is a shared object. The launcher, a Go program that calls Main, maps it once for
// each process, into a slot of 4 GiB at the same address on every rank, followed by the libraries
// that the program needs, a heap, and a stack. A process that moves takes its data, its used heap
// and its used stack to the same addresses; no pointer is adjusted. The C library, MPI and the
// launcher are outside of slots: Main loads them at the same addresses on all ranks, without
// address space randomization, and compares their builds. If these differ, processes do not move.
//
// # Linking
//
// The dynamic linker does not see the images in slots. libraries.go finds the libraries of a
// program, image.c reads them, bind.c finds the definition of each symbol once and relocates each
// process's copies, unwind.c and dynamic.c answer the program's calls to the dynamic linker. The C
// library and MPI belong to the rank: one copy serves all processes.
//
// # How a process runs
//
// A process is a coroutine that C code switches (coroutine.c). Go resumes it, and it returns an
// operation. Invariant: no function of Go is called while a process's stack is in use; Go's
// runtime would take it for a stack of its own.
//
// The process appends records of its operations to memory of its thread (primitives.c); their
// data are copied at the call. The Go side passes them to bsplib, in order, when the process
// synchronizes.
//
// # State of the C library
//
// Code in a slot allocates from the process's heap; the C library allocates from the rank's, so
// that functions that allocate for their caller are replaced (instead.c). State that the C
// library keeps for a program, such as random numbers, belongs to each process (apart.c,
// callbacks.c). A process that has an open file, a thread, a mapping or a handle of MPI stays on
// its rank while it has it. Rank 0 serves the standard input to the rank of process 0 (input.go).
package cbsp
