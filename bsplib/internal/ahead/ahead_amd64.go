//go:build !race

package ahead

import "unsafe"

const canFetch = true

// fetch prefetches the process at p, and the addresses of its Mark at.
//
//go:noescape
func fetch(p, at unsafe.Pointer)

// currentG returns the address of the goroutine's record in the Go runtime.
func currentG() uintptr
