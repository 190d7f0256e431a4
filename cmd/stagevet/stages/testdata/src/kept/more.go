package kept

import (
	"bytes"
	"fmt"
	"sort"
	"strconv"
	"sync"

	"github.com/migbsp/migbsp/bsplib"
)

type part struct{ A, B int }

func mapOfState(b *bsplib.Proc, s *state) error {
	m := s.M
	for k := range b.Stages(s.N) {
		m[k]++
		s.Sum += len(m)
	}
	return nil
}

func errorOfStage(b *bsplib.Proc, s *state) error {
	var err error
	for k := range b.Stages(s.N) {
		var n int
		n, err = strconv.Atoi("1")
		if err != nil {
			return fmt.Errorf("stage %d: %w", k, err)
		}
		s.Sum += n
	}
	return err
}

func wrappedError(b *bsplib.Proc, s *state) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("program: %w", err)
		}
	}()
	for k := range b.Stages(s.N) {
		if err = step(k); err != nil {
			return err
		}
	}
	return nil
}

func step(int) error { return nil }

func workers(b *bsplib.Proc, s *state) error {
	var wg sync.WaitGroup
	results := make([]int, 4)
	for k := range b.Stages(s.N) {
		for i := range results {
			wg.Add(1)
			go func() { defer wg.Done(); results[i] = k * i }()
		}
		wg.Wait()
		for _, r := range results {
			s.Sum += r
		}
	}
	return nil
}

func pool(b *bsplib.Proc, s *state) error {
	pool := sync.Pool{New: func() any { return new(bytes.Buffer) }}
	for k := range b.Stages(s.N) {
		buf := pool.Get().(*bytes.Buffer)
		buf.Reset()
		fmt.Fprint(buf, k)
		s.Sum += buf.Len()
		pool.Put(buf)
	}
	return nil
}

func sortedIndices(b *bsplib.Proc, s *state) error {
	order := make([]int, len(s.X))
	for range b.Stages(s.N) {
		for i := range order {
			order[i] = i
		}
		sort.Slice(order, func(i, j int) bool { return s.X[order[i]] < s.X[order[j]] })
		s.Sum += order[0]
	}
	return nil
}

func eitherWay(b *bsplib.Proc, s *state) error {
	dir := 0
	for k := range b.Stages(s.N) {
		if k%2 == 0 {
			dir = 1
		} else {
			dir = -1
		}
		s.Sum += dir
	}
	return nil
}

func chosenFunction(b *bsplib.Proc, s *state) error {
	emit := func(x int) { s.Sum += x }
	if b.Pid() == 0 {
		emit = func(x int) { s.Sum -= x }
	}
	for k := range b.Stages(s.N) {
		emit(k)
	}
	return nil
}

func pointerOfState(b *bsplib.Proc, s *state) error {
	if b.Fresh() {
		s.P = &part{1, 2}
	}
	p := s.P
	for k := range b.Stages(s.N) {
		p.A += k
		s.Sum += p.B
	}
	return nil
}

func copyWrittenBack(b *bsplib.Proc, s *state) error {
	p := *s.P
	for k := range b.Stages(s.N) {
		p.A += k
		*s.P = p
	}
	return nil
}

func lazyByPid(b *bsplib.Proc, s *state) error {
	var mine []int
	for k := range b.Stages(s.N) {
		if b.Pid() == 0 && mine == nil {
			mine = make([]int, s.N)
		}
		if b.Pid() == 0 {
			for i := range mine {
				mine[i] = k
			}
			s.Sum += mine[0]
		}
	}
	return nil
}

func lazyRows(b *bsplib.Proc, s *state) error {
	rows := make([][]float64, 8)
	for k := range b.Stages(s.N) {
		i := k % 8
		if rows[i] == nil {
			rows[i] = sinus(8)
		}
		s.Sum += int(rows[i][0])
	}
	return nil
}

func sinus(n int) []float64 { return make([]float64, n) }

func eitherLoop(b *bsplib.Proc, s *state) error {
	switch {
	case s.N > 3:
		for k := range b.Stages(s.N) {
			s.Sum += k
		}
	default:
		for k := range b.Stages(3) {
			s.Sum -= k
		}
	}
	return nil
}

func methodOfState(b *bsplib.Proc, s *state) error {
	f := s.bump
	for k := range b.Stages(s.N) {
		f(k)
	}
	return nil
}

func (s *state) bump(k int) { s.Sum += k }

func timedStage(b *bsplib.Proc, s *state) error {
	t := b.Time()
	for range b.Stages(s.N) {
		t = b.Time()
		b.Sync()
		s.Sum += int(b.Time() - t)
	}
	return nil
}

func bufferByParity(b *bsplib.Proc, s *state) error {
	var bufs [2][]int
	bufs[0], bufs[1] = make([]int, 3), make([]int, 3)
	for k := range b.Stages(s.N) {
		cur := bufs[k%2]
		copy(cur, s.X)
		s.Sum += cur[0]
	}
	return nil
}

func oneProcessSets(b *bsplib.Proc, s *state) error {
	row := 0
	for k := range b.Stages(s.N) {
		if b.Pid() == 0 {
			row = s.X[k]
		}
		if b.Pid() < 2 {
			s.Sum += row
		}
	}
	return nil
}

func unknownBody(b *bsplib.Proc, s *state, body func(int) bool) error {
	b.Stages(s.N)(body)
	return nil
}
