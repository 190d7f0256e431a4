//go:build mpi && cgo

package mpi

import (
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// attachPart is the most that one call copies: a few tenths of a millisecond, for which
// the garbage collector may have to wait.
const attachPart = 4 << 20

// attachCopy copies data to the memory of a process, or from there. Data may be on the
// stack: the calls are those between which a stack does not move, and nothing on the heap
// points to it.
func attachCopy(to bool, pid int, address uintptr, data []byte) error {
	trap, name := uintptr(unix.SYS_PROCESS_VM_READV), "process_vm_readv"
	if to {
		trap, name = unix.SYS_PROCESS_VM_WRITEV, "process_vm_writev"
	}
	for len(data) > 0 {
		n := min(len(data), attachPart)
		here := unix.Iovec{Base: unsafe.SliceData(data)}
		here.SetLen(n)
		there := unix.RemoteIovec{Base: address, Len: n}
		done, _, code := syscall.RawSyscall6(trap, uintptr(pid), uintptr(unsafe.Pointer(&here)), 1, uintptr(unsafe.Pointer(&there)), 1, 0)
		if code != 0 || done == 0 {
			return fmt.Errorf("mpi: %s of %d bytes of process %d: %w", name, n, pid, code)
		}
		data, address = data[done:], address+done
	}
	return nil
}
