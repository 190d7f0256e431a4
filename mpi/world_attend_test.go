//go:build mpi && cgo

package mpi_test

import (
	"fmt"
	"testing"

	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/mpi/mpitest"
)

// TestWorldMessagesOfThosePresent counts the messages of empty supersteps while ranks are
// away: those on one node send none, and the nodes that are left as many as if there were
// no others. The absent send none at all.
func TestWorldMessagesOfThosePresent(t *testing.T) {
	world(t, func(c mpi.Comm) error {
		for least := range c.Size() {
			present, nodes := make([]bool, c.Size()), make(map[int]int) // their numbers among these
			for r := least; r < c.Size(); r += 1 + least {
				present[r] = true
				if _, known := nodes[c.Engine().Nodes[r]]; !known {
					nodes[c.Engine().Nodes[r]] = len(nodes)
				}
			}
			const supersteps = 20
			begun := mpi.Messages(c)
			mpitest.Got(c.Attend(present, nil))
			if present[c.Rank()] {
				for range supersteps {
					mpitest.Got(c.Exchange(c.Lane(0), 0))
				}
			}
			sent := mpi.Messages(c) - begun
			if present[c.Rank()] {
				mpitest.Got(c.Attend(nil, nil))
			}
			if got := mpi.Messages(c) - begun; !present[c.Rank()] && got != 0 {
				return fmt.Errorf("rank %d sent %d messages while it was away", c.Rank(), got)
			}
			byNode := make([]int64, c.Size())
			byNode[c.Engine().Nodes[c.Rank()]] = int64(sent)
			mpitest.Got(c.Exchange(c.Lane(0), 0))
			mpitest.Need(mpi.Combine(c, mpi.Sum, byNode))
			for node, sent := range byNode {
				want := 0
				if n, here := nodes[node]; here && len(nodes) > 1 {
					want = supersteps * mpi.Steps(c, len(nodes), n)
				}
				if int(sent) != want {
					return fmt.Errorf("node %d sent %d messages in %d supersteps of %d nodes, want %d", node, sent, supersteps, len(nodes), want)
				}
			}
		}
		return nil
	})
}
