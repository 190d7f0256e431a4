package state

import (
	"encoding"
	"encoding/binary"
	"fmt"
	"reflect"
	"unsafe"
)

// encoder encodes one state. First it walks over all objects and writes the
// body, in which references are numbers of ranges; then it finds the blocks in
// which the ranges lie and writes the head, which tells them.
type encoder struct {
	trail
	body  []byte
	head  []byte
	own   []byte // for what a type's own encoding gives
	asKey bool   // a map's key is being encoded: all of it stands in the body
	aside bool   // a map's value: it stands in memory that does not last
	total int64  // bytes that decoding will allocate
	err   error

	headViews, bodyViews [][]byte // spans

	ranges []memRange
	seen   map[identity]int       // ranges of objects
	maps   map[unsafe.Pointer]int // maps by their pointers
	sorter
	resolver
}

// identity tells objects apart.
type identity struct {
	base           unsafe.Pointer
	n              *node
	used, capacity int
}

// sliceHeader is how a slice stands in memory.
type sliceHeader struct {
	data     unsafe.Pointer
	len, cap int
}

func (e *encoder) encode(p *Plan, state unsafe.Pointer, extra []Memory) error {
	e.plan = p
	e.ranges = append(e.ranges, memRange{base: state, n: p.unit, used: p.units, capacity: p.units})
	e.objects = append(e.objects, object{n: p.unit, base: state, count: p.units, shape: p.t})
	for i := 0; i < len(e.objects) && e.err == nil; i++ {
		e.object(i)
	}
	if e.err == nil {
		e.err = e.resolve(extra)
	}
	if e.err == nil {
		e.writeHead(extra)
	}
	return e.err
}

// object encodes the content of an object.
func (e *encoder) object(i int) {
	o := e.objects[i]
	e.current, e.base, e.key = i, o.base, -1
	if o.isMap {
		e.table(o)
		return
	}
	for k := 0; k < o.count && e.err == nil; k++ {
		e.value(o.n, unsafe.Add(o.base, uintptr(k)*o.n.size))
	}
}

// value encodes the value of type n at p.
func (e *encoder) value(n *node, p unsafe.Pointer) {
	switch n.kind {
	case plain:
		if n.hasHoles() {
			clean(n, p, 1)
		}
		e.bytes(p, n.size)
	case record:
		for i := range n.padded {
			clean(n.padded[i].n, unsafe.Add(p, n.padded[i].off), 1)
		}
		for i := range n.steps {
			if s := &n.steps[i]; s.n == nil {
				e.bytes(unsafe.Add(p, s.off), s.size)
			} else {
				e.value(s.n, unsafe.Add(p, s.off))
			}
		}
	case row:
		for k := range n.count {
			e.value(n.elem, unsafe.Add(p, uintptr(k)*n.elem.size))
		}
	case text:
		e.text(p)
	case list:
		e.list(n, p)
	case pointer:
		e.pointer(n, p)
	case table:
		e.mapReference(n, p)
	case custom:
		e.custom(n, p)
	case handle:
		number, err := e.plan.handles.Encode(n.t, p)
		if err != nil {
			e.fail(p, "%s: %w", n.t, err)
		}
		e.number(number)
	}
}

// bytes encodes plain memory.
func (e *encoder) bytes(p unsafe.Pointer, size uintptr) {
	if size >= spanBytes && !e.asKey && !e.aside {
		e.bodyViews = append(e.bodyViews, view(p, size))
		return
	}
	e.body = append(e.body, view(p, size)...)
}

func (e *encoder) number(x uint64) { e.body = binary.AppendUvarint(e.body, x) }

// text encodes a string: its length and bytes, or the range of a large one.
func (e *encoder) text(p unsafe.Pointer) {
	s := *(*string)(p)
	if len(s) >= spanBytes && !e.asKey {
		k := e.addRange(memRange{base: unsafe.Pointer(unsafe.StringData(s)), n: byteNode, used: len(s), capacity: len(s), from: e.here(p)})
		e.number(uint64(k)<<1 | 1)
		return
	}
	e.total += int64(len(s))
	e.number(uint64(len(s)) << 1)
	e.body = append(e.body, s...)
}

// What a reference is in the body: nothing, a slice without memory, or the
// number of a range.
const (
	toNothing = 0
	toNoBytes = 1
	toRange   = 2
)

func (e *encoder) list(n *node, p unsafe.Pointer) {
	switch h := (*sliceHeader)(p); {
	case h.data == nil:
		e.number(toNothing)
	case n.elem.size == 0:
		e.number(toNoBytes)
		e.number(uint64(h.len))
		e.number(uint64(h.cap))
	case h.cap == 0:
		e.number(toNoBytes)
	default:
		e.refer(h.data, n.elem, h.len*n.count, h.cap*n.count, n, p)
	}
}

func (e *encoder) pointer(n *node, p unsafe.Pointer) {
	switch target := *(*unsafe.Pointer)(p); {
	case target == nil:
		e.number(toNothing)
	case n.elem.size == 0:
		e.number(toNoBytes)
	default:
		e.refer(target, n.elem, n.count, n.count, n, p)
	}
}

// refer encodes a reference of type by, which stands at p, to memory.
func (e *encoder) refer(to unsafe.Pointer, n *node, used, capacity int, by *node, p unsafe.Pointer) {
	k := 0
	switch id := (identity{to, n, used, capacity}); {
	case n.kind == plain:
		if n.hasHoles() {
			clean(n, to, used)
		}
		k = e.addRange(memRange{base: to, n: n, used: used, capacity: capacity, from: e.here(p)})
	case to == e.ranges[0].base && n == e.ranges[0].n && used == e.ranges[0].used && capacity == used:
	default:
		known := false
		if k, known = e.seen[id]; !known {
			k = e.addRange(memRange{base: to, n: n, used: used, capacity: capacity, from: e.here(p)})
			if e.seen == nil {
				e.seen = map[identity]int{}
			}
			e.seen[id] = k
			e.objects = append(e.objects, object{n: n, base: to, count: used, shape: by.t.Elem(), inSlice: by.kind == list, from: e.here(p)})
		}
	}
	e.number(toRange + uint64(k))
}

func (e *encoder) addRange(r memRange) int {
	e.ranges = append(e.ranges, r)
	return len(e.ranges) - 1
}

// custom encodes a value by its own methods.
func (e *encoder) custom(n *node, p unsafe.Pointer) {
	own, err := e.marshal(reflect.NewAt(n.t, p).Interface())
	if err != nil {
		e.fail(p, "%s: %w", n.t, err)
	}
	e.total += int64(len(own))
	e.number(uint64(len(own)))
	e.body = append(e.body, own...)
}

// marshal makes a panic of the value's method an error.
func (e *encoder) marshal(value any) (own []byte, err error) {
	defer func() {
		if what := recover(); what != nil {
			err = fmt.Errorf("its encoding panicked: %v", what)
		}
	}()
	switch v := value.(type) {
	case encoding.BinaryAppender:
		own, err = v.AppendBinary(e.own[:0])
		e.own = own
	case encoding.BinaryMarshaler:
		own, err = v.MarshalBinary()
	}
	return own, err
}

// fail ends the encoding with an error about the value at p.
func (e *encoder) fail(p unsafe.Pointer, format string, args ...any) {
	if e.err == nil {
		e.err = fmt.Errorf("%s: "+format, append([]any{e.path(e.here(p), e.body)}, args...)...)
	}
}
