package lost

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/migbsp/migbsp/bsplib"
)

func generic(b *bsplib.Proc, s *state) error {
	acc := 0
	for k := range b.Stages(s.N) {
		accumulate(&acc, k) // want `acc is set in the stage loop at line 16 and read after it`
	}
	s.Sum = acc
	return nil
}

func accumulate[T int | float64](p *T, x T) { *p += x }

func structOfClosures(b *bsplib.Proc, s *state) error {
	n := 0
	ops := struct{ inc func() }{func() { n++ }} // want `n is set in the stage loop at line 28 and read after it`
	for range b.Stages(s.N) {
		ops.inc()
	}
	s.Sum = n
	return nil
}

func mapOfSlices(b *bsplib.Proc, s *state) error {
	groups := map[int][]int{}
	for k := range b.Stages(s.N) {
		groups[k%2] = append(groups[k%2], k) // want `groups is set in the stage loop at line 37 and read after it`
	}
	s.Sum = len(groups)
	return nil
}

func pointerToPointer(b *bsplib.Proc, s *state) error {
	x := new(int)
	p := &x
	for k := range b.Stages(s.N) {
		**p += k // want `x is set in the stage loop at line 47 and read after it`
	}
	s.Sum = *x
	return nil
}

func doneFlag(b *bsplib.Proc, s *state) error {
	done := false
	for k := range b.Stages(s.N) {
		if done {
			continue
		}
		if s.X[k] == 0 {
			done = true // want `done is set in the stage loop at line 56 and read in a later stage`
		}
	}
	return nil
}

func twoHelpers(b *bsplib.Proc, s *state) error {
	t := 0
	one(b, s, &t)
	two(b, s, &t)
	return nil
}

func one(b *bsplib.Proc, s *state, t *int) {
	for k := range b.Stages(s.N) {
		*t = s.X[k] // want `t is set in the stage loop at line 75 and read after it`
	}
}

func two(b *bsplib.Proc, s *state, t *int) {
	for range b.Stages(s.N) {
		s.Sum += *t
	}
}

func joinedErrors(b *bsplib.Proc, s *state) error {
	var errs []error
	for k := range b.Stages(s.N) {
		if s.X[k] < 0 {
			errs = append(errs, errors.New("x")) // want `errs is set in the stage loop at line 88 and read after it`
		}
	}
	return errors.Join(errs...)
}

func copiedArray(b *bsplib.Proc, s *state) error {
	var a [3]int
	for k := range b.Stages(s.N) {
		c := a
		c[k%3]++
		a = c // want `a is set in the stage loop at line 98 and read in a later stage`
	}
	return nil
}

func embedded(b *bsplib.Proc, s *state) error {
	type base struct{ n int }
	v := struct{ base }{}
	for range b.Stages(s.N) {
		v.n++ // want `v.base.n is set in the stage loop at line 109 and read after it`
	}
	s.Sum = v.n
	return nil
}

func swappedBuffers(b *bsplib.Proc, s *state) error {
	cur, next := make([]int, 4), make([]int, 4)
	for range b.Stages(s.N) {
		for i := range next {
			next[i] = cur[i] + 1 // want `cur is set in the stage loop at line 118 and read in a later stage`
		}
		cur, next = next, cur // want `next is set in the stage loop at line 118 and read in a later stage`
	}
	return nil
}

func selected(b *bsplib.Proc, s *state) error {
	c := make(chan int, 9)
	for k := range b.Stages(s.N) {
		select { // want `c is set in the stage loop at line 129 and read after it`
		case c <- k:
		default:
		}
	}
	for range len(c) {
		s.Sum += <-c
	}
	return nil
}

func typeSwitch(b *bsplib.Proc, s *state) error {
	var last any = 0
	for k := range b.Stages(s.N) {
		switch v := last.(type) {
		case int:
			s.Sum += v
		}
		last = k // want `last is set in the stage loop at line 143 and read in a later stage`
	}
	return nil
}

