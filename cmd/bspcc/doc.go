// Bspcc compiles programs of BSPlib for migbsp: bspcc programs in C, bspcxx in C++, bspfc in
// Fortran. The program is started directly, or by bsprun, or by an MPI's launcher:
//
//	bspcc -O2 -o lu lu.c
//	./lu -procs 16
//	mpirun -n 4 ./lu -procs 16
//
// The arguments are those of the C compiler, which gets them all. It also gets the directory of
// bsp.h, bsp_level1.h and mcbsp.h, options for code that can be loaded at any address, and -g, from
// which errors have their lines. Programs and their parts may be compiled and linked separately
// (bspcc -c lu.c; bspcc lu.o -o lu).
//
// A program is an executable that starts this command, from its path when it linked the program, or
// from the directory of migbsp in PATH; MIGBSP_LAUNCHER names another one. With -with-launcher the
// program contains the command and needs no migbsp. Its first arguments are flags of migbsp, which
// bsprun -help lists, up to the first that is no flag, or to --. The rest is the program's own.
//
// With -static-rank the program is an ordinary executable instead, with one process on each rank of
// MPI, which does not move: for debuggers, valgrind and sanitizers. It uses libmigbsp.so, which is
// installed in ../lib/migbsp from the directory of this command; scripts/libmigbsp builds it.
//
// The compilers are cc, c++ and gfortran, or those that MIGBSP_CC, MIGBSP_CXX and MIGBSP_FC name.
// The parts that all programs share are compiled once, into the user's cache directory.
package main
