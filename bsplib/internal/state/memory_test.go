package state

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// area is a handle of memory of the engine.
type area[T any] struct{ *registration }

type registration struct {
	number uint64
	memory Memory
	notify chan int
}

func (a area[T]) slice() []T {
	return unsafe.Slice((*T)(a.memory.Base), a.memory.Bytes/int(unsafe.Sizeof(*new(T))))
}

// areas are the registrations of a process.
type areas map[uint64]Memory

func (areas) Is(t reflect.Type) bool {
	return t == reflect.TypeFor[area[int]]() || t == reflect.TypeFor[area[float64]]()
}

func (areas) Encode(t reflect.Type, p unsafe.Pointer) (uint64, error) {
	r := (*area[int])(p).registration
	if r == nil {
		return 0, nil
	}
	if r.number == 13 {
		return 0, fmt.Errorf("no area any more")
	}
	return r.number, nil
}

func (a areas) Decode(t reflect.Type, p unsafe.Pointer, number uint64) error {
	m, ok := a[number]
	if number > 0 && !ok {
		return fmt.Errorf("there is no area %d", number)
	}
	if number > 0 {
		(*area[int])(p).registration = &registration{number: number, memory: m}
	}
	return nil
}

type withAreas struct {
	In     area[int]
	Out    []area[float64]
	None   area[int]
	small  area[int]
	View   []float64
	At     *float64
	Struct *point
	Apart  []float64
}

func register[T any](number uint64, s []T) area[T] {
	return area[T]{&registration{number: number, memory: memoryOf(s, number)}}
}

// Memories are moved, and handles and slices in them still refer to them.
func TestMemories(t *testing.T) {
	x, y, z := make([]int, 1000), make([]float64, 10), []int{5, 6}
	x[999], y[3] = 1, 2
	s := &withAreas{In: register(1, x), Out: []area[float64]{register(2, y), {}}, small: register(3, z),
		View: y[2:5:7], At: &y[9], Struct: (*point)(unsafe.Pointer(&y[4])), Apart: []float64{3}}
	extra := []Memory{s.Out[0].memory, s.In.memory, {nil, 0, 0, 9}, s.small.memory}
	sent := planOf[withAreas](t, areas{})
	image := encodeOf(t, sent, s, extra...)
	if size := sent.Size(unsafe.Pointer(s), extra); size != image.Bytes() || len(image.Spans) != 1 {
		t.Errorf("Size says %d, the image has %d in %d spans", size, image.Bytes(), len(image.Spans)+1)
	}
	here := areas{}
	got := arrive[withAreas](t, sent.With(here), image, here)
	if got.In.slice()[999] != 1 || !reflect.DeepEqual(got.small.slice(), z) || got.None.registration != nil || got.Out[1].registration != nil {
		t.Errorf("%+v", got)
	}
	mine := got.Out[0].slice()
	if !reflect.DeepEqual(mine, y) || &got.View[0] != &mine[2] || cap(got.View) != 5 || got.At != &mine[9] ||
		unsafe.Pointer(got.Struct) != unsafe.Pointer(&mine[4]) || got.Apart[0] != 3 {
		t.Error("what lay in the area lies elsewhere")
	}
	again := []Memory{here[2], here[1], here[9], here[3]}
	sameImage(t, image, encodeOf(t, sent, got, again...))
	if total, err := ImageBytes(image.Skeleton); err != nil || total < 8000+80+16 || total > 8000+80+16+200 {
		t.Errorf("ImageBytes says %d, %v", total, err)
	}
}

// The rest of a memory that is kept in part is decoded as zeros, also where slices of the state show
// it.
func TestMemoriesAreKeptInPart(t *testing.T) {
	for _, kept := range []int{0, 1, 700, 999, 1000} {
		x := make([]float64, 1000)
		for i := range x {
			x[i] = float64(i + 1)
		}
		s := &withAreas{Out: []area[float64]{register(2, x)}, View: x[600:800:900], At: &x[999]}
		memory := s.Out[0].memory
		memory.Kept = 8 * kept
		p := planOf[withAreas](t, areas{})
		image := encodeOf(t, p, s, memory)
		if n := image.Bytes(); n < int64(8*kept) || n > int64(8*kept)+200 || p.Size(unsafe.Pointer(s), []Memory{memory}) != n {
			t.Errorf("%d elements: an image of %d bytes", kept, n)
		}
		here, got := areas{}, new(withAreas)
		spans := must.Get(p.With(here).Decode(image.Skeleton, unsafe.Pointer(got), func(number uint64, bytes int) (unsafe.Pointer, error) {
			dirty := slices.Repeat([]float64{-1}, bytes/8)
			here[number] = memoryOf(dirty, number)
			return here[number].Base, nil
		}))(t)
		fill(t, image, spans)
		mine := got.Out[0].slice()
		for i, v := range mine {
			if i < kept && v != x[i] || i >= kept && v != 0 {
				t.Fatalf("of %d elements kept, element %d of %g is %g", kept, i, x[i], v)
			}
		}
		if &got.View[0] != &mine[600] || len(got.View) != 200 || cap(got.View) != 300 || got.At != &mine[999] {
			t.Error("what lay in the area lies elsewhere")
		}
	}
}

// Errors of handles and of the allocation are returned with the field.
func TestMemoryFailures(t *testing.T) {
	p := planOf[withAreas](t, areas{})
	s := &withAreas{Out: make([]area[float64], 2)}
	s.Out[1] = register(13, []float64{1})
	_, err := p.Encode(unsafe.Pointer(s), nil)
	says(t, err, "state.Out[1]: state.area[float64]: no area any more")

	s.Out[1] = register(2, []float64{1})
	image := encodeOf(t, p, s, s.Out[1].memory)
	_, err = p.Decode(image.Skeleton, unsafe.Pointer(new(withAreas)), func(uint64, int) (unsafe.Pointer, error) { return nil, errTest })
	says(t, err, "memory 2 of 8 bytes: the reason")
	_, err = p.Decode(image.Skeleton, unsafe.Pointer(new(withAreas)), func(uint64, int) (unsafe.Pointer, error) { return nil, nil })
	says(t, err, "memory 2 of 8 bytes: there is none")
	_, err = p.Decode(image.Skeleton, unsafe.Pointer(new(withAreas)), nil)
	says(t, err, "memory 2 of 8 bytes")
	_, err = p.Decode(image.Skeleton, unsafe.Pointer(new(withAreas)), func(uint64, int) (unsafe.Pointer, error) {
		return unsafe.Pointer(new(float64)), nil
	})
	says(t, err, "state.Out[1]: state.area[float64]: there is no area 2")
}

// A large state that is plain as a whole is sent from where it is.
func TestPlainState(t *testing.T) {
	type grid struct {
		N     int
		Cells [1000][10]float64
		Last  bool
	}
	s := &grid{N: 3, Last: true}
	s.Cells[999][9] = 4
	image := encodeOf(t, planOf[grid](t, nil), s)
	if len(image.Spans) != 1 || len(image.Skeleton) > 100 {
		t.Errorf("%d spans, %d bytes in the skeleton", len(image.Spans), len(image.Skeleton))
	}
	moveEqual(t, s)
}
