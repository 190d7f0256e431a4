//go:build mpi && cgo && !linux

package mpi

import "time"

func sleepLongWhile(word *uint32, value uint32, d time.Duration) { time.Sleep(min(d, longestAway)) }

func sleepLong(d time.Duration) { time.Sleep(d) }
