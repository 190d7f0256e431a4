package state

import (
	"encoding/binary"
	"fmt"
	"hash"
	"hash/fnv"
	"io"
	"math/bits"
	"reflect"
	"unsafe"
)

// holds reports whether count values of u are at offset off in n values of t, so that memory of the
// one may be used as the other. Plain values may be at any offset in plain memory; others must have
// the same type there. The count of u must not exceed the size of memory.
func holds(t *node, n int, off uintptr, u *node, count int) bool {
	for {
		if t.kind == plain {
			return u.kind == plain && inside(off, uintptr(count)*u.size, uintptr(n)*t.size)
		}
		at, rest := int(off/t.size), off%t.size
		if t == u {
			return rest == 0 && inside(uintptr(at), uintptr(count), uintptr(n))
		}
		size := uintptr(count) * u.size
		if at >= n || !inside(rest, size, t.size) {
			return false
		}
		switch t.kind {
		case row:
			t, n, off = t.elem, t.count, rest
		case record:
			f := t.fieldAt(rest)
			if f == nil || !inside(rest-f.off, size, f.n.size) {
				return false
			}
			t, n, off = f.n, 1, rest-f.off
		default:
			return false
		}
	}
}

// inside reports whether [off, off+size) is within [0, whole).
func inside(off, size, whole uintptr) bool { return off <= whole && size <= whole-off }

// fieldAt returns the record's field that has the byte at off, or nil.
func (n *node) fieldAt(off uintptr) *field {
	for i := range n.fields {
		if f := &n.fields[i]; f.off <= off && off < f.off+f.n.size {
			return f
		}
	}
	return nil
}

// layout is the encoding of one type.
type layout struct {
	t     reflect.Type
	name  string
	hash  uint64 // equal for types whose skeletons have the same format
	nodes []*node
	unit  *node // of the type itself, or of an array's elements
	units int
}

// layoutOf returns the layout of a type without problems.
func layoutOf(t reflect.Type, handles Handles) *layout {
	nodes, root := compile(t, handles)
	l := &layout{t: t, name: t.String(), hash: layoutHash(nodes), nodes: nodes, unit: root, units: 1}
	if root.kind == row {
		l.unit, l.units = root.elem, root.count
	}
	return l
}

func layoutHash(nodes []*node) uint64 {
	h := fnv.New64a()
	one := uint16(1)
	fmt.Fprintf(h, "%d-bit words, low byte first: %v\n", bits.UintSize, *(*byte)(unsafe.Pointer(&one)) == 1)
	for _, n := range nodes {
		writeNode(h, n)
	}
	return h.Sum64()
}

func writeNode(h hash.Hash64, n *node) {
	io.WriteString(h, n.t.String())
	writeNumbers(h, uint64(n.kind), uint64(n.size), uint64(n.align), uint64(n.count))
	if n.elem != nil {
		writeNumbers(h, uint64(n.elem.id))
	}
	if n.key != nil {
		writeNumbers(h, uint64(n.key.id))
	}
	for _, f := range n.fields {
		io.WriteString(h, f.name)
		writeNumbers(h, uint64(f.off), uint64(f.n.id))
	}
	if n.kind == plain {
		writePlain(h, n.t)
	}
}

// writePlain hashes the structure of a plain type.
func writePlain(h hash.Hash64, t reflect.Type) {
	writeNumbers(h, uint64(t.Kind()), uint64(t.Size()))
	switch t.Kind() {
	case reflect.Array:
		writePlain(h, t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			io.WriteString(h, f.Name)
			writeNumbers(h, uint64(f.Offset))
			writePlain(h, f.Type)
		}
	}
}

func writeNumbers(h hash.Hash64, numbers ...uint64) {
	var b [8]byte
	for _, x := range numbers {
		h.Write(binary.LittleEndian.AppendUint64(b[:0], x))
	}
}
