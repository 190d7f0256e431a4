//go:build !mpi || !cgo

package main

import "errors"

func (s *settings) run() error {
	return errors.New("it has been built without MPI: go build -tags mpi, with a C compiler")
}
