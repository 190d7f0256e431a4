// Package carried has variables that stages set and others read.
package carried

import (
	"fmt"
	"math/big"
	"math/rand"
	"strings"

	"github.com/migbsp/migbsp/bsplib"
)

type state struct {
	N     int
	X     []float64
	Sum   float64
	Grid  []float64
	Next  []float64
	Inbox bsplib.Area[float64]
}

func readAfter(b *bsplib.Proc, s *state) error {
	total := 0
	for k := range b.Stages(s.N) {
		total += k // want `^total is set in the stage loop at line 24 and read after it: a process that moved in between has lost it; make it a field of the state$`
	}
	fmt.Println(total)
	return nil
}

func readLater(b *bsplib.Proc, s *state) error {
	best := 0.0
	for k := range b.Stages(s.N) {
		if s.X[k] > best {
			best = s.X[k] // want `best is set in the stage loop at line 33 and read in a later stage`
		}
	}
	return nil
}

func report(log []int) error { return nil }

func elementsOfItsOwn(b *bsplib.Proc, s *state) error {
	times := make([]float64, s.N)
	for k := range b.Stages(s.N) {
		times[k] = b.Time().Seconds() // want `times is set in the stage loop at line 45 and read after it`
	}
	fmt.Println(times)
	return nil
}

func elementRead(b *bsplib.Proc, s *state) error {
	row := make([]float64, s.N)
	for k := range b.Stages(s.N) {
		if k > 0 {
			s.Sum += row[k-1]
		}
		row[k] = s.X[k] // want `row is set in the stage loop at line 54 and read in a later stage`
	}
	return nil
}

func table(b *bsplib.Proc, s *state) error {
	seen := map[float64]bool{}
	for k := range b.Stages(s.N) {
		if seen[s.X[k]] {
			continue
		}
		seen[s.X[k]] = true // want `seen is set in the stage loop at line 65 and read in a later stage`
	}
	return nil
}

func histogram(b *bsplib.Proc, s *state) error {
	var count [8]int
	for k := range b.Stages(s.N) {
		count[int(s.X[k])%8]++ // want `count is set in the stage loop at line 76 and read after it`
	}
	return fmt.Errorf("%v", count)
}

func byPointer(b *bsplib.Proc, s *state) error {
	x := 0
	for range b.Stages(s.N) {
		fmt.Sscan("1", &x) // want `x is set in the stage loop at line 84 and read after it`
	}
	fmt.Println(x)
	return nil
}

type sums struct{ positive, negative float64 }

func fields(b *bsplib.Proc, s *state) error {
	var t sums
	for k := range b.Stages(s.N) {
		t.positive = 0
		t.positive += s.X[k]
		t.negative -= s.X[k] // want `t.negative is set in the stage loop at line 95 and read after it`
	}
	s.Sum = t.negative
	return nil
}

func ofThePackageStrings(b *bsplib.Proc, s *state) error {
	var text strings.Builder
	for k := range b.Stages(s.N) {
		fmt.Fprint(&text, k) // want `text is set in the stage loop at line 106 and read after it`
	}
	fmt.Println(text.String())
	return nil
}

func written(b *bsplib.Proc, s *state) error {
	var text strings.Builder
	for range b.Stages(s.N) {
		text.WriteString("x") // want `text is set in the stage loop at line 115 and read after it`
	}
	fmt.Println(text.String())
	return nil
}

func random(b *bsplib.Proc, s *state) error {
	r := rand.New(rand.NewSource(int64(b.Pid())))
	for range b.Stages(s.N) {
		s.Sum += r.Float64() // want `r is set in the stage loop at line 124 and read in a later stage`
	}
	return nil
}

func inLiteral(b *bsplib.Proc, s *state) error {
	n := 0
	count := func() { n++ } // want `n is set in the stage loop at line 133 and read after it`
	for range b.Stages(s.N) {
		count()
	}
	return report([]int{n})
}

func passedOn(b *bsplib.Proc, s *state) error {
	n := 0
	for range b.Stages(s.N) {
		s.Inbox.Slice()[0] = bsplib.Allreduce(b, 1, func(x, y float64) float64 {
			n++ // want `n is set in the stage loop at line 141 and read in a later stage`
			return x + y
		})
	}
	return nil
}

func swapped(b *bsplib.Proc, s *state) error {
	from, to := s.Grid, s.Next
	for range b.Stages(s.N) {
		for i := range to {
			to[i] = from[i] / 2
		}
		from, to = to, from // want `from is set in the stage loop at line 152 and read in a later stage` `to is set in the stage loop at line 152 and read in a later stage`
	}
	return nil
}

