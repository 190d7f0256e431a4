package bsplib_test

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
)

// A rule of BSPlib, shown by one superstep of all processes. Each has an area of n numbers, and as
// many more for each process: 100*pid and the numbers after it. The random programs of
// TestDifferential have these rules in all combinations.
type rule struct {
	name    string
	n, each int
	do      func(b *bsplib.Proc, x ints) (to []int) // to is memory that Gets fill
	want    func(b *bsplib.Proc) []int              // contents of the area at the end, followed by to
}

func (r *rule) check(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		x := bsplib.Register(b, numbers(100*b.Pid(), r.n+r.each*b.NProcs()))
		b.Sync()
		to := r.do(b, x)
		b.Sync()
		return equal(b, "the area, and what was got", append(slices.Clone(x.Slice()), to...), r.want(b))
	})
}

func TestRulesOfPutAndGet(t *testing.T) {
	for _, r := range []rule{
		{"a Put reaches another process", 4, 0, func(b *bsplib.Proc, x ints) []int {
			x.Put(right(b), 1, 10+b.Pid(), 20+b.Pid())
			x.Put(right(b), 3, 30+b.Pid())
			return nil
		}, func(b *bsplib.Proc) []int { return []int{100 * b.Pid(), 10 + left(b), 20 + left(b), 30 + left(b)} }},
		{"it copies at the call", 3, 0, func(b *bsplib.Proc, x ints) []int {
			values := numbers(10*b.Pid(), 3)
			x.Put(right(b), 0, values...)
			clear(values)
			return nil
		}, func(b *bsplib.Proc) []int { return numbers(10*left(b), 3) }},
		{"its source may be the area, which changes at once and again in Sync", 3, 0, func(b *bsplib.Proc, x ints) []int {
			x.Put(right(b), 0, x.Slice()...)
			clear(x.Slice())
			return nil
		}, func(b *bsplib.Proc) []int { return numbers(100*left(b), 3) }},
		{"it is not seen before Sync", 2, 0, func(b *bsplib.Proc, x ints) []int {
			for to := range b.NProcs() {
				x.Put(to, 0, -1)
			}
			x.Slice()[1] = x.Slice()[0]
			return nil
		}, func(b *bsplib.Proc) []int { return []int{-1, 100 * b.Pid()} }},
		{"it writes over what the process has written itself", 2, 0, func(b *bsplib.Proc, x ints) []int {
			x.Put(b.Pid(), 0, 7)
			x.Slice()[0], x.Slice()[1] = 8, 8
			return nil
		}, func(*bsplib.Proc) []int { return []int{7, 8} }},
		{"Puts may leave gaps", 8, 0, func(b *bsplib.Proc, x ints) []int {
			for _, at := range []int{0, 2, 3, 1, 6, 5} {
				x.Put(right(b), at, -at)
			}
			return nil
		}, func(b *bsplib.Proc) []int {
			return []int{0, -1, -2, -3, 100*b.Pid() + 4, -5, -6, 100*b.Pid() + 7}
		}},
		{"of one process the later Put wins", 5, 0, func(b *bsplib.Proc, x ints) []int {
			x.Put(right(b), 0, 1, 1, 1, 1)
			x.Put(right(b), 4, 1)
			x.Put(right(b), 1, 2, 2)
			x.Put(right(b), 2, 3)
			return nil
		}, func(*bsplib.Proc) []int { return []int{1, 2, 3, 1, 1} }},
		{"of several processes that with the highest pid wins: Puts lie like roof tiles", 1, 1, func(b *bsplib.Proc, x ints) []int {
			for to := range b.NProcs() {
				x.Put(to, b.Pid(), 10+b.Pid(), 20+b.Pid())
			}
			return nil
		}, func(b *bsplib.Proc) []int { return append(numbers(10, b.NProcs()), 20+b.NProcs()-1) }},
		{"a Get reads at the end of the superstep", 3, 0, func(b *bsplib.Proc, x ints) []int {
			to := make([]int, 4)
			x.Get(right(b), 1, to[:2])
			x.Slice()[2] = -b.Pid()
			copy(to[2:], to[:2])
			return to
		}, func(b *bsplib.Proc) []int {
			return []int{100 * b.Pid(), 100*b.Pid() + 1, -b.Pid(), 100*right(b) + 1, -right(b), 0, 0}
		}},
		{"it reads before Puts write", 1, 0, func(b *bsplib.Proc, x ints) []int {
			to := make([]int, 1)
			x.Put(right(b), 0, -b.Pid())
			x.Get(right(b), 0, to)
			return to
		}, func(b *bsplib.Proc) []int { return []int{-left(b), 100 * right(b)} }},
		{"Puts write after Gets have written", 3, 0, func(b *bsplib.Proc, x ints) []int {
			x.Put(right(b), 1, 9)
			x.Get(left(b), 0, x.Slice()[:2])
			return nil
		}, func(b *bsplib.Proc) []int { return []int{100 * left(b), 9, 100*b.Pid() + 2} }},
		{"Gets read before any of them writes", 3, 0, func(b *bsplib.Proc, x ints) []int {
			x.Get(right(b), 0, x.Slice())
			return nil
		}, func(b *bsplib.Proc) []int { return numbers(100*right(b), 3) }},
		{"a Get may read from the process itself, where it writes too", 4, 0, func(b *bsplib.Proc, x ints) []int {
			x.Get(b.Pid(), 0, x.Slice()[1:])
			return nil
		}, func(b *bsplib.Proc) []int { return append([]int{100 * b.Pid()}, numbers(100*b.Pid(), 3)...) }},
		{"it writes over what the process has written there", 1, 0, func(b *bsplib.Proc, x ints) []int {
			to := []int{0}
			x.Get(right(b), 0, to)
			to[0] = 77
			return to
		}, func(b *bsplib.Proc) []int { return []int{100 * b.Pid(), 100 * right(b)} }},
		{"of one process the later Get wins", 3, 0, func(b *bsplib.Proc, x ints) []int {
			to := make([]int, 3)
			x.Get(right(b), 0, to)
			x.Get(right(b), 0, to[1:])
			return to
		}, func(b *bsplib.Proc) []int {
			return append(numbers(100*b.Pid(), 3), 100*right(b), 100*right(b), 100*right(b)+1)
		}},
	} {
		t.Run(r.name, r.check)
	}
}

