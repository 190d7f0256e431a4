//go:build !race

package bsplib

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

var hasVectorCopy = cpu.X86.HasAVX

// vectorCopy copies n bytes, a multiple of vectorStep.
//
//go:noescape
func vectorCopy(to, from unsafe.Pointer, n int)
