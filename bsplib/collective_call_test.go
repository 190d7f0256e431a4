package bsplib_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
)

// collectiveCall is a call of a collective, all of it on one line of this file.
type collectiveCall struct {
	at string // that line
	do func(b *bsplib.Proc)
}

// here returns the line that calls it.
func here() string {
	_, file, line, _ := runtime.Caller(1)
	return fmt.Sprintf("%s:%d", filepath.Base(file), line)
}

type pair struct{ X, Y int32 }

type couple struct{ X, Y int32 }

func times(x, y int) int { return x * y }

func apart(b *bsplib.Proc) [][]int { return make([][]int, b.NProcs()) }

// Any two of these differ in the collective, the type of the values, the operation, the root or the length.
var differingCalls = []collectiveCall{
	{here(), func(b *bsplib.Proc) { bsplib.Broadcast(b, 0, make([]int, 5)) }},
	{here(), func(b *bsplib.Proc) { bsplib.Broadcast(b, 0, make([]float64, 5)) }},
	{here(), func(b *bsplib.Proc) { bsplib.Broadcast(b, 0, make([]pair, 5)) }},
	{here(), func(b *bsplib.Proc) { bsplib.Broadcast(b, 0, make([]couple, 5)) }},
	{here(), func(b *bsplib.Proc) { bsplib.Broadcast(b, 1, make([]int, 5)) }},
	{here(), func(b *bsplib.Proc) { bsplib.Gather(b, 0, []int{1}) }},
	{here(), func(b *bsplib.Proc) { bsplib.GatherInto(b, 0, []uint{1}, make([][]uint, b.NProcs())) }},
	{here(), func(b *bsplib.Proc) { bsplib.Gather(b, 1, []int{1}) }},
	{here(), func(b *bsplib.Proc) { bsplib.Allgather(b, []int{1}) }},
	{here(), func(b *bsplib.Proc) { bsplib.AllgatherInto(b, []uint{1}, make([][]uint, b.NProcs())) }},
	{here(), func(b *bsplib.Proc) { bsplib.AllToAll(b, apart(b)) }},
	{here(), func(b *bsplib.Proc) { x := make([][]uint, b.NProcs()); bsplib.AllToAllInto(b, x, x) }},
	{here(), func(b *bsplib.Proc) { bsplib.Reduce(b, 0, 1, plus) }},
	{here(), func(b *bsplib.Proc) { bsplib.Reduce(b, 0, 1, times) }},
	{here(), func(b *bsplib.Proc) { bsplib.Reduce(b, 1, 1, plus) }},
	{here(), func(b *bsplib.Proc) { bsplib.Allreduce(b, 1, plus) }},
	{here(), func(b *bsplib.Proc) { bsplib.Allreduce(b, 1, times) }},
	{here(), func(b *bsplib.Proc) { bsplib.Allreduce(b, 1, func(x, y uint) uint { return x + y }) }},
	{here(), func(b *bsplib.Proc) { bsplib.AllreduceSlice(b, make([]int, 5), plus) }},
	{here(), func(b *bsplib.Proc) { bsplib.AllreduceSlice(b, make([]int, 5), times) }},
	{here(), func(b *bsplib.Proc) { bsplib.AllreduceSlice(b, make([]int, 50_000), minus) }},
	{here(), func(b *bsplib.Proc) { bsplib.Sum(b, int64(1)) }},
	{here(), func(b *bsplib.Proc) { bsplib.Sum(b, 1.0) }},
	{here(), func(b *bsplib.Proc) { bsplib.Min(b, int64(1)) }},
	{here(), func(b *bsplib.Proc) { bsplib.Max(b, int64(1)) }},
	{here(), func(b *bsplib.Proc) { bsplib.SumSlice(b, make([]int, 5)) }},
	{here(), func(b *bsplib.Proc) { bsplib.SumSlice(b, make([]float64, 5)) }},
	{here(), func(b *bsplib.Proc) { bsplib.SumSlice(b, make([]float32, 50_000)) }},
	{here(), func(b *bsplib.Proc) { bsplib.MinSlice(b, make([]int, 5)) }},
	{here(), func(b *bsplib.Proc) { bsplib.MaxSlice(b, make([]int, 5)) }},
	{here(), func(b *bsplib.Proc) { bsplib.MaxSlice(b, make([]uint, 50_000)) }},
	{here(), func(b *bsplib.Proc) { bsplib.Scan(b, 1, plus) }},
	{here(), func(b *bsplib.Proc) { bsplib.Scan(b, 1, times) }},
	{here(), func(b *bsplib.Proc) { bsplib.Broadcast(b, 0, make([]int32, 50_000)) }},
	{here(), func(b *bsplib.Proc) { bsplib.Broadcast(b, 1, make([]int32, 50_000)) }},
	{here(), func(b *bsplib.Proc) { bsplib.Reduce(b, 2, 1, plus) }},
	{here(), func(b *bsplib.Proc) { bsplib.Gather(b, 2, []int{1}) }},
	{here(), func(b *bsplib.Proc) { bsplib.Broadcast(b, 2, make([]int, 5)) }},
	{here(), func(b *bsplib.Proc) { bsplib.Broadcast(b, 0, make([]int, 6)) }},
	{here(), func(b *bsplib.Proc) { bsplib.SumSlice(b, make([]int, 6)) }},
	{here(), func(b *bsplib.Proc) { b.Sync() }},
}

