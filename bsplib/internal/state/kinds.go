package state

import (
	"encoding"
	"reflect"
	"unsafe"
)

// Handles encodes the types that refer to objects outside the state, such as areas and queues. A
// handle is encoded as a number.
type Handles interface {
	// Is reports whether t is such a type. The result for a type never changes.
	Is(t reflect.Type) bool
	// Encode returns the number of the handle of type t at p.
	Encode(t reflect.Type, p unsafe.Pointer) (uint64, error)
	// Decode decodes the handle of type t to p, which is zero. It is called after all memories are
	// allocated, and more than once for one p if slices that hold handles overlap.
	Decode(t reflect.Type, p unsafe.Pointer, number uint64) error
}

// kind is the kind of encoding of a type's values.
type kind uint8

const (
	plain   kind = iota // as bytes: no references in it
	text                // a string
	list                // a slice
	pointer             // to a value of a known type
	table               // a map
	record              // a struct with references in it
	row                 // an array with references in it
	custom              // by the type's own methods
	handle              // as a number
	stuck               // not at all
)

var (
	appender    = reflect.TypeFor[encoding.BinaryAppender]()
	marshaler   = reflect.TypeFor[encoding.BinaryMarshaler]()
	unmarshaler = reflect.TypeFor[encoding.BinaryUnmarshaler]()
)

// encodesItself reports whether t or *t has methods for both directions.
func encodesItself(t reflect.Type) bool {
	if t.Kind() == reflect.Interface {
		return false
	}
	p := reflect.PointerTo(t)
	return (p.Implements(appender) || p.Implements(marshaler)) && p.Implements(unmarshaler)
}

// isLock reports whether t or *t has Lock and Unlock, or is of package sync.
func isLock(t reflect.Type) bool {
	if t.Kind() == reflect.Interface {
		return false
	}
	return t.PkgPath() == "sync" || hasMethods(t, "Lock", "Unlock")
}

// hasMethods reports whether t or *t has all the methods.
func hasMethods(t reflect.Type, names ...string) bool {
	if t.Kind() != reflect.Interface && t.Kind() != reflect.Pointer {
		t = reflect.PointerTo(t)
	}
	for _, name := range names {
		if _, ok := t.MethodByName(name); !ok {
			return false
		}
	}
	return true
}

// inherits reports whether an embedded field of t has the methods. t's own methods may then be
// promoted from that field and ignore the others.
func inherits(t reflect.Type, names ...string) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.Anonymous && hasMethods(f.Type, names...) {
			return true
		}
	}
	return false
}

// inheritsEncoding reports whether t's own encoding may be an embedded field's.
func inheritsEncoding(t reflect.Type) bool {
	return inherits(t, "MarshalBinary") || inherits(t, "AppendBinary") || inherits(t, "UnmarshalBinary")
}

// kindOf returns the kind of encoding of t. It is stuck only if t itself, regardless of the types
// within it, cannot be encoded.
func kindOf(t reflect.Type, handles Handles) kind {
	switch {
	case t.Size() == 0:
		return plain
	case handles.Is(t):
		return handle
	case encodesItself(t):
		return custom
	}
	switch t.Kind() {
	case reflect.String:
		return text
	case reflect.Slice:
		return list
	case reflect.Pointer:
		return pointer
	case reflect.Map:
		return table
	case reflect.Array:
		if kindOf(t.Elem(), handles) == plain {
			return plain
		}
		return row
	case reflect.Struct:
		for i := range t.NumField() {
			if kindOf(t.Field(i).Type, handles) != plain {
				return record
			}
		}
	case reflect.Chan, reflect.Func, reflect.Interface, reflect.UnsafePointer:
		return stuck
	}
	return plain
}
