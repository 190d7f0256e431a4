// Libmigbsp is the library of programs that bspcc links with -static-rank, and of other languages:
//
//	go build -buildmode=c-shared -tags staticrank -o libmigbsp.so ./bsplib/cbsp/libmigbsp
//
// For ranks of MPI the tag mpi is added. All functions are those of package cbsp.
package main

import _ "github.com/migbsp/migbsp/bsplib/cbsp"

func main() {}
