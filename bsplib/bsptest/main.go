package bsptest

import (
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/migbsp/migbsp/mpi"
)

// Main is the body of a TestMain. Under MPI it joins the other ranks; rank 0
// alone reports success, every rank reports its failures, and if one rank
// fails all end with a code that is not 0.
func Main(m *testing.M) {
	comm, err := mpi.Open(0)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if comm == nil {
		os.Exit(m.Run())
	}
	world = comm
	os.Exit(runOnRank(m))
}

func runOnRank(m *testing.M) int {
	report := holdStdout()
	codes := []int64{int64(m.Run())}
	report(codes[0] != 0)
	if err := mpi.Combine(world, mpi.Max, codes); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := world.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return int(codes[0])
}

// holdStdout holds the output of ranks other than 0 until the returned function
// prints or discards it.
func holdStdout() func(wanted bool) {
	if world.Rank() == 0 {
		return func(bool) {}
	}
	held, err := os.CreateTemp("", "bsptest")
	if err != nil {
		return func(bool) {}
	}
	os.Remove(held.Name())
	os.Stdout = held
	return func(wanted bool) {
		defer held.Close()
		if _, err := held.Seek(0, io.SeekStart); wanted && err == nil {
			fmt.Fprintf(os.Stderr, "rank %d:\n", world.Rank())
			io.Copy(os.Stderr, held)
		}
	}
}