func named(b *bsplib.Proc, s *state) (err error) {
	for k := range b.Stages(s.N) {
		if s.X[k] < 0 {
			err = fmt.Errorf("%d is negative", k) // want `err is set in the stage loop at line 162 and read after it`
		}
	}
	return
}

func parameter(b *bsplib.Proc, s *state, left int) error {
	for range b.Stages(s.N) {
		left-- // want `left is set in the stage loop at line 171 and read in a later stage`
	}
	return nil
}

func inTheNextLoop(b *bsplib.Proc, s *state) error {
	found := 0
	for k := range b.Stages(s.N) {
		if s.X[k] == 0 {
			found = k // want `found is set in the stage loop at line 179 and read after it`
			break
		}
	}
	for range b.Stages(s.N) {
		s.Sum += s.X[found]
	}
	return nil
}

func asManyStages(b *bsplib.Proc, s *state) error {
	n := 0
	for k := range b.Stages(s.N) {
		n = k // want `n is set in the stage loop at line 193 and read after it`
	}
	for range b.Stages(n) {
	}
	return nil
}

func stageItself(b *bsplib.Proc, s *state) error {
	var k int
	for k = range b.Stages(s.N) { // want `k is set in the stage loop at line 203 and read after it`
	}
	return report([]int{k})
}

func (s *state) method(b *bsplib.Proc) {
	last := 0.0
	loop := b.Stages(s.N)
	for k := range loop {
		s.Sum += last
		last = s.X[k] // want `last is set in the stage loop at line 211 and read in a later stage`
	}
}

func conditional(b *bsplib.Proc, s *state) error {
	row := make([]float64, 3)
	for k := range b.Stages(s.N) {
		if k%2 == 0 {
			for i := range row {
				row[i] = s.X[i] // want `row is set in the stage loop at line 219 and read in a later stage`
			}
		}
		s.Inbox.Put(0, 0, row...)
	}
	return nil
}

func main() {
	rank := 0
	bsplib.Run(bsplib.Config{Procs: 2}, func(b *bsplib.Proc, s *state) error {
		for range b.Stages(3) {
			rank++ // want `rank is set in the stage loop at line 233 and read in a later stage`
		}
		return nil
	})
}

func supersteps(b *bsplib.Proc, s *state) error {
	got := []int{b.Superstep()}
	for range b.Stages(2) {
		b.Sync()
		got = append(got, b.Superstep()) // want `got is set in the stage loop at line 242 and read after it`
	}
	got = append(got, b.Superstep())
	return report(got)
}

type work struct {
	scale float64
	tmp   []float64
	last  float64
}

func (w *work) solve(x []float64) float64 {
	w.clear()
	for i := range w.tmp {
		w.tmp[i] = w.scale * x[i]
	}
	return w.tmp[0]
}

func (w *work) clear() { w.tmp = w.tmp[:0] }

func (w *work) smooth(x float64) float64 {
	w.last = (w.last + x) / 2 // want `filter.last is set in the stage loop at line 274 and read in a later stage`
	return w.last
}

func workspaces(b *bsplib.Proc, s *state) error {
	scratch := &work{scale: 2}
	filter := &work{scale: 2}
	for k := range b.Stages(s.N) {
		s.Sum += scratch.solve(s.X)
		s.Sum += filter.smooth(s.X[k])
	}
	return nil
}

func removed(b *bsplib.Proc, s *state) error {
	left := map[int]bool{1: true, 2: true}
	for k := range b.Stages(s.N) {
		delete(left, k) // want `left is set in the stage loop at line 283 and read in a later stage`
		s.N -= len(left)
	}
	return nil
}

func product(b *bsplib.Proc, s *state) error {
	var x, y big.Int
	x.SetInt64(1)
	for k := range b.Stages(s.N) {
		y.SetInt64(int64(k))
		x.Mul(&x, &y) // want `x is set in the stage loop at line 293 and read after it`
	}
	fmt.Println(x.String())
	return nil
}

func two() (int, int) { return 1, 2 }

func together(b *bsplib.Proc, s *state) error {
	var x, y = two()
	for range b.Stages(s.N) {
		s.Sum += float64(x)
		y = x + y // want `y is set in the stage loop at line 305 and read in a later stage`
	}
	return nil
}

func removeOne(b *bsplib.Proc, s *state) error {
	stack := []int{1, 2, 3}
	for range b.Stages(s.N) {
		stack = append(stack, 1)
		stack = stack[:len(stack)-2] // want `stack is set in the stage loop at line 314 and read in a later stage`
	}
	return nil
}

func loadOfTheNext(b *bsplib.Proc, s *state) error {
	cells := 0
	for k := range b.Stages(s.N) {
		b.Load(float64(cells))
		b.Runtime().Aside(func() { cells = k }) // want `cells is set in the stage loop at line 323 and read in a later stage`
	}
	return nil
}
