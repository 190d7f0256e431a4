//go:build !race

package memory

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

var hasStringCopy = cpu.X86.HasERMS

// stringCopy copies n bytes.
//
//go:noescape
func stringCopy(to, from unsafe.Pointer, n int)

// Prefetch asks for a line of the cache.
//
//go:noescape
func Prefetch(at unsafe.Pointer)
