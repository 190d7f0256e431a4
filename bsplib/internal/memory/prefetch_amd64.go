//go:build !race

package memory

import "unsafe"

// Prefetch starts to load the cache line at an address.
//
//go:noescape
func Prefetch(at unsafe.Pointer)
