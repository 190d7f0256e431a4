package bsplib

import "unsafe"

// copyBytes copies n bytes between places that do not overlap; a single word
// without a call, and lengths for which that is faster than the runtime's way
// with vector registers.
func copyBytes(to, from unsafe.Pointer, n int) {
	if n == 8 {
		*(*[8]byte)(to) = *(*[8]byte)(from)
		return
	}
	copyMany(to, from, n)
}

// Between these lengths a plain loop of vector loads and stores wins: the data
// leaves the first caches, but not the last.
const (
	vectorFrom  = 512 << 10
	vectorBelow = 8 << 20
	vectorStep  = 256
)

func copyMany(to, from unsafe.Pointer, n int) {
	done := 0
	if hasVectorCopy && n >= vectorFrom && n < vectorBelow {
		done = n &^ (vectorStep - 1)
		vectorCopy(to, from, done)
		if done == n {
			return
		}
	}
	copy(unsafe.Slice((*byte)(unsafe.Add(to, done)), n-done), unsafe.Slice((*byte)(unsafe.Add(from, done)), n-done))
}
