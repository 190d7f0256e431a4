package state

import (
	"reflect"
	"strconv"
	"unsafe"
)

// An object is memory with references in it, or a map, whose content is in a skeleton's body. Objects
// are numbered in the order in which they are reached; the first is the state itself.
type object struct {
	n       *node
	isMap   bool           // the entries of a map of type n
	base    unsafe.Pointer // the map's own pointer if it is one
	count   int
	shape   reflect.Type // n's type, or an array of it
	inSlice bool         // it is a slice of shape's values
	from    place        // location of the reference to it
}

// place is the location of a value.
type place struct {
	object int
	slot   uintptr // offset in the object; in a map's value if the object is a map
	key    int     // position in the body of the key of that value, -1 for none
}

// trail records the path to each object.
type trail struct {
	objects []object
	current int            // the object in progress
	base    unsafe.Pointer // its memory, or the memory of a map's value
	key     int            // position of the value's key, -1 for none
}

// here returns the place of p, which must be in the current object.
func (t *trail) here(p unsafe.Pointer) place {
	return place{t.current, uintptr(p) - uintptr(t.base), t.key}
}

// path returns the name of a place, such as state.Rows[3].Next. keyText returns the text of the key
// of type n at a position in the body.
func (t *trail) path(at place, keyText func(n *node, position int) string) string {
	o := &t.objects[at.object]
	path := "state"
	if at.object > 0 {
		path = t.path(o.from, keyText)
	}
	switch {
	case o.isMap && at.key < 0:
		return path + "[key]"
	case o.isMap:
		return path + "[" + keyText(o.n.key, at.key) + "]" + pathWithin(o.n.elem, at.slot)
	case o.inSlice:
		size := o.shape.Size()
		return path + index(at.slot/size) + pathInArray(o.shape, o.n, at.slot%size)
	}
	return path + pathInArray(o.shape, o.n, at.slot)
}

// pathInArray returns the path to the part at an offset of t, which is n's type or an array of n's
// type.
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

// pathWithin returns the path from n to its part at an offset, down to values that are encoded as a
// whole.
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
