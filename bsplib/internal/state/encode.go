package state

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"unsafe"
)

// encoder encodes one state. First it walks over all objects and writes the body, in which references
// are numbers of ranges; then it finds the blocks of the ranges and writes the head, which describes
// them.
type encoder struct {
	layout  *layout
	handles Handles
	trail   trail
	sorter  sorter
	places  resolver
	head    headWriter

	body  []byte
	views [][]byte // spans of the body
	own   []byte   // output of a type's own encoding
	asKey bool     // a map's key is being encoded: all of it is in the body
	aside bool     // a map's value is being encoded: its memory is temporary
	err   error

	seen map[identity]int       // ranges of objects
	maps map[unsafe.Pointer]int // maps by their pointers
}

// identity is the map key for objects.
type identity struct {
	base           unsafe.Pointer
	n              *node
	used, capacity int
}

func (e *encoder) encode(l *layout, handles Handles, state unsafe.Pointer, extra []Memory) error {
	e.layout, e.handles = l, handles
	e.places.ranges = append(e.places.ranges, memRange{base: state, n: l.unit, used: l.units, capacity: l.units})
	e.trail.objects = append(e.trail.objects, object{n: l.unit, base: state, count: l.units, shape: l.t})
	for i := 0; i < len(e.trail.objects) && e.err == nil; i++ {
		e.object(i)
	}
	if e.err == nil {
		if o := e.places.resolve(extra); o != nil {
			e.err = fmt.Errorf("%s and %s share memory in a way that cannot be kept: %s", e.nameOf(o.one, extra), e.nameOf(o.other, extra), o.why)
		}
	}
	if e.err == nil {
		e.head.write(l, &e.places, extra)
	}
	return e.err
}

// object encodes the content of an object.
func (e *encoder) object(i int) {
	o := e.trail.objects[i]
	e.trail.current, e.trail.base, e.trail.key = i, o.base, -1
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
		number, err := e.handles.Encode(n.t, p)
		if err != nil {
			e.fail(p, "%s: %w", n.t, err)
		}
		e.number(number)
	}
}

// bytes encodes plain memory.
func (e *encoder) bytes(p unsafe.Pointer, size uintptr) {
	if size >= spanBytes && !e.asKey && !e.aside {
		e.views = append(e.views, view(p, size))
		return
	}
	e.body = append(e.body, view(p, size)...)
}

func (e *encoder) number(x uint64) { e.body = binary.AppendUvarint(e.body, x) }

// text encodes a string: its length and bytes, or the range of a large one.
func (e *encoder) text(p unsafe.Pointer) {
	s := *(*string)(p)
	if len(s) >= spanBytes && !e.asKey {
		k := e.addRange(memRange{base: unsafe.Pointer(unsafe.StringData(s)), n: byteNode, used: len(s), capacity: len(s), from: e.trail.here(p)})
		e.number(uint64(k)<<1 | 1)
		return
	}
	e.head.total += int64(len(s))
	e.number(uint64(len(s)) << 1)
	e.body = append(e.body, s...)
}

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

// refer encodes a reference of type by at p to memory.
func (e *encoder) refer(to unsafe.Pointer, n *node, used, capacity int, by *node, p unsafe.Pointer) {
	k := 0
	switch id := (identity{to, n, used, capacity}); {
	case n.kind == plain:
		if n.hasHoles() {
			clean(n, to, used)
		}
		k = e.addRange(memRange{base: to, n: n, used: used, capacity: capacity, from: e.trail.here(p)})
	case to == e.places.ranges[0].base && n == e.places.ranges[0].n && used == e.places.ranges[0].used && capacity == used:
	default:
		known := false
		if k, known = e.seen[id]; !known {
			k = e.addRange(memRange{base: to, n: n, used: used, capacity: capacity, from: e.trail.here(p)})
			if e.seen == nil {
				e.seen = map[identity]int{}
			}
			e.seen[id] = k
			e.trail.objects = append(e.trail.objects, object{n: n, base: to, count: used, shape: by.t.Elem(), inSlice: by.kind == list, from: e.trail.here(p)})
		}
	}
	e.number(toRange + uint64(k))
}

