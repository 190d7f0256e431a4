package collective

import (
	"reflect"
	"unsafe"
)

// loopStep is how many bytes the loops in assembly go through at a time.
const loopStep = 128

// vectorLoop applies an operation to as many bytes of floating-point numbers as loops in
// assembly can, with the bits of Go's own operators, and returns how many.
func vectorLoop(l loop, kind reflect.Kind, to, a, b unsafe.Pointer, bytes int) int {
	bytes &^= loopStep - 1
	if !hasVectorLoops || bytes == 0 {
		return 0
	}
	switch {
	case kind == reflect.Float64 && l == addition:
		addFloat64s(to, a, b, bytes)
	case kind == reflect.Float64 && l == minimum:
		minFloat64s(to, a, b, bytes)
	case kind == reflect.Float64:
		maxFloat64s(to, a, b, bytes)
	case l == addition:
		addFloat32s(to, a, b, bytes)
	case l == minimum:
		minFloat32s(to, a, b, bytes)
	default:
		maxFloat32s(to, a, b, bytes)
	}
	return bytes
}
