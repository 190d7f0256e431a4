// Package state encodes a process between two stages: the value of its state pointer. Encode makes an
// Image of it, Decode rebuilds the value elsewhere, with everything that is reachable: slices,
// strings, maps, and the targets of pointers, with their sharing.
//
// An Image has a skeleton, which holds everything small, and spans, which are views of the large
// plain memory: large data are not copied. Decode allocates the memory described by a skeleton and
// returns spans of the same lengths in the same order, to be filled by receiving straight into them.
//
// Sharing is kept. Slices of plain elements (no references in them), strings of 4 KiB and more,
// pointers to plain values and the memories that come with the state are ranges of bytes; overlapping
// ranges become one block, which is allocated and sent once. A slice's memory is sent up to its
// length; the rest up to its capacity is decoded as zeros. Objects with references in them are
// identified by address: two pointers to one object, or to a field or an element of it, still point
// to one object afterwards. Sharing that cannot be expressed like this is refused, and the memory
// never duplicated. Two cases cannot be detected: a pointer to a package variable becomes a pointer
// to a copy of it, and small strings that share memory no longer do. Elements with references that
// several slices of different extent show are encoded once for each of them.
//
// Equal states have equal images: maps are sorted by their encoded keys, objects are numbered in the
// order of first reference, and padding between and blank fields within plain elements is zero. For
// that, Encode sets such bytes of the state to zero.
//
// Images are valid on machines of the same byte order and word size; a skeleton from another machine
// or of another type is refused. Plain bytes are not checked: Digest, not Decode, detects changes.
package state

import (
	"reflect"
	"sync"
	"unsafe"
)

// Plan encodes and decodes states of one type. It is immutable and may be used by several goroutines
// at a time.
type Plan struct {
	layout   *layout
	handles  Handles
	encoders *sync.Pool
	decoders *sync.Pool
}

// PlanFor returns the plan for states of type t.
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

// Identity returns the name of the plan's type and a number that is equal for types whose images have
// the same format.
func (p *Plan) Identity() (name string, layout uint64) { return p.layout.name, p.layout.hash }

// With returns a copy of the plan with other handles, which must be of the same types. Each process
// has handles of its own.
func (p *Plan) With(handles Handles) *Plan {
	other := *p
	other.handles = handles
	return &other
}

// Encode makes an image of the state. The state must not change during the call.
//
// Errors name the fields that cannot be expressed: pointers and slices that share memory in an
// unsupported form, map keys that become equal, and errors of a type's own encoding or of a handle.
//
// Cost: the bytes of the skeleton; spans are not copied.
func (p *Plan) Encode(state unsafe.Pointer, extra []Memory) (Image, error) {
	e := p.encoders.Get().(*encoder)
	defer p.encoders.Put(e)
	defer e.reset()
	if err := e.encode(p.layout, p.handles, state, extra); err != nil {
		return Image{}, err
	}
	return e.image(), nil
}

// Size returns the size of the image that Encode would make, 0 if it would fail. It takes the time of
// Encode without its allocations.
func (p *Plan) Size(state unsafe.Pointer, extra []Memory) int64 {
	e := p.encoders.Get().(*encoder)
	defer p.encoders.Put(e)
	defer e.reset()
	if err := e.encode(p.layout, p.handles, state, extra); err != nil {
		return 0
	}
	return e.size()
}

// Decode decodes a skeleton to state, which must point to a zero value of the plan's type, and
// returns the spans, which must be filled before the state is used. allocate returns the zeroed
// memory for the extra memories, in their order; it may be nil without any.
//
// Errors name the field. The value at state is then invalid. No skeleton makes Decode panic or
// allocate more than ImageBytes returns, apart from tables of a size in proportion to the skeleton's
// and allocations by types that decode themselves.
func (p *Plan) Decode(skeleton []byte, state unsafe.Pointer, allocate func(number uint64, bytes int) (unsafe.Pointer, error)) (spans [][]byte, err error) {
	d := p.decoders.Get().(*decoder)
	defer p.decoders.Put(d)
	defer d.reset()
	return d.decode(p.layout, p.handles, skeleton, state, allocate)
}
