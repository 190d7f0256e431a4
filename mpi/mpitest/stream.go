package mpitest

import (
	"fmt"

	"github.com/migbsp/migbsp/mpi"
)

// sendRecv makes every rank send several messages to all others before it receives.
func sendRecv(c mpi.Comm) error {
	for _, lengths := range [][]int{{0, 1, 1000}, {1 << 20, 4 << 20}} {
		for dst := range c.Size() {
			for _, n := range lengths {
				if n := Fewer(c, n, c.Rank(), dst); dst != c.Rank() {
					Need(mpi.Send(c, dst, Pattern(n, seed(c.Rank(), dst, n))))
				}
			}
		}
		for src := range c.Size() {
			for _, n := range lengths {
				if got := make([]byte, Fewer(c, n, src, c.Rank())); src != c.Rank() {
					Need(mpi.Recv(c, src, got))
					if err := check(got, len(got), seed(src, c.Rank(), len(got))); err != nil {
						return fmt.Errorf("from rank %d: %w", src, err)
					}
				}
			}
		}
	}
	return nil
}
