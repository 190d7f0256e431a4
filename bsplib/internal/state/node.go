package state

import (
	"reflect"
	"unsafe"
)

// node is the plan of one type.
type node struct {
	kind   kind
	id     int // in layout.nodes
	t      reflect.Type
	size   uintptr
	align  uintptr
	height int // greater than the height of any type within

	// The type that a list, pointer, table or row refers to. Arrays are flattened: each element of a
	// []([4]T) is count = 4 of T, except in a table.
	elem  *node
	count int
	key   *node        // of a table
	many  reflect.Type // slice of t, for nodes that hold references

	fields []field // of a record, without blank ones
	steps  []step  // of a record: how to encode it
	holes  []hole  // padding of a plain struct
	padded []field // plain parts of a plain type or a record that have holes
}

// field is a part of a type: count consecutive values.
type field struct {
	name  string
	off   uintptr
	n     *node
	count int
}

// step encodes contiguous bytes, or one value with references.
type step struct {
	off  uintptr
	size uintptr // of the bytes, if n is nil
	n    *node
}

type hole struct{ off, size uintptr }

func (n *node) hasHoles() bool { return len(n.holes)+len(n.padded) > 0 }

// compiler creates nodes, one for each type.
type compiler struct {
	handles Handles
	nodes   []*node
	known   map[reflect.Type]*node
	later   []*node // whose references have not been followed
}

func compile(t reflect.Type, handles Handles) (nodes []*node, root *node) {
	c := &compiler{handles: handles, known: map[reflect.Type]*node{}}
	root = c.node(t)
	for len(c.later) > 0 {
		n := c.later[0]
		c.later = c.later[1:]
		if n.kind == table {
			n.key, n.elem = c.node(n.t.Key()), c.node(n.t.Elem())
			n.elem.many = reflect.SliceOf(n.elem.t)
			continue
		}
		n.elem, n.count = c.units(n.t.Elem())
	}
	return c.nodes, root
}

// node makes the node of t and of the types within it. The types that t refers to are added later,
// because t may be among them.
func (c *compiler) node(t reflect.Type) *node {
	if n := c.known[t]; n != nil {
		return n
	}
	n := &node{kind: kindOf(t, c.handles), t: t, size: t.Size(), align: uintptr(t.Align()), height: 1, count: 1}
	c.known[t] = n
	switch n.kind {
	case plain:
		n.height = 0
		c.findHoles(n)
	case list, pointer, table:
		c.later = append(c.later, n)
	case row:
		n.elem, n.count = c.units(t)
		n.height = n.elem.height + 1
	case record:
		c.record(n)
	}
	if n.kind != plain {
		n.many = reflect.SliceOf(t)
	}
	n.id = len(c.nodes)
	c.nodes = append(c.nodes, n)
	return n
}

// units flattens arrays: a t is count of the node's values.
func (c *compiler) units(t reflect.Type) (n *node, count int) {
	count = 1
	for t.Kind() == reflect.Array && t.Size() > 0 && !c.handles.Is(t) && !encodesItself(t) {
		count *= t.Len()
		t = t.Elem()
	}
	return c.node(t), count
}

func (c *compiler) record(n *node) {
	for i := range n.t.NumField() {
		f := n.t.Field(i)
		if f.Name == "_" || f.Type.Size() == 0 {
			continue
		}
		part := field{name: f.Name, off: f.Offset, n: c.node(f.Type), count: 1}
		n.height = max(n.height, part.n.height+1)
		n.fields = append(n.fields, part)
		switch part.n.kind {
		case plain:
			n.padded = paddedPart(n.padded, part)
			n.addBytes(part.off, part.n.size)
		case record:
			n.addSteps(part)
		default:
			n.steps = append(n.steps, step{off: part.off, n: part.n})
		}
	}
}

// addBytes extends the last step if the bytes are adjacent to it.
func (n *node) addBytes(off, size uintptr) {
	if k := len(n.steps) - 1; k >= 0 && n.steps[k].n == nil && n.steps[k].off+n.steps[k].size == off {
		n.steps[k].size += size
		return
	}
	n.steps = append(n.steps, step{off: off, size: size})
}

// addSteps adds the steps of a record within n.
func (n *node) addSteps(part field) {
	for _, s := range part.n.steps {
		if s.n == nil {
			n.addBytes(part.off+s.off, s.size)
		} else {
			n.steps = append(n.steps, step{off: part.off + s.off, n: s.n})
		}
	}
	n.padded = paddedPart(n.padded, part)
}

// paddedPart appends the part if it has holes.
func paddedPart(to []field, part field) []field {
	if part.n.hasHoles() {
		to = append(to, part)
	}
	return to
}

// findHoles finds the bytes of a plain type that belong to no named field.
func (c *compiler) findHoles(n *node) {
	if n.size == 0 {
		return
	}
	switch n.t.Kind() {
	case reflect.Array:
		elem, count := c.units(n.t)
		n.padded = paddedPart(nil, field{n: elem, count: count})
	case reflect.Struct:
		end := uintptr(0)
		for i := range n.t.NumField() {
			f := n.t.Field(i)
			if f.Name == "_" || f.Type.Size() == 0 {
				continue
			}
			n.addHole(end, f.Offset)
			end = f.Offset + f.Type.Size()
			n.padded = paddedPart(n.padded, field{off: f.Offset, n: c.node(f.Type), count: 1})
		}
		n.addHole(end, n.size)
	}
}

func (n *node) addHole(from, to uintptr) {
	if from < to {
		n.holes = append(n.holes, hole{from, to - from})
	}
}

// sliceHeader is the layout of a slice in memory.
type sliceHeader struct {
	data     unsafe.Pointer
	len, cap int
}

// clean sets the holes of count values at p to zero. It writes only to holes that are not zero.
func clean(n *node, p unsafe.Pointer, count int) {
	for i := range count {
		one := unsafe.Add(p, uintptr(i)*n.size)
		for _, h := range n.holes {
			bytes := view(unsafe.Add(one, h.off), h.size)
			for k := range bytes {
				if bytes[k] != 0 {
					bytes[k] = 0
				}
			}
		}
		for _, part := range n.padded {
			clean(part.n, unsafe.Add(one, part.off), part.count)
		}
	}
}

// view returns the memory at p.
func view(p unsafe.Pointer, size uintptr) []byte { return unsafe.Slice((*byte)(p), size) }

// mapBytes estimates the memory of a map in bytes.
func mapBytes(n *node, count int) int64 {
	return 48 + 2*int64(count)*int64(n.key.size+n.elem.size+1)
}

// byteNode is the plan of the bytes of a large string.
var byteNode = &node{kind: plain, t: reflect.TypeFor[byte](), size: 1, align: 1, count: 1}
