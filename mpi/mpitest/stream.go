package mpitest

import (
	"fmt"

	"github.com/migbsp/migbsp/mpi"
)

func sendRecv(c mpi.Comm) error {
	for _, n := range []int{0, 1, 1000, 1 << 20} {
		for src := range c.Size() {
			for dst := range c.Size() {
				if src == dst {
					continue
				}
				if c.Rank() == src {
					if err := mpi.Send(c, dst, pattern(n, seed(src, dst, n))); err != nil {
						return err
					}
				}
				if c.Rank() == dst {
					got := make([]byte, n)
					if err := mpi.Recv(c, src, got); err != nil {
						return err
					}
					if err := check(got, n, seed(src, dst, n)); err != nil {
						return fmt.Errorf("from rank %d: %w", src, err)
					}
				}
			}
		}
	}
	return nil
}

// mutualLargeSends has every rank send before it receives.
func mutualLargeSends(c mpi.Comm) error {
	const n = 4 << 20
	right, left := (c.Rank()+1)%c.Size(), (c.Rank()+c.Size()-1)%c.Size()
	for round := range 2 {
		if err := mpi.Send(c, right, pattern(n, seed(c.Rank(), right, round))); err != nil {
			return err
		}
	}
	got := make([]byte, n)
	for round := range 2 {
		if err := mpi.Recv(c, left, got); err != nil {
			return err
		}
		if err := check(got, n, seed(left, c.Rank(), round)); err != nil {
			return fmt.Errorf("round %d from rank %d: %w", round, left, err)
		}
	}
	return nil
}
