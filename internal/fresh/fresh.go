// Package fresh allocates memory that is written before it is read.
//
// Zeroing large memory takes about as long as filling it, and so does touching new pages of the
// system, 4 KiB at a time. So Bytes avoids zeroing, and asks the system for pages of 2 MiB for large
// sizes.
package fresh

import (
	"strings"
	"unsafe"
)

// lineBytes is the size of a cache line.
const lineBytes = 64

// Many is the size, in bytes, from which skipping the zeroing saves time.
const Many = 64 << 10

// Bytes returns n bytes of any content that start at a cache line. They hold no pointers.
//
// Only a strings.Builder gets memory of the Go heap that is not zeroed first.
func Bytes(n int) []byte {
	if n < Many {
		return Zeroed(n)
	}
	var b strings.Builder
	b.Grow(n)
	b.WriteByte(0)
	base := unsafe.StringData(b.String())
	if b.Cap() < n || uintptr(unsafe.Pointer(base))%lineBytes != 0 {
		return Zeroed(n)
	}
	mem := unsafe.Slice(base, n)
	Expect(mem)
	return mem
}

// Zeroed returns n zeroed bytes that start at a cache line.
func Zeroed(n int) []byte {
	mem := make([]byte, n+lineBytes)
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(mem)))) & (lineBytes - 1)
	return mem[skip : skip+n : skip+n]
}

const (
	hugePage = 2 << 20
	// manyPages is the size, in bytes, from which Bytes asks for huge pages. Pages shared with other
	// allocations at either end stay small.
	manyPages = 8 << 20
)

// wholePages is the part of mem that consists of whole huge pages.
func wholePages(mem []byte) []byte {
	first := -int(uintptr(unsafe.Pointer(unsafe.SliceData(mem)))) & (hugePage - 1)
	if first >= len(mem) {
		return nil
	}
	return mem[first : first+(len(mem)-first)&^(hugePage-1)]
}
