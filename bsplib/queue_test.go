package bsplib_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
)

// letter is a message as a test sees it.
func letterText(tag int, values []int) string { return fmt.Sprint(tag, values) }

// readAll takes all messages that are left.
func readAll(q bsplib.Queue[int, int]) (all []string) {
	for tag, values := range q.All() {
		all = append(all, letterText(tag, values))
	}
	return all
}

// A message is copied at the call and arrives in the next superstep, in which alone it can be read;
// a queue can be used in the superstep that makes it. Messages come in the order of the senders'
// pids, and each sender's in the order they were sent, whatever else is sent in between.
func TestRulesOfQueues(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		q, other := bsplib.NewQueue[int, int](b), bsplib.NewQueue[int8, byte](b)
		for i := range 4 {
			for to := range b.NProcs() {
				values := numbers(i, i%3)
				q.Send(to, 10*b.Pid()+i, values...)
				clear(values)
				if i == 2 {
					other.Send(to, int8(b.Pid()), 1, 2, 3)
				}
			}
		}
		lens := []int{q.Len()}
		b.Sync()
		var want []string
		for from := range b.NProcs() {
			for i := range 4 {
				want = append(want, letterText(10*from+i, numbers(i, i%3)))
			}
		}
		lens = append(lens, q.Len(), other.Len())
		got := readAll(q)
		q.Send(b.Pid(), 1)
		q.Send(b.Pid(), 2)
		b.Sync()
		q.Send(b.Pid(), 3)
		for range q.All() {
			break
		}
		lens = append(lens, q.Len(), other.Len())
		b.Sync() // drops what was not read
		return cmp.Or(equal(b, "messages", got, want), equal(b, "the last one", readAll(q), []string{letterText(3, []int{})}),
			equal(b, "numbers of messages", lens, []int{0, 4 * b.NProcs(), b.NProcs(), 1, 0}))
	})
}

// A loop over a queue goes on after a collective, with what that has delivered.
func TestCollectiveWithinAll(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		q := bsplib.NewQueue[int, int](b)
		for i := range 3 {
			q.Send(right(b), i)
		}
		b.Sync()
		var tags []int
		for tag := range q.All() {
			tags = append(tags, tag)
			if tag < 3 {
				q.Send(right(b), tag+10)
			}
			bsplib.Allreduce(b, 1, plus)
		}
		return equal(b, "tags", tags, []int{0, 1, 2, 10, 11, 12})
	})
}

func TestManyAndLongMessages(t *testing.T) {
	for _, c := range []struct{ messages, values int }{{20_000, 1}, {20_000, 0}, {3, 200_000}} {
		t.Run(fmt.Sprintf("%dx%d", c.messages, c.values), func(t *testing.T) {
			bsptest.Run(t, 3, func(b *bsplib.Proc, _ *none) error {
				q := bsplib.NewQueue[int, int](b)
				for i := range c.messages {
					q.Send(right(b), i, numbers(i, c.values)...)
				}
				b.Sync()
				if err := equal(b, "Len, Bytes", []int{q.Len(), q.Bytes()}, []int{c.messages, 8 * c.messages * c.values}); err != nil {
					return err
				}
				i := 0
				for tag, values := range q.All() {
					if tag != i || !slices.Equal(values, numbers(i, c.values)) {
						return fmt.Errorf("process %d: message %d has tag %d", b.Pid(), i, tag)
					}
					i++
				}
				return equal(b, "messages", i, c.messages)
			})
		})
	}
}

func TestLargeTags(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		q := bsplib.NewQueue[[500]int16, byte](b)
		q.Send(right(b), [500]int16{499: int16(b.Pid())}, 1)
		q.Send(right(b), [500]int16{0: 1})
		b.Sync()
		tag, _, _ := q.Next()
		second, _, _ := q.Next()
		return equal(b, "tags", [2]int16{tag[499], second[0]}, [2]int16{int16(left(b)), 1})
	})
}
