//go:build !linux

package mpi

import "runtime"

func yieldThread() { runtime.Gosched() }
