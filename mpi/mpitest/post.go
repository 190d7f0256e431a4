package mpitest

import (
	"fmt"
	"time"

	"github.com/migbsp/migbsp/mpi"
)

// post makes all ranks post unexpected messages to each other and to themselves, while they send
// and exchange too.
func post(c mpi.Comm) error {
	const rounds = 40
	size := func(src, dst, k int) int { return 1 + (src*31+dst*17+k*k*911)%(mpi.MostPost-1) }
	if src, _, err := c.Poll(0); src >= 0 || err != nil {
		return fmt.Errorf("something has come from rank %d, error %v, before anything was posted", src, err)
	}
	Got(c.Exchange(c.Lane(0), 0))
	right, left := (c.Rank()+1)%c.Size(), (c.Rank()+c.Size()-1)%c.Size()
	next := make([]int, c.Size())
	got := 0
	take := func(patience time.Duration) (bool, error) {
		src, data, err := c.Poll(patience)
		if err != nil || src < 0 {
			return false, err
		}
		k := next[src]
		next[src]++
		got++
		if err := check(data, size(src, c.Rank(), k), seed(src, c.Rank(), k)); err != nil {
			return false, fmt.Errorf("message %d from rank %d: %w", k, src, err)
		}
		return true, nil
	}
	for k := range rounds {
		for dst := range c.Size() {
			Need(mpi.Post(c, dst, Pattern(size(c.Rank(), dst, k), seed(c.Rank(), dst, k))))
		}
		if k%7 == 0 && c.Size() > 1 {
			Need(mpi.Send(c, right, Pattern(100, seed(k, right, 0))))
			data := make([]byte, 100)
			Need(mpi.Recv(c, left, data))
			if err := check(data, 100, seed(k, c.Rank(), 0)); err != nil {
				return fmt.Errorf("sent while others post: %w", err)
			}
		}
		if k%11 == 0 {
			Got(c.Exchange(c.Lane(1), 0))
		}
		Got(take(0))
	}
	for got < rounds*c.Size() {
		Got(take(time.Hour))
	}
	if came, err := take(time.Millisecond); came || err != nil {
		return fmt.Errorf("more has come than was posted, error %v", err)
	}
	_, err := c.Exchange(c.Lane(0), 0)
	return err
}

func postRefuses(c mpi.Comm) error {
	for _, wrong := range []struct {
		dst, n int
	}{{0, 0}, {0, mpi.MostPost + 1}, {-1, 1}, {c.Size(), 1}} {
		if err := mpi.Post(c, wrong.dst, make([]byte, wrong.n)); err == nil {
			return fmt.Errorf("Post(%d, %d bytes) is accepted", wrong.dst, wrong.n)
		}
	}
	_, err := c.Exchange(c.Lane(0), 0)
	return err
}
