package bsplib_test

import (
	"cmp"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
)

// Loops of Puts and of messages of one word take effect in program order, whatever comes
// between them, and whether a loop goes on behind it or another one begins.
func TestLoopsOfWords(t *testing.T) {
	const n = 3000
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		x, y := bsplib.Alloc[int](b, n), bsplib.Alloc[int](b, n)
		q, other := bsplib.NewQueue[int32, int](b), bsplib.NewQueue[int16, int](b)
		b.Sync()
		var want []int
		for round := range 3 {
			to, base := right(b), 1000*b.Pid()
			for i := range n {
				x.Put(to, i, base+i)
				switch {
				case i%500 == 100: // goes back, and is overwritten by what follows
					x.Put(to, i+1, -1)
				case i%500 == 200: // writes over what the loop has written
					x.Put(to, i-10, -base-i, -base-i)
				case i%500 == 300:
					y.Put(to, i, base+i)
				case i%500 == 400:
					other.Send(to, int16(i), base+i)
				case i%1000 == 450:
					x.Put(b.Pid(), i, 1) // in front of, or behind, those of another process
				case i > 2000 && i%2 == 0:
					y.Put(to, i, base+i)
				}
			}
			for i := range n + round { // odd and even numbers of them
				q.Send(to, int32(-i), base+i)
				if i%700 == 600 {
					q.Send(to, 7, 1, 2, 3)
					y.Put(to, 0, base+i)
				}
			}
			b.Sync()
			base = 1000 * left(b)
			want = want[:0]
			for i := range n {
				switch {
				case i%1000 == 450 && b.Pid() >= left(b):
					want = append(want, 1)
				case i%500 == 190 || i%500 == 191:
					want = append(want, -base-(i/500*500+200))
				default:
					want = append(want, base+i)
				}
			}
			for i, w := range want {
				if err := equal(b, "a word of the area", x.Slice()[i], w); err != nil {
					return err
				}
			}
			for i := range n + round {
				tag, values, _ := q.Next()
				if err := cmp.Or(equal(b, "a tag", tag, int32(-i)), equal(b, "a message", values, []int{base + i})); err != nil {
					return err
				}
				if i%700 == 600 {
					tag, values, _ := q.Next()
					if err := cmp.Or(equal(b, "a tag", tag, int32(7)), equal(b, "a longer message", values, []int{1, 2, 3})); err != nil {
						return err
					}
				}
			}
			if err := cmp.Or(equal(b, "messages left", q.Len(), 0), equal(b, "messages of the other queue", other.Len(), n/500),
				equal(b, "y[0]", y.Slice()[0], base+2700), equal(b, "y[2302]", y.Slice()[2302], base+2302)); err != nil {
				return err
			}
		}
		return nil
	})
}

// A loop that goes on over the end of the area is refused where it leaves it.
func TestLoopOverTheEnd(t *testing.T) {
	err := bsplib.Run(bsplib.Config{Procs: 2, Ranks: 2}, func(b *bsplib.Proc, _ *none) error {
		x := bsplib.Alloc[int](b, 100)
		b.Sync()
		for i := range 101 {
			x.Put(right(b), i, i)
		}
		b.Sync()
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "[100:101]") {
		t.Errorf("a Put behind the end: %v", err)
	}
}
