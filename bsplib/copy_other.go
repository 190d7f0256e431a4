//go:build !amd64

package bsplib

import "unsafe"

const hasVectorCopy = false

func vectorCopy(to, from unsafe.Pointer, n int) {}
