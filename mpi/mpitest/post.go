package mpitest

import (
	"fmt"
	"time"

	"github.com/migbsp/migbsp/mpi"
)

// post has all ranks, itself included, post to each other what they do not expect, while
// they send and exchange too.
func post(c mpi.Comm) error {
	const rounds = 40
	size := func(src, dst, k int) int { return 1 + (src*31+dst*17+k*k*911)%(mpi.MostPost-1) }
	if src, _, err := c.Poll(0); src >= 0 || err != nil {
		return fmt.Errorf("something has come from rank %d, error %v, before anything was posted", src, err)
	}
	if _, err := c.Exchange(c.Lane(0), 0); err != nil {
		return err
	}
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
			if err := mpi.Post(c, dst, Pattern(size(c.Rank(), dst, k), seed(c.Rank(), dst, k))); err != nil {
				return err
			}
		}
		if k%7 == 0 && c.Size() > 1 {
			if err := mpi.Send(c, right, Pattern(100, seed(k, right, 0))); err != nil {
				return err
			}
			data := make([]byte, 100)
			if err := mpi.Recv(c, left, data); err != nil {
				return err
			}
			if err := check(data, 100, seed(k, c.Rank(), 0)); err != nil {
				return fmt.Errorf("sent while others post: %w", err)
			}
		}
		if k%11 == 0 {
			if _, err := c.Exchange(c.Lane(1), 0); err != nil {
				return err
			}
		}
		if _, err := take(0); err != nil {
			return err
		}
	}
	for got < rounds*c.Size() {
		if _, err := take(time.Hour); err != nil {
			return err
		}
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
