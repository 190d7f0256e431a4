package main

import (
	"os/exec"
	"runtime"
	"syscall"
)

// tied moves a child into its own process group and makes the kernel kill it with the calling thread.
// The goroutine stays locked to the thread until untie.
func tied(child *exec.Cmd) (untie func()) {
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}

func killGroup(pid int) { syscall.Kill(-pid, syscall.SIGKILL) }
