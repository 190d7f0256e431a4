//go:build mpi && cgo && !linux

package mpi

import (
	"runtime"
	"time"
)

func yieldCPU() { runtime.Gosched() }

func nanosleep(d time.Duration) { time.Sleep(d) }

func sleepWhile(word *uint32, value uint32, d time.Duration) { time.Sleep(d) }

func wakeAll(word *uint32) {}
