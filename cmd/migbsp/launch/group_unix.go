//go:build unix && !linux

package launch

import "syscall"

// ownGroup is a process group of its own.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
