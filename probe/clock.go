package probe

import (
	"errors"
	"runtime"
	"time"
)

// Clock is the clock of a thread's own computing time, which measures the work of processes.
type Clock struct {
	Step float64 `json:"step"` // seconds, the shortest that it was seen to advance
	Read float64 `json:"read"` // seconds that reading it takes
}

// ErrNoThreadClock means that work must be measured by the wall clock.
var ErrNoThreadClock = errors.New("this system has no clock for threads: work is measured by the time that passes")

// ThreadClock tries the clock of threads.
func ThreadClock() (Clock, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if _, ok := threadTime(); !ok {
		return Clock{}, ErrNoThreadClock
	}
	const reads = 2000
	var least time.Duration
	begin := time.Now()
	last, _ := threadTime()
	for range reads {
		now, _ := threadTime()
		if step := now - last; step > 0 && (least == 0 || step < least) {
			least = step
		}
		last = now
	}
	c := Clock{Step: least.Seconds(), Read: time.Since(begin).Seconds() / reads}
	if least == 0 {
		return c, errors.New("the clock of the thread does not advance while it computes")
	}
	return c, nil
}

// own returns the calling thread's time, 0 if it has no clock.
func own() time.Duration {
	t, _ := threadTime()
	return t
}
