package state

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/migbsp/migbsp/internal/testrun/must"
)

// planOf returns the plan for states of type T.
func planOf[T any](t testing.TB, handles Handles) *Plan {
	t.Helper()
	if handles == nil {
		handles = noHandles{}
	}
	return must.Get(PlanFor(reflect.TypeFor[T](), handles))(t)
}

// encodeOf encodes a state.
func encodeOf[T any](t testing.TB, p *Plan, state *T, extra ...Memory) Image {
	t.Helper()
	return must.Get(p.Encode(unsafe.Pointer(state), extra))(t)
}

// arrive decodes an image and fills the spans. Memories are allocated and put
// into extra.
func arrive[T any](t testing.TB, p *Plan, image Image, extra map[uint64]Memory) *T {
	t.Helper()
	state := new(T)
	spans := must.Get(p.Decode(image.Skeleton, unsafe.Pointer(state), func(number uint64, bytes int) (unsafe.Pointer, error) {
		m := Memory{Base: unsafe.Pointer(unsafe.SliceData(make([]uint64, (bytes+7)/8))), Bytes: bytes, Kept: bytes, Number: number}
		extra[number] = m
		return m.Base, nil
	}))(t)
	fill(t, image, spans)
	return state
}

// fill receives the spans.
func fill(t testing.TB, image Image, spans [][]byte) {
	t.Helper()
	if len(spans) != len(image.Spans) {
		t.Fatalf("%d spans arrived, %d were sent", len(spans), len(image.Spans))
	}
	for i, s := range spans {
		if len(s) != len(image.Spans[i]) {
			t.Fatalf("span %d has %d bytes, %d were sent", i, len(s), len(image.Spans[i]))
		}
		copy(s, image.Spans[i])
	}
}

// move encodes a state, decodes it, and checks the invariants of all states.
func move[T any](t testing.TB, state *T) *T {
	t.Helper()
	p := planOf[T](t, nil)
	image := encodeOf(t, p, state)
	if size := p.Size(unsafe.Pointer(state), nil); size != image.Bytes() {
		t.Errorf("Size says %d, the image has %d", size, image.Bytes())
	}
	got := arrive[T](t, p, image, nil)
	sameImage(t, image, encodeOf(t, p, got))
	return got
}

// moveEqual is move for states that reflect.DeepEqual can compare.
func moveEqual[T any](t testing.TB, state *T) *T {
	t.Helper()
	got := move(t, state)
	if !reflect.DeepEqual(got, state) {
		t.Errorf("%.1000s\narrived as\n%.1000s", fmt.Sprintf("%+v", *state), fmt.Sprintf("%+v", *got))
	}
	return got
}

// sameImage checks that two images and their digests are equal.
func sameImage(t testing.TB, a, b Image) {
	t.Helper()
	if !bytes.Equal(a.Skeleton, b.Skeleton) {
		t.Errorf("the skeleton was\n%.1000s\nand is\n%.1000s", fmt.Sprintf("%x", a.Skeleton), fmt.Sprintf("%x", b.Skeleton))
	}
	if !reflect.DeepEqual(a.Spans, b.Spans) {
		t.Errorf("the spans differ: %d before, %d now", len(a.Spans), len(b.Spans))
	}
	if x, y := Digest(a), Digest(b); x != y {
		t.Errorf("the digest was %x and is %x", x, y)
	}
}

// refused checks that a state cannot be encoded, with an error that contains the words.
func refused[T any](t testing.TB, state *T, extra []Memory, words ...string) {
	t.Helper()
	p := planOf[T](t, nil)
	_, err := p.Encode(unsafe.Pointer(state), extra)
	says(t, err, words...)
	if size := p.Size(unsafe.Pointer(state), extra); size != 0 {
		t.Errorf("Size says %d of a state that cannot be encoded", size)
	}
}

// says checks that an error contains the words.
func says(t testing.TB, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("the error %q does not say %q", err, w)
		}
	}
}

// memoryOf returns the memory of a slice.
func memoryOf[E any](s []E, number uint64) Memory {
	bytes := len(s) * int(unsafe.Sizeof(*new(E)))
	return Memory{unsafe.Pointer(unsafe.SliceData(s)), bytes, bytes, number}
}

var errTest = errors.New("the reason")

// noHandles is a state without handles.
type noHandles struct{ Handles }

func (noHandles) Is(reflect.Type) bool { return false }
