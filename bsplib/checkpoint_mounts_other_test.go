//go:build !linux

package bsplib_test

import "syscall"

// privateMounts are something that other systems do not have: the mount fails.
func privateMounts() *syscall.SysProcAttr { return nil }
