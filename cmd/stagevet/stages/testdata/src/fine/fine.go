// Package fine has programs that lose nothing.
package fine

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/migbsp/migbsp/bsplib"
)

var (
	size  = flag.Int("n", 1, "size")
	quiet bool
)

type state struct {
	N     int
	X     []float64
	Sum   float64
	In    bsplib.Area[float64]
	Inbox bsplib.Queue[int, float64]
	Began time.Duration
}

type grid struct{ rows, cols int }

func read(procs int) (int, grid, error) { return *size, grid{procs, 1}, nil }

func recomputed(b *bsplib.Proc, s *state) error {
	n, g, err := read(b.NProcs())
	if err != nil {
		return err
	}
	if b.Fresh() {
		if err = s.setUp(b); err != nil {
			return err
		}
		s.Began = b.Time()
	}
	x := s.X
	in := s.In.Slice()
	process := b
	for k := range process.Stages(n) {
		x[k] = in[k] * float64(g.rows)
		in[k] = 0
		s.Sum += x[k]
		if err = s.step(k); err != nil {
			return err
		}
	}
	fmt.Println(n, g, (b.Time() - s.Began).Seconds(), quiet)
	return err
}

// What a process tells of its load it may tell again.
func tells(b *bsplib.Proc, s *state) error {
	b.Load(float64(len(s.X)))
	b.Runtime().Aside(func() {
		if len(s.X) == 0 {
			s.X = make([]float64, *size)
		}
	})
	for k := range b.Stages(10) {
		local := 0.0
		b.Runtime().Aside(func() { local = s.X[0] })
		s.Sum += local
		s.X = append(s.X, float64(k))
		b.Load(float64(len(s.X)))
	}
	return nil
}

func (s *state) setUp(b *bsplib.Proc) error { s.X = make([]float64, *size); return nil }
func (s *state) step(k int) error           { return nil }

func ofThePass(b *bsplib.Proc, s *state) error {
	var row []float64
	var sum float64
	var text strings.Builder
	buffer := make([]float64, s.N)
	other := make([]float64, s.N)
	out := make([]float64, 0, s.N)
	for k := range b.Stages(s.N) {
		row = s.X[k:]
		sum = 0
		text.Reset()
		for _, x := range row {
			sum += x
			fmt.Fprint(&text, x)
		}
		for i := range buffer {
			buffer[i] = row[i]
		}
		copy(other, buffer)
		out = out[:0]
		out = append(out, buffer...)
		s.In.Put(0, 0, buffer...)
		s.In.Put(0, 0, other...)
		s.In.Put(0, 0, out...)
		s.Sum += sum
		fmt.Println(text.String())
	}
	return nil
}

func received(b *bsplib.Proc, s *state) error {
	from := make([]float64, 1)
	all := make([]float64, s.N)
	for range b.Stages(s.N) {
		s.In.Get(0, 0, from)
		b.Sync()
		n := s.Inbox.Receive(all)
		s.Sum += from[0] + all[n-1]
	}
	return nil
}

func filled(b *bsplib.Proc, s *state) error {
	buffer := make([]float64, s.N)
	var t tally
	for k := range b.Stages(s.N) {
		fill(buffer, s.X[k])
		s.In.Put(0, 0, buffer...)
		t.reset()
		t.add(s.X[k])
		s.Sum += t.sum
	}
	return nil
}

func fill(to []float64, x float64) {
	for i := range to {
		to[i] = x
	}
}

type tally struct{ sum float64 }

func (t *tally) reset()        { *t = tally{} }
func (t *tally) add(x float64) { t.sum += x }

func onDemand(b *bsplib.Proc, s *state) error {
	var buffer, other []float64
	for k := range b.Stages(s.N) {
		if cap(buffer) < k {
			buffer = make([]float64, k)
		}
		buffer = buffer[:k]
		if other == nil {
			other = make([]float64, s.N)
		}
		copy(buffer, s.X)
		copy(other, s.X)
		s.In.Put(0, 0, buffer...)
		s.In.Put(0, 0, other...)
	}
	return nil
}

func leftEarly(b *bsplib.Proc, s *state) error {
	found := -1
	for k := range b.Stages(s.N) {
		if s.X[k] == 0 {
			found = k
			break
		}
	}
	fmt.Println(found)
	return nil
}

func restored(b *bsplib.Proc, s *state) error {
	var n int
	if b.Fresh() {
		n = 7
		s.N = n
	} else {
		n = s.N
	}
	size := s.N
	if b.Fresh() {
		size = 7
		s.N = size
	}
	for range b.Stages(n) {
		s.Sum += float64(n + size)
	}
	return nil
}

func mirrored(b *bsplib.Proc, s *state) error {
	sum := s.Sum
	for k := range b.Stages(s.N) {
		sum += s.X[k]
		s.Sum = sum
	}
	fmt.Println(sum)
	return nil
}

func takenAnew(b *bsplib.Proc, s *state) error {
	in := s.In.Slice()
	for range b.Stages(s.N) {
		s.Sum += in[0]
		b.Sync()
		in = s.In.Slice()
	}
	return nil
}

func (s *state) rows(b *bsplib.Proc, from int) {
	defer fmt.Println("done")
	last := s.N
	for k := range b.Stages(last) {
		row := s.X[from:]
		for i := range row {
			row[i] = float64(k)
		}
		if k == from {
			os.Exit(1) //stagevet:ok the run is to end here, without a result
		}
	}
}

func ordinaryLoop(b *bsplib.Proc, s *state) error {
	for round := range 3 {
		for k := range b.Stages(s.N) {
			s.Sum += float64(k * round)
		}
	}
	return nil
}

func plainProgram(b *bsplib.Proc, s *state) error {
	n := 0
	if b.Fresh() {
		n = 3
	}
	for range 3 {
		n++
		b.Sync()
	}
	fmt.Println(n)
	return nil
}

func leftEmpty(b *bsplib.Proc, s *state) error {
	var text strings.Builder
	sum, first := 0.0, true
	var list []float64
	seen := map[int]bool{}
	for k := range b.Stages(s.N) {
		sum += s.X[k]
		list = append(list, sum)
		seen[k] = seen[k+1] || first
		fmt.Fprint(&text, text.Len(), len(list))
		first = false
		s.Sum += sum
		text.Reset()
		clear(seen)
		sum, first, list = 0, true, list[:0]
	}
	return nil
}

func aliases(b *bsplib.Proc, s *state) error {
	t := s
	var view []float64
	if s.N > 3 {
		view = s.X[1:]
	} else {
		view = s.X
	}
	for k := range b.Stages(s.N) {
		t.X[k]++
		t.Sum += view[k]
		view[k] = 0
		process := func() { t.Sum++ }
		process()
	}
	fmt.Println(view)
	return nil
}
