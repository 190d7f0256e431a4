//go:build !mpi

package mpi_test

import (
	"testing"

	"github.com/migbsp/migbsp/internal/testrun"
)

// The tests of the MPI engine run on the ranks of a launcher.
func TestUnderMPI(t *testing.T) {
	launcher := testrun.MPI(t)
	launcher.Suite(t, testrun.Deep, testrun.Line(testrun.BuildSuite(t, "mpi", "./mpi"), "-test.run World -test.short"))
}

// Sockets that are always full hold back data that the library has accepted. The variables are Open
// MPI's; MPICH decides for itself.
func TestUnderMPIFullSockets(t *testing.T) {
	launcher, ranks := testrun.MPI(t), 8
	if launcher.Hydra() {
		ranks = 5
	}
	c := launcher.On(ranks, testrun.Line(testrun.BuildSuite(t, "mpi", "./mpi"), "-test.run WorldLate"))
	c.Env = append(c.Env, "MIGBSP_NODE_SIZE=3", "OMPI_MCA_pml=ob1", "OMPI_MCA_btl=tcp,self", "OMPI_MCA_btl_tcp_if_include=lo",
		"OMPI_MCA_btl_tcp_sndbuf=4096", "OMPI_MCA_btl_tcp_rcvbuf=4096")
	c.Must(t)
}
