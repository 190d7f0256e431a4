//go:build linux

// Package realtime has the parts of a testbed that must run on time, however busy the
// processors are.
package realtime

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// prefer gives the calling thread, which must be locked, a real-time priority.
func prefer(priority uint32) error {
	err := unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: priority}, 0)
	if err != nil {
		return fmt.Errorf("real-time priority: %w", err)
	}
	return nil
}

// Try returns an error if threads may not have a real-time priority here.
func Try() error {
	failed := make(chan error)
	go func() {
		runtime.LockOSThread() // and end with the thread
		failed <- prefer(1)
	}()
	return <-failed
}