// After a Pop has taken effect, registered memory belongs to the program alone,
// and memory of Alloc is gone.
func TestSliceAfterPop(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		x, y := bsplib.Register(b, make([]int, 2)), bsplib.Alloc[int](b, 2)
		b.Sync()
		x.Pop()
		y.Pop()
		b.Sync()
		return cmp.Or(equal(b, "registered memory", len(x.Slice()), 2), equal(b, "memory of Alloc", len(y.Slice()), 0))
	})
}

func TestSliceOfTheZeroAreaIsNil(t *testing.T) {
	var x bsplib.Area[int]
	if x.Slice() != nil {
		t.Error("the zero Area has memory")
	}
}

// A loop that passes the end of the area is refused at the first element outside.
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

// All plain types can be elements.
func TestPlainTypes(t *testing.T) {
	type point struct {
		X, Y float64
		ID   [3]int8
		OK   bool
	}
	checkType(t, true)
	checkType(t, int8(-3))
	checkType(t, uint16(3))
	checkType(t, float32(0.5))
	checkType(t, complex(1, -1))
	checkType(t, [2][3]int{{1, 2, 3}, {4, 5, 6}})
	checkType(t, point{1, 2, [3]int8{3, 4, 5}, true})
}

func checkType[T comparable](t *testing.T, value T) {
	t.Run(fmt.Sprintf("%T", value), func(t *testing.T) {
		bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
			x := bsplib.Register(b, make([]T, 2))
			q := bsplib.NewQueue[T, T](b)
			b.Sync()
			x.Put(right(b), 1, value)
			q.Send(right(b), value, value)
			b.Sync()
			tag, got, _ := q.Next()
			return cmp.Or(equal(b, "the element", x.Slice()[1], value), equal(b, "the tag", tag, value), equal(b, "the message", got[0], value))
		})
	})
}

// holder is a state that still holds slices of popped areas.
type holder struct{ Slices [][]int }

// Memory of a popped Alloc belongs to the program while it holds a slice of it,
// also in a state that moves: later allocations, puts and messages use other
// memory.
func TestPoppedMemoryIsNotHandedOutAgain(t *testing.T) {
	sizes := []int{1, 9, 600, 5000, 40_000}
	bsptest.Shaken(t, func(b *bsplib.Proc, s *holder) error {
		for k := range b.Stages(4) {
			var areas []bsplib.Area[int]
			for _, n := range sizes {
				areas = append(areas, bsplib.Alloc[int](b, n))
			}
			b.Sync()
			for i, x := range areas {
				if slices.ContainsFunc(x.Slice(), func(v int) bool { return v != 0 }) {
					return fmt.Errorf("process %d, stage %d: new memory of %d numbers is not zero", b.Pid(), k, sizes[i])
				}
			}
			b.Sync()
			for i, x := range areas {
				if values := numbers(100*k+b.Pid()+i, sizes[i]); i%2 == 0 {
					x.Put(right(b), 0, values...)
				} else {
					x.HPPut(right(b), 0, values...)
				}
			}
			b.Sync()
			for _, x := range areas {
				s.Slices = append(s.Slices, x.Slice())
				x.Pop()
			}
			b.Sync()
			if b.Pid() == 0 {
				runtime.GC()
			}
			for i, held := range s.Slices {
				from := 100*(i/len(sizes)) + left(b) + i%len(sizes)
				if !slices.Equal(held, numbers(from, sizes[i%len(sizes)])) {
					return fmt.Errorf("process %d, stage %d: slice %d of %d numbers has changed behind the program's back", b.Pid(), k, i, len(held))
				}
			}
		}
		return nil
	})
}

// letterText formats a message for comparison.
func letterText(tag int, values []int) string { return fmt.Sprint(tag, values) }

// readAll takes all remaining messages.
func readAll(q bsplib.Queue[int, int]) (all []string) {
	for tag, values := range q.All() {
		all = append(all, letterText(tag, values))
	}
	return all
}

// A message is copied at the call, arrives in the next superstep and can be read only there;
// a queue can be used in the superstep that makes it. Messages come in the order of the senders'
// pids, and each sender's in the order sent, regardless of other traffic in between.
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
		b.Sync() // drops unread messages
		return cmp.Or(equal(b, "messages", got, want), equal(b, "the last one", readAll(q), []string{letterText(3, []int{})}),
			equal(b, "numbers of messages", lens, []int{0, 4 * b.NProcs(), b.NProcs(), 1, 0}))
	})
}

// A loop over a queue goes on after a collective, with the messages that it delivered.
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
