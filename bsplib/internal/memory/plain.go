package memory

import (
	"fmt"
	"hash/fnv"
	"io"
	"reflect"
)

// Unsendable returns the reason why values of type t cannot be sent to other processes, "" if they
// can. what names the object that holds them.
func Unsendable(t reflect.Type, what string) string {
	if why := notPlain(t); why != "" {
		return fmt.Sprintf("%s of %s cannot be sent to other processes: %s", what, t, why)
	}
	if t.Size() == 0 {
		return fmt.Sprintf("%s of %s: its values have no bytes", what, t)
	}
	return ""
}

// notPlain returns the reason why values of type t cannot be sent as bytes, or "" if they can:
// numbers, booleans, and arrays and structs of them can.
func notPlain(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct:
		for f := range t.Fields() {
			if why := notPlain(f.Type); why != "" {
				return fmt.Sprintf("field %s: %s", f.Name, why)
			}
		}
		return ""
	case reflect.Array:
		return notPlain(t.Elem())
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return ""
	default:
		return fmt.Sprintf("%s is a reference to memory of one process", t)
	}
}

// TypeHash returns a hash of the type T, the same in every process of a run.
func TypeHash[T any]() uint64 { return Hash(reflect.TypeFor[T]().String()) }

// Hash returns the hash of a text.
func Hash(text string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, text)
	return h.Sum64()
}
