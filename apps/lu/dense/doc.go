// Package dense has the local kernels of a distributed dense LU factorisation: rank-1 and rank-k updates,
// a triangular solve, and the steps of a panel whose rows are spread over processes.
//
// A matrix is row-major: a slice that starts at its first element, and a stride, the distance between
// the starts of two rows in elements. A sub-matrix is a slice of the same storage with the same
// stride.
//
// # Order of arithmetic
//
// Every kernel applies one fixed sequence of operations to every element. Each step is one fused
// multiply-add (one rounding):
//
//	Gemm   c_ij = fma(-a_ik, b_kj, c_ij)   for k = 0, 1, 2, ... in this order
//	Trsm   b_ij = fma(-l_ik, b_kj, b_ij)   for k = 0 ... i-1 in this order
//	Ger    a_ij = fma(-x_i, y_j, a_ij)     once
//
// No element depends on how its neighbours are computed. The result is therefore the same, bit for bit, on
// processors with and without AVX-512 or AVX2, on other architectures, and for every division of the rows,
// the columns or the k range (in order) among calls, blocks or processes. It follows that a blocked, a
// recursive and an unblocked elimination agree bit for bit too, if they divide by the pivot as [Divide]
// does; [Getrf] is the reference for all of them. The sign and payload of a NaN are not part of the promise.
//
// # Builds
//
// On amd64 the widest of AVX-512, AVX2+FMA and portable Go that the machine has is chosen at start; other
// architectures, and the build tags purego and noasm, have portable Go. The build tag openblas (with cgo)
// hands Gemm and Trsm to OpenBLAS on one thread; results are then OpenBLAS's, and the promise above holds
// for the other functions only.
// [Kernel] returns the one in use.
//
// # Rules
//
// All functions check the lengths of their slices once, at entry, and panic on a mistake. They never
// allocate once warm, and may be called from several goroutines at the same time on disjoint
// elements. Operands of one call must not share elements with the output operand, unless documented.
package dense
