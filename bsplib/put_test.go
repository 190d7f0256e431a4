package bsplib_test

import (
	"cmp"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
)

func TestPutReachesTheNeighbour(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		x := bsplib.Register(b, make([]int, 4))
		b.Sync()
		x.Put(right(b), 1, 10+b.Pid(), 20+b.Pid())
		x.Put(right(b), 3, 30+b.Pid())
		b.Sync()
		return equal(b, "the area", x.Slice(), []int{0, 10 + left(b), 20 + left(b), 30 + left(b)})
	})
}

func TestPutCopiesAtTheCall(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		x := bsplib.Register(b, make([]int, 3))
		b.Sync()
		values := numbers(10*b.Pid(), 3)
		x.Put(right(b), 0, values...)
		clear(values)
		b.Sync()
		return equal(b, "the area", x.Slice(), numbers(10*left(b), 3))
	})
}

// The source may be the area itself, which then changes at once and again in
// Sync.
func TestPutFromTheSameArea(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		x := bsplib.Register(b, numbers(10*b.Pid(), 3))
		b.Sync()
		x.Put(right(b), 0, x.Slice()...)
		clear(x.Slice())
		b.Sync()
		return equal(b, "the area", x.Slice(), numbers(10*left(b), 3))
	})
}

func TestPutIsNotSeenBeforeSync(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		x := bsplib.Register(b, []int{-1})
		b.Sync()
		for to := range b.NProcs() {
			x.Put(to, 0, 1)
		}
		before := x.Slice()[0]
		b.Sync()
		return cmp.Or(equal(b, "before Sync", before, -1), equal(b, "after Sync", x.Slice()[0], 1))
	})
}

func TestPutOverwritesLocalChanges(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		x := bsplib.Register(b, make([]int, 2))
		b.Sync()
		x.Put(b.Pid(), 0, 7)
		x.Slice()[0], x.Slice()[1] = 8, 8
		b.Sync()
		return equal(b, "the area", x.Slice(), []int{7, 8})
	})
}

// Where processes put to the same elements, the highest pid wins: each process
// covers two tiles, and the next one's covers the second.
func TestOverlappingPutsLieLikeRoofTiles(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		p := b.NProcs()
		x := bsplib.Register(b, make([]int, p+1))
		b.Sync()
		for to := range p {
			x.Put(to, b.Pid(), 10+b.Pid(), 20+b.Pid())
		}
		b.Sync()
		return equal(b, "the tiles", x.Slice(), append(numbers(10, p), 20+p-1))
	})
}

// The same with every process's tile inside the one before.
func TestOverlappingPutsLieLikeAPyramid(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		p := b.NProcs()
		x := bsplib.Register(b, make([]int, 2*p))
		b.Sync()
		layer := make([]int, 2*(p-b.Pid()))
		for i := range layer {
			layer[i] = b.Pid()
		}
		for to := range p {
			x.Put(to, b.Pid(), layer...)
		}
		b.Sync()
		for i := range p {
			if err := cmp.Or(equal(b, "left side", x.Slice()[i], i), equal(b, "right side", x.Slice()[2*p-1-i], i)); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestLaterPutOfAProcessWins(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		x := bsplib.Register(b, make([]byte, 9))
		b.Sync()
		x.Put(right(b), 0, 1, 1, 1, 1, 1, 1, 1, 1)
		x.Put(right(b), 8, 1)
		x.Put(right(b), 2, 2, 2, 2)
		x.Put(right(b), 5, 3, 3)
		x.Put(right(b), 3, 4)
		b.Sync()
		return equal(b, "the area", x.Slice(), []byte{1, 1, 2, 4, 2, 3, 3, 1, 1})
	})
}

// Memory registered twice has one order of writing, not one for each area.
func TestPutsThroughTwoAreasOfOneMemory(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		mem := make([]int, 5)
		all, middle := bsplib.Register(b, mem), bsplib.Register(b, mem[1:4])
		b.Sync()
		all.Put(right(b), 0, 1, 1, 1, 1)
		middle.Put(right(b), 0, 2, 2)
		all.Put(right(b), 2, 3)
		middle.Put(right(b), 2, 4)
		b.Sync()
		return equal(b, "the memory", mem, []int{1, 2, 3, 4, 0})
	})
}

// Puts that go on where the last one ended share a header; one that does not
// fill a whole word ends that, as do other operations in between.
func TestPutsThatGoOn(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		x := bsplib.Register(b, make([]byte, 200))
		y := bsplib.Register(b, make([]byte, 200))
		q := bsplib.NewQueue[byte, byte](b)
		b.Sync()
		want := make([]byte, 200)
		at := 0
		for i, n := range []int{8, 8, 16, 3, 5, 8, 8, 1, 8, 24, 8, 8, 7, 1, 8} {
			values := make([]byte, n)
			for k := range values {
				values[k] = byte(i + 1)
			}
			x.Put(right(b), at, values...)
			if i%4 == 3 {
				y.Put(right(b), at, values...)
				q.Send(right(b), 1)
			}
			copy(want[at:], values)
			at += n
		}
		b.Sync()
		return equal(b, "the area", x.Slice(), want)
	})
}

func TestPutsWithGaps(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		x, y := bsplib.Register(b, make([]int, 8)), bsplib.Register(b, make([]int, 8))
		b.Sync()
		for _, at := range []int{0, 2, 3, 1, 6, 5} {
			x.Put(right(b), at, 10+at)
		}
		for _, at := range []int{4, 0, 6} {
			y.Put(right(b), at, 10+at, 11+at)
		}
		b.Sync()
		return cmp.Or(
			equal(b, "single values", x.Slice(), []int{10, 11, 12, 13, 0, 15, 16, 0}),
			equal(b, "pairs", y.Slice(), []int{10, 11, 0, 0, 14, 15, 16, 17}))
	})
}

func TestPutOfNothingLooksAtNothing(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		var unregistered bsplib.Area[int]
		x := bsplib.Register(b, make([]int, 1))
		for _, a := range []bsplib.Area[int]{unregistered, x} {
			a.Put(-1, -1)
			a.HPPut(1000, 1000)
			a.Put(0, 0, []int{}...)
		}
		b.Sync()
		x.Pop()
		b.Sync()
		x.Put(0, 0)
		x.HPPut(0, 5, []int(nil)...)
		b.Sync()
		return nil
	})
}
