package collective

import (
	"reflect"
	"unsafe"
)

// loopStep is how many bytes the loops in assembly go through at a time.
const loopStep = 128

func (adding[T]) vector(kind reflect.Kind, to, a, b unsafe.Pointer, bytes int) int {
	return vector(kind, addFloat64s, addFloat32s, to, a, b, bytes)
}

func (lesser[T]) vector(kind reflect.Kind, to, a, b unsafe.Pointer, bytes int) int {
	return vector(kind, minFloat64s, minFloat32s, to, a, b, bytes)
}

func (greater[T]) vector(kind reflect.Kind, to, a, b unsafe.Pointer, bytes int) int {
	return vector(kind, maxFloat64s, maxFloat32s, to, a, b, bytes)
}

func vector(kind reflect.Kind, float64s, float32s func(to, a, b unsafe.Pointer, n int), to, a, b unsafe.Pointer, bytes int) int {
	switch kind {
	case reflect.Float64:
		float64s(to, a, b, bytes)
	case reflect.Float32:
		float32s(to, a, b, bytes)
	default:
		return 0
	}
	return bytes
}
