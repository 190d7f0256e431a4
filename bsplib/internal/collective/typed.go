package collective

import (
	"reflect"
	"runtime"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
	"github.com/migbsp/migbsp/bsplib/internal/site"
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

// applyEach is apply by a function of the program. That may do nothing but compute: which of the
// processes runs it, when and how often depends on where they are.
func (o *operation[T]) applyEach(to, a, b []T) {
	p := o.p
	before := p.traffic()
	p.Computing = true
	defer p.endComputing()
	for i := range to {
		to[i] = o.each(a[i], b[i])
	}
	p.Computing = false
	if p.traffic() != before {
		p.refuseTraffic(o.each)
	}
}

// of is the operation on two values.
func (o *operation[T]) of(a, b T) T {
	x, y := [1]T{a}, [1]T{b}
	o.applyEach(x[:], x[:], y[:])
	return x[0]
}

// traffic counts what the process has put, sent and asked for.
func (p *Member) traffic() int {
	p.r.stream.Out.Burst().Finish()
	return p.Did.Sent + p.Did.Received
}

//go:noinline
func (p *Member) refuseTraffic(operation any) {
	pc := reflect.ValueOf(operation).Pointer()
	f := runtime.FuncForPC(pc)
	file, line := f.FileLine(pc)
	p.Fail(Mismatch, "the operation at %s puts, gets or sends: that of a collective may only compute", site.At(file, line))
}

// endComputing, deferred, keeps what an operation has panicked with as the process's failure: a
// program that recovers would go on with half a collective.
func (p *Member) endComputing() {
	if !p.Computing {
		return
	}
	p.Computing = false
	v := recover()
	if again := p.Panicked(v); v != nil { // else runtime.Goexit, which goes on
		panic(again)
	}
}
