package collective

import (
	"reflect"
	"runtime"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/memory"
	"github.com/migbsp/migbsp/bsplib/internal/site"
)

// Number is the constraint bsplib.Number.
type Number interface {
	Real | ~complex64 | ~complex128
}

// Real is the constraint bsplib.Real.
type Real interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 |
		~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr |
		~float32 | ~float64
}

// operation is the operation of a reduction: a function of the program, or a loop for numbers.
type operation[T any] struct {
	each func(a, b T) T // nil for a loop
	p    *Member        // the process that passed it
	loop loop
}

func with[T any](p *Member, each func(a, b T) T) operation[T] {
	return operation[T]{each: each, p: p}
}

func byLoop[T Number](l loop) operation[T] {
	return operation[T]{loop: l}
}

// loop combines n numbers at a and at b, and stores the results at to. to may be a or b.
type loop interface {
	over(to, a, b unsafe.Pointer, n int)
	// vector does the same with an assembly loop, if available. bytes is the size of the numbers, a
	// multiple of loopStep. The results have the same bits as with Go's operators. vector returns
	// the number of bytes processed, 0 without a loop.
	vector(to, a, b unsafe.Pointer, bytes int) int
}

// The loops have size zero, so that operations do not allocate.
type (
	adding[T Number] struct{}
	lesser[T Real]   struct{}
	greater[T Real]  struct{}
)

// apply stores the operation on the elements of a and b in to. The slices have the same length. to
// may be a or b.
func (o *operation[T]) apply(to, a, b []T) {
	if o.each != nil {
		o.applyEach(to, a[:len(to)], b[:len(to)])
		return
	}
	// A loop keeps no address, so values on a stack need not escape.
	x, y, z := memory.OnHeap(memory.At(to)), memory.OnHeap(memory.At(a)), memory.OnHeap(memory.At(b))
	size, done := memory.Size[T](), 0
	if bytes := len(to) * size &^ (loopStep - 1); hasVectorLoops && bytes > 0 {
		done = o.loop.vector(x, y, z, bytes)
	}
	if left := len(to) - done/size; left > 0 { // otherwise the addresses would be past the end
		o.loop.over(unsafe.Add(x, done), unsafe.Add(y, done), unsafe.Add(z, done), left)
	}
}

// slices3 returns slices of n values at three addresses.
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

// applyEach implements apply for a function of the program. The function may only compute, because
// the mapping decides which process calls it, when, and how often.
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

// of returns the result of the operation on two values.
func (o *operation[T]) of(a, b T) T {
	x, y := [1]T{a}, [1]T{b}
	o.applyEach(x[:], x[:], y[:])
	return x[0]
}

// traffic returns a count of the bytes that the process has put, sent and requested.
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

// endComputing is deferred. It stores the panic value of an operation as the process's failure,
// because a program that recovers would continue within an incomplete collective.
func (p *Member) endComputing() {
	if !p.Computing {
		return
	}
	p.Computing = false
	v := recover()
	if again := p.Panicked(v); v != nil { // otherwise runtime.Goexit, which continues
		panic(again)
	}
}

// loopStep is the number of bytes that an assembly loop processes per iteration.
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