func readerPosition(b *bsplib.Proc, s *state) error {
	r := strings.NewReader("abc")
	for range b.Stages(s.N) {
		c, _ := r.ReadByte() // want `r is set in the stage loop at line 155 and read in a later stage`
		s.Sum += int(c)
	}
	return nil
}

func scanner(b *bsplib.Proc, s *state) error {
	sc := bufio.NewScanner(strings.NewReader("a\nb"))
	for range b.Stages(s.N) {
		sc.Scan() // want `sc is set in the stage loop at line 164 and read in a later stage`
		s.Sum += len(sc.Text())
	}
	return nil
}

func recursive(b *bsplib.Proc, s *state) error {
	n := 0
	for range b.Stages(s.N) {
		down(&n, 3) // want `n is set in the stage loop at line 173 and read after it`
	}
	s.Sum = n
	return nil
}

func down(n *int, d int) {
	if d == 0 {
		*n++
		return
	}
	down(n, d-1)
}

func workers(b *bsplib.Proc, s *state) error {
	var mu sync.Mutex
	var wg sync.WaitGroup
	t := 0
	for k := range b.Stages(s.N) {
		wg.Go(func() { mu.Lock(); t += k; mu.Unlock() }) // want `t is set in the stage loop at line 192 and read after it`
		wg.Wait()
	}
	s.Sum = t
	return nil
}

func minimum(b *bsplib.Proc, s *state) error {
	low := 1 << 30
	for k := range b.Stages(s.N) {
		low = min(low, s.X[k]) // want `low is set in the stage loop at line 202 and read after it`
	}
	s.Sum = low
	return nil
}

func labelled(b *bsplib.Proc, s *state) error {
	n := 0
outer:
	for k := range b.Stages(s.N) {
		for i := range s.X {
			if i == k {
				n = i // want `n is set in the stage loop at line 212 and read after it`
				continue outer
			}
		}
	}
	s.Sum = n
	return nil
}

func encoded(b *bsplib.Proc, s *state) error {
	buf := make([]byte, 8)
	for k := range b.Stages(s.N) {
		s.Sum += int(buf[0])
		binary.LittleEndian.PutUint64(buf, uint64(k)) // want `buf is set in the stage loop at line 226 and read in a later stage`
	}
	return nil
}

func generator(b *bsplib.Proc, s *state) error {
	c := newCounter()
	for range b.Stages(s.N) {
		s.Sum += c()
	}
	return nil
}

func newCounter() func() int {
	n := 0
	return func() int { n++; return n } // want `n is set in the stage loop at line 235 and read in a later stage`
}

func setUpClosure(b *bsplib.Proc, s *state) error {
	var scale int
	setup := func() { scale = 3 } // want `scale is set on the first entry only and read in the stage loop at line 252`
	if b.Fresh() {
		setup()
	}
	for range b.Stages(s.N) {
		s.Sum += scale
	}
	return nil
}

func lastStage(b *bsplib.Proc, s *state) error {
	var out string
	for k := range b.Stages(s.N) {
		if k == s.N-1 {
			out = fmt.Sprint(s.Sum) // want `out is set in the stage loop at line 260 and read after it`
		}
	}
	fmt.Println(out)
	return nil
}

func over[T any](b *bsplib.Proc, list []T, visit func(T)) {
	for k := range b.Stages(len(list)) {
		visit(list[k])
	}
}

func genericHelper(b *bsplib.Proc, s *state) error {
	sum := 0
	over(b, s.X, func(x int) {
		sum += x // want `sum is set in the stages of over \(called at line 277\) and read after them`
	})
	s.Sum = sum
	return nil
}

type box[T any] struct{ Values []T }

func genericProgram[T any](b *bsplib.Proc, s *box[T]) error {
	var last T
	for k := range b.Stages(len(s.Values)) {
		last = s.Values[k] // want `last is set in the stage loop at line 288 and read after it`
	}
	s.Values[0] = last
	return nil
}

func run() error {
	return bsplib.Run(bsplib.Config{}, genericProgram[int])
}
