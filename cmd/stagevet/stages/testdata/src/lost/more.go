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
		accumulate(&acc, k)
	}
	s.Sum = acc
	return nil
}

func accumulate[T int | float64](p *T, x T) { *p += x } // want `acc is set in the stage loop at line 16 and read after it`

func structOfClosures(b *bsplib.Proc, s *state) error {
	n := 0
	ops := struct{ inc func() }{func() { n++ }} // want `n is set in the stage loop at line 28 and read after it`
	for range b.Stages(s.N) {
		ops.inc()
	}
	s.Sum = n
	return nil
}

func doneFlag(b *bsplib.Proc, s *state) error {
	done := false
	for k := range b.Stages(s.N) {
		if done {
			continue
		}
		if s.X[k] == 0 {
			done = true // want `done is set in the stage loop at line 37 and read in a later stage`
		}
		s.Sum++
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
		*t = s.X[k] // want `t is set in the stage loop at line 57 and read after it`
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
			errs = append(errs, errors.New("x")) // want `errs is set in the stage loop at line 70 and read after it`
		}
	}
	return errors.Join(errs...)
}

func copiedArray(b *bsplib.Proc, s *state) error {
	var a [3]int
	for k := range b.Stages(s.N) {
		c := a
		c[k%3]++
		a = c // want `a is set in the stage loop at line 80 and read in a later stage`
	}
	return nil
}

func embedded(b *bsplib.Proc, s *state) error {
	type base struct{ n int }
	v := struct{ base }{}
	for range b.Stages(s.N) {
		v.n++ // want `v.base.n is set in the stage loop at line 91 and read after it`
	}
	s.Sum = v.n
	return nil
}

func swappedBuffers(b *bsplib.Proc, s *state) error {
	cur, next := make([]int, 4), make([]int, 4)
	for range b.Stages(s.N) {
		for i := range next {
			next[i] = cur[i] + 1 // want `cur is set in the stage loop at line 100 and read in a later stage`
		}
		cur, next = next, cur // want `cur is set in the stage loop at line 100 and read in a later stage` `next is set in the stage loop at line 100 and read in a later stage`
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
		last = k // want `last is set in the stage loop at line 111 and read in a later stage`
	}
	return nil
}

func scanner(b *bsplib.Proc, s *state) error {
	sc := bufio.NewScanner(strings.NewReader("a\nb"))
	for range b.Stages(s.N) {
		sc.Scan() // want `sc is set in the stage loop at line 123 and read in a later stage`
		s.Sum += len(sc.Text())
	}
	return nil
}

func workers(b *bsplib.Proc, s *state) error {
	var mu sync.Mutex
	var wg sync.WaitGroup
	t := 0
	for k := range b.Stages(s.N) {
		wg.Go(func() { mu.Lock(); t += k; mu.Unlock() }) // want `t is set in the stage loop at line 134 and read after it`
		wg.Wait()
	}
	s.Sum = t
	return nil
}

func labelled(b *bsplib.Proc, s *state) error {
	n := 0
outer:
	for k := range b.Stages(s.N) {
		for i := range s.X {
			if i == k {
				n = i // want `n is set in the stage loop at line 145 and read after it`
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
		binary.LittleEndian.PutUint64(buf, uint64(k)) // want `buf is set in the stage loop at line 159 and read in a later stage`
	}
	return nil
}

func setUpClosure(b *bsplib.Proc, s *state) error {
	var scale int
	setup := func() { scale = 3 } // want `scale is set on the first entry only and read in the stage loop at line 172`
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
			out = fmt.Sprint(s.Sum) // want `out is set in the stage loop at line 180 and read after it`
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
		sum += x // want `sum is set in the stage loop at line 190 and read after it`
	})
	s.Sum = sum
	return nil
}

type box[T any] struct{ Values []T }

func genericProgram[T any](b *bsplib.Proc, s *box[T]) error {
	var last T
	for k := range b.Stages(len(s.Values)) {
		last = s.Values[k] // want `last is set in the stage loop at line 208 and read after it`
	}
	s.Values[0] = last
	return nil
}

func run() error {
	return bsplib.Run(bsplib.Config{}, genericProgram[int])
}

func otherElements(b *bsplib.Proc, s *state) error {
	hist := make([]int, 10)
	for k := range b.Stages(s.N) {
		i := s.X[k] % 10
		hist[i] = k // want `hist is set in the stage loop at line 221 and read in a later stage`
		s.Sum += hist[(i+1)%10]
	}
	return nil
}

var calls int

func (s *state) called() { calls++ } // want `the package variable calls is set in the stage loop at line 234 and read after it`

func methodOfTheState(b *bsplib.Proc, s *state) error {
	for range b.Stages(s.N) {
		s.called()
	}
	s.Sum = calls
	return nil
}
