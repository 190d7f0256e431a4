//go:build !amd64 || race

package memory

import "unsafe"

// The race detector does not see what assembly does.
const hasStringCopy = false

func stringCopy(to, from unsafe.Pointer, n int) {}

// Prefetch asks for a line of the cache.
func Prefetch(at unsafe.Pointer) {}
