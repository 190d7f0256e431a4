// Package lost has programs that lose a value in each of the ways in which Go
// can carry one.
package lost

import (
	"container/heap"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sort"
	"strings"

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
		v.total += v.s.X[k] // want `v.total is set in the stage loop at line 34 and read after it`
	}
}

func solverObject(b *bsplib.Proc, s *state) error {
	v := &solver{b: b, s: s}
	v.run()
	s.Sum = v.total
	return nil
}

func (v *solver) sweep(k int) {
	for i := range v.grid {
		v.grid[i] += k // want `v is set in the stage loop at line 53 and read in a later stage`
	}
}

func (v *solver) runGrid() {
	for k := range v.b.Stages(v.s.N) {
		v.sweep(k)
	}
}

func solverGrid(b *bsplib.Proc, s *state) error {
	v := solver{b: b, s: s, grid: make([]int, 8)}
	v.runGrid()
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
		e.last = k // want `e.last is set in the stage loop at line 72 and read after it`
	}
	return e.last
}

// Helpers that run the stages of others.

func each(b *bsplib.Proc, n int, stage func(int)) {
	for k := range b.Stages(n) {
		stage(k)
	}
}

func callback(b *bsplib.Proc, s *state) error {
	total := 0
	each(b, s.N, func(k int) {
		total += k // want `total is set in the stage loop at line 81 and read after it`
	})
	s.Sum = total
	return nil
}

func (v *solver) stage(k int) { v.total += k } // want `v.total is set in the stage loop at line 81 and read after it`

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
		total += k // want `total is set in the stage loop at line 106 and read after it`
	}
	s.Sum = total
	return nil
}

// Pointers to locals, interfaces, channels, arrays, closures.

func pointer(b *bsplib.Proc, s *state) error {
	total := 0
	p := &total
	for k := range b.Stages(s.N) {
		*p += k // want `total is set in the stage loop at line 128 and read after it`
	}
	s.Sum = total
	return nil
}

func pointerInStruct(b *bsplib.Proc, s *state) error {
	low := 0
	v := solver{best: &low}
	for k := range b.Stages(s.N) {
		if s.X[k] < *v.best {
			*v.best = s.X[k] // want `low is set in the stage loop at line 138 and read in a later stage`
		}
	}
	return nil
}

func pointerToHelper(b *bsplib.Proc, s *state) error {
	total := 0
	for k := range b.Stages(s.N) {
		addInto(&total, k)
	}
	return nil
}

func addInto(p *int, x int) { *p += x } // want `total is set in the stage loop at line 148 and read in a later stage`

type counter interface {
	add(int)
	value() int
}

type plain struct{ n int }

func (c *plain) add(x int)  { c.n += x } // want `c.n is set in the stage loop at line 168 and read after it`
func (c *plain) value() int { return c.n }

func throughInterface(b *bsplib.Proc, s *state) error {
	var c counter = &plain{}
	for k := range b.Stages(s.N) {
		c.add(k)
	}
	s.Sum = c.value()
	return nil
}

func anyHolds(b *bsplib.Proc, s *state) error {
	var last any
	for k := range b.Stages(s.N) {
		last = k // want `last is set in the stage loop at line 177 and read after it`
	}
	fmt.Println(last)
	return nil
}

