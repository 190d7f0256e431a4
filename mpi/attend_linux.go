//go:build mpi && cgo

package mpi

import (
	"syscall"
	"time"
	"unsafe"
)

// sleepLongWhile is sleepWhile for long sleeps, of which the Go scheduler is told.
func sleepLongWhile(word *uint32, value uint32, d time.Duration) {
	ts := syscall.NsecToTimespec(int64(d))
	syscall.Syscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWait, uintptr(value), uintptr(unsafe.Pointer(&ts)), 0, 0)
}

// sleepLong is nanosleep for long sleeps.
func sleepLong(d time.Duration) {
	ts := syscall.NsecToTimespec(int64(d))
	syscall.Syscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
}
