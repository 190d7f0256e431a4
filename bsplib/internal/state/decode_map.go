package state

import (
	"reflect"
	"unsafe"
)

// arrivedMap is a map that has been made.
type arrivedMap struct {
	at unsafe.Pointer
	n  *node
}

// mapReference decodes a reference to a map, and makes the map the first time.
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