func channel(b *bsplib.Proc, s *state) error {
	found := make(chan int, 100)
	for k := range b.Stages(s.N) {
		if s.X[k] == 0 {
			found <- k // want `found is set in the stage loop at line 186 and read after it`
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
		part[k%4] += k // want `space is set in the stage loop at line 201 and read after it`
	}
	s.Sum = space[5]
	return nil
}

func sorted(b *bsplib.Proc, s *state) error {
	order := []int{3, 1, 2}
	for k := range b.Stages(s.N) {
		s.Sum += order[k%3]
		sort.Ints(order) // want `order is set in the stage loop at line 210 and read in a later stage`
	}
	return nil
}

func sortedBy(b *bsplib.Proc, s *state) error {
	order := []int{3, 1, 2}
	for k := range b.Stages(s.N) {
		s.Sum += order[k%3]
		slices.SortFunc(order, func(i, j int) int { return s.X[i] - s.X[j] }) // want `order is set in the stage loop at line 219 and read in a later stage`
	}
	return nil
}

func merged(b *bsplib.Proc, s *state) error {
	all := map[int]int{}
	for k := range b.Stages(s.N) {
		maps.Copy(all, map[int]int{k: k}) // want `all is set in the stage loop at line 228 and read after it`
	}
	s.Sum = len(all)
	return nil
}

func closureCounter(b *bsplib.Proc, s *state) error {
	next := func() func() int {
		n := 0
		return func() int {
			n++ // want `n is set in the stage loop at line 243 and read in a later stage`
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
		total += k // want `total is set in the stage loop at line 252 and read in a later stage`
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
		head = &node{k, head} // want `head is set in the stage loop at line 265 and read after it` `head.value is set in the stage loop at line 265 and read after it`
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
		s.Sum += heap.Pop(work).(int) // want `work is set in the stage loop at line 288 and read in a later stage`
	}
	return nil
}

func popped(b *bsplib.Proc, s *state) error {
	work := []int{1, 2, 3}
	for range b.Stages(s.N) {
		s.Sum += work[0]
		work = work[1:] // want `work is set in the stage loop at line 296 and read in a later stage`
	}
	return nil
}

func rows(b *bsplib.Proc, s *state) error {
	table := make([][]int, s.N)
	for k := range b.Stages(s.N) {
		table[k] = append(table[k], k) // want `table is set in the stage loop at line 305 and read in a later stage`
	}
	return nil
}

// Order and conditions.

func namedResult(b *bsplib.Proc, s *state) (sum int, err error) {
	for k := range b.Stages(s.N) {
		sum += k // want `sum is set in the stage loop at line 314 and read after it`
	}
	return sum, nil
}

func laterLoop(b *bsplib.Proc, s *state) error {
	pivot := 0
	for k := range b.Stages(s.N) {
		pivot = s.X[k] // want `pivot is set in the stage loop at line 322 and read after it`
	}
	for range b.Stages(s.N) {
		s.Sum += pivot
	}
	return nil
}

func firstStage(b *bsplib.Proc, s *state) error {
	var row []int
	for k := range b.Stages(s.N) {
		if k == 0 {
			row = slices.Clone(s.X) // want `row is set in the stage loop at line 333 and read in a later stage`
		}
		s.Sum += row[k]
	}
	return nil
}

func firstTime(b *bsplib.Proc, s *state) error {
	first := true
	for range b.Stages(s.N) {
		if first {
			s.Sum = 0
			first = false // want `first is set in the stage loop at line 344 and read in a later stage`
		}
		s.Sum++
	}
	return nil
}

func firstValue(b *bsplib.Proc, s *state) error {
	var low *int
	for k := range b.Stages(s.N) {
		if low == nil {
			low = new(int)
			*low = s.X[k] // want `low is set in the stage loop at line 356 and read in a later stage`
		}
		s.Sum += *low
	}
	return nil
}

func previous(b *bsplib.Proc, s *state) error {
	old, cur := 0, 0
	for k := range b.Stages(s.N) {
		cur = s.X[k] // want `cur is set in the stage loop at line 368 and read after it`
		s.Sum += cur - old
		old = cur // want `old is set in the stage loop at line 368 and read in a later stage`
	}
	fmt.Println(cur)
	return nil
}

func innerLoop(b *bsplib.Proc, s *state) error {
	steps := 0
	for range b.Stages(s.N) {
		for range 4 {
			b.Sync()
			steps++ // want `steps is set in the stage loop at line 379 and read after it`
		}
	}
	fmt.Println(steps)
	return nil
}

func inSwitch(b *bsplib.Proc, s *state) error {
	phase := "first"
	for range b.Stages(s.N) {
		switch phase {
		case "first":
			phase = "second" // want `phase is set in the stage loop at line 391 and read in a later stage`
		case "second":
			s.Sum++
		}
	}
	return nil
}

func text(b *bsplib.Proc, s *state) error {
	var lines []string
	for k := range b.Stages(s.N) {
		lines = append(lines, fmt.Sprint(k)) // want `lines is set in the stage loop at line 404 and read after it`
	}
	fmt.Println(strings.Join(lines, "\n"))
	return nil
}

func setUpInHelper(b *bsplib.Proc, s *state) error {
	v := &solver{}
	if b.Fresh() {
		v.total = 3 // want `v.total is set on the first entry only and read in the stage loop at line 416`
	}
	for range b.Stages(s.N) {
		s.Sum += v.total
	}
	return nil
}
