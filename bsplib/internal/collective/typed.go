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

// operation is what a reduction combines with: a function of the program, or a loop for numbers.
type operation[T any] struct {
	each func(a, b T) T // nil for a loop
	p    *Member        // the process that gave it
	loop loop
}

func with[T any](p *Member, each func(a, b T) T) operation[T] {
	return operation[T]{each: each, p: p}
}

func byLoop[T Number](l loop) operation[T] {
	return operation[T]{loop: l}
}

// loop sets n numbers at to by those at a and b. to may be a or b.
type loop interface {
	over(to, a, b unsafe.Pointer, n int)
	// vector does that for so many bytes of numbers, a multiple of loopStep, if there is a loop in
	// assembly, with the bits of Go's own operators. It returns how many bytes that has done.
	vector(to, a, b unsafe.Pointer, bytes int) int
}

// The loops have no size, so that no operation needs memory.
type (
	adding[T Number] struct{}
	lesser[T Real]   struct{}
	greater[T Real]  struct{}
)

// apply sets each element of to by the operation on those of a and b, of the same
// length. to may be a or b.
func (o *operation[T]) apply(to, a, b []T) {
	if o.each != nil {
		o.applyEach(to, a[:len(to)], b[:len(to)])
		return
	}
	// A loop keeps no address: so values that are on a stack stay there.
	x, y, z := memory.OnHeap(memory.At(to)), memory.OnHeap(memory.At(a)), memory.OnHeap(memory.At(b))
	size, done := memory.Size[T](), 0
	if bytes := len(to) * size &^ (loopStep - 1); hasVectorLoops && bytes > 0 {
		done = o.loop.vector(x, y, z, bytes)
	}
	if left := len(to) - done/size; left > 0 { // else the addresses would be of what follows
		o.loop.over(unsafe.Add(x, done), unsafe.Add(y, done), unsafe.Add(z, done), left)
	}
}

// slices3 are n values each at three places.
func slices3[T any](to, a, b unsafe.Pointer, n int) (x, y, z []T) {
	return unsafe.Slice((*T)(to), n), unsafe.Slice((*T)(a), n), unsafe.Slice((*T)(b), n)
}

func (adding[T]) over(to, a, b unsafe.Pointer, n int) {
	x, y, z := slices3[T](to, a, b, n)
	for len(x) >= 4 && len(y) >= 4 && len(z) >= 4 {
		x[0], x[1], x[2], x[3] = y[0]+z[0], y[1]+z[1], y[2]+z[2], y[3]+z[3]
		x, y, z = x[4:], y[4:], z[4:]
	}
	for i := range x {
		x[i] = y[i] + z[i]
	}
}

func (lesser[T]) over(to, a, b unsafe.Pointer, n int) {
	x, y, z := slices3[T](to, a, b, n)
	for i := range x {
		x[i] = min(y[i], z[i])
	}
}

func (greater[T]) over(to, a, b unsafe.Pointer, n int) {
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

// loopStep is how many bytes the loops in assembly go through at a time.
const loopStep = 128

func (adding[T]) vector(to, a, b unsafe.Pointer, bytes int) int {
	return vector[T](addFloat64s, addFloat32s, to, a, b, bytes)
}

func (lesser[T]) vector(to, a, b unsafe.Pointer, bytes int) int {
	return vector[T](minFloat64s, minFloat32s, to, a, b, bytes)
}

func (greater[T]) vector(to, a, b unsafe.Pointer, bytes int) int {
	return vector[T](maxFloat64s, maxFloat32s, to, a, b, bytes)
}

func vector[T any](float64s, float32s func(to, a, b unsafe.Pointer, n int), to, a, b unsafe.Pointer, bytes int) int {
	switch reflect.TypeFor[T]().Kind() {
	case reflect.Float64:
		float64s(to, a, b, bytes)
	case reflect.Float32:
		float32s(to, a, b, bytes)
	default:
		return 0
	}
	return bytes
}
