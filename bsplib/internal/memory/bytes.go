package memory

import "unsafe"

// Size returns the size of T in bytes.
func Size[T any]() int {
	var zero T
	return int(unsafe.Sizeof(zero))
}

// Bytes returns the memory of s.
func Bytes[T any](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*Size[T]())
}

// Values returns the n values in b.
func Values[T any](b []byte, n int) []T { return unsafe.Slice((*T)(At(b)), n) }

// At returns the address of the memory of s.
func At[T any](s []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

// Pad rounds up to a whole number of words of 8 bytes.
func Pad(n int) int { return (n + 7) &^ 7 }

// Word returns a pointer to the word at byte offset i of b.
func Word(b []byte, i int) *uint64 {
	_ = b[i+7]
	return (*uint64)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i))
}

// Overlap reports whether n bytes at a and m bytes at b overlap.
func Overlap(a unsafe.Pointer, n int, b unsafe.Pointer, m int) bool {
	return uintptr(a) < uintptr(b)+uintptr(m) && uintptr(b) < uintptr(a)+uintptr(n)
}

// Move copies from to to, unless they are the same memory.
func Move(to, from []byte) {
	if At(to) != At(from) {
		Copy(At(to), At(from), len(from))
	}
}

// OnHeap hides p from escape analysis. p points to memory that is too large for a stack, so it is on
// the heap anyway; without OnHeap, small values on the same path would be moved to the heap too.
//
//go:nocheckptr
func OnHeap(p unsafe.Pointer) unsafe.Pointer { return unsafe.Add(nil, uintptr(p)) }

// Long returns data that are too long for a stack, or part of such data: see OnHeap.
func Long(data []byte) []byte { return unsafe.Slice((*byte)(OnHeap(At(data))), len(data)) }
