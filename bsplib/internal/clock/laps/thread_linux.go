package laps

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// thread reads the clock of the calling thread. The goroutine may change
// threads at any other time: what was read belongs to a thread only if it is the same
// before and after.
func thread() threadTime {
	var t unix.Timespec
	runtime.LockOSThread() // so that both are of one thread
	id, err := unix.Gettid(), unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t)
	runtime.UnlockOSThread()
	if err != nil {
		id = -1
	}
	return threadTime{id: id, used: time.Duration(t.Nano())}
}
