package state

import (
	"encoding"
	"fmt"
	"reflect"
	"strconv"
	"unsafe"
)

// object decodes the content of an object.
func (d *decoder) object(i int) {
	o := d.trail.objects[i]
	d.trail.current, d.trail.base, d.trail.key = i, o.base, -1
	if o.isMap {
		d.table(o)
		return
	}
	for k := 0; k < o.count && d.err == nil; k++ {
		d.value(o.n, unsafe.Add(o.base, uintptr(k)*o.n.size))
	}
}

// value decodes a value of type n to p, which must be zero.
func (d *decoder) value(n *node, p unsafe.Pointer) {
	switch n.kind {
	case plain:
		d.bytes(p, n.size)
	case record:
		for i := range n.steps {
			if s := &n.steps[i]; s.n == nil {
				d.bytes(unsafe.Add(p, s.off), s.size)
			} else {
				d.value(s.n, unsafe.Add(p, s.off))
			}
			if d.err != nil {
				return
			}
		}
	case row:
		for k := 0; k < n.count && d.err == nil; k++ {
			d.value(n.elem, unsafe.Add(p, uintptr(k)*n.elem.size))
		}
	default:
		d.slot = uintptr(p)
		d.reference(n, p)
	}
}

// reference decodes a value that is neither plain, a record nor a row.
func (d *decoder) reference(n *node, p unsafe.Pointer) {
	switch n.kind {
	case text:
		d.text(p)
	case list:
		d.list(n, p)
	case pointer:
		d.pointer(n, p)
	case table:
		d.mapReference(n, p)
	case custom:
		d.custom(n, p)
	case handle:
		number := d.in.number()
		if d.sound() {
			if err := d.handles.Decode(n.t, p, number); err != nil {
				d.fail("%s: %w", n.t, err)
			}
		}
	}
}

// bytes decodes plain memory.
func (d *decoder) bytes(p unsafe.Pointer, size uintptr) {
	if size >= spanBytes && !d.asKey && !d.aside {
		d.spans = append(d.spans, view(p, size))
		return
	}
	from, ok := d.in.take(uint64(size))
	if !ok {
		d.slot = uintptr(p)
		d.fail("%w: it ends here", errDamaged)
		return
	}
	if size > 0 {
		copy(view(p, size), from)
	}
}

func (d *decoder) text(p unsafe.Pointer) {
	x := d.in.number()
	if !d.sound() {
		return
	}
	if x&1 == 1 && !d.asKey {
		if r := d.arrived(x>>1, byteNode); r != nil {
			*(*string)(p) = unsafe.String((*byte)(d.address(r)), r.used)
			d.follow(r, x>>1, byteNode, nil)
		}
		return
	}
	from, ok := d.in.take(x >> 1)
	if !ok || x&1 == 1 || !d.spend(int64(len(from))) {
		d.fail("%w: a string that is not there", errDamaged)
		return
	}
	*(*string)(p) = string(from)
}

func (d *decoder) list(n *node, p unsafe.Pointer) {
	x, h := d.in.number(), (*sliceHeader)(p)
	switch {
	case !d.sound() || x == toNothing:
	case x == toNoBytes && n.elem.size == 0:
		used, capacity := d.in.size(), d.in.size()
		if d.in.bad || used > capacity {
			d.fail("%w: a slice of %d elements with room for %d", errDamaged, used, capacity)
			return
		}
		*h = sliceHeader{unsafe.Pointer(&noMemory), used, capacity}
	case x == toNoBytes:
		*h = sliceHeader{unsafe.Pointer(&noMemory), 0, 0}
	default:
		r := d.arrived(x-toRange, n.elem)
		if r == nil {
			return
		}
		if r.used%n.count != 0 || r.capacity%n.count != 0 {
			d.fail("%w: a slice with a part of an element", errDamaged)
			return
		}
		*h = sliceHeader{d.address(r), r.used / n.count, r.capacity / n.count}
		d.follow(r, x-toRange, n.elem, n)
	}
}

// noMemory is the target of empty slices and of pointers to empty values.
var noMemory struct{}

func (d *decoder) pointer(n *node, p unsafe.Pointer) {
	x := d.in.number()
	switch {
	case !d.sound() || x == toNothing:
	case x == toNoBytes && n.elem.size == 0:
		*(*unsafe.Pointer)(p) = unsafe.Pointer(&noMemory)
	case x == toNoBytes:
		d.fail("%w: a pointer to no memory", errDamaged)
	default:
		r := d.arrived(x-toRange, n.elem)
		if r == nil {
			return
		}
		if r.used != n.count || r.capacity != n.count {
			d.fail("%w: a pointer to %d values instead of %d", errDamaged, r.used, n.count)
			return
		}
		*(*unsafe.Pointer)(p) = d.address(r)
		d.follow(r, x-toRange, n.elem, n)
	}
}

// address returns the address of a range.
func (d *decoder) address(r *arrival) unsafe.Pointer {
	return unsafe.Add(d.blocks[r.block].base, r.off)
}

// arrived returns range k as a range of values of n. If k is not valid, it returns nil and sets the
// error.
func (d *decoder) arrived(k uint64, n *node) *arrival {
	if k > uint64(d.next) || k >= uint64(len(d.ranges)) {
		d.fail("%w: range %d after %d of %d", errDamaged, k, d.next, len(d.ranges))
		return nil
	}
	r := &d.ranges[k]
	if r.n == n {
		return r
	}
	b := &d.blocks[r.block]
	ok := r.n == nil && n.size > 0 && r.off <= b.bytes && r.capacity <= (b.bytes-r.off)/int(n.size)
	if ok && b.n != nil {
		ok = holds(b.n, b.count, uintptr(r.off), n, r.capacity)
	} else if ok {
		ok = n.kind == plain
	}
	if !ok || uintptr(d.address(r))%n.align != 0 {
		d.fail("%w: range %d has no %d values of %s", errDamaged, k, r.capacity, n.t)
		return nil
	}
	return r
}

