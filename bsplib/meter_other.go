//go:build !linux

package bsplib

import "time"

var started = time.Now()

// threadClock is the wall clock where threads have none of their own.
func threadClock() threadTime { return threadTime{used: time.Since(started)} }
