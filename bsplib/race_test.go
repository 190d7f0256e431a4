//go:build race

package bsplib_test

import (
	"runtime"
	"unsafe"
)

const raceEnabled = true

// reads tells the race detector that memory is read, as what is not compiled does not.
func reads(b []byte) { runtime.RaceReadRange(unsafe.Pointer(unsafe.SliceData(b)), len(b)) }
