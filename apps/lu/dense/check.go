package dense

import (
	"fmt"
	"math/bits"
)

// checkMatrix panics unless x holds a rows x cols matrix with the given stride.
// A matrix without elements needs no storage.
func checkMatrix(fn, name string, x []float64, rows, cols, stride int) {
	if rows < 0 || cols < 0 || stride < cols || (rows > 0 && cols > 0 && !holds(len(x), rows, cols, stride)) {
		badMatrix(fn, name, len(x), rows, cols, stride)
	}
}

// checkVector panics unless x holds n elements that are stride apart.
func checkVector(fn, name string, x []float64, n, stride int) {
	if n < 0 || stride < 1 || (n > 0 && !holds(len(x), n, 1, stride)) {
		badVector(fn, name, len(x), n, stride)
	}
}

// holds reports whether (rows-1)*stride + cols <= have, for positive numbers of any size.
func holds(have, rows, cols, stride int) bool {
	high, low := bits.Mul64(uint64(rows-1), uint64(stride))
	return cols <= have && high == 0 && low <= uint64(have-cols)
}

//go:noinline
func badMatrix(fn, name string, have, rows, cols, stride int) {
	panic(fmt.Sprintf("dense: %s: %s has %d elements, which is no %d x %d matrix with stride %d", fn, name, have, rows, cols, stride))
}

//go:noinline
func badVector(fn, name string, have, n, stride int) {
	panic(fmt.Sprintf("dense: %s: %s has %d elements, which is no vector of %d elements with stride %d", fn, name, have, n, stride))
}
