package mpi_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/mpi/mpitest"
)

func TestInProcess(t *testing.T) {
	all := []int{1, 2, 3, 5, 8}
	if testing.Short() {
		all = []int{1, 2, 5}
	}
	for _, n := range all {
		t.Run(fmt.Sprintf("%dRanks", n), func(t *testing.T) { mpitest.Run(t, mpitest.OnRanks(n)) })
	}
}

// Ranks that wait for others, or are away, are woken by an abort.
func TestAbortWakesRanks(t *testing.T) {
	present := []bool{true, false, false, false}
	for name, wait := range map[string]func(mpi.Comm) error{
		"Exchange": func(c mpi.Comm) error { _, err := c.Exchange(c.Lane(0), 0); return err },
		"Recv":     func(c mpi.Comm) error { return mpi.Recv(c, 0, make([]byte, 1)) },
		"Attend":   func(c mpi.Comm) error { _, err := c.Attend(present, nil); return err },
		"Poll":     func(c mpi.Comm) error { _, _, err := c.Poll(time.Hour); return err },
	} {
		t.Run(name, func(t *testing.T) {
			comms := mpi.InProcess(4)
			var wg sync.WaitGroup
			for _, c := range comms[1:] {
				wg.Go(func() {
					if err := wait(c); err != mpi.ErrAborted {
						t.Errorf("rank %d: got %v, want ErrAborted", c.Rank(), err)
					}
				})
			}
			if name == "Attend" {
				must.Get(comms[0].Attend(present, nil))(t)
				must.Get(comms[0].Exchange(comms[0].Lane(0), 0))(t)
			}
			comms[0].Abort(1)
			wg.Wait()
			if err := mpi.Post(comms[0], 1, []byte{1}); name != "Attend" && err != mpi.ErrAborted {
				t.Errorf("Post after the end: got %v, want ErrAborted", err)
			}
		})
	}
}

func TestRecvOfAnotherLengthIsAnError(t *testing.T) {
	comms := mpi.InProcess(2)
	must.Do(t, mpi.Send(comms[0], 1, []byte{1, 2, 3}))
	if err := mpi.Recv(comms[1], 0, make([]byte, 2)); err == nil {
		t.Error("receiving 2 bytes of a message of 3 succeeded")
	}
}
