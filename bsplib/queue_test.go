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

// collectives are calls of each collective, for what they do to messages.
var collectives = []struct {
	name string
	call func(b *bsplib.Proc)
}{
	{"Broadcast", func(b *bsplib.Proc) { bsplib.Broadcast(b, 0, []int{1}) }},
	{"Gather", func(b *bsplib.Proc) { bsplib.Gather(b, 0, []int{1}) }},
	{"Allgather", func(b *bsplib.Proc) { bsplib.Allgather(b, []int{1}) }},
	{"AllToAll", func(b *bsplib.Proc) { bsplib.AllToAll(b, make([][]int, b.NProcs())) }},
	{"Reduce", func(b *bsplib.Proc) { bsplib.Reduce(b, 0, 1, plus) }},
	{"Allreduce", func(b *bsplib.Proc) { bsplib.Allreduce(b, 1, plus) }},
	{"AllreduceSlice", func(b *bsplib.Proc) { bsplib.AllreduceSlice(b, []int{1, 2}, plus) }},
	{"Scan", func(b *bsplib.Proc) { bsplib.Scan(b, 1, plus) }},
}

// What has not been read before a collective stands before what it delivers; a
// Sync drops both.
func TestCollectivesKeepMessages(t *testing.T) {
	for _, c := range collectives {
		t.Run(c.name, func(t *testing.T) {
			bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
				q, other := bsplib.NewQueue[int, int](b), bsplib.NewQueue[int8, byte](b)
				for i := range 3 {
					q.Send(right(b), i, numbers(i, 50)...)
				}
				other.Send(right(b), 5)
				b.Sync()
				q.Next()
				q.Send(right(b), 3, 3)
				c.call(b)
				first := []int{q.Len(), q.Bytes(), other.Len()}
				q.Next()
				q.Send(right(b), 4, 4)
				c.call(b)
				c.call(b)
				got := readAll(q)
				tag, _, _ := other.Next()
				q.Send(right(b), 5, 5)
				c.call(b)
				b.Sync()
				return cmp.Or(
					equal(b, "messages, their bytes and the other queue's messages", first, []int{3, 808, 1}),
					equal(b, "messages", got, []string{letterText(2, numbers(2, 50)), letterText(3, []int{3}), letterText(4, []int{4})}),
					equal(b, "the other queue's tag", tag, 5), equal(b, "messages after a Sync", q.Len(), 0))
			})
		})
	}
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

// queued is a process with a queue.
type queued struct {
	Q   bsplib.Queue[int, int]
	Got []string
}

// What a stage's end delivers moves with the process, and stays through the
// next stage's collectives; what they leave unread the stage's end drops.
func TestMovedMessagesStayThroughCollectives(t *testing.T) {
	bsptest.Shaken(t, func(b *bsplib.Proc, s *queued) error {
		if b.Fresh() {
			s.Q = bsplib.NewQueue[int, int](b)
		}
		for k := range b.Stages(3) {
			s.Q.Send(right(b), 10*k, numbers(k, 20)...)
			bsplib.Allreduce(b, 1, plus)
			bsplib.AllreduceSlice(b, []int{1, 2, 3}, plus)
			if k > 0 {
				_, values, _ := s.Q.Next()
				s.Got = append(s.Got, letterText(s.Q.Len(), values))
			}
			s.Q.Send(right(b), 10*k+1, k)
		}
		return equal(b, "messages", s.Got, []string{letterText(1, []int{0}), letterText(1, []int{1})})
	})
}

// short is a process with a queue of words that have short tags.
type short struct {
	Q   bsplib.Queue[int16, float64]
	Got [][]float64
}

// Words with short tags share room in pairs. They are the same for whoever reads them, and
// through collectives and moves, whether their number is even or not, and among longer
// messages.
func TestWordsWithShortTags(t *testing.T) {
	lengths := [][]int{{}, {1}, {1, 1}, {1, 1, 1}, {1, 1, 2, 1}, {0, 1, 0, 1, 1, 3}, {1, 1, 1, 1, 1}}
	bsptest.Shaken(t, func(b *bsplib.Proc, s *short) error {
		if b.Fresh() {
			s.Q = bsplib.NewQueue[int16, float64](b)
		}
		send := func(lengths []int) {
			for i, n := range lengths {
				s.Q.Send(right(b), int16(i-2), slices.Repeat([]float64{float64(i) + 0.5}, n)...)
			}
		}
		read := func(n int) {
			for range n {
				peeked, values, _ := s.Q.Peek()
				tag, data, ok := s.Q.Next()
				s.Got = append(s.Got, append([]float64{float64(tag)}, data...))
				if !ok || tag != peeked || values != len(data) {
					s.Got = append(s.Got, nil)
				}
			}
		}
		for k := range b.Stages(len(lengths) + 1) {
			if k > 0 { // what the last stage has sent, the first half before a collective
				half := len(lengths[k-1]) / 2
				read(half)
				bsplib.Allreduce(b, 1, plus)
				read(len(lengths[k-1]) - half)
			}
			if k < len(lengths) {
				send(lengths[k])
				bsplib.Allreduce(b, 1, plus)
				if n := len(lengths[k]); s.Q.Len() != n {
					return fmt.Errorf("%d messages, want %d", s.Q.Len(), n)
				}
				read(s.Q.Len())
				send(lengths[k])
			}
		}
		var want [][]float64
		for _, lengths := range lengths {
			for range 2 {
				for i, n := range lengths {
					want = append(want, append([]float64{float64(i - 2)}, slices.Repeat([]float64{float64(i) + 0.5}, n)...))
				}
			}
		}
		return equal(b, "messages", s.Got, want)
	})
}

// Queues are kept apart, those of equal types too, and last for the run.
func TestQueuesAreIndependent(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		var queues []bsplib.Queue[int, int]
		for step := range 5 {
			queues = append(queues, bsplib.NewQueue[int, int](b))
			for i, q := range queues {
				if (i+step)%2 == 0 {
					q.Send(right(b), i, step)
				}
			}
			b.Sync()
			for i, q := range queues {
				var want []string
				if (i+step)%2 == 0 {
					want = []string{letterText(i, []int{step})}
				}
				if err := equal(b, "messages", readAll(q), want); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
