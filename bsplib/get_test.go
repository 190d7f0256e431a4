package bsplib_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
)

// A Get reads what the elements hold at the end of the superstep, not at the
// call.
func TestGetReadsAtTheEndOfTheSuperstep(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		x := bsplib.Register(b, []int{1, 2, 3})
		b.Sync()
		to := make([]int, 2)
		x.Get(right(b), 1, to)
		x.Slice()[2] = 10 + b.Pid()
		before := slices.Clone(to)
		b.Sync()
		return cmp.Or(
			equal(b, "before Sync", before, []int{0, 0}),
			equal(b, "after Sync", to, []int{2, 10 + right(b)}))
	})
}

func TestGetReadsBeforePutsWrite(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		x := bsplib.Register(b, []int{b.Pid()})
		b.Sync()
		to := make([]int, 1)
		x.Put(right(b), 0, 100+b.Pid())
		x.Get(right(b), 0, to)
		b.Sync()
		return cmp.Or(equal(b, "what was got", to[0], right(b)), equal(b, "what was put", x.Slice()[0], 100+left(b)))
	})
}

func TestPutsWriteAfterGetsHaveWritten(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		x := bsplib.Register(b, []int{1, 2, 3})
		b.Sync()
		x.Put(right(b), 1, 9)
		x.Get(left(b), 0, x.Slice()[:2])
		b.Sync()
		return equal(b, "the area", x.Slice(), []int{1, 9, 3})
	})
}

// All Gets of all processes read before any of them writes, also where one
// writes what another reads.
func TestGetsReadBeforeAnyWrites(t *testing.T) {
	for _, n := range []int{1, 3, 5000} {
		t.Run(fmt.Sprintf("%dElements", n), func(t *testing.T) {
			bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
				x := bsplib.Register(b, numbers(1000*b.Pid(), n))
				b.Sync()
				for round := 1; round <= 3; round++ {
					x.Get(right(b), 0, x.Slice())
					b.Sync()
					first := 1000 * ((b.Pid() + round) % b.NProcs())
					if !slices.Equal(x.Slice(), numbers(first, n)) {
						return fmt.Errorf("process %d, round %d: got %d..., want %d...", b.Pid(), round, x.Slice()[0], first)
					}
				}
				return nil
			})
		})
	}
}

func TestGetFromOneself(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		x := bsplib.Register(b, numbers(0, 4))
		b.Sync()
		x.Get(b.Pid(), 0, x.Slice()[1:])
		b.Sync()
		return equal(b, "the area", x.Slice(), []int{0, 0, 1, 2})
	})
}

// What a process writes to the destination before Sync is overwritten.
func TestGetOverwritesLocalChanges(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		x := bsplib.Register(b, []int{b.Pid()})
		b.Sync()
		to := []int{0}
		x.Get(right(b), 0, to)
		to[0] = 77
		b.Sync()
		return equal(b, "what was got", to[0], right(b))
	})
}

// Where the destinations of a process's Gets overlap, the later one wins;
// short ones, long ones, and more than are kept in view.
func TestLaterGetOfAProcessWins(t *testing.T) {
	for _, n := range []int{2, 1024, 3000} {
		t.Run(fmt.Sprintf("%dElements", n), func(t *testing.T) {
			bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
				const gets = 40
				x := bsplib.Register(b, numbers(0, n+gets))
				b.Sync()
				to, want := make([]int, n+gets), make([]int, n+gets)
				for i := range gets {
					at := i * 7 % gets
					x.Get(right(b), i, to[at:at+n])
					copy(want[at:], numbers(i, n))
				}
				b.Sync()
				return equal(b, "the destination is right", slices.Equal(to, want), true)
			})
		})
	}
}

