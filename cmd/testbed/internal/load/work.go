//go:build linux

package load

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// Work works for some time of a processor, rests, and so on, and returns the elapsed time
// of each work. Rests are as long as work in the mean but differ, so that work begins at
// all moments of a quota's period.
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
