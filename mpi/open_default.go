//go:build !(mpi && cgo)

package mpi

import "errors"

// Open returns the Comm of this process among the processes that a launcher started, or nil if it
// has no others: the ranks are then goroutines of this process (InProcess). A build without MPI
// cannot join other processes: the error is then a *LaunchError.
func Open(quota float64) (Comm, error) { return nil, CheckLaunch() }

// On returns an error: a build without MPI has no communicators.
func On(Handle, float64) (Comm, error) {
	return nil, errors.New("mpi: this program was built without MPI: build it with  go build -tags mpi ...")
}

// EndAll returns: a build without MPI has no processes to end.
func EndAll(code int) {}

// Library names the MPI library that this build uses, "" if none.
func Library() string { return "" }

func pmixOnly() bool { return false }