func TestGetsOfOddLengths(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		mem := make([]byte, 100)
		makePattern(mem, uint64(b.Pid()))
		want := make([]byte, 100)
		makePattern(want, uint64(right(b)))
		x := bsplib.Register(b, mem)
		b.Sync()
		to := make([]byte, 100)
		at := 0
		for _, n := range []int{1, 8, 3, 16, 7, 5, 9, 24, 27} {
			x.Get(right(b), at, to[at:at+n])
			at += n
		}
		b.Sync()
		return equal(b, "what was got", to, want)
	})
}

// Of overlapping short and long Gets in turn the later ones win too: a long one
// may be quicker, but not overtake.
func TestLongGetDoesNotOvertake(t *testing.T) {
	const n = 3000
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		x := bsplib.Register(b, numbers(0, n+30))
		b.Sync()
		to, want := make([]int, n), make([]int, n)
		for i := range 15 {
			at, length := i*50, 30
			if i%3 == 1 {
				at, length = i, n-i
			}
			x.Get(right(b), 2*i, to[at:at+length])
			copy(want[at:], numbers(2*i, length))
		}
		b.Sync()
		return equal(b, "the destination is right", slices.Equal(to, want), true)
	})
}

// A long Get whose destination lies in memory that others read must wait for
// them, whether it was registered before, in this superstep, or is to go.
func TestLongGetsIntoAreas(t *testing.T) {
	const n = 4000
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		x := bsplib.Register(b, numbers(b.Pid(), n))
		gone := bsplib.Register(b, numbers(10+b.Pid(), n))
		b.Sync()
		to := make([]int, n)
		x.Get(right(b), 0, gone.Slice())
		gone.Get(left(b), 0, x.Slice())
		gone.Get(right(b), 0, to)
		gone.Pop()
		mem := gone.Slice()
		b.Sync()
		return cmp.Or(
			equal(b, "the popped area", mem[n-1], right(b)+n-1),
			equal(b, "the area", x.Slice()[n-1], 10+left(b)+n-1),
			equal(b, "the memory", to[n-1], 10+right(b)+n-1))
	})
}

func TestHPGet(t *testing.T) {
	for _, n := range []int{1, 100, 100_000} {
		t.Run(fmt.Sprintf("%dElements", n), func(t *testing.T) {
			bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
				x, y := bsplib.Alloc[int](b, n), bsplib.Register(b, numbers(b.Pid(), n))
				b.Sync()
				copy(x.Slice(), y.Slice())
				b.Sync()
				to := make([]int, 2*n)
				x.HPGet(right(b), 0, to[:n])
				y.HPGet(left(b), 0, to[n:])
				b.Sync()
				want := append(numbers(right(b), n), numbers(left(b), n)...)
				return equal(b, "the destination is right", slices.Equal(to, want), true)
			})
		})
	}
}

func TestGetsWithEverythingElse(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		x := bsplib.Register(b, []int{b.Pid(), -1})
		q := bsplib.NewQueue[int32, int](b)
		b.Sync()
		to := make([]int, b.NProcs())
		for from := range to {
			q.Send(from, int32(b.Pid()), from)
			x.Get(from, 0, to[from:from+1])
			x.Put(from, 1, b.Pid())
		}
		y := bsplib.Register(b, []int{-b.Pid()})
		b.Sync()
		y.Get(right(b), 0, to[:1])
		n := q.Len()
		b.Sync()
		return cmp.Or(
			equal(b, "messages", n, b.NProcs()),
			equal(b, "what was got", to, append([]int{-right(b)}, numbers(1, b.NProcs()-1)...)),
			equal(b, "the area", x.Slice(), []int{b.Pid(), b.NProcs() - 1}))
	})
}

func TestGetOfNothingLooksAtNothing(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		var unregistered bsplib.Area[int]
		x := bsplib.Register(b, make([]int, 1))
		for _, a := range []bsplib.Area[int]{unregistered, x} {
			a.Get(-1, -1, nil)
			a.HPGet(1000, 1000, []int{})
		}
		b.Sync()
		return nil
	})
}
