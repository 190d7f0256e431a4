package bsplib_test

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// cell is the state of one of very many processes.
type cell struct {
	X    bsplib.Area[int64]
	Mine [1]int64
}

// manyForms are programs of very many processes. Each calls at(k) on process 0 in
// superstep k, and makes the given number of them.
var manyForms = []struct {
	name string
	// most is the maximum of heap bytes per process, and mostStack of stack bytes.
	most, mostStack float64
	run             func(b *bsplib.Proc, s *cell, steps int, at func(k int)) error
}{
	{"EachStage", 550, 10, func(b *bsplib.Proc, s *cell, steps int, at func(int)) error {
		b.Runtime().EachStage(steps, func(k int) error {
			atZero(b, k, at)
			return nil
		})
		return nil
	}},
	{"EachStagePut", 870, 10, func(b *bsplib.Proc, s *cell, steps int, at func(int)) error {
		if b.Fresh() {
			s.X = bsplib.Register(b, s.Mine[:])
		}
		b.Runtime().EachStage(steps, func(k int) error {
			atZero(b, k, at)
			if k > 0 {
				s.X.Put(right(b), 0, int64(k))
			}
			return nil
		})
		return nil
	}},
	{"Sync", 1300, 2200, func(b *bsplib.Proc, s *cell, steps int, at func(int)) error {
		for k := range steps {
			atZero(b, k, at)
			b.Sync()
		}
		return nil
	}},
	{"SyncPut", 1600, 2300, func(b *bsplib.Proc, s *cell, steps int, at func(int)) error {
		s.X = bsplib.Register(b, s.Mine[:])
		b.Sync()
		for k := range steps {
			atZero(b, k, at)
			s.X.Put(right(b), 0, int64(k))
			b.Sync()
		}
		return nil
	}},
	{"Sum", 1500, 4200, func(b *bsplib.Proc, s *cell, steps int, at func(int)) error {
		for k := range steps {
			atZero(b, k, at)
			s.Mine[0] += bsplib.Sum(b, int64(1))
		}
		return nil
	}},
}

func atZero(b *bsplib.Proc, k int, at func(int)) {
	if b.Pid() == 0 {
		at(k)
	}
}

// inUse returns the bytes of the heap and of stacks after a collection.
//
//go:noinline
func inUse() (heap, stack float64) {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc), float64(m.StackInuse)
}

// leastStacks is the value of GODEBUG that gives new goroutines stacks of the least size.
// By default their size is the mean of the stacks of earlier goroutines, so that it depends on
// the tests that ran before.
const leastStacks = "adaptivestackstart=0"

// The memory of a process is minimal: between stages of EachStage half a kB, plus 0.3 for an
// area, and at a Sync the least stack that Go gives.
func TestMemoryOfVeryManyProcesses(t *testing.T) {
	bsptest.InProcess(t)
	if raceEnabled {
		t.Skip("the race detector has memory of its own")
	}
	if os.Getenv("GODEBUG") != leastStacks {
		again := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
		again.Env = append(os.Environ(), "GODEBUG="+leastStacks)
		if out, err := again.CombinedOutput(); err != nil || !strings.Contains(string(out), "a process takes") {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	const procs = 20_000
	for _, form := range manyForms {
		t.Run(form.name, func(t *testing.T) {
			heap, stack := inUse()
			must.Do(t, bsplib.Run(bsplib.Config{Procs: procs, Ranks: 1}, func(b *bsplib.Proc, s *cell) error {
				return form.run(b, s, 4, func(k int) {
					if k == 3 {
						h, s := inUse()
						heap, stack = (h-heap)/procs, (s-stack)/procs
					}
				})
			}))
			t.Logf("a process takes %.0f bytes of the heap and %.0f of stacks", heap, stack)
			if heap > form.most || stack > form.mostStack {
				t.Errorf("a process takes %.0f bytes of the heap and %.0f of stacks; it should be %.0f and %.0f at most",
					heap, stack, form.most, form.mostStack)
			}
		})
	}
}

// BenchmarkVeryMany measures supersteps of 100 000 processes in one rank. Their memory is
// measured in the first run, because Go reuses its records of coroutines.
func BenchmarkVeryMany(b *testing.B) {
	const procs, warm = 100_000, 3
	for _, form := range manyForms {
		var heap, stack float64
		b.Run(form.name, func(b *testing.B) {
			h0, s0 := inUse()
			var begun, last time.Time
			best := time.Duration(1 << 62)
			must.Do(b, bsplib.Run(bsplib.Config{Procs: procs, Ranks: 1}, func(p *bsplib.Proc, s *cell) error {
				return form.run(p, s, warm+b.N+1, func(k int) {
					if k < warm {
						return
					}
					if k == warm {
						if h, s := inUse(); heap == 0 {
							heap, stack = (h-h0)/procs, (s-s0)/procs
						}
						begun = time.Now()
					} else {
						best = min(best, time.Since(last))
					}
					last = time.Now()
				})
			}))
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(last.Sub(begun))/float64(b.N)/procs, "ns/process")
			b.ReportMetric(float64(best)/procs, "best-ns/process")
			b.ReportMetric(heap, "heap-B/process")
			b.ReportMetric(stack, "stack-B/process")
		})
	}
}

// A thousand ranks in one process work like fewer.
func TestAThousandRanks(t *testing.T) {
	bsptest.InProcess(t)
	ranks := 1000
	if raceEnabled || testing.Short() {
		ranks = 200
	}
	for _, c := range []struct{ ranks, procs int }{{ranks, ranks}, {150, 75}, {150, 451}} {
		ranks, procs := c.ranks, c.procs
		t.Run(fmt.Sprintf("%dProcessesOn%d", procs, ranks), func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			must.Do(t, bsplib.Run(bsplib.Config{Procs: procs, Ranks: ranks}, func(b *bsplib.Proc, s *cell) error {
				s.X = bsplib.Register(b, s.Mine[:])
				b.Sync()
				s.X.Put(right(b), 0, int64(b.Pid()))
				b.Sync()
				if b.Pid() == 0 {
					runtime.ReadMemStats(&after)
				}
				if err := equal(b, "what was put", s.Mine[0], int64(left(b))); err != nil {
					return err
				}
				n := int64(b.NProcs())
				sum := bsplib.Allreduce(b, int64(b.Pid()), func(x, y int64) int64 { return x + y })
				return equal(b, "the sum", sum, n*(n-1)/2)
			}))
			pair := float64(after.TotalAlloc-before.TotalAlloc) / float64(ranks*ranks)
			t.Logf("%.0f bytes for each pair of ranks", pair)
			if most := 2000 + 300*float64(procs)/float64(ranks); pair > most && !raceEnabled {
				t.Errorf("%.0f bytes were taken for each pair of ranks; it should be %.0f at most", pair, most)
			}
		})
	}
}
