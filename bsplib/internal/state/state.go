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
// they arrive: Digest, not Decode, tells whether they are the ones that left.
package state

import (
	"reflect"
	"sync"
	"unsafe"
)

// Handles are the types that stand for something outside the state, such as
// areas and queues. They travel as a number.
type Handles interface {
	// Is tells whether t is such a type. It gives one answer per type.
	Is(t reflect.Type) bool
	// Encode gives the number of the handle of type t at p.
	Encode(t reflect.Type, p unsafe.Pointer) (uint64, error)
	// Decode makes the handle of type t at p, which is zero. It is called
	// after all memories are allocated, and more than once for one p where
	// slices that hold handles overlap.
	Decode(t reflect.Type, p unsafe.Pointer, number uint64) error
}

// Memory is plain memory that belongs to the state but was allocated by
// somebody else: an area's. Its first Kept bytes are carried, the others arrive as
// zeros, also what slices of the state show of them; and slices, strings and
// pointers of the state that lie in it lie in it again on arrival. Memories do
// not overlap. Padding in them is sent as it is, but for what slices show.
type Memory struct {
	Base   unsafe.Pointer
	Bytes  int
	Kept   int
	Number uint64 // what Decode asks for it by
}

// Image is an encoded state. Spans view the state's own memory: they are valid
// until it changes.
type Image struct {
	Skeleton []byte
	Spans    [][]byte
}

// Bytes is the size of the image.
func (m Image) Bytes() int64 {
	n := int64(len(m.Skeleton))
	for _, s := range m.Spans {
		n += int64(len(s))
	}
	return n
}

// spanBytes is the size from which plain memory is viewed, not copied.
const spanBytes = 4 << 10

// Plan is how states of one type are encoded and decoded. It does not change
// and may be used by many goroutines at a time.
type Plan struct {
	t       reflect.Type // of the states
	name    string
	layout  uint64 // hash of all that decides about the encoding
	handles Handles
	root    *node
	unit    *node // of the root: the root itself, or an array's elements
	units   int
	nodes   []*node

	encoders, decoders *sync.Pool
}

// PlanFor makes the plan for states of type t. Handles may be nil.
//
// Errors: a *PlanError with all fields that cannot move.
func PlanFor(t reflect.Type, handles Handles) (*Plan, error) {
	if handles == nil {
		handles = noHandles{}
	}
	if found := problemsOf(t, handles); len(found) > 0 {
		return nil, &PlanError{Type: t, Problems: found}
	}
	p := &Plan{t: t, name: t.String(), handles: handles}
	p.nodes, p.root = compile(t, handles)
	p.unit, p.units = p.root, 1
	if p.root.kind == row {
		p.unit, p.units = p.root.elem, p.root.count
	}
	p.layout = layoutHash(p.nodes)
	p.encoders = &sync.Pool{New: func() any { return new(encoder) }}
	p.decoders = &sync.Pool{New: func() any { return new(decoder) }}
	return p, nil
}

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
// Cost: that of the skeleton; nothing for the bytes of spans.
func (p *Plan) Encode(state unsafe.Pointer, extra []Memory) (Image, error) {
	e := p.encoders.Get().(*encoder)
	defer e.release()
	if err := e.encode(p, state, extra); err != nil {
		return Image{}, err
	}
	return e.image(), nil
}

// Size is the size of the image that Encode would make, 0 if it would fail. It
// costs what Encode does without its allocations.
func (p *Plan) Size(state unsafe.Pointer, extra []Memory) int64 {
	e := p.encoders.Get().(*encoder)
	defer e.release()
	if err := e.encode(p, state, extra); err != nil {
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
	defer d.release()
	return d.decode(p, skeleton, state, allocate)
}

// noHandles is a state without handles.
type noHandles struct{}

func (noHandles) Is(reflect.Type) bool                                { return false }
func (noHandles) Encode(reflect.Type, unsafe.Pointer) (uint64, error) { panic("no handles") }
func (noHandles) Decode(reflect.Type, unsafe.Pointer, uint64) error   { panic("no handles") }
