package mpitest

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"

	"github.com/migbsp/migbsp/mpi"
)

// runs gives and takes runs between ranks, each with the next ones, of all channels and of
// several lengths, at the same time. Some are taken before they are announced.
func runs(c mpi.Comm) error {
	far := c.Engine().RunsFrom
	lengths := func(other int) []int { // long ones if runs to that rank are useful
		if far == nil || far[other] == 0 {
			return []int{1, 4096, 200 << 10, 0, 70_001, 5, 3}
		}
		return []int{1, 4096, 200 << 10, 4<<20 - 1, 4 << 20, 9<<20 + 7, 3}
	}
	on := []mpi.Channel{mpi.Puts, mpi.Gets, mpi.Moves}
	var next, last []int // receivers and senders of runs
	for i := 1; i < min(c.Size(), 5); i++ {
		next = append(next, (c.Rank()+i)%c.Size())
		last = append(last, (c.Rank()+c.Size()-i)%c.Size())
	}
	for round := range 2 {
		type taken struct {
			data []byte
			seed uint64
			run  mpi.Run
		}
		var all []taken
		var kept [][]byte
		for _, other := range next {
			for i, n := range lengths(other) {
				data := slices.Clone(Pattern(n, seed(c.Rank(), other, i+round)))
				Need(c.Give(other, on[i%3], data, i%2 > 0))
				if i%2 > 0 {
					clear(data)
				}
				kept = append(kept, data)
			}
		}
		take := func(from, to int) {
			for _, other := range last {
				for i, n := range lengths(other)[from:to] {
					i += from
					t := taken{data: make([]byte, n), seed: seed(other, c.Rank(), i+round)}
					t.run = c.Take(other, on[i%3], t.data)
					all = append(all, t)
				}
			}
		}
		take(0, 2)
		Got(c.Exchange(c.Lane(0), 0))
		take(2, len(lengths(0)))
		for _, t := range all { // after Landed(n) the first n bytes are final
			n := len(t.data)
			want := Pattern(n, t.seed)
			for _, part := range []int{n / 2, n} {
				Need(t.run.Landed(part))
				if !bytes.Equal(t.data[:part], want[:part]) {
					return fmt.Errorf("the first %d of %d bytes arrived changed", part, n)
				}
			}
		}
		for _, on := range on {
			Need(c.Settle(on))
		}
		runtime.KeepAlive(kept)
	}
	if src, _, err := c.Poll(-1); src >= 0 || err != nil {
		return fmt.Errorf("rank %d has posted something, error %v", src, err)
	}
	return apart(c)
}

// apart takes the runs of two channels in another order, and drops each when it has arrived.
func apart(c mpi.Comm) error {
	next, last := (c.Rank()+1)%c.Size(), (c.Rank()+c.Size()-1)%c.Size()
	Need(mpi.Send(c, next, Pattern(100, seed(c.Rank(), next, 0))))
	Need(c.Give(next, mpi.Moves, Pattern(100, seed(c.Rank(), next, 1)), true))
	got := make([]byte, 100)
	run := c.Take(last, mpi.Moves, got)
	Need(run.Landed(100))
	Need(run.Drop())
	Need(check(got, 100, seed(last, c.Rank(), 1)))
	Need(mpi.Recv(c, last, got))
	if err := check(got, 100, seed(last, c.Rank(), 0)); err != nil {
		return fmt.Errorf("of another channel: %w", err)
	}
	return c.Settle(mpi.Moves)
}

// attached reads and writes ordinary memory of the neighbors, if the kernel can copy it.
func attached(c mpi.Comm) error {
	const n, part, at = 300_000, 1000, 7
	mem := slices.Clone(Pattern(n, seed(c.Rank(), 0, 0)))
	refs := Got(exchangeRefs(c, c.Share(mem)))
	right, left := (c.Rank()+1)%c.Size(), (c.Rank()+c.Size()-1)%c.Size()
	copies := func(rank int) bool { return c.Copy(rank, refs[rank], 0, nil, true) == nil }
	if copies(right) {
		if c.Reach(right, refs[right]) != nil {
			return fmt.Errorf("rank %d reaches memory that is not shared", c.Rank())
		}
		got := make([]byte, n-at)
		Need(c.Copy(right, refs[right], at, got, false))
		if !bytes.Equal(got, Pattern(n, seed(right, 0, 0))[at:]) {
			return fmt.Errorf("what came from rank %d is not what it has", right)
		}
	}
	Got(c.Exchange(c.Lane(0), 0))
	if copies(right) {
		Need(c.Copy(right, refs[right], at, Pattern(part, seed(c.Rank(), right, 1)), true))
	}
	Got(c.Exchange(c.Lane(0), 0))
	want := slices.Clone(Pattern(n, seed(c.Rank(), 0, 0)))
	if copies(left) {
		copy(want[at:], Pattern(part, seed(left, c.Rank(), 1)))
	}
	if !bytes.Equal(mem, want) {
		return fmt.Errorf("rank %d did not write what it should", left)
	}
	if c.Copy(left, 0, 0, nil, true) == nil || copies(c.Rank()) {
		return fmt.Errorf("rank %d attaches to no memory, or to its own", c.Rank())
	}
	runtime.KeepAlive(mem)
	return nil
}
