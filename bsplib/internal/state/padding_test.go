package state

import (
	"reflect"
	"testing"
	"unsafe"
)

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

// soil makes the bytes between fields, and the blank field, a pattern.
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

// Padding and blank fields do not make images differ, and their fields arrive.
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
