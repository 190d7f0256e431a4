//go:build !amd64 || race

package memory

import "unsafe"

// Prefetch has no effect: a race detector does not see the accesses of assembly, and other processors
// have no version of it.
func Prefetch(at unsafe.Pointer) {}
