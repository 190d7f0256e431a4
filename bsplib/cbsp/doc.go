// Package cbsp runs programs that were written for BSPlib in C, C++ or Fortran, unchanged, as
// processes of package bsplib: many on a rank, accounted for, and moved between ranks at any
// bsp_sync.
//
// # How a process moves
//
// The program is a shared object. The launcher, a Go program that calls Main, maps it once for
// each process, into a slot of 4 GiB that has the same address on every rank: code and data,
// then a heap, then a stack. A process that moves takes along its data, its used heap and its
// used stack, to the same addresses; no pointer is adjusted. What its pointers lead to outside of
// its slot, the C library and the launcher, is at the same addresses on all ranks: Main switches
// the randomisation of addresses off, and compares what ranks have. Where they differ processes
// stay where they are.
//
// # How a process runs
//
// On a coroutine that is switched in C (coroutine.c). Go resumes it, and it comes back with an
// operation. Invariant: no function of Go is called while a process's stack is in use; Go's
// runtime would take it for a stack of its own.
//
// What a process does in a superstep are records in memory of its thread (primitives.c), whose
// data have been copied at the call. The Go side gives them to bsplib, in their order, when the
// process synchronises.
//
// # What stays
//
// The C library of a rank belongs to the rank. So it does not allocate from a process's heap, and
// what it allocates for its caller is made anew (instead.c). What it keeps for the program, such as where random
// numbers are, each process has for itself (apart.c). A process that has an open file, a
// thread, a mapping or MPI's handles does not move while it has them. The standard input is at
// rank 0, which serves it to the rank where process 0 is (input.go).
package cbsp
