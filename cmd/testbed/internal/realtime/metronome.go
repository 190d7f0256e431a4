//go:build linux

// Package realtime runs the parts of a testbed that must run on time, even if the processors are
// busy.
package realtime

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Beat is how often the metronome interrupts each processor.
const Beat = 500 * time.Microsecond

// Metronome makes Linux check often enough the processor time used by processes. It returns only if
// that fails.
//
// Quotas of control groups are enforced when the scheduler runs, which on a busy
// processor may be every 4 ms only. A thread with real-time priority that wakes
// on each processor every half millisecond makes it run then. That takes some 3 %
// of the processor.
func Metronome(processors []int) error {
	runtime.GOMAXPROCS(len(processors) + 1)
	debug.SetGCPercent(-1)
	failed := make(chan error, len(processors))
	for _, processor := range processors {
		go func() {
			runtime.LockOSThread()
			failed <- beat(processor)
		}()
	}
	return <-failed
}

func beat(processor int) error {
	var set unix.CPUSet
	set.Set(processor)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return err
	}
	if err := prefer(1); err != nil {
		return err
	}
	// A raw call hides the sleeping thread from Go's runtime, whose watch over sleeping threads costs
	// four times as much as the beat itself.
	interval := unix.NsecToTimespec(Beat.Nanoseconds())
	for {
		unix.RawSyscall6(unix.SYS_CLOCK_NANOSLEEP, unix.CLOCK_MONOTONIC, 0, uintptr(unsafe.Pointer(&interval)), 0, 0, 0)
	}
}

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
