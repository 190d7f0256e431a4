// Package lost has programs that lose a value in each of the ways in which Go
// can carry one.
package lost

import (
	"container/heap"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/migbsp/migbsp/bsplib"
)

type state struct {
	N   int
	X   []int
	Sum int
}

// A solver object made by the program, with stages in its methods.

type solver struct {
	b     *bsplib.Proc
	s     *state
	total int
	grid  []int
	best  *int
}

func (v *solver) run() {
	for k := range v.b.Stages(v.s.N) {
		v.total += v.s.X[k] // want `v.total is set in the stage loop at line 32 and read after it`
	}
}

func solverObject(b *bsplib.Proc, s *state) error {
	v := &solver{b: b, s: s}
	v.run()
	s.Sum = v.total
	return nil
}

// Exported is made by another package: what holds a process is no state.
type Exported struct {
	B    *bsplib.Proc
	N    int
	last int
}

func (e *Exported) Run() int {
	for k := range e.B.Stages(e.N) {
		e.last = k // want `e.last is set in the stage loop at line 52 and read after it`
	}
	return e.last
}

// Helpers that run the stages of others.

func each(b *bsplib.Proc, n int, stage func(int)) {
	for k := range b.Stages(n) {
		stage(k)
	}
}

func (v *solver) stage(k int) { v.total += k } // want `v.total is set in the stage loop at line 61 and read after it`

func methodValue(b *bsplib.Proc, s *state) error {
	v := &solver{}
	each(b, s.N, v.stage)
	s.Sum = v.total
	return nil
}

func rounds(b *bsplib.Proc, n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for k := range b.Stages(n) {
			if !yield(k) {
				return
			}
		}
	}
}

func iterator(b *bsplib.Proc, s *state) error {
	total := 0
	for k := range rounds(b, s.N) {
		total += k // want `total is set in the stage loop at line 77 and read after it`
	}
	s.Sum = total
	return nil
}

// Pointers to locals, interfaces, channels, arrays, closures.

func pointer(b *bsplib.Proc, s *state) error {
	total := 0
	p := &total
	for k := range b.Stages(s.N) {
		*p += k // want `total is set in the stage loop at line 99 and read after it`
	}
	s.Sum = total
	return nil
}

func pointerInStruct(b *bsplib.Proc, s *state) error {
	low := 0
	v := solver{best: &low}
	for k := range b.Stages(s.N) {
		if s.X[k] < *v.best {
			*v.best = s.X[k] // want `low is set in the stage loop at line 109 and read in a later stage`
		}
	}
	return nil
}

type counter interface {
	add(int)
	value() int
}

type plain struct{ n int }

func (c *plain) add(x int)  { c.n += x } // want `c.n is set in the stage loop at line 129 and read after it`
func (c *plain) value() int { return c.n }

func throughInterface(b *bsplib.Proc, s *state) error {
	var c counter = &plain{}
	for k := range b.Stages(s.N) {
		c.add(k)
	}
	s.Sum = c.value()
	return nil
}

func channel(b *bsplib.Proc, s *state) error {
	found := make(chan int, 100)
	for k := range b.Stages(s.N) {
		if s.X[k] == 0 {
			found <- k // want `found is set in the stage loop at line 138 and read after it`
		}
	}
	close(found)
	for k := range found {
		s.Sum += k
	}
	return nil
}

func arraySlice(b *bsplib.Proc, s *state) error {
	var space [16]int
	part := space[4:8]
	for k := range b.Stages(s.N) {
		part[k%4] += k // want `space is set in the stage loop at line 153 and read after it`
	}
	s.Sum = space[5]
	return nil
}

func sortedBy(b *bsplib.Proc, s *state) error {
	order := []int{3, 1, 2}
	for k := range b.Stages(s.N) {
		s.Sum += order[k%3]
		slices.SortFunc(order, func(i, j int) int { return s.X[i] - s.X[j] }) // want `order is set in the stage loop at line 162 and read in a later stage`
	}
	return nil
}

