//go:build !amd64 || race

package state

import "unsafe"

// The race detector does not see what assembly does.
const hasMixLines = false

func mixLines(lanes *digestLanes, b unsafe.Pointer, n int, word, lane uint64) {}
