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

// What is asked of a queue whose next message has three values, which shrinks to one that is empty.
func TestTakingMessages(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		q := bsplib.NewQueue[int32, int64](b)
		q.Send(right(b), 1, 1, 2, 3)
		q.Send(right(b), 2)
		for tag := int32(3); tag < 6; tag++ {
			q.Send(right(b), tag, 4, 5, 6)
		}
		b.Sync()
		first, n, ok := q.Peek()
		again, _, _ := q.Peek()
		left := [][2]int{{q.Len(), q.Bytes()}}
		for range 2 {
			q.Next()
			left = append(left, [2]int{q.Len(), q.Bytes()})
		}
		var received [][]int64
		for _, room := range []int{2, 5, 0} { // what does not fit is dropped
			to := make([]int64, room)
			received = append(received, to[:q.Receive(to)])
			left = append(left, [2]int{q.Len(), q.Bytes()})
		}
		none, values, is := q.Peek()
		last, data, taken := q.Next()
		return cmp.Or(
			equal(b, "Peek", []any{first, again, n, ok}, []any{int32(1), int32(1), 3, true}),
			equal(b, "messages and bytes", left, [][2]int{{5, 96}, {4, 72}, {3, 72}, {2, 48}, {1, 24}, {0, 0}}),
			equal(b, "received", received, [][]int64{{4, 5}, {4, 5, 6}, {}}),
			equal(b, "of none", []any{none, values, is, last, len(data), taken}, []any{int32(0), -1, false, int32(0), 0, false}))
	})
}

func TestNextIsValidUntilSync(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		q := bsplib.NewQueue[int, int](b)
		for round := range 5 {
			q.Send(right(b), round, numbers(round, 100)...)
			var was []int
			_, values, ok := q.Next()
			if ok {
				was = numbers(round-1, 100)
			}
			for range 50 {
				q.Send(right(b), 99, numbers(0, 50)...)
			}
			if !slices.Equal(values, was) {
				return fmt.Errorf("process %d, round %d: a message has changed", b.Pid(), round)
			}
			b.Sync()
		}
		return nil
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
