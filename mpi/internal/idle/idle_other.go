//go:build !linux

package idle

import (
	"runtime"
	"time"
)

func Yield() { runtime.Gosched() }

func Nap(d time.Duration) { time.Sleep(d) }

func SleepWhile(word *uint32, value uint32, d time.Duration) { time.Sleep(d) }

func WakeAll(word *uint32) {}

func LongNap(d time.Duration) { time.Sleep(d) }

func LongSleepWhile(word *uint32, value uint32, d time.Duration) {
	time.Sleep(min(d, 10*time.Millisecond))
}
