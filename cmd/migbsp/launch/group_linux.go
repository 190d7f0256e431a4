package launch

import "syscall"

// ownGroup is a process group of its own, which is asked to end if this process is killed.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
