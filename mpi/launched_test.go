//go:build !mpi

package mpi_test

import (
	"testing"

	"github.com/migbsp/migbsp/internal/testrun"
)

// The tests of the MPI engine run on the ranks of a launcher.
func TestUnderMPI(t *testing.T) {
	launcher := testrun.MPI(t)
	launcher.Suite(t, testrun.Line(testrun.BuildSuite(t, "mpi", "./mpi"), "-test.run World -test.short"))
}
