// Package memory has what the engine does with bytes: it looks at slices as bytes, copies
// them, and asks what types of values can be sent as bytes.
package memory

import "unsafe"

// Copy copies n bytes between places that do not overlap; a single word
// without a call, and lengths for which that is faster than the runtime's way
// with the processor's own instruction.
func Copy(to, from unsafe.Pointer, n int) {
	if n == 8 {
		*(*[8]byte)(to) = *(*[8]byte)(from)
		return
	}
	copyMany(to, from, n)
}

// Between these lengths the processor's instruction for strings of bytes wins where it is
// fast. It asks for whole lines at a time, without what they held: that counts where another
// core has them, as in what goes from process to process. Halos of 8 and 64 KiB take a
// quarter less so than with the runtime's vector registers, and an HPPut of 1 MiB half. Longer
// data does not fit into the last cache, which the runtime then writes past.
const (
	stringFrom  = 4 << 10
	stringBelow = 8 << 20
)

func copyMany(to, from unsafe.Pointer, n int) {
	if hasStringCopy && n >= stringFrom && n < stringBelow {
		stringCopy(to, from, n)
		return
	}
	copy(unsafe.Slice((*byte)(to), n), unsafe.Slice((*byte)(from), n))
}