// follow schedules the content of a range for decoding if it is new and has references in it; by is
// the type that refers to it.
func (d *decoder) follow(r *arrival, k uint64, n, by *node) {
	if k < uint64(d.next) {
		return
	}
	r.n = n
	d.next++
	if n.kind != plain {
		d.trail.objects = append(d.trail.objects, object{n: n, base: d.address(r), count: r.used, shape: by.t.Elem(), inSlice: by.kind == list, from: d.standing()})
	}
}

// custom decodes a value by its own method.
func (d *decoder) custom(n *node, p unsafe.Pointer) {
	own, ok := d.in.take(d.in.number())
	if !ok || !d.spend(int64(len(own))) {
		d.fail("%w: it ends here", errDamaged)
		return
	}
	if err := unmarshal(n, p, own); err != nil {
		d.fail("%s: %w", n.t, err)
	}
}

// unmarshal calls the type's method, and returns a panic as an error: the bytes may be damaged.
func unmarshal(n *node, p unsafe.Pointer, own []byte) (err error) {
	defer func() {
		if what := recover(); what != nil {
			err = fmt.Errorf("its UnmarshalBinary panicked: %v", what)
		}
	}()
	return reflect.NewAt(n.t, p).Interface().(encoding.BinaryUnmarshaler).UnmarshalBinary(own)
}

// sound reports whether all data so far could be read, and sets an error if not.
func (d *decoder) sound() bool {
	if d.in.bad {
		d.fail("%w: it ends here", errDamaged)
	}
	return !d.in.bad
}

// standing returns the place of the value that is being decoded.
func (d *decoder) standing() place {
	return place{d.trail.current, d.slot - uintptr(d.trail.base), d.trail.key}
}

// fail ends the decoding with an error about the value that is being decoded.
func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("%s: "+format, append([]any{d.trail.path(d.standing(), d.keyText)}, args...)...)
	}
}

// longestKey is the maximum length of a key in a path.
const longestKey = 64

func (d *decoder) keyText(n *node, at int) string { return keyText(n, d.in.data, at) }

// keyText returns the text of a key in a body, or "..." for kinds without a short text.
func keyText(n *node, body []byte, at int) string {
	if n.kind != plain && n.kind != text {
		return "..."
	}
	d := decoder{in: reader{data: body, at: at}, asKey: true, budget: int64(len(body))}
	key := reflect.New(n.t)
	d.trail.objects = []object{{n: n, shape: n.t}}
	d.value(n, key.UnsafePointer())
	switch {
	case d.err != nil:
		return "..."
	case n.kind == text:
		s := key.Elem().String()
		return strconv.Quote(s[:min(len(s), longestKey)])
	}
	return fmt.Sprint(key.Elem().Interface())
}

// arrivedMap is a map that has been made.
type arrivedMap struct {
	at unsafe.Pointer
	n  *node
}

// mapReference decodes a reference to a map, and creates the map at its first reference.
func (d *decoder) mapReference(n *node, p unsafe.Pointer) {
	x := d.in.number()
	if !d.sound() || x == 0 {
		return
	}
	k := x - 1
	if k < uint64(len(d.maps)) {
		m := d.maps[k]
		if m.n != n && (m.n.key != n.key || m.n.elem != n.elem) {
			d.fail("%w: map %d is a %s, not a %s", errDamaged, k, m.n.t, n.t)
			return
		}
		*(*unsafe.Pointer)(p) = m.at
		return
	}
	most := d.in.left()
	if n.key.size == 0 {
		most = 1
	}
	count := d.in.count(most)
	if k > uint64(len(d.maps)) || d.in.bad || !d.spend(mapBytes(n, count)) {
		d.fail("%w: a map that is not there", errDamaged)
		return
	}
	at := reflect.MakeMapWithSize(n.t, count).UnsafePointer()
	*(*unsafe.Pointer)(p) = at
	d.maps = append(d.maps, arrivedMap{at, n})
	d.trail.objects = append(d.trail.objects, object{n: n, isMap: true, base: at, count: count, from: d.standing()})
}

// table decodes the entries of a map.
func (d *decoder) table(o object) {
	m := reflect.NewAt(o.n.t, unsafe.Pointer(&o.base)).Elem()
	key, value := reflect.New(o.n.key.t), reflect.New(o.n.elem.t)
	d.aside = true
	for i := 0; i < o.count; i++ {
		key.Elem().SetZero()
		value.Elem().SetZero()
		d.trail.key, d.asKey, d.trail.base = -1, true, key.UnsafePointer()
		at := d.in.at
		d.value(o.n.key, d.trail.base)
		d.trail.key, d.asKey, d.trail.base = at, false, value.UnsafePointer()
		if d.err == nil && o.n.elem.size > 0 {
			d.value(o.n.elem, d.trail.base)
		}
		if d.err != nil {
			return
		}
		m.SetMapIndex(key.Elem(), value.Elem())
	}
	if d.aside = false; m.Len() != o.count {
		d.slot, d.trail.key = uintptr(d.trail.base), -1
		d.fail("%w: a key that stands twice", errDamaged)
	}
}
