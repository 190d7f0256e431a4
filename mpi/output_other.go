//go:build mpi && cgo && !linux

package mpi

import "time"

// drainOutput gives the launcher time to pass on the output of this process: some launchers drop it
// on an abort.
func drainOutput() { time.Sleep(100 * time.Millisecond) }
