//go:build linux

// Package load has programs that only use a processor.
package load

import (
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Work repeats a piece of work of the given processor time and a rest, and returns the elapsed time
// of each piece. Rests last as long as work on average but vary, so that work begins at all moments
// of a quota's period.
func Work(each time.Duration, repeats int) []time.Duration {
	runtime.LockOSThread()
	took := make([]time.Duration, repeats)
	for i := range took {
		time.Sleep(each * time.Duration(2*i%9) / 4)
		begin, used := clock(unix.CLOCK_MONOTONIC), clock(unix.CLOCK_PROCESS_CPUTIME_ID)
		for clock(unix.CLOCK_PROCESS_CPUTIME_ID)-used < each {
		}
		took[i] = clock(unix.CLOCK_MONOTONIC) - begin
	}
	return took
}

// Eat uses a part of a processor, and never more: a part that it could not get is lost,
// except the one of the last 20 ms. It does not return.
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

// clock asks the kernel without notice to Go's runtime, whose thread that watches system
// calls uses the processor too.
func clock(which int) time.Duration {
	var t unix.Timespec
	unix.RawSyscall(unix.SYS_CLOCK_GETTIME, uintptr(which), uintptr(unsafe.Pointer(&t)), 0)
	return time.Duration(t.Nano())
}
