//go:build mpi && cgo && !linux

package mpi

import "errors"

func attachCopy(to bool, pid int, address uintptr, data []byte) error { return errors.ErrUnsupported }
