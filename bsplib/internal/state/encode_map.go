package state

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"reflect"
	"slices"
	"unsafe"
)

// sorter sorts a map's keys by their encoding.
type sorter struct {
	keys    []byte
	entries []entry
}

// entry is a key that stands at keys[from:to]; first are its first bytes.
type entry struct {
	first    uint64
	from, to int
	index    int // of its value
}

// mapReference encodes a reference, which stands at p, to a map: its number
// and, the first time, how many entries it has.
func (e *encoder) mapReference(n *node, p unsafe.Pointer) {
	m := *(*unsafe.Pointer)(p)
	if m == nil {
		e.number(0)
		return
	}
	if k, known := e.maps[m]; known {
		e.number(uint64(k) + 1)
		return
	}
	if e.maps == nil {
		e.maps = map[unsafe.Pointer]int{}
	}
	k, count := len(e.maps), reflect.NewAt(n.t, p).Elem().Len()
	e.maps[m] = k
	e.number(uint64(k) + 1)
	e.number(uint64(count))
	e.total += mapBytes(n, count)
	e.objects = append(e.objects, object{n: n, isMap: true, base: m, count: count, from: e.here(p)})
}

// mapBytes is about what a map takes.
func mapBytes(n *node, count int) int64 {
	return 48 + 2*int64(count)*int64(n.key.size+n.elem.size+1)
}

// table encodes the entries of a map in the order of their encoded keys.
func (e *encoder) table(o object) {
	values := e.sortedKeys(o)
	base := values.UnsafePointer()
	e.aside = true
	for i := range e.entries {
		x := &e.entries[i]
		if i > 0 && bytes.Equal(e.keyOf(x), e.keyOf(&e.entries[i-1])) {
			e.failAtKey(x, o.n)
			break
		}
		e.key = len(e.body)
		e.body = append(e.body, e.keyOf(x)...)
		if o.n.elem.size > 0 && e.err == nil {
			e.base = unsafe.Add(base, uintptr(x.index)*o.n.elem.size)
			e.value(o.n.elem, e.base)
		}
	}
	e.aside = false
}

func (e *encoder) keyOf(x *entry) []byte { return e.keys[x.from:x.to] }

// failAtKey reports two keys that are the same when encoded.
func (e *encoder) failAtKey(x *entry, n *node) {
	e.key = len(e.body)
	e.body = append(e.body, e.keyOf(x)...)
	e.fail(e.base, "two keys of %s have the same encoding", n.t)
}

// sortedKeys makes the entries of a map and a slice with its values.
func (e *encoder) sortedKeys(o object) (values reflect.Value) {
	m := reflect.NewAt(o.n.t, unsafe.Pointer(&o.base)).Elem()
	key := reflect.New(o.n.key.t)
	values = reflect.MakeSlice(o.n.elem.many, o.count, o.count)
	e.keys, e.entries = e.keys[:0], e.entries[:0]
	e.asKey, e.base = true, key.UnsafePointer()
	mark := len(e.body)
	for it := m.MapRange(); it.Next(); {
		key.Elem().SetIterKey(it)
		e.value(o.n.key, e.base)
		values.Index(len(e.entries)).SetIterValue(it)
		e.addEntry(mark)
	}
	e.asKey = false
	slices.SortFunc(e.entries, func(a, b entry) int {
		if a.first != b.first {
			return cmp.Compare(a.first, b.first)
		}
		return bytes.Compare(e.keyOf(&a), e.keyOf(&b))
	})
	return values
}

// addEntry takes the key that was encoded at the end of the body from there.
func (e *encoder) addEntry(mark int) {
	x := entry{from: len(e.keys), index: len(e.entries)}
	e.keys = append(e.keys, e.body[mark:]...)
	e.body = e.body[:mark]
	x.to = len(e.keys)
	var first [8]byte
	copy(first[:], e.keyOf(&x))
	x.first = binary.BigEndian.Uint64(first[:])
	e.entries = append(e.entries, x)
}
