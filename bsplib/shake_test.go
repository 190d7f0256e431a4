package bsplib_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// travelling is a state with everything in it that can move.
type travelling struct {
	Sum    int
	Name   string
	Rows   [][]float64
	Counts map[string]int
	List   *link
	Whole  []int64
	Part   []int64 // of Whole
	Kept   bsplib.Area[int64]
	Given  bsplib.Area[int32]
	Buffer bsplib.Area[float64] // over Own
	Own    []float64
	Post   bsplib.Queue[int, int]
	None   bsplib.Area[byte]
}

type link struct {
	Value int
	Next  *link
}

func (s *travelling) begin(b *bsplib.Proc) {
	s.Name = fmt.Sprintf("process %d", b.Pid())
	s.Rows = [][]float64{{1, 2}, nil, {float64(b.Pid())}}
	s.Counts = map[string]int{"a": 1, "b": b.Pid()}
	ring := &link{Value: b.Pid()}
	ring.Next = &link{Value: -1, Next: ring}
	s.List = ring
	s.Whole = make([]int64, 2000)
	s.Part = s.Whole[10:20]
	s.Kept = bsplib.Register(b, make([]int64, 3+b.Pid()))
	s.Given = bsplib.Alloc[int32](b, 3000)
	s.Own = make([]float64, 7)
	s.Buffer = bsplib.Register(b, s.Own)
	s.Post = bsplib.NewQueue[int, int](b)
	b.Sync()
}

// run is a program of five stages that checks its state in each, and changes it.
func (s *travelling) run(b *bsplib.Proc) error {
	if b.Fresh() {
		s.begin(b)
	}
	for k := range b.Stages(5) {
		if err := s.check(b, k); err != nil {
			return fmt.Errorf("stage %d: %w", k, err)
		}
		s.Kept.Put(right(b), 1, int64(100*k+b.Pid()))
		s.Buffer.Put(right(b), 6, float64(k))
		b.Sync()
		s.Given.HPPut(left(b), 2999, int32(k))
		s.Sum += int(s.Kept.Slice()[1])
		s.Part[0]++
		s.List.Next.Value = k
		s.Counts["b"]++
		s.Post.Send(left(b), k, b.Pid(), b.Pid()+1)
		s.Post.Send(right(b), -k)
	}
	return s.check(b, 5)
}

func TestStateSurvivesMoves(t *testing.T) {
	bsptest.Shaken(t, func(b *bsplib.Proc, s *travelling) error { return s.run(b) })
}

// check compares the state with what it must be when stage k begins.
func (s *travelling) check(b *bsplib.Proc, k int) error {
	sum := 0
	for i := range k {
		sum += 100*i + left(b)
	}
	last := max(0, k-1)
	var mail []string
	if k > 0 {
		letters := []struct {
			from int
			text string
		}{{right(b), letterText(k-1, []int{right(b), right(b) + 1})}, {left(b), letterText(1-k, []int{})}}
		slices.SortStableFunc(letters, func(a, b struct {
			from int
			text string
		}) int {
			return cmp.Compare(a.from, b.from)
		})
		for _, l := range letters {
			mail = append(mail, l.text)
		}
	}
	value := -1
	if k > 0 {
		value = k - 1
	}
	return cmp.Or(
		equal(b, "sum", s.Sum, sum),
		equal(b, "name", s.Name, fmt.Sprintf("process %d", b.Pid())),
		equal(b, "rows", fmt.Sprint(s.Rows), fmt.Sprint([][]float64{{1, 2}, nil, {float64(b.Pid())}})),
		equal(b, "an absent row", s.Rows[1] == nil, true),
		equal(b, "counts", s.Counts["b"], b.Pid()+k),
		equal(b, "the ring", s.List.Next.Next == s.List, true),
		equal(b, "in the ring", s.List.Next.Value, value),
		equal(b, "the whole", s.Whole[10], int64(k)),
		equal(b, "the area's length", len(s.Kept.Slice()), 3+b.Pid()),
		equal(b, "the given area", s.Given.Slice()[2999], int32(last)),
		equal(b, "the buffer", s.Own[6], float64(last)),
		equal(b, "the buffer's area", s.Buffer.Slice()[6], float64(last)),
		equal(b, "messages", readAll(s.Post), mail),
	)
}

// A program that keeps a value in a variable instead of the state is found out.
func TestShakeFindsVariables(t *testing.T) {
	bsptest.InProcess(t)
	err := bsplib.Run(bsplib.Config{Procs: 3, Ranks: 2, Shake: true}, func(b *bsplib.Proc, s *none) error {
		total := 0
		for k := range b.Stages(4) {
			total += k
		}
		return equal(b, "total", total, 6)
	})
	if err == nil {
		t.Error("the variable kept its value")
	}
}

func TestThousandsOfSmallProcessesMove(t *testing.T) {
	type state struct {
		Visits int
		In     bsplib.Area[int]
	}
	bsptest.Run(t, 1, func(*bsplib.Proc, *none) error { return nil })
	for _, cfg := range bsptest.Configs(3000)[:1] {
		cfg.Shake = true
		if cfg.Comm == nil {
			cfg.Ranks = 4
		}
		must.Do(t, bsptest.Try(t, cfg, func(b *bsplib.Proc, s *state) error {
			if b.Fresh() {
				s.In = bsplib.Alloc[int](b, 1)
				b.Sync()
			}
			for k := range b.Stages(4) {
				if err := equal(b, "what was put", s.In.Slice()[0], s.Visits*left(b)); err != nil {
					return err
				}
				s.Visits++
				s.In.Put(right(b), 0, (k+1)*b.Pid())
			}
			return nil
		}))
	}
}
