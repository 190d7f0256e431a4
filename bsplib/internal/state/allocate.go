package state

import (
	"reflect"
	"unsafe"

	"github.com/migbsp/migbsp/internal/fresh"
)

// plainRoom is how much memory a plain block takes.
func plainRoom(bytes, skew int) int64 { return (int64(bytes) + int64(skew) + 7) &^ 7 }

// lineBytes is the alignment of blocks that are large enough for spans.
const lineBytes = 64

// allocatePlain gives zeroed memory without references, skew bytes behind an
// address that is aligned for all types, and for large memory to lineBytes.
func allocatePlain(bytes, skew int) unsafe.Pointer {
	words := max(1, int(plainRoom(bytes, skew)/8))
	memory := make([]uint64, words)
	if bytes >= spanBytes && toLine(memory) > 0 {
		memory = make([]uint64, words+lineBytes/8)
		memory = memory[toLine(memory):]
	}
	return unsafe.Add(unsafe.Pointer(&memory[0]), skew)
}

// toLine is how many words come before the first that is aligned to lineBytes.
func toLine(memory []uint64) int {
	return int(-uintptr(unsafe.Pointer(&memory[0])) % lineBytes / 8)
}

// allocateTyped gives zeroed memory for count values of n, of which there is
// one at least.
func allocateTyped(n *node, count int) unsafe.Pointer {
	if count == 1 {
		return reflect.New(n.t).UnsafePointer()
	}
	return reflect.MakeSlice(n.many, count, count).UnsafePointer()
}

// allocateUnzeroed gives memory without references, of any content, aligned to
// lineBytes.
func allocateUnzeroed(bytes int) unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(fresh.Bytes(bytes)))
}
