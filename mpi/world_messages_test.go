//go:build mpi && cgo

package mpi_test

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/migbsp/migbsp/mpi"
)

// TestWorldMessages counts the messages of a node in empty supersteps, and in those in
// which its ranks have something for a few others: at most 2 log2 N and two for each
// node that gets something, and two more.
func TestWorldMessages(t *testing.T) {
	world(t, func(c mpi.Comm) error {
		nodes := 0
		for r := range c.Size() {
			nodes = max(nodes, c.Node(r)+1)
		}
		rounds := 2 * bits.Len(uint(nodes-1))
		plan := rand.New(rand.NewPCG(7, uint64(c.Size())))
		l := c.Lane(0)
		for round := range 60 {
			partners := make([]map[int]bool, nodes)
			for n := range partners {
				partners[n] = make(map[int]bool)
			}
			for range round % 4 * nodes {
				src, dst, n := plan.IntN(c.Size()), plan.IntN(c.Size()), plan.IntN(20_000)+1
				if from, to := c.Node(src), c.Node(dst); from != to {
					partners[from][to] = true
				}
				if src == c.Rank() {
					l.Out[dst].Grow(n)
					l.Out[dst].Bytes = l.Out[dst].Bytes[:len(l.Out[dst].Bytes)+n]
				}
			}
			before := mpi.Messages(c)
			if _, err := c.Exchange(l, 0); err != nil {
				return err
			}
			sent := make([]int64, nodes)
			sent[c.Node(c.Rank())] = int64(mpi.Messages(c) - before)
			if err := c.Combine(mpi.Sum, sent); err != nil {
				return err
			}
			for n := range sent {
				if most := rounds + 2*len(partners[n]) + 2; int(sent[n]) > most {
					return fmt.Errorf("node %d of %d sent %d messages to %d nodes, want at most %d", n, nodes, sent[n], len(partners[n]), most)
				}
				if len(partners[n]) == 0 && nodes > 1 && int(sent[n]) != mpi.Steps(nodes) {
					return fmt.Errorf("node %d of %d sent %d messages in an empty superstep, want %d", n, nodes, sent[n], mpi.Steps(nodes))
				}
			}
		}
		return nil
	})
}
