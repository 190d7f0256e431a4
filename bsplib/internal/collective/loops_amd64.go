//go:build !race

package collective

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

var hasVectorLoops = cpu.X86.HasAVX

// The loops store the sum, minimum or maximum of the numbers at a and b in to. n is their size in
// bytes, a multiple of loopStep. to may be a or b.

//go:noescape
func addFloat64s(to, a, b unsafe.Pointer, n int)

//go:noescape
func minFloat64s(to, a, b unsafe.Pointer, n int)

//go:noescape
func maxFloat64s(to, a, b unsafe.Pointer, n int)

//go:noescape
func addFloat32s(to, a, b unsafe.Pointer, n int)

//go:noescape
func minFloat32s(to, a, b unsafe.Pointer, n int)

//go:noescape
func maxFloat32s(to, a, b unsafe.Pointer, n int)
