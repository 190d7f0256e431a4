//go:build mpi && cgo

package mpi

import (
	"syscall"
	"time"
	"unsafe"
)

// These calls do not tell the Go scheduler that they may block: they are short,
// and the hand-over would cost more than the wait. The collector has to wait
// for them, longestNap at most.

func yieldCPU() { syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0) }

// nanosleep sleeps for about d.
func nanosleep(d time.Duration) {
	ts := syscall.NsecToTimespec(int64(d))
	syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
}

const (
	futexWait = 0
	futexWake = 1
)

// sleepWhile sleeps until wakeAll is called for the word in any process, d has
// passed, or the word is not value.
func sleepWhile(word *uint32, value uint32, d time.Duration) {
	ts := syscall.NsecToTimespec(int64(d))
	syscall.RawSyscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWait, uintptr(value), uintptr(unsafe.Pointer(&ts)), 0, 0)
}

func wakeAll(word *uint32) {
	const all = 1<<31 - 1
	syscall.RawSyscall(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWake, all)
}
