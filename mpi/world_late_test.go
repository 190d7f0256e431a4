//go:build mpi && cgo

package mpi_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/mpi/mpitest"
)

// TestWorldLateRounds sees rounds end of which all messages come at once, with pieces that
// were sent before.
func TestWorldLateRounds(t *testing.T) {
	world(t, func(c mpi.Comm) error {
		if c.Size() == 1 {
			return nil
		}
		return mpi.LateRounds(c)
	})
}

// TestWorldOnePiece sees that a piece which is a parcel takes no memory besides.
func TestWorldOnePiece(t *testing.T) {
	world(t, func(c mpi.Comm) error {
		one := mpitest.Got(mpi.Again(c))
		present, nodes := make([]bool, c.Size()), make(map[int]bool)
		for r := range present { // a rank of each node
			present[r] = !nodes[c.Engine().Nodes[r]]
			nodes[c.Engine().Nodes[r]] = true
		}
		mpitest.Got(one.Attend(present, nil))
		l := one.Lane(0)
		if !present[c.Rank()] {
			_, err := one.Exchange(l, 0)
			return err
		}
		const n = 3 << 20
		for dst := range l.Out {
			if present[dst] {
				l.Out[dst].Grow(n)
				l.Out[dst].Bytes = l.Out[dst].Bytes[:n]
			}
		}
		mpitest.Got(one.Exchange(l, 0))
		if kept := mpi.Packed(one); kept > 0 {
			return fmt.Errorf("%d bytes for %d pieces", kept, len(nodes)-1)
		}
		mpitest.Got(one.Attend(nil, nil))
		_, err := one.Exchange(l, 0)
		return err
	})
}

// TestWorldLateSends sees that pieces get to their ranks while those that have sent them wait
// in the next exchange already. Sockets are full then, in a run over TCP with small buffers.
func TestWorldLateSends(t *testing.T) {
	world(t, func(c mpi.Comm) error {
		plan := rand.New(rand.NewPCG(3, uint64(c.Size())))
		l := c.Lane(0)
		for range 100 {
			for range 1 + c.Size()/2 {
				src, dst, n := plan.IntN(c.Size()), plan.IntN(c.Size()), 48<<10+plan.IntN(64<<10)
				if src == c.Rank() && len(l.Out[dst].Bytes) == 0 {
					l.Out[dst].Grow(n)
					l.Out[dst].Bytes = l.Out[dst].Bytes[:n]
				}
			}
			for range 2 {
				mpitest.Got(c.Exchange(l, 0))
			}
		}
		return nil
	})
}
