//go:build !linux

package laps

import "time"

// thread reads the wall clock, because threads have no clock here.
func thread() threadTime { return threadTime{used: time.Duration(time.Now().UnixNano())} }

// threadFile is empty because the system does not count waits of threads.
type threadFile struct{}

func (threadFile) counts(int) waitCounts { return waitCounts{id: -1} }
