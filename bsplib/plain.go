package bsplib

import (
	"fmt"
	"hash/fnv"
	"io"
	"reflect"
	"unsafe"
)

// sizeOf is the size of T in bytes.
func sizeOf[T any]() int {
	var zero T
	return int(unsafe.Sizeof(zero))
}

// bytesOf returns the memory of s.
func bytesOf[T any](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*sizeOf[T]())
}

// notPlain says why values of type t cannot be sent as bytes, or "" if they
// can: numbers, booleans, and arrays and structs of them can.
func notPlain(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if why := notPlain(t.Field(i).Type); why != "" {
				return fmt.Sprintf("field %s: %s", t.Field(i).Name, why)
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

// mustBePlain ends the run if values of type T cannot be sent as bytes.
func mustBePlain[T any](p *Proc, what string) {
	t := reflect.TypeFor[T]()
	if why := notPlain(t); why != "" {
		p.fail(KindNotPlain, "%s of %s cannot be sent to other processes: %s", what, t, why)
	}
	if t.Size() == 0 {
		p.fail(KindNotPlain, "%s of %s: its values have no bytes", what, t)
	}
}

// mustBePlainTag is mustBePlain for tags, which may be empty but not huge.
func mustBePlainTag[Tag any](p *Proc) {
	if sizeOf[Tag]() == 0 {
		return
	}
	mustBePlain[Tag](p, "a queue's tag")
	if sizeOf[Tag]() > largestTag {
		p.fail(KindNotPlain, "a queue's tag of %s: it has %d bytes, tags have at most %d", reflect.TypeFor[Tag](), sizeOf[Tag](), largestTag)
	}
}

const largestTag = 1 << 20

// typeHash tells types apart, the same way in every process of a run.
func typeHash[T any]() uint64 { return hashOf(reflect.TypeFor[T]().String()) }

func hashOf(text string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, text)
	return h.Sum64()
}

// plainHash is typeHash of a type whose values can be sent as bytes: others end the run. A
// rank looks at a type once, for very many processes register the same.
func plainHash[T any](p *Proc, what string) uint64 {
	t := reflect.TypeFor[T]()
	if h, seen := p.rank.looked.plain[t]; seen {
		return h
	}
	mustBePlain[T](p, what)
	h := typeHash[T]()
	p.rank.looked.plain[t] = h
	return h
}

// raw is the address of a slice's memory.
func raw[T any](s []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }
