//go:build !linux

package laps

import "time"

// thread is the wall clock where threads have none of their own.
func thread() threadTime { return threadTime{used: time.Duration(time.Now().UnixNano())} }

// threadFile is empty where the system does not count what threads wait for.
type threadFile struct{}

func (threadFile) counts(int) waitCounts { return waitCounts{id: -1} }
