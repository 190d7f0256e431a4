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
					if err := c.Send(dst, pattern(n, seed(src, dst, n))); err != nil {
						return err
					}
				}
				if c.Rank() == dst {
					got := make([]byte, n)
					if err := c.Recv(src, got); err != nil {
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
		if err := c.Send(right, pattern(n, seed(c.Rank(), right, round))); err != nil {
			return err
		}
	}
	got := make([]byte, n)
	for round := range 2 {
		if err := c.Recv(left, got); err != nil {
			return err
		}
		if err := check(got, n, seed(left, c.Rank(), round)); err != nil {
			return fmt.Errorf("round %d from rank %d: %w", round, left, err)
		}
	}
	return nil
}

// split halves the ranks with the order turned round, and leaves rank 0 out of
// a second split.
func split(c mpi.Comm) error {
	half, err := c.Split(c.Rank()%2, -c.Rank())
	if err != nil {
		return err
	}
	members := (c.Size() + 1 - c.Rank()%2) / 2
	wantRank := members - 1 - c.Rank()/2
	if half.Size() != members || half.Rank() != wantRank {
		return fmt.Errorf("rank %d is %d of %d in its half, want %d of %d", c.Rank(), half.Rank(), half.Size(), wantRank, members)
	}
	v := []int64{int64(c.Rank())}
	if err := half.Combine(mpi.Sum, v); err != nil {
		return err
	}
	want := int64(0)
	for r := c.Rank() % 2; r < c.Size(); r += 2 {
		want += int64(r)
	}
	if v[0] != want {
		return fmt.Errorf("sum over the half is %d, want %d", v[0], want)
	}
	if err := randomExchanges(half); err != nil {
		return fmt.Errorf("in the half: %w", err)
	}
	if err := half.Close(); err != nil {
		return err
	}
	color := 0
	if c.Rank() == 0 {
		color = -1
	}
	rest, err := c.Split(color, 0)
	if err != nil {
		return err
	}
	if c.Rank() == 0 {
		if rest != nil {
			return fmt.Errorf("a negative color got a Comm")
		}
		return nil
	}
	if rest.Size() != c.Size()-1 || rest.Rank() != c.Rank()-1 {
		return fmt.Errorf("rank %d is %d of %d without rank 0", c.Rank(), rest.Rank(), rest.Size())
	}
	return rest.Close()
}
