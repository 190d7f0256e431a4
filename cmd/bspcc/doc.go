// Bspcc compiles programs of BSPlib for migbsp: bspcc those in C, bspcxx in C++, bspfc in
// Fortran. What it makes is started as it is, or by bsprun, or by an MPI's launcher:
//
//	bspcc -O2 -o lu lu.c
//	./lu -procs 16
//	mpirun -n 4 ./lu -procs 16
//
// The arguments are those of the C compiler, which gets them all. It also gets the
// directory of bsp.h, bsp_level1.h and mcbsp.h, options for code that can be loaded at any
// address, and -g, from which errors have their lines. Programs and their parts may be
// compiled and linked apart (bspcc -c lu.c; bspcc lu.o -o lu).
//
// A program is an executable that has this command run it, from where it was when it linked
// the program, or from where migbsp is in PATH; MIGBSP_LAUNCHER names another one. With
// -with-launcher the program has the command in it and needs no migbsp. Its first arguments are flags of migbsp, which bsprun -help lists, up to the first one that is
// none, or to --. The rest is the program's own.
//
// With -static-rank the program is an ordinary executable instead, with one process on each rank
// of MPI, which does not move: for debuggers, valgrind and sanitizers. It uses libmigbsp.so, which
// is installed in ../lib/migbsp from where this command is; scripts/libmigbsp builds it.
//
// The compilers are cc, c++ and gfortran, or those that MIGBSP_CC, MIGBSP_CXX and MIGBSP_FC
// name. What all programs share is compiled once, into the user's cache directory.
package main
