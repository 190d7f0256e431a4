//go:build mpi && cgo

package mpi_test

import (
	"errors"
	"testing"

	"github.com/migbsp/migbsp/mpi"
)

// TestWorldLeaderFails sees an exchange that the first rank of a node cannot make end on all
// ranks of the node, here as other nodes are in another one.
func TestWorldLeaderFails(t *testing.T) {
	world(t, func(c mpi.Comm) error {
		nodes := 0
		for r := range c.Size() {
			nodes = max(nodes, c.Node(r)+1)
		}
		if nodes == 1 || nodes > 8 { // with more a node may wait for another that has failed
			return nil
		}
		all, err := c.Split(0, c.Rank())
		if err != nil {
			return err
		}
		lane := 0
		if c.Node(c.Rank()) > 0 {
			lane = 1
		}
		if _, err := all.Exchange(all.Lane(lane), 0); err == nil {
			return errors.New("ranks that are in different exchanges have come out of them")
		}
		return nil
	})
}
