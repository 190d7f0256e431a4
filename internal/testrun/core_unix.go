//go:build unix

package testrun

import "syscall"

// Programs that fail in tests write no core files into the tree.
func init() {
	var core syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_CORE, &core) == nil {
		core.Cur = 0
		syscall.Setrlimit(syscall.RLIMIT_CORE, &core)
	}
}
