//go:build mpi && cgo

package mpi_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/mpi/mpitest"
)

// worldComm is nil unless a launcher started the tests, which then test the MPI engine only.
var worldComm mpi.Comm

func TestMain(m *testing.M) {
	flag.Parse()
	c, err := mpi.Open(0)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if c == nil {
		os.Exit(m.Run())
	}
	worldComm = c
	if flag.Lookup("test.run").Value.String() == "" {
		flag.Set("test.run", "^TestWorld")
	}
	if c.Rank() == 0 {
		fmt.Println("engine:", c.Engine().Text)
	} else if null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0); err == nil {
		os.Stdout = null
	}
	code := m.Run()
	if code != 0 {
		c.Abort(code)
	}
	if err := c.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// world runs body on the Comm of this process. Other ranks wait for a rank that
// fails, therefore it ends the run.
func world(t *testing.T, body func(c mpi.Comm) error) {
	if worldComm == nil {
		t.Skip("needs a launcher: mpirun -np 4 mpi.test")
	}
	if err := mpitest.Guarded(body)(worldComm); err != nil {
		fmt.Fprintf(os.Stderr, "%s: rank %d of %d: %v\n", t.Name(), worldComm.Rank(), worldComm.Size(), err)
		worldComm.Abort(1)
	}
}

func TestWorldConforms(t *testing.T) { mpitest.Run(t, world) }