func minus(x, y int) int { return x - y }

// One process calls another collective than all others, or the same with another type, operation,
// root or length, or none. For every process and mapping the run ends with an error that names
// the process, its line and the line of the others.
func TestPairsOfCollectives(t *testing.T) {
	bsptest.InProcess(t)
	const procs = 5
	onRanks := func(ranks int) func(int, []int, func(*bsplib.Proc, *none) error) error {
		return func(procs int, _ []int, program func(*bsplib.Proc, *none) error) error {
			return bsplib.Run(bsplib.Config{Procs: procs, Ranks: ranks}, program)
		}
	}
	every := 6 // of the pairs, for each mapping
	if testing.Short() {
		every = 12
	}
	for w, way := range []struct {
		name string
		run  func(int, []int, func(*bsplib.Proc, *none) error) error
		node []int
	}{
		{"one rank", onRanks(1), nil},
		{"two ranks", onRanks(2), nil},
		{"three ranks", onRanks(3), nil},
		{"a rank for each", onRanks(procs), nil},
		{"nodes", runOnNodes[none], []int{0, 0, 1, 2}},
		{"runs", byTheirRuns, []int{0, 1, 2, 2, 1}},
		{"tree", byTree, []int{0, 0, 1, 2}},
	} {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			for i, one := range differingCalls {
				for k, other := range differingCalls {
					if i == k || (i+k+w)%every != 0 {
						continue
					}
					for odd := range procs {
						err := way.run(procs, way.node, func(b *bsplib.Proc, _ *none) error {
							b.Sync()
							if b.Pid() == odd {
								one.do(b)
							} else {
								other.do(b)
							}
							b.Sync()
							return nil
						})
						if why := apartAs(err, odd, one.at, other.at); why != "" {
							t.Errorf("process %d is at %s, others at %s: %s: %v", odd, one.at, other.at, why, err)
						}
					}
				}
			}
		})
	}
}

