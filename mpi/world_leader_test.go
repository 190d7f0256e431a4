//go:build mpi && cgo

package mpi_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/mpi/mpitest"
)

// TestWorldLeaderFails sees an exchange that the first rank of a node cannot make end on all
// ranks of the node, here as other nodes are in another one.
func TestWorldLeaderFails(t *testing.T) {
	world(t, func(c mpi.Comm) error {
		nodes := 0
		for r := range c.Size() {
			nodes = max(nodes, c.Engine().Nodes[r]+1)
		}
		if nodes == 1 || mpi.Rounds(c, nodes) > 1 { // a node may wait for another that has failed
			return nil
		}
		all := mpitest.Got(mpi.Again(c))
		lane := 0
		if c.Engine().Nodes[c.Rank()] > 0 {
			lane = 1
		}
		if _, err := all.Exchange(all.Lane(lane), 0); err == nil {
			return errors.New("ranks that are in different exchanges have come out of them")
		}
		return nil
	})
}

// TestWorldRankFails sees a rank that has failed, before it has arrived at an exchange or when
// it has left one, end the waiting of all others of its node, whatever they wait in.
func TestWorldRankFails(t *testing.T) {
	wait := map[string]func(c mpi.Comm, of int) error{
		"Exchange": func(c mpi.Comm, _ int) error { _, err := c.Exchange(c.Lane(0), 0); return err },
		"Recv":     func(c mpi.Comm, of int) error { return mpi.Recv(c, of, make([]byte, 8)) },
	}
	for _, name := range slices.Sorted(maps.Keys(wait)) {
		for _, last := range []bool{false, true} { // the first of a node is its leader
			world(t, func(c mpi.Comm) error {
				all := mpitest.Got(mpi.Again(c))
				var here []int
				for r := range all.Size() {
					if all.Engine().Nodes[r] == all.Engine().Nodes[all.Rank()] {
						here = append(here, r)
					}
				}
				victim := here[0]
				if last {
					victim = here[len(here)-1]
				}
				for range 3 {
					mpitest.Got(all.Exchange(all.Lane(1), 0))
				}
				made := errors.New("made by a test")
				if all.Rank() == victim {
					mpi.Fail(all, made)
				}
				err := wait[name](all, victim)
				if all.Rank() == victim && !errors.Is(err, made) || err == nil {
					return fmt.Errorf("%s after a failure of rank %d: error %v", name, victim, err)
				}
				if _, err := all.Exchange(all.Lane(0), 0); err == nil {
					return fmt.Errorf("an exchange after a failure of rank %d, and after that of %s, has no error", victim, name)
				}
				return nil
			})
		}
	}
}
