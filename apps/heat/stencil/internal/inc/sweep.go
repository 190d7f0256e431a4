//go:build ckernel

package inc

// #cgo CFLAGS: -std=c11 -O3 -march=native
// #include "sweep.h"
import "C"

// Sweep makes a step in the lines first .. end-1 of all layers: to and from are blocks with a rim, in
// lines of n cells. line and layer are the distances between lines and between layers, in cells;
// layers is 0 for a block in two dimensions.
//
// It is a single call of C for all lines, because a call takes as long as about forty cells. The
// memory is Go's, has no pointers in it, stays in place while C runs, and C keeps no pointer to it:
// so Go's rules for cgo hold without pinning.
func Sweep(to, from []float64, n, line, layer, layers, first, end int, own, beside float64) {
	C.sweep((*C.double)(&to[0]), (*C.double)(&from[0]), C.long(n), C.long(line), C.long(layer), C.long(layers),
		C.long(first), C.long(end), C.double(own), C.double(beside))
}
