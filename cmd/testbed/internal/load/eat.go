//go:build linux

// Package load has programs that do nothing but use a processor.
package load

import (
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Eat uses a part of a processor, and never more: what it could not get it does
// not ask for later, but for what it was due in the last 20 ms. It does not return.
func Eat(part float64) error {
	const (
		rest   = 2 * time.Millisecond
		memory = 20 * time.Millisecond
	)
	runtime.LockOSThread()
	last := clock(unix.CLOCK_MONOTONIC)
	var due time.Duration
	for {
		now := clock(unix.CLOCK_MONOTONIC)
		due = min(due+time.Duration(part*float64(now-last)), time.Duration(part*float64(memory)))
		last = now
		begin := clock(unix.CLOCK_THREAD_CPUTIME_ID)
		for due > 0 && clock(unix.CLOCK_THREAD_CPUTIME_ID)-begin < due {
		}
		due -= clock(unix.CLOCK_THREAD_CPUTIME_ID) - begin
		time.Sleep(rest)
	}
}

// clock asks the kernel without a word to Go's runtime, which watches over threads
// that are in the kernel by a thread that uses the processor as well.
func clock(which int) time.Duration {
	var t unix.Timespec
	unix.RawSyscall(unix.SYS_CLOCK_GETTIME, uintptr(which), uintptr(unsafe.Pointer(&t)), 0)
	return time.Duration(t.Nano())
}
