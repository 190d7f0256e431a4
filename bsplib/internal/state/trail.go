package state

import (
	"fmt"
	"reflect"
	"strconv"
	"unsafe"
)

// An object is memory with references in it, or a map, whose content stands in
// a skeleton's body. They are numbered in the order in which they are reached;
// the first is the state itself.
type object struct {
	n       *node
	isMap   bool           // the entries of a map of type n
	base    unsafe.Pointer // the map's own pointer if it is one
	count   int
	shape   reflect.Type // n's type, or an array of it
	inSlice bool         // it is a slice of shape's values
	from    place        // where the reference to it stands
}

// place is where a value stands.
type place struct {
	object int
	slot   uintptr // offset in the object; in a map's value if the object is a map
	key    int     // position in the body of the key of that value, -1 for none
}

// trail knows by which way objects were reached.
type trail struct {
	plan    *Plan
	objects []object
	current int            // the object that is being worked on
	base    unsafe.Pointer // its memory, or that of a map's value
	key     int            // position of the value's key, -1 for none
}

// here is the place of p, which is in the current object.
func (t *trail) here(p unsafe.Pointer) place {
	return place{t.current, uintptr(p) - uintptr(t.base), t.key}
}

// path names a place, such as state.Rows[3].Next. Body is where keys stand.
func (t *trail) path(at place, body []byte) string {
	o := &t.objects[at.object]
	path := "state"
	if at.object > 0 {
		path = t.path(o.from, body)
	}
	switch {
	case o.isMap && at.key < 0:
		return path + "[key]"
	case o.isMap:
		return path + "[" + t.keyText(o.n.key, body, at.key) + "]" + pathWithin(o.n.elem, at.slot)
	case o.inSlice:
		size := o.shape.Size()
		return path + index(at.slot/size) + pathInArray(o.shape, o.n, at.slot%size)
	}
	return path + pathInArray(o.shape, o.n, at.slot)
}

// pathInArray names the part at an offset of t, which is n's type or an array
// of it.
func pathInArray(t reflect.Type, n *node, off uintptr) string {
	path := ""
	for t != n.t {
		t = t.Elem()
		path += index(off / t.Size())
		off %= t.Size()
	}
	return path + pathWithin(n, off)
}

func index(i uintptr) string { return "[" + strconv.Itoa(int(i)) + "]" }

// pathWithin names the part of n at an offset, down to what is encoded as one.
func pathWithin(n *node, off uintptr) string {
	switch n.kind {
	case record:
		if f := n.fieldAt(off); f != nil {
			return "." + f.name + pathWithin(f.n, off-f.off)
		}
	case row:
		return pathInArray(n.t, n.elem, off)
	}
	return ""
}

// longestKey is how much of a key a path shows.
const longestKey = 64

// keyText is the key that stands in the body, if it is easily said.
func (t *trail) keyText(n *node, body []byte, at int) string {
	if n.kind != plain && n.kind != text {
		return "..."
	}
	d := decoder{trail: trail{plan: t.plan}, reader: reader{data: body, at: at}, asKey: true, budget: int64(len(body))}
	key := reflect.New(n.t)
	d.objects = []object{{n: n, shape: n.t}}
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
