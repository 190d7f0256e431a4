package main

import (
	"os/exec"
	"runtime"
	"syscall"
)

// tied puts a child into its own process group and makes the kernel end it with this
// thread, which the goroutine keeps until untie.
func tied(child *exec.Cmd) (untie func()) {
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}

func killGroup(pid int) { syscall.Kill(-pid, syscall.SIGKILL) }
