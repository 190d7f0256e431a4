package idle

import (
	"syscall"
	"time"
	"unsafe"
)

// These calls do not inform the Go scheduler that they may block: they are short, and the hand-over
// would cost more than the wait. The collector has to wait for them, LongestNap at most.

// Yield lets other processes have the core.
func Yield() { syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0) }

// Nap sleeps for about d.
func Nap(d time.Duration) {
	ts := syscall.NsecToTimespec(int64(d))
	syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
}

const (
	futexWait = 0
	futexWake = 1
)

// SleepWhile sleeps until WakeAll is called for the word in any process, d has
// passed, or the word is not value.
func SleepWhile(word *uint32, value uint32, d time.Duration) {
	ts := syscall.NsecToTimespec(int64(d))
	syscall.RawSyscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWait, uintptr(value), uintptr(unsafe.Pointer(&ts)), 0, 0)
}

// WakeAll wakes all sleepers on the word.
func WakeAll(word *uint32) {
	const all = 1<<31 - 1
	syscall.RawSyscall(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWake, all)
}

// LongNap is Nap for long sleeps, which the Go scheduler is informed of, and LongSleepWhile is
// SleepWhile.
func LongNap(d time.Duration) {
	ts := syscall.NsecToTimespec(int64(d))
	syscall.Syscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
}

func LongSleepWhile(word *uint32, value uint32, d time.Duration) {
	ts := syscall.NsecToTimespec(int64(d))
	syscall.Syscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWait, uintptr(value), uintptr(unsafe.Pointer(&ts)), 0, 0)
}
