package state

import (
	"reflect"
	"strings"
	"testing"
	"unsafe"
)

type ring struct {
	Value int
	Next  *ring
	Name  string
}

// Two pointers to one object stay so; cycles work.
func TestPointerIdentity(t *testing.T) {
	type state struct {
		First, Again *ring
		Self         *state
		Number, Same *int
		Empty        *struct{}
		To           **ring
	}
	s := &state{Number: new(int), Empty: &struct{}{}}
	s.Self, s.Same = s, s.Number
	s.First = &ring{1, &ring{2, nil, "b"}, "a"}
	s.First.Next.Next = s.First
	s.Again = s.First.Next
	s.To = &s.Again.Next
	got := moveEqual(t, s)
	if got.Self != got || got.First.Next.Next != got.First || got.Again != got.First.Next || got.Number != got.Same || got.Number == s.Number {
		t.Errorf("%+v", got)
	}
	if got.Empty == nil || got.To != &got.Again.Next {
		t.Error("a pointer to a pointer was lost")
	}
}

// A list of many objects needs no deep recursion.
func TestLongList(t *testing.T) {
	var first *ring
	for i := range 200_000 {
		first = &ring{Value: i, Next: first}
	}
	got, n := *move(t, &first), 0
	for want := first; want != nil; want, got = want.Next, got.Next {
		if got == nil || want.Value != got.Value {
			t.Fatal("the list ends or differs at", n)
		}
		n++
	}
	if n != 200_000 || got != nil {
		t.Error("the list has another length")
	}
}

type padded struct {
	A int8
	B int64
	_ int32
	C [2]struct {
		D int16
		E int32
	}
	F bool
}

// soil sets the bytes between fields, and the blank field, to a pattern.
func (p *padded) soil(pattern byte) {
	for i := range view(unsafe.Pointer(p), unsafe.Sizeof(*p)) {
		view(unsafe.Pointer(p), unsafe.Sizeof(*p))[i] = pattern
	}
	p.A, p.B, p.F = 1, 2, true
	for i := range p.C {
		p.C[i].D, p.C[i].E = int16(3+i), int32(5+i)
	}
}

type mixed struct {
	Text string
	P    padded
	Row  [2]padded
}

type paddedState struct {
	One  padded
	Many []padded
	To   *padded
	Mix  mixed
	Text map[padded]padded
	Nest []mixed
}

func dirty(pattern byte) *paddedState {
	s := &paddedState{Many: make([]padded, 200), To: new(padded), Nest: make([]mixed, 2)}
	for _, p := range []*padded{&s.One, &s.Many[0], &s.Many[150], s.To, &s.Mix.P, &s.Mix.Row[1], &s.Nest[1].P, &s.Nest[1].Row[0]} {
		p.soil(pattern)
	}
	s.Text = map[padded]padded{s.One: s.One}
	return s
}

// Padding and blank fields do not affect images, and the other fields are decoded.
func TestPadding(t *testing.T) {
	p := planOf[paddedState](t, nil)
	a, b := dirty(0x55), dirty(0xaa)
	first := encodeOf(t, p, a)
	sameImage(t, first, encodeOf(t, p, b))
	sameImage(t, first, encodeOf(t, p, dirty(0)))
	if got, want := arrive[paddedState](t, p, first, nil), dirty(0); !reflect.DeepEqual(got, want) {
		t.Error("the fields beside the padding did not arrive")
	}
	if len(first.Spans) != 1 {
		t.Error("a large slice with padding is no view")
	}
}

