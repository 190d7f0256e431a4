package bsplib_test

import (
	"errors"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
)

func TestMisuseOfQueues(t *testing.T) {
	used := func(use func(b *bsplib.Proc, at *places, q bsplib.Queue[int, int])) func(*bsplib.Proc, *places) error {
		return func(b *bsplib.Proc, at *places) error {
			q := bsplib.NewQueue[int, int](b)
			b.Sync()
			if b.Pid() == 1 {
				use(b, at, q)
			}
			b.Sync()
			return nil
		}
	}
	misuses(t, []misuse{
		{"SendToNobody", used(func(b *bsplib.Proc, at *places, q bsplib.Queue[int, int]) {
			at.next("send")
			q.Send(3, 0, 1)
		}), bsplib.KindPidOutOfRange, 1, 2, ", {send}: Send to process 3; there are processes 0 to 2"},
		{"SendToANegativePid", used(func(b *bsplib.Proc, at *places, q bsplib.Queue[int, int]) {
			at.next("send")
			q.Send(-1, 0)
		}), bsplib.KindPidOutOfRange, 1, 2, ", {send}: Send to process -1; there are processes 0 to 2"},
		{"ReceiveFromAnEmptyQueue", used(func(b *bsplib.Proc, at *places, q bsplib.Queue[int, int]) {
			at.next("move")
			q.Receive(make([]int, 1))
		}), bsplib.KindQueueEmpty, 1, 2, ", {move}: Receive: the queue is empty"},
		{"ReceiveOfNothingFromAnEmptyQueue", used(func(b *bsplib.Proc, at *places, q bsplib.Queue[int, int]) {
			at.next("move")
			q.Receive(nil)
		}), bsplib.KindQueueEmpty, 1, 2, ", {move}: Receive: the queue is empty"},
	})
}

// Every use of a Queue that NewQueue has not made says so.
func TestZeroQueue(t *testing.T) {
	type queue = bsplib.Queue[int, int]
	uses := []struct {
		name string
		call func(at *places, q queue)
	}{
		{"Send", func(at *places, q queue) {
			at.next("call")
			q.Send(0, 1)
		}},
		{"Len", func(at *places, q queue) {
			at.next("call")
			q.Len()
		}},
		{"Bytes", func(at *places, q queue) {
			at.next("call")
			q.Bytes()
		}},
		{"Peek", func(at *places, q queue) {
			at.next("call")
			q.Peek()
		}},
		{"Next", func(at *places, q queue) {
			at.next("call")
			q.Next()
		}},
		{"Receive", func(at *places, q queue) {
			at.next("call")
			q.Receive(nil)
		}},
		{"All", func(at *places, q queue) {
			at.next("call")
			for range q.All() {
				break
			}
		}},
	}
	for _, u := range uses {
		misuses(t, []misuse{{u.name, func(b *bsplib.Proc, at *places) error {
			if b.Pid() == 1 {
				u.call(at, queue{})
			}
			b.Sync()
			return nil
		}, bsplib.KindNotRegistered, 1, 1, ", {call}: " + u.name + ": this Queue was never made by NewQueue"}})
	}
}

func TestMisuseOfCollectives(t *testing.T) {
	misuses(t, []misuse{
		{"BroadcastFromNobody", func(b *bsplib.Proc, at *places) error {
			root := 0
			if b.Pid() == 1 {
				root = 3
			}
			at.next("call")
			bsplib.Broadcast(b, root, []int{1})
			return nil
		}, bsplib.KindPidOutOfRange, 1, 1, ", {call}: Broadcast from process 3; there are processes 0 to 2"},
		{"ReduceToANegativePid", func(b *bsplib.Proc, at *places) error {
			root := 0
			if b.Pid() == 1 {
				root = -1
			}
			at.next("call")
			bsplib.Reduce(b, root, 1, plus)
			return nil
		}, bsplib.KindPidOutOfRange, 1, 1, ", {call}: Reduce to process -1; there are processes 0 to 2"},
		{"GatherToNobody", func(b *bsplib.Proc, at *places) error {
			root := 0
			if b.Pid() == 1 {
				root = 7
			}
			at.next("call")
			bsplib.Gather(b, root, []int{1})
			return nil
		}, bsplib.KindPidOutOfRange, 1, 1, ", {call}: Gather to process 7; there are processes 0 to 2"},
		{"AllToAllOfTooFew", func(b *bsplib.Proc, at *places) error {
			n := 3
			if b.Pid() == 1 {
				n = 2
			}
			at.next("call")
			bsplib.AllToAll(b, make([][]int, n))
			return nil
		}, bsplib.KindOutOfBounds, 1, 1, ", {call}: AllToAll of 2 slices for 3 processes"},
		{"BroadcastOfDifferentLengths", func(b *bsplib.Proc, at *places) error {
			data := make([]int, 2)
			if b.Pid() == 1 {
				data = make([]int, 3)
			}
			at.next("call")
			bsplib.Broadcast(b, 0, data)
			b.Sync()
			return nil
		}, bsplib.KindOutOfBounds, 1, 2, ", {call}: Broadcast: 16 bytes arrived for data of 24 bytes; all processes must give the same length"},
	})
}

// Collectives that do not belong together are told as such by a process that
// finds out, not as an index out of range.
func TestCollectivesThatDoNotMatch(t *testing.T) {
	bsptest.InProcess(t)
	cases := []struct {
		name string
		call func(b *bsplib.Proc)
	}{
		{"SyncForAllreduce", func(b *bsplib.Proc) {
			if b.Pid() == 1 {
				b.Sync()
			} else {
				bsplib.Allreduce(b, 1, plus)
			}
		}},
		{"EachAnotherRoot", func(b *bsplib.Proc) { bsplib.Gather(b, right(b), []int{1}) }},
		{"EachAnotherRootOfAReduction", func(b *bsplib.Proc) { bsplib.Reduce(b, left(b), 1, plus) }},
		{"EachIsRoot", func(b *bsplib.Proc) { bsplib.Broadcast(b, b.Pid(), []int{1}) }},
		{"ReduceAndAllreduce", func(b *bsplib.Proc) {
			if b.Pid() == 0 {
				bsplib.Reduce(b, 0, 1, plus)
			} else {
				bsplib.Allreduce(b, 1, plus)
			}
		}},
		{"OneGathersToAnother", func(b *bsplib.Proc) {
			if b.Pid() == 0 {
				bsplib.Gather(b, 1, []int{1})
			} else {
				bsplib.Allgather(b, []int{1})
			}
		}},
		{"TwoRoots", func(b *bsplib.Proc) { bsplib.Gather(b, b.Pid()%2, []int{1}) }},
		{"TwoKinds", func(b *bsplib.Proc) {
			if b.Pid() == 1 {
				bsplib.Allgather(b, []int32{1, 2, 3})
			} else {
				bsplib.Allreduce(b, 1, plus)
			}
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, ranks := range []int{1, 3} {
				err := runOrHang(t, bsplib.Config{Procs: 3, Ranks: ranks}, func(b *bsplib.Proc, _ *none) error {
					c.call(b)
					return nil
				})
				if e, ok := errors.AsType[*bsplib.Error](err); !ok || e.Stack != "" {
					t.Errorf("on %d ranks: %v", ranks, err)
				}
			}
		})
	}
}
