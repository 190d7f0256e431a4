//go:build mpi && cgo

package mpi_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/mpi/mpitest"
	gompi "github.com/sbromberger/gompi"
)

// On reads and writes the first field of a communicator of gompi.
func TestCommunicatorLayout(t *testing.T) {
	if f := reflect.TypeFor[gompi.Communicator]().Field(0); f.Name != "comm" {
		t.Errorf("the first field of gompi.Communicator is %s, want comm", f.Name)
	}
}

// on calls body with the Comm of a communicator of the library, on the ranks that it has.
func on(c *gompi.Communicator, body func(c mpi.Comm) error) error {
	comm := mpitest.Got(mpi.On(mpi.HandleOf(c), 0))
	mpitest.Need(body(comm))
	return comm.Close()
}

// TestWorldOnConforms runs the conformance suite for a Comm on a communicator of the library, on
// few ranks: they wait for each other in the library, and use the same transports as the launcher's
// ranks.
func TestWorldOnConforms(t *testing.T) {
	world(t, func(c mpi.Comm) error {
		if c.Size() > 4 {
			t.Skip("on up to 4 ranks")
		}
		return on(gompi.NewCommunicator(nil), func(c mpi.Comm) error {
			mpitest.Run(t, func(t *testing.T, body func(c mpi.Comm) error) {
				world(t, func(mpi.Comm) error { return body(c) })
			})
			return nil
		})
	})
}

// TestWorldOnParts makes the two halves of the ranks synchronize separately.
func TestWorldOnParts(t *testing.T) {
	world(t, func(c mpi.Comm) error {
		half := (c.Size() + 1) / 2
		for range 3 {
			for first := 0; first < c.Size(); first += half {
				var ranks []int
				for r := first; r < min(first+half, c.Size()); r++ {
					ranks = append(ranks, r)
				}
				part := gompi.NewCommunicator(ranks)
				if c.Rank() < first || c.Rank() >= first+half {
					continue
				}
				err := on(part, func(c mpi.Comm) error {
					sum := []int64{1}
					mpitest.Need(mpi.Combine(c, mpi.Sum, sum))
					if int(sum[0]) != len(ranks) || c.Size() != len(ranks) {
						return fmt.Errorf("%d of %d ranks have met, want %d", sum[0], c.Size(), len(ranks))
					}
					return nil
				})
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
}