func (e *encoder) addRange(r memRange) int {
	e.places.ranges = append(e.places.ranges, r)
	return len(e.places.ranges) - 1
}

// custom encodes a value by its own methods.
func (e *encoder) custom(n *node, p unsafe.Pointer) {
	own, err := e.marshal(reflect.NewAt(n.t, p).Interface())
	if err != nil {
		e.fail(p, "%s: %w", n.t, err)
	}
	e.head.total += int64(len(own))
	e.number(uint64(len(own)))
	e.body = append(e.body, own...)
}

// marshal calls the value's method, and returns a panic as an error.
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
		e.err = fmt.Errorf("%s: "+format, append([]any{e.trail.path(e.trail.here(p), e.keyText)}, args...)...)
	}
}

// nameOf names the memory of a spot.
func (e *encoder) nameOf(index int, extra []Memory) string {
	switch {
	case index < 0:
		m := extra[-1-index]
		return fmt.Sprintf("memory %d of %d bytes", m.Number, m.Bytes)
	case index == 0:
		return "state (as a whole)"
	}
	return e.trail.path(e.places.ranges[index].from, e.keyText)
}

func (e *encoder) keyText(n *node, at int) string { return keyText(n, e.body, at) }

// image returns the image, in memory of its own but for the spans.
func (e *encoder) image() Image {
	m := Image{Skeleton: slices.Concat(e.head.text, e.body)}
	if len(e.head.views)+len(e.views) > 0 {
		m.Spans = slices.Concat(e.head.views, e.views)
	}
	return m
}

// size returns the size of the image.
func (e *encoder) size() int64 {
	n := int64(len(e.head.text) + len(e.body))
	for _, views := range [][][]byte{e.head.views, e.views} {
		for _, v := range views {
			n += int64(len(v))
		}
	}
	return n
}

// reset prepares the encoder for another state, and drops all references to the last one.
func (e *encoder) reset() {
	if cap(e.head.text)+cap(e.body)+cap(e.own)+cap(e.sorter.keys) > keepBytes || cap(e.places.ranges)+cap(e.sorter.entries)+cap(e.trail.objects) > keepRanges {
		*e = encoder{}
		return
	}
	clear(e.trail.objects)
	clear(e.places.ranges)
	clear(e.places.blocks)
	clear(e.places.segments)
	clear(e.head.views)
	clear(e.views)
	old := *e
	*e = encoder{
		trail: trail{objects: old.trail.objects[:0]},
		head:  headWriter{text: old.head.text[:0], views: old.head.views[:0]},
		body:  old.body[:0], views: old.views[:0], own: old.own[:0],
		seen: emptied(old.seen), maps: emptied(old.maps),
		sorter: sorter{keys: old.sorter.keys[:0], entries: old.sorter.entries[:0]},
		places: resolver{ranges: old.places.ranges[:0], spots: old.places.spots[:0], blocks: old.places.blocks[:0], order: old.places.order[:0], segments: old.places.segments[:0]},
	}
}

// emptied returns the map without entries, or none if it was large.
func emptied[K comparable, V any](m map[K]V) map[K]V {
	if len(m) > keepSeen {
		return nil
	}
	clear(m)
	return m
}

// sorter sorts a map's keys by their encoding.
type sorter struct {
	keys    []byte
	entries []entry
}

// entry is the key at keys[from:to]; first holds its first bytes.
type entry struct {
	first    uint64
	from, to int
	index    int // of its value
}

// mapReference encodes a reference at p to a map: its number and, at the first reference, its number
// of entries.
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

// sortedKeys returns the values of a map, and stores its sorted keys.
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

// add adds a key.
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
