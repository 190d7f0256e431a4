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
	e.head.total += mapBytes(n, count)
	e.trail.objects = append(e.trail.objects, object{n: n, isMap: true, base: m, count: count, from: e.trail.here(p)})
}

// table encodes the entries of a map in the order of their encoded keys.
func (e *encoder) table(o object) {
	values := e.sortedKeys(o)
	base := values.UnsafePointer()
	e.aside = true
	for i := range e.sorter.entries {
		x := &e.sorter.entries[i]
		if i > 0 && bytes.Equal(e.sorter.keyOf(x), e.sorter.keyOf(&e.sorter.entries[i-1])) {
			e.failAtKey(x, o.n)
			break
		}
		e.trail.key = len(e.body)
		e.body = append(e.body, e.sorter.keyOf(x)...)
		if o.n.elem.size > 0 && e.err == nil {
			e.trail.base = unsafe.Add(base, uintptr(x.index)*o.n.elem.size)
			e.value(o.n.elem, e.trail.base)
		}
	}
	e.aside = false
}

func (s *sorter) keyOf(x *entry) []byte { return s.keys[x.from:x.to] }

// failAtKey reports two keys that are the same when encoded.
func (e *encoder) failAtKey(x *entry, n *node) {
	e.trail.key = len(e.body)
	e.body = append(e.body, e.sorter.keyOf(x)...)
	e.fail(e.trail.base, "two keys of %s have the same encoding", n.t)
}

// sortedKeys makes the entries of a map and a slice with its values.
func (e *encoder) sortedKeys(o object) (values reflect.Value) {
	m := reflect.NewAt(o.n.t, unsafe.Pointer(&o.base)).Elem()
	key := reflect.New(o.n.key.t)
	values = reflect.MakeSlice(o.n.elem.many, o.count, o.count)
	e.sorter.keys, e.sorter.entries = e.sorter.keys[:0], e.sorter.entries[:0]
	e.asKey, e.trail.base = true, key.UnsafePointer()
	mark := len(e.body)
	for it := m.MapRange(); it.Next(); {
		key.Elem().SetIterKey(it)
		e.value(o.n.key, e.trail.base)
		values.Index(len(e.sorter.entries)).SetIterValue(it)
		e.sorter.add(e.body[mark:])
		e.body = e.body[:mark]
	}
	e.asKey = false
	e.sorter.sort()
	return values
}

// add takes in a key.
func (s *sorter) add(key []byte) {
	x := entry{from: len(s.keys), index: len(s.entries)}
	s.keys = append(s.keys, key...)
	x.to = len(s.keys)
	var first [8]byte
	copy(first[:], s.keyOf(&x))
	x.first = binary.BigEndian.Uint64(first[:])
	s.entries = append(s.entries, x)
}

// sort sorts the keys by their bytes.
func (s *sorter) sort() {
	slices.SortFunc(s.entries, func(a, b entry) int {
		if a.first != b.first {
			return cmp.Compare(a.first, b.first)
		}
		return bytes.Compare(s.keyOf(&a), s.keyOf(&b))
	})
}