// apartAs checks the error of a run of five processes, in whose second superstep one process is
// at another line than the others. It returns "" or a description of the problem.
func apartAs(err error, odd int, at, others string) string {
	e, is := errors.AsType[*bsplib.Error](err)
	if !is {
		return "not the error of a process"
	}
	var rest []string
	for pid := range 5 {
		if pid != odd {
			rest = append(rest, fmt.Sprint(pid))
		}
	}
	who := fmt.Sprintf(", while processes %s and %s are in ", strings.Join(rest[:3], ", "), rest[3])
	want, kind := " at "+others, bsplib.KindCollectiveMismatch
	if strings.HasSuffix(e.Text, " bytes"+want+"; all processes must give the same length") {
		want, kind = want+"; all processes must give the same length", bsplib.KindOutOfBounds
	}
	switch {
	case e.Kind != kind:
		return fmt.Sprintf("kind %d, want %d", e.Kind, kind)
	case e.Pid != odd || e.Site != at || e.Superstep != 2:
		return fmt.Sprintf("process %d at %s in superstep %d", e.Pid, e.Site, e.Superstep)
	case !strings.HasPrefix(e.Text, "this process is in a") || !strings.Contains(e.Text, who) || !strings.HasSuffix(e.Text, want):
		return "does not say what they do"
	}
	return ""
}

// The same collective may be called at several lines, with copies of a function, and by the
// values of generic functions and of methods.
func TestSameCollectiveAtSeveralLines(t *testing.T) {
	total := func(b *bsplib.Proc, x int) int {
		return bsplib.Allreduce(b, x, func(x, y int) int { return x + y })
	}
	bsptest.Run(t, 5, func(b *bsplib.Proc, _ *none) error {
		p := b.NProcs()
		var got [4]int
		if b.Pid() == 0 {
			got[0] = total(b, 1)
			got[1] = bsplib.Allreduce(b, 1, summed[int])
			got[2] = bsplib.Allreduce(b, 1, weight(3).add)
			got[3] = bsplib.Sum(b, 1)
		} else {
			got[0] = total(b, 1)
			got[1] = bsplib.Allreduce(b, 1, summed[int])
			got[2] = bsplib.Allreduce(b, 1, weight(3).add)
			got[3] = bsplib.Sum(b, 1)
		}
		return equal(b, "the sums", got, [4]int{p, p, p + 3*(p-1), p})
	})
}

func summed[T int | float64](x, y T) T { return x + y }

type weight int

func (w weight) add(x, y int) int { return x + y + int(w) }

