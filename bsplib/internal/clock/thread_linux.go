package clock

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadClock reads the clock of the calling thread. The goroutine may change
// threads at any time: what was read belongs to a thread only if it is the same
// before and after.
func threadClock() threadTime {
	for range 3 {
		var t unix.Timespec
		id := unix.Gettid()
		err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t)
		if err == nil && unix.Gettid() == id {
			return threadTime{id: id, used: time.Duration(t.Nano())}
		}
	}
	return threadTime{id: -1}
}
