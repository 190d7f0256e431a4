package collective

import (
	"reflect"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
)

// Number is package bsplib's.
type Number interface {
	Real | ~complex64 | ~complex128
}

// Real is package bsplib's.
type Real interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 |
		~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr |
		~float32 | ~float64
}

// operation is what a reduction combines with: a function of the program, or one that
// has a loop of its own for each kind of number.
type operation[T any] struct {
	each func(a, b T) T // nil for those with a loop
	p    *Member        // the process that gave it
	loop loop
	kind reflect.Kind
}

type loop uint8

const (
	addition loop = iota
	minimum
	maximum
)

func with[T any](p *Member, each func(a, b T) T) operation[T] {
	return operation[T]{each: each, p: p}
}

func byLoop[T Number](l loop) operation[T] {
	return operation[T]{loop: l, kind: reflect.TypeFor[T]().Kind()}
}

// apply sets each element of to by the operation on those of a and b, of the same
// length. to may be a or b.
func (o *operation[T]) apply(to, a, b []T) {
	if o.each != nil {
		o.applyEach(to, a[:len(to)], b[:len(to)])
		return
	}
	x, y, z, n := memory.At(to), memory.At(a), memory.At(b), len(to)
	switch o.kind {
	case reflect.Int:
		ofReals[int](o.loop, x, y, z, n)
	case reflect.Int8:
		ofReals[int8](o.loop, x, y, z, n)
	case reflect.Int16:
		ofReals[int16](o.loop, x, y, z, n)
	case reflect.Int32:
		ofReals[int32](o.loop, x, y, z, n)
	case reflect.Int64:
		ofReals[int64](o.loop, x, y, z, n)
	case reflect.Uint:
		ofReals[uint](o.loop, x, y, z, n)
	case reflect.Uint8:
		ofReals[uint8](o.loop, x, y, z, n)
	case reflect.Uint16:
		ofReals[uint16](o.loop, x, y, z, n)
	case reflect.Uint32:
		ofReals[uint32](o.loop, x, y, z, n)
	case reflect.Uint64:
		ofReals[uint64](o.loop, x, y, z, n)
	case reflect.Uintptr:
		ofReals[uintptr](o.loop, x, y, z, n)
	case reflect.Float32:
		ofFloats[float32](o, x, y, z, n)
	case reflect.Float64:
		ofFloats[float64](o, x, y, z, n)
	case reflect.Complex64:
		add[complex64](x, y, z, n)
	case reflect.Complex128:
		add[complex128](x, y, z, n)
	}
}

// ofFloats is ofReals with loops in assembly for most of the elements.
func ofFloats[F float32 | float64, T any](o *operation[T], to, a, b unsafe.Pointer, n int) {
	size := memory.Size[F]()
	done := vectorLoop(o.loop, o.kind, to, a, b, n*size)
	ofReals[F](o.loop, unsafe.Add(to, done), unsafe.Add(a, done), unsafe.Add(b, done), n-done/size)
}

func ofReals[T Real](l loop, to, a, b unsafe.Pointer, n int) {
	switch l {
	case addition:
		add[T](to, a, b, n)
	case minimum:
		lesser[T](to, a, b, n)
	case maximum:
		greater[T](to, a, b, n)
	}
}

// slices3 are n values each at three places.
func slices3[T any](to, a, b unsafe.Pointer, n int) (x, y, z []T) {
	return unsafe.Slice((*T)(to), n), unsafe.Slice((*T)(a), n), unsafe.Slice((*T)(b), n)
}

func add[T Number](to, a, b unsafe.Pointer, n int) {
	x, y, z := slices3[T](to, a, b, n)
	for len(x) >= 4 && len(y) >= 4 && len(z) >= 4 {
		x[0], x[1], x[2], x[3] = y[0]+z[0], y[1]+z[1], y[2]+z[2], y[3]+z[3]
		x, y, z = x[4:], y[4:], z[4:]
	}
	for i := range x {
		x[i] = y[i] + z[i]
	}
}

func lesser[T Real](to, a, b unsafe.Pointer, n int) {
	x, y, z := slices3[T](to, a, b, n)
	for i := range x {
		x[i] = min(y[i], z[i])
	}
}

func greater[T Real](to, a, b unsafe.Pointer, n int) {
	x, y, z := slices3[T](to, a, b, n)
	for i := range x {
		x[i] = max(y[i], z[i])
	}
}