func merged(b *bsplib.Proc, s *state) error {
	all := map[int]int{}
	for k := range b.Stages(s.N) {
		maps.Copy(all, map[int]int{k: k}) // want `all is set in the stage loop at line 171 and read after it`
	}
	s.Sum = len(all)
	return nil
}

func closureCounter(b *bsplib.Proc, s *state) error {
	next := func() func() int {
		n := 0
		return func() int {
			n++ // want `n is set in the stage loop at line 186 and read in a later stage`
			return n
		}
	}()
	for range b.Stages(s.N) {
		s.Sum += next()
	}
	return nil
}

func deferred(b *bsplib.Proc, s *state) error {
	total := 0
	defer func() { s.Sum = total }()
	for k := range b.Stages(s.N) {
		total += k // want `total is set in the stage loop at line 195 and read in a later stage`
	}
	return nil
}

type node struct {
	value int
	next  *node
}

func list(b *bsplib.Proc, s *state) error {
	var head *node
	for k := range b.Stages(s.N) {
		head = &node{k, head} // want `head is set in the stage loop at line 208 and read after it` `head.value is set in the stage loop at line 208 and read after it`
	}
	for n := head; n != nil; n = n.next {
		s.Sum += n.value
	}
	return nil
}

type smallest []int

func (h smallest) Len() int           { return len(h) }
func (h smallest) Less(i, j int) bool { return h[i] < h[j] }
func (h smallest) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *smallest) Push(x any)        { *h = append(*h, x.(int)) }
func (h *smallest) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

func queued(b *bsplib.Proc, s *state) error {
	work := &smallest{1, 2, 3}
	for range b.Stages(s.N) {
		s.Sum += heap.Pop(work).(int) // want `work is set in the stage loop at line 231 and read in a later stage`
	}
	return nil
}

func popped(b *bsplib.Proc, s *state) error {
	work := []int{1, 2, 3}
	for range b.Stages(s.N) {
		s.Sum += work[0]
		work = work[1:] // want `work is set in the stage loop at line 239 and read in a later stage`
	}
	return nil
}

func rows(b *bsplib.Proc, s *state) error {
	table := make([][]int, s.N)
	for k := range b.Stages(s.N) {
		table[k] = append(table[k], k) // want `table is set in the stage loop at line 248 and read in a later stage`
	}
	return nil
}

// Order and conditions.

func firstStage(b *bsplib.Proc, s *state) error {
	var row []int
	for k := range b.Stages(s.N) {
		if k == 0 {
			row = slices.Clone(s.X) // want `row is set in the stage loop at line 258 and read in a later stage`
		}
		s.Sum += row[k]
	}
	return nil
}

func firstValue(b *bsplib.Proc, s *state) error {
	var low *int
	for k := range b.Stages(s.N) {
		if low == nil {
			low = new(int)
			*low = s.X[k] // want `low is set in the stage loop at line 269 and read in a later stage`
		}
		s.Sum += *low
	}
	return nil
}

func previous(b *bsplib.Proc, s *state) error {
	old, cur := 0, 0
	for k := range b.Stages(s.N) {
		cur = s.X[k] // want `cur is set in the stage loop at line 281 and read after it`
		s.Sum += cur - old
		old = cur // want `old is set in the stage loop at line 281 and read in a later stage`
	}
	fmt.Println(cur)
	return nil
}

func inSwitch(b *bsplib.Proc, s *state) error {
	phase := "first"
	for range b.Stages(s.N) {
		switch phase {
		case "first":
			phase = "second" // want `phase is set in the stage loop at line 292 and read in a later stage`
		case "second":
			s.Sum++
		}
	}
	return nil
}

func setUpInHelper(b *bsplib.Proc, s *state) error {
	v := &solver{}
	if b.Fresh() {
		v.total = 3 // want `v.total is set on the first entry only and read in the stage loop at line 308`
	}
	for range b.Stages(s.N) {
		s.Sum += v.total
	}
	return nil
}
