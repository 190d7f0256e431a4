// Package openblas calls the two OpenBLAS routines the LU kernels can use, on one thread.
// Without the build tag openblas, or without cgo, it is empty.
package openblas
