//go:build !mpi

package app_test

import (
	"testing"

	"github.com/migbsp/migbsp/internal/testrun"
)

// TestUnderMPI runs the tests that use ranks again under a launcher.
func TestUnderMPI(t *testing.T) {
	launcher := testrun.MPI(t)
	launcher.Suite(t, testrun.Above, testrun.Line(testrun.BuildSuite(t, "mpi", "./bsplib/internal/app"), "-test.short"))
}
