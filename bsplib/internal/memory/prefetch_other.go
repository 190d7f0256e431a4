//go:build !amd64 || race

package memory

import "unsafe"

// Prefetch does nothing: a race detector does not see the accesses of assembly,
// and other processors have no version of it.
func Prefetch(at unsafe.Pointer) {}
