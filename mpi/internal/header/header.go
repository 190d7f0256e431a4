//go:build mpi && cgo

package header

/*
// Where gompi looks by itself.
#cgo linux CFLAGS: -I/usr/lib/x86_64-linux-gnu/openmpi/include
#ifdef __has_include
#if !__has_include(<mpi.h>)
#error no mpi.h of an MPI: install one, or name it by  eval "$(scripts/mpi-env mpicc)"  (docs/guide/install.md)
#endif
#endif
*/
import "C"
