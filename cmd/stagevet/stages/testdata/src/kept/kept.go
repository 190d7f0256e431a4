// Package kept has right programs that look like wrong ones.
package kept

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/migbsp/migbsp/bsplib"
)

type state struct {
	N     int
	X     []int
	Sum   int
	Best  *int
	In    bsplib.Area[int]
	Inbox bsplib.Queue[int, int]
	M     map[int]int
	P     *part
}

// Caches and tables that are made when they are needed.

func sines(n int) []float64 {
	t := make([]float64, n)
	for i := range t {
		t[i] = math.Sin(float64(i))
	}
	return t
}

var (
	sharedOnce  sync.Once
	sharedTable []float64
)

func onceShared(b *bsplib.Proc, s *state) error {
	for k := range b.Stages(s.N) {
		sharedOnce.Do(func() { sharedTable = sines(8) })
		s.Sum += int(sharedTable[k])
	}
	return nil
}

func lazyTable(b *bsplib.Proc, s *state) error {
	var table []float64
	for k := range b.Stages(s.N) {
		if table == nil {
			table = sines(b.NProcs())
		}
		s.Sum += int(table[k])
	}
	return nil
}

func lazyFlag(b *bsplib.Proc, s *state) error {
	var table [16]int
	ready := false
	for k := range b.Stages(s.N) {
		if !ready {
			for i := range table {
				table[i] = i * i
			}
			ready = true
		}
		s.Sum += table[k]
	}
	return nil
}

func memo(b *bsplib.Proc, s *state) error {
	known := map[int]int{}
	for k := range b.Stages(s.N) {
		v, ok := known[s.X[k]]
		if !ok {
			v = s.X[k] * s.X[k]
			known[s.X[k]] = v
		}
		s.Sum += v
	}
	return nil
}

type tables struct{ sine []float64 }

func (t *tables) at(i int) float64 {
	if len(t.sine) == 0 {
		t.sine = sines(32)
	}
	return t.sine[i]
}

func lazyMethod(b *bsplib.Proc, s *state) error {
	t := &tables{}
	for k := range b.Stages(s.N) {
		s.Sum += int(t.at(k))
	}
	return nil
}

func onceValue(b *bsplib.Proc, s *state) error {
	table := sync.OnceValue(func() []float64 { return sines(8) })
	for k := range b.Stages(s.N) {
		s.Sum += int(table()[k])
	}
	return nil
}

// Flags and scratch that are set before they are used.

func flagged(b *bsplib.Proc, s *state) error {
	var have bool
	var at int
	for k := range b.Stages(s.N) {
		have = false
		for i, x := range s.X {
			if x == k {
				at, have = i, true
			}
		}
		if have {
			s.Sum += at
		}
	}
	return nil
}

func scratchCopied(b *bsplib.Proc, s *state) error {
	row := make([]int, s.N)
	for range b.Stages(s.N) {
		copy(row, s.X)
		slices.Sort(row)
		s.Sum += row[0]
	}
	return nil
}

func scratchThroughPointer(b *bsplib.Proc, s *state) error {
	total := 0
	p := &total
	for k := range b.Stages(s.N) {
		*p = 0
		*p += s.X[k]
		s.Sum += total
	}
	return nil
}

func scratchClosure(b *bsplib.Proc, s *state) error {
	total := 0
	add := func(x int) { total += x }
	for k := range b.Stages(s.N) {
		total = 0
		add(s.X[k])
		add(1)
		s.Sum += total
	}
	return nil
}

func sentAndReceived(b *bsplib.Proc, s *state) error {
	done := make(chan int, 1)
	for k := range b.Stages(s.N) {
		go func() { done <- s.X[k] * 2 }()
		s.Sum += <-done
	}
	return nil
}

// Values that every entry computes.

func constants(b *bsplib.Proc, s *state) error {
	first, end := b.Pid()*s.N/b.NProcs(), (b.Pid()+1)*s.N/b.NProcs()
	left := b.Pid() - 1
	if left < 0 {
		left = b.NProcs() - 1
	}
	for k := range b.Stages(s.N) {
		for i := first; i < end; i++ {
			s.Sum += i * left * k
		}
	}
	return nil
}

func tableOfEntry(b *bsplib.Proc, s *state) error {
	table := make([]int, 16)
	for i := range table {
		table[i] = i * b.Pid()
	}
	sort.Ints(table)
	for k := range b.Stages(s.N) {
		s.Sum += table[sort.SearchInts(table, k)]
	}
	return nil
}

// The state, and what belongs to it.

type solver struct {
	b   *bsplib.Proc
	s   *state
	tmp []int
}

func (v *solver) run() {
	for k := range v.b.Stages(v.s.N) {
		v.s.Sum += k
		v.s.X[k]++
		v.tmp = append(v.tmp[:0], v.s.X...)
		v.s.Sum += len(v.tmp)
	}
}

func solverOfState(b *bsplib.Proc, s *state) error {
	v := &solver{b: b, s: s}
	v.run()
	fmt.Println(v.s.Sum)
	return nil
}

func handles(b *bsplib.Proc, s *state) error {
	in, inbox := s.In, s.Inbox
	for k := range b.Stages(s.N) {
		in.Put(0, 0, k)
		b.Sync()
		s.Sum += in.Slice()[0]
		for _, values := range inbox.All() {
			s.Sum += values[0]
		}
	}
	return nil
}

func pointersIntoState(b *bsplib.Proc, s *state) error {
	sum, row := &s.Sum, s.X[1:]
	add := func(x int) { *sum += x }
	for k := range b.Stages(s.N) {
		add(row[k])
		row[k] = *sum
		slices.Sort(row)
		if s.Best == nil || *s.Best > k {
			s.Best = &k
		}
	}
	fmt.Println(*sum, row)
	return nil
}

func (s *state) rounds(b *bsplib.Proc) iter.Seq[int] { return b.Stages(s.N) }

func iteratorOfState(b *bsplib.Proc, s *state) error {
	for k := range s.rounds(b) {
		s.Sum += k
	}
	return nil
}

// Variables that end with the stage, or begin after the stages.

func loopVariable(b *bsplib.Proc, s *state) error {
	last := 0
	for k := range b.Stages(s.N) {
		last = k
		square := k * k
		p := &square
		*p++
		s.Sum += square + last
	}
	last = -1
	fmt.Println(last)
	return nil
}

func returned(b *bsplib.Proc, s *state) (sum int, err error) {
	for k := range b.Stages(s.N) {
		if s.X[k] < 0 {
			return k, fmt.Errorf("%d is negative", k)
		}
	}
	return s.Sum, nil
}

func writtenOnly(b *bsplib.Proc, s *state) error {
	var trace []int
	space := make([]int, 8)
	for k := range b.Stages(s.N) {
		space[k%8] = k
		trace = nil
	}
	_ = trace
	return nil
}

func reduced(b *bsplib.Proc, s *state) error {
	for range b.Stages(s.N) {
		n := 0
		s.Sum = bsplib.Allreduce(b, s.Sum, func(x, y int) int { n++; return x + y })
		s.Sum += n
	}
	return nil
}
