//go:build !linux

package clock

import "time"

var started = time.Now()

// threadClock is the wall clock where threads have none of their own.
func threadClock() threadTime { return threadTime{used: time.Since(started)} }
