// Package memory contains the engine's operations on bytes: it views slices as bytes, copies them,
// and checks whether values of a type can be sent as bytes.
package memory

import "unsafe"

// Copy copies n bytes, as Go's copy does: the buffers may overlap. It copies a
// single word without a call.
//
// Do not use the instruction REP MOVSB here: on an AMD EPYC 9004 it copies 2.8 GB/s if the target is
// 1 to 15 bytes after the source modulo 4096, while Go's copy reaches 27 to 88. Arrays that begin at
// a page are in this case as soon as one of them has a ghost cell in front.
func Copy(to, from unsafe.Pointer, n int) {
	if n == 8 {
		*(*[8]byte)(to) = *(*[8]byte)(from)
		return
	}
	copyMany(to, from, n)
}

// From 1 MiB on, Go's copy on amd64 writes past the caches, which suits data
// that exceed the last cache. Copy splits shorter data into pieces, so that
// their next reader finds them in a cache: with that a Put of 1 MiB takes 57 us
// instead of 80, and a Get 29 instead of 39.
const (
	piece      = 512 << 10
	piecesUpTo = 8 << 20
)

func copyMany(to, from unsafe.Pointer, n int) {
	if n > piece && n < piecesUpTo && !beginsInside(to, from, n) {
		for ; n > piece; n -= piece {
			copy(unsafe.Slice((*byte)(to), piece), unsafe.Slice((*byte)(from), piece))
			to, from = unsafe.Add(to, piece), unsafe.Add(from, piece)
		}
	}
	copy(unsafe.Slice((*byte)(to), n), unsafe.Slice((*byte)(from), n))
}

// beginsInside reports whether to is one of the n bytes at from. A copy in
// pieces would then overwrite bytes that it has not read yet.
func beginsInside(to, from unsafe.Pointer, n int) bool {
	return uintptr(to)-uintptr(from) < uintptr(n)
}
