//go:build !amd64 || race

package bsplib

import "unsafe"

// The race detector does not see what assembly does.
const hasVectorCopy = false

func vectorCopy(to, from unsafe.Pointer, n int) {}
