package bsplib

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadClock reads the clock of the calling thread.
func threadClock() threadTime {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return threadTime{id: -1}
	}
	return threadTime{id: unix.Gettid(), used: time.Duration(t.Nano())}
}
