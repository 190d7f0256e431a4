//go:build mpi && cgo && linux

package mpi_test

import (
	"fmt"
	"syscall"
	"testing"
	"unsafe"

	"github.com/migbsp/migbsp/mpi"
)

// signalAction is the kernel's struct sigaction.
type signalAction struct {
	handler  uintptr
	flags    uint64
	restorer uintptr
	mask     uint64
}

const onStack = 0x08000000 // SA_ONSTACK

func actionOf(t *testing.T, number syscall.Signal) (a signalAction) {
	t.Helper()
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(number), 0, uintptr(unsafe.Pointer(&a)), 8, 0, 0); errno != 0 {
		t.Fatalf("signal %d: %v", number, errno)
	}
	return a
}

// After MPI_Init every handler has SA_ONSTACK, and the handlers of Go's runtime are installed.
func TestWorldSignalHandlers(t *testing.T) {
	world(t, func(mpi.Comm) error {
		goHandler := actionOf(t, syscall.SIGWINCH).handler
		if goHandler <= 1 {
			return fmt.Errorf("signal %d has no handler", syscall.SIGWINCH)
		}
		for _, number := range []syscall.Signal{syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGINT, syscall.SIGTERM, syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGFPE} {
			if actionOf(t, number).handler != goHandler {
				return fmt.Errorf("signal %d does not have the handler of Go's runtime", number)
			}
		}
		for number := syscall.Signal(1); number <= 64; number++ {
			if a := actionOf(t, number); a.handler > 1 && a.flags&onStack == 0 {
				return fmt.Errorf("the handler of signal %d lacks SA_ONSTACK", number)
			}
		}
		return nil
	})
}
