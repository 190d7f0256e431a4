//go:build race

package bsplib_test

import (
	"runtime"
	"unsafe"
)

const raceEnabled = true

// reads reports a read of memory to the race detector, which does not see reads in assembly.
func reads(b []byte) { runtime.RaceReadRange(unsafe.Pointer(unsafe.SliceData(b)), len(b)) }
