// Package state moves all that a process is between two stages: the value
// that a state pointer leads to. Encode makes an Image of it, Decode builds
// the value again elsewhere, with everything that is reachable: slices,
// strings, maps, and what pointers point to, with its sharing.
//
// An Image has a skeleton, which holds everything small, and spans, which
// view the large plain memory where it lies: nothing large is copied. Decode
// allocates what a skeleton describes and returns spans of the same lengths in
// the same order, to be filled by receiving straight into them.
//
// Sharing is kept. Slices of plain elements (no references in them), strings
// of 4 KiB and more, pointers to plain values and the memories that come with
// the state are ranges of bytes; those that overlap become one block, which
// is allocated and sent once. Of a slice's memory the part up to its length is
// sent; the rest up to its capacity arrives as zeros. Objects with references
// in them are kept apart by address: two pointers to one object, or to a field
// or an element of it, lead to one object again. What cannot be expressed like
// that is refused, never doubled. Two things cannot be seen: a pointer to a
// package variable arrives as a pointer to a copy of it, and small strings that
// share memory share it no more. Elements with references that several slices
// of different extent show are encoded once for each of them.
//
// Equal states give equal images: maps are sorted by their encoded keys,
// objects are numbered in the order they are reached, and padding between and
// blank fields within plain elements is zero. For that Encode writes zeros to
// such bytes of the state where they are not zero.
//
// Images suit machines of the same byte order and word size; a skeleton from
// elsewhere is refused, as is one of another type. Plain bytes are taken as
// they arrive: Digest, not Decode, reports whether they are the ones that left.
package state

import (
	"reflect"
	"sync"
	"unsafe"
)

// Plan is how states of one type are encoded and decoded. It does not change
// and may be used by many goroutines at a time.
type Plan struct {
	layout   *layout
	handles  Handles
	encoders *sync.Pool
	decoders *sync.Pool
}

// PlanFor makes the plan for states of type t.
//
// Errors: a *PlanError with all fields that cannot move.
func PlanFor(t reflect.Type, handles Handles) (*Plan, error) {
	if found := problemsOf(t, handles); len(found) > 0 {
		return nil, &PlanError{Type: t, Problems: found}
	}
	return &Plan{
		layout: layoutOf(t, handles), handles: handles,
		encoders: &sync.Pool{New: func() any { return new(encoder) }},
		decoders: &sync.Pool{New: func() any { return new(decoder) }},
	}, nil
}

// Identity is the name of the plan's type and a number that is equal for types
// whose images are read the same way.
func (p *Plan) Identity() (name string, layout uint64) { return p.layout.name, p.layout.hash }

// With is the same plan with other handles, which must be of the same types:
// for a process of its own.
func (p *Plan) With(handles Handles) *Plan {
	other := *p
	other.handles = handles
	return &other
}

// Encode makes an image of the state. Nobody may change the state meanwhile.
//
// Errors name the fields that cannot be expressed: pointers and slices that
// share memory in a way that cannot be kept, map keys that become equal, and
// what a type's own encoding or a handle's reports.
//
// Cost: the bytes of the skeleton; the bytes of spans cost nothing.
func (p *Plan) Encode(state unsafe.Pointer, extra []Memory) (Image, error) {
	e := p.encoders.Get().(*encoder)
	defer p.encoders.Put(e)
	defer e.reset()
	if err := e.encode(p.layout, p.handles, state, extra); err != nil {
		return Image{}, err
	}
	return e.image(), nil
}

// Size is the size of the image that Encode would make, 0 if it would fail. It
// costs what Encode does without its allocations.
func (p *Plan) Size(state unsafe.Pointer, extra []Memory) int64 {
	e := p.encoders.Get().(*encoder)
	defer p.encoders.Put(e)
	defer e.reset()
	if err := e.encode(p.layout, p.handles, state, extra); err != nil {
		return 0
	}
	return e.size()
}

// Decode makes at state, which points to a zero value of the plan's type, what
// Encode found, and returns the spans to fill before it is used. Allocate
// gives the zeroed memory for the extra memories, in their order; it may be
// nil if there are none.
//
// Errors name the field. What stands at state is then of no use. No bytes of a
// skeleton make it panic or allocate more than ImageBytes tells, apart from
// tables of a size in proportion to the skeleton's and what types that decode
// themselves take.
func (p *Plan) Decode(skeleton []byte, state unsafe.Pointer, allocate func(number uint64, bytes int) (unsafe.Pointer, error)) (spans [][]byte, err error) {
	d := p.decoders.Get().(*decoder)
	defer p.decoders.Put(d)
	defer d.reset()
	return d.decode(p.layout, p.handles, skeleton, state, allocate)
}
