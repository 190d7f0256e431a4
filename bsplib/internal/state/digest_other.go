//go:build !amd64 || race

package state

import "unsafe"

// The race detector does not see what assembly does.
const hasMixLines = false

func mixLines(lanes *[8]uint64, b unsafe.Pointer, n int, word, lane uint64) {}
