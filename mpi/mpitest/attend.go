package mpitest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/migbsp/migbsp/mpi"
)

// attend makes ranks stay away and come back: at first all but one, each in turn, then any. Those
// that are present exchange data that all can derive, on all lanes, and the flags and bytes must
// come from present ranks alone. The bytes of an exchange must stay in memory while the others
// leave and return.
func attend(c mpi.Comm) error {
	plan := rand.New(rand.NewPCG(11, uint64(c.Size())))
	present := make([]bool, c.Size())
	for round := range 40 + c.Size() {
		for r := range present {
			present[r] = plan.IntN(3) > 0
		}
		if round < c.Size() {
			clear(present)
		}
		present[round%c.Size()] = true
		if err := attendOnce(c, plan, round, present); err != nil {
			return fmt.Errorf("round %d, with %v: %w", round, present, err)
		}
	}
	return nil
}

func attendOnce(c mpi.Comm, plan *rand.Rand, round int, present []bool) error {
	all := slices.Repeat([]bool{true}, c.Size())
	exchanges := plan.IntN(5)
	sizes := plan.Uint64()
	Need(someExchange(c, 0, sizes, all, round))
	kept := slices.Clone(c.Lane(0).In)
	note := []byte(fmt.Sprint("note ", round))
	if round%7 == 0 {
		note = nil
	}
	got := Got(c.Attend(present, nil))
	if !present[c.Rank()] {
		if !bytes.Equal(got, note) {
			return fmt.Errorf("note %q, want %q", got, note)
		}
		for r := range present {
			if !mpi.Present(c, r) {
				return fmt.Errorf("rank %d is not present after the recall", r)
			}
		}
	} else {
		if got != nil {
			return fmt.Errorf("a rank that is present has a note, %q", got)
		}
		for r := range present {
			if mpi.Present(c, r) != present[r] {
				return fmt.Errorf("rank %d is present: %v", r, mpi.Present(c, r))
			}
		}
		for k := range exchanges {
			if err := someExchange(c, 1, sizes+uint64(k), present, round); err != nil {
				return fmt.Errorf("exchange %d: %w", k, err)
			}
		}
		for src := range kept {
			if err := check(kept[src], sizeOf(sizes, src, c.Rank()), seed(src, c.Rank(), round)); err != nil {
				return fmt.Errorf("what rank %d sent before others left: %w", src, err)
			}
		}
		for k := range round % 3 {
			if err := someExchange(c, 0, sizes+uint64(k), present, round); err != nil {
				return fmt.Errorf("exchange %d: %w", k, err)
			}
		}
		Got(c.Attend(nil, note))
	}
	for k := range 2 {
		if err := someExchange(c, (round+k)%mpi.Lanes, sizes/3+uint64(k), all, round); err != nil {
			return fmt.Errorf("exchange %d after all are back: %w", k, err)
		}
	}
	sum := []int64{1}
	if err := mpi.Combine(c, mpi.Sum, sum); err != nil || sum[0] != int64(c.Size()) {
		return fmt.Errorf("%d ranks are back, error %v", sum[0], err)
	}
	return nil
}

// sizeOf returns the number of bytes that a rank sends to another; in one of three exchanges some
// are large.
func sizeOf(sizes uint64, src, dst int) int {
	plan := rand.New(rand.NewPCG(sizes, uint64(src)<<32|uint64(dst)))
	switch plan.IntN(6) {
	case 0, 1:
		return plan.IntN(2000)
	case 2:
		if sizes%3 == 0 {
			return plan.IntN(100_000)
		}
	}
	return 0
}

// someExchange tests an exchange among the ranks that are present.
func someExchange(c mpi.Comm, lane int, sizes uint64, present []bool, round int) error {
	l := c.Lane(lane)
	flagOf := func(rank int) mpi.Flags { return 1 << ((rank + round) * 13 % mpi.FlagBits) }
	want := mpi.Flags(0)
	for d := range l.Out {
		if present[d] {
			fill(&l.Out[d], sizeOf(sizes, c.Rank(), d), seed(c.Rank(), d, round))
			want |= flagOf(d)
		}
	}
	got, err := c.Exchange(l, flagOf(c.Rank()))
	if err != nil || got != want {
		return fmt.Errorf("lane %d: flags %#x, want %#x, error %v", lane, got, want, err)
	}
	for src, in := range l.In {
		n := 0
		if present[src] {
			n = sizeOf(sizes, src, c.Rank())
		}
		if err := check(in, n, seed(src, c.Rank(), round)); err != nil {
			return fmt.Errorf("lane %d: %d bytes from rank %d: %w", lane, n, src, err)
		}
	}
	return nil
}

// attendRefuses has calls that need everybody fail while some are away.
func attendRefuses(c mpi.Comm) error {
	if _, err := c.Attend(make([]bool, c.Size()), nil); err == nil {
		return fmt.Errorf("nobody is present, and that is no error")
	}
	if _, err := c.Attend(make([]bool, c.Size()+1), nil); err == nil {
		return fmt.Errorf("a list of too many ranks is no error")
	}
	if _, err := c.Attend(nil, nil); err != nil {
		return fmt.Errorf("a recall of nobody: %w", err)
	}
	if c.Size() == 1 {
		return nil
	}
	present := make([]bool, c.Size())
	present[c.Size()-1] = true
	Got(c.Attend(present, nil))
	if c.Rank() < c.Size()-1 {
		_, err := c.Exchange(c.Lane(0), 0)
		return err
	}
	_, again := c.Attend(present, nil)
	_, long := c.Attend(nil, make([]byte, mpi.MostNote+1))
	for what, err := range map[string]error{
		"Attend": again, "Broadcast": mpi.Broadcast(c, c.Rank(), make([]byte, 1)),
		"Combine": mpi.Combine(c, mpi.Sum, make([]int64, 1)), "a long note": long,
	} {
		if err == nil {
			return fmt.Errorf("%s is no error while others are away", what)
		}
	}
	Got(c.Attend(nil, make([]byte, mpi.MostNote)))
	_, err := c.Exchange(c.Lane(0), 0)
	return err
}