// An operation must only compute. Any other action ends the run with an error that names it, in
// every collective with an operation and on every rank.
func TestWhatOperationsMayNotDo(t *testing.T) {
	bsptest.InProcess(t)
	type things struct {
		area  bsplib.Area[int]
		queue bsplib.Queue[int, int]
	}
	for _, c := range []struct {
		what string
		do   func(b *bsplib.Proc, s *things)
		want string
	}{
		{"Sync", func(b *bsplib.Proc, _ *things) { b.Sync() }, "Sync, or the end of a stage, within the operation of a collective"},
		{"Stages", func(b *bsplib.Proc, _ *things) {
			for range b.Stages(2) {
			}
		}, "within the operation of a collective"},
		{"EachStage", func(b *bsplib.Proc, _ *things) { b.Runtime().EachStage(2, func(int) error { return nil }) }, "EachStage within the operation of a collective"},
		{"Sum", func(b *bsplib.Proc, _ *things) { bsplib.Sum(b, 1) }, "a Sum within the operation of a collective"},
		{"Broadcast", func(b *bsplib.Proc, _ *things) { bsplib.Broadcast(b, 0, []int{1}) }, "a Broadcast within the operation of a collective"},
		{"Gather", func(b *bsplib.Proc, _ *things) { bsplib.Gather(b, 0, []int{1}) }, "a Gather within the operation of a collective"},
		{"AllToAll", func(b *bsplib.Proc, _ *things) { bsplib.AllToAll(b, apart(b)) }, "an AllToAll within the operation of a collective"},
		{"Put", func(_ *bsplib.Proc, s *things) { s.area.Put(1, 0, 5) }, "puts, gets or sends"},
		{"Puts", func(_ *bsplib.Proc, s *things) {
			for i := range 100 {
				s.area.Put(1, i, 5)
			}
		}, "puts, gets or sends"},
		{"HPPut", func(b *bsplib.Proc, s *things) { s.area.HPPut(1, 2*b.Pid(), 5, 6) }, "puts, gets or sends"},
		{"Get", func(_ *bsplib.Proc, s *things) { s.area.Get(1, 0, make([]int, 1)) }, "puts, gets or sends"},
		{"Send", func(_ *bsplib.Proc, s *things) { s.queue.Send(1, 0, 5) }, "puts, gets or sends"},
		{"Register", func(b *bsplib.Proc, _ *things) { bsplib.Register(b, []int{1}) }, "within the operation of a collective"},
		{"Alloc", func(b *bsplib.Proc, _ *things) { bsplib.Alloc[int](b, 1) }, "within the operation of a collective"},
		{"NewQueue", func(b *bsplib.Proc, _ *things) { bsplib.NewQueue[int, int](b) }, "within the operation of a collective"},
		{"Pop", func(_ *bsplib.Proc, s *things) { s.area.Pop() }, "within the operation of a collective"},
		{"Post", func(b *bsplib.Proc, _ *things) { b.Runtime().Post(0, []byte{1}) }, "Post within the operation of a collective"},
		{"Poll", func(b *bsplib.Proc, _ *things) { b.Runtime().Poll(0) }, "Poll within the operation of a collective"},
		{"Abort", func(b *bsplib.Proc, _ *things) { b.Abort("enough") }, "enough"},
		{"panic", func(*bsplib.Proc, *things) { panic("oh") }, "panic: oh"},
		{"Goexit", func(*bsplib.Proc, *things) { runtime.Goexit() }, "called runtime.Goexit"},
	} {
		for name, call := range map[string]func(b *bsplib.Proc, op func(x, y int) int){
			"Reduce":                 func(b *bsplib.Proc, op func(x, y int) int) { bsplib.Reduce(b, 1, 1, op) },
			"Allreduce":              func(b *bsplib.Proc, op func(x, y int) int) { bsplib.Allreduce(b, 1, op) },
			"AllreduceSlice":         func(b *bsplib.Proc, op func(x, y int) int) { bsplib.AllreduceSlice(b, make([]int, 5), op) },
			"AllreduceSlice of much": func(b *bsplib.Proc, op func(x, y int) int) { bsplib.AllreduceSlice(b, make([]int, 50_000), op) },
			"Scan":                   func(b *bsplib.Proc, op func(x, y int) int) { bsplib.Scan(b, 1, op) },
		} {
			for _, recovers := range []bool{false, true} {
				program := func(b *bsplib.Proc, _ *none) error {
					s := &things{bsplib.Register(b, make([]int, 100)), bsplib.NewQueue[int, int](b)}
					b.Sync()
					func() {
						defer func() {
							if recovers && c.what != "Goexit" {
								recover()
							}
						}()
						call(b, func(x, y int) int { c.do(b, s); return x + y })
					}()
					b.Sync()
					return nil
				}
				onRanks := func(n int) func() error {
					return func() error { return bsplib.Run(bsplib.Config{Procs: 3, Ranks: n}, program) }
				}
				for way, run := range map[string]func() error{
					"one rank": onRanks(1), "two ranks": onRanks(2), "a rank for each": onRanks(3), "more ranks": onRanks(4),
					"nodes":     func() error { return runOnNodes(4, []int{0, 0, 1}, program) },
					"tree":      func() error { return byTree(5, []int{0, 0, 1, 2}, program) },
					"long tree": func() error { return byTree(11, []int{0, 1, 2, 3}, program) },
				} {
					err := run()
					e, is := errors.AsType[*bsplib.Error](err)
					if !is || !strings.Contains(e.Text, c.want) || !strings.Contains(e.Error(), "collective_call_test.go:") {
						t.Errorf("%s in %s, %s, recovers %v: %v", c.what, name, way, recovers, err)
					}
				}
			}
		}
	}
}