// Plain structs without padding are not searched for it.
func TestHoles(t *testing.T) {
	for name, c := range map[string]struct {
		p    *Plan
		want bool
	}{
		"point":  {planOf[point](t, nil), false},
		"points": {planOf[[3]point](t, nil), false},
		"padded": {planOf[padded](t, nil), true},
		"many":   {planOf[[3]padded](t, nil), true},
	} {
		if got := c.p.layout.unit.hasHoles(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Slices that overlap become one block, which is sent once.
func TestOverlappingSlices(t *testing.T) {
	type state struct {
		Late, Early, All, Past []float64
		At                     *float64
		Pair                   *[2]float64
		Rows                   [][]float64
	}
	x := make([]float64, 10_000)
	for i := range x {
		x[i] = float64(i)
	}
	s := &state{Late: x[5000:6000], Early: x[:6:100], Past: x[8000:8000], At: &x[5001], Pair: (*[2]float64)(x[3:5])}
	for i := range 4 {
		s.Rows = append(s.Rows, x[1000*i:1000*(i+1)])
	}
	p := planOf[state](t, nil)
	image := encodeOf(t, p, s)
	if want := int64(5000 * 8); image.Bytes() < want || image.Bytes() > want+1000 {
		t.Errorf("%d bytes are sent", image.Bytes())
	}
	got := moveEqual(t, s)
	all := got.Rows[0][:10_000]
	if &got.Late[0] != &all[5000] || got.At != &all[5001] || &got.Pair[0] != &all[3] || &got.Early[0] != &all[0] || &got.Rows[3][0] != &all[3000] {
		t.Error("slices do not share memory as they did")
	}
	if cap(got.Early) != 100 || cap(got.Past) != 2000 || all[7000] != 0 {
		t.Error("capacities or the unused rest are wrong")
	}
}

// Slices that only touch stay apart.
func TestTouchingSlices(t *testing.T) {
	x := []int{1, 2, 3, 4}
	got := moveEqual(t, &[2][]int{x[:2:2], x[2:]})
	if cap(got[0]) != 2 || cap(got[1]) != 2 {
		t.Errorf("%v", got)
	}
}

// Large strings are views, and shared.
func TestLargeStrings(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	type state struct{ A, B, Part string }
	s := &state{long, long, long[500:90_000]}
	image := encodeOf(t, planOf[state](t, nil), s)
	if len(image.Spans) != 1 || len(image.Skeleton) > 200 || unsafe.SliceData(image.Spans[0]) != unsafe.StringData(long) {
		t.Errorf("%d spans, %d bytes in the skeleton", len(image.Spans), len(image.Skeleton))
	}
	got := moveEqual(t, s)
	if unsafe.StringData(got.A) != unsafe.StringData(got.B) {
		t.Error("the strings are not shared")
	}
}

// Bytes that are seen as numbers too keep the numbers aligned.
func TestMixedAlignment(t *testing.T) {
	x := []float64{1, 2, 3, 4}
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), 32)
	type state struct {
		Bytes   []byte
		Numbers []float64
	}
	got := moveEqual(t, &state{bytes[3:], x[1:]})
	if uintptr(unsafe.Pointer(&got.Numbers[0]))%8 != 0 || unsafe.Pointer(&got.Bytes[5]) != unsafe.Pointer(&got.Numbers[0]) {
		t.Error("the numbers are not where the bytes say")
	}
}

// Large blocks are aligned to cache lines, and spans view the memory itself.
func TestSpans(t *testing.T) {
	for _, n := range []int{512, 513, 700, 1000, 2048, 5000, 100_000} {
		numbers := make([]float64, n)
		numbers[n-1] = 1
		s := &numbers
		image := encodeOf(t, planOf[[]float64](t, nil), s)
		if len(image.Spans) != 1 || unsafe.Pointer(&image.Spans[0][0]) != unsafe.Pointer(&(*s)[0]) {
			t.Fatalf("%d numbers are no view", n)
		}
		if got := *moveEqual(t, s); uintptr(unsafe.Pointer(&got[0]))%64 != 0 {
			t.Errorf("%d numbers stand at %p", n, &got[0])
		}
	}
}

// The first aligned word is found from any word.
func TestToLine(t *testing.T) {
	memory := make([]uint64, 64)
	for i := range 32 {
		rest := memory[i:]
		n := toLine(rest)
		if uintptr(unsafe.Pointer(&rest[n]))%64 != 0 || n > 7 {
			t.Errorf("%d words from word %d", n, i)
		}
	}
}
