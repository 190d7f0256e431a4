//go:build mpi && cgo && !linux

package mpi

import "time"

// drainOutput gives the launcher time to pass on what this process has printed:
// some drop it when they hear of an abort.
func drainOutput() { time.Sleep(100 * time.Millisecond) }
