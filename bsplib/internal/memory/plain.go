package memory

import (
	"fmt"
	"hash/fnv"
	"io"
	"reflect"
)

// NotPlain says why values of type t cannot be sent as bytes, or "" if they
// can: numbers, booleans, and arrays and structs of them can.
func NotPlain(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if why := NotPlain(t.Field(i).Type); why != "" {
				return fmt.Sprintf("field %s: %s", t.Field(i).Name, why)
			}
		}
		return ""
	case reflect.Array:
		return NotPlain(t.Elem())
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return ""
	default:
		return fmt.Sprintf("%s is a reference to memory of one process", t)
	}
}

// TypeHash tells types apart, the same way in every process of a run.
func TypeHash[T any]() uint64 { return Hash(reflect.TypeFor[T]().String()) }

// Hash is the hash of a text.
func Hash(text string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, text)
	return h.Sum64()
}
