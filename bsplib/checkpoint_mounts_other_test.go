//go:build !linux

package bsplib_test

import "syscall"

// privateMounts returns nil, because other systems have no private mounts: the mount fails.
func privateMounts() *syscall.SysProcAttr { return nil }
