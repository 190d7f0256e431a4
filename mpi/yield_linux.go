package mpi

import "syscall"

// yieldThread lets the operating system run another thread on this core. The goroutine keeps its P.
func yieldThread() { syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0) }
