package bsplib_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// A superstep that repeats the previous one allocates no memory from the heap.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	bsptest.InProcess(t)
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	add := func(a, b int64) int64 { return a + b }
	cases := []struct {
		name string
		step func(b *bsplib.Proc, w *workload)
	}{
		{"Nothing", func(b *bsplib.Proc, w *workload) {}},
		{"Put", func(b *bsplib.Proc, w *workload) {
			w.x.Put(right(b), 0, 1)
			w.x.Put(left(b), 5, 2, 3)
			w.x.Put(right(b), 10, w.mem[:500]...)
		}},
		{"HPPut", func(b *bsplib.Proc, w *workload) {
			w.x.HPPut(right(b), 0, 1)
			w.x.HPPut(right(b), 10, w.mem[:500]...)
		}},
		{"Get", func(b *bsplib.Proc, w *workload) {
			w.x.Get(right(b), 3, w.mem[:1])
			w.x.Get(left(b), 0, w.mem[1:300])
			w.x.Get(left(b), 0, w.mem[:1500])
		}},
		{"HPGet", func(b *bsplib.Proc, w *workload) { w.x.HPGet(right(b), 0, w.mem) }},
		{"Send", func(b *bsplib.Proc, w *workload) {
			for tag, values := range w.q.All() {
				w.sum += tag + values[0]
			}
			for i := range int64(20) {
				w.q.Send(right(b), i, w.sum)
				w.q.Send(left(b), i, w.mem[:i+1]...)
			}
		}},
		{"Move", func(b *bsplib.Proc, w *workload) {
			for w.q.Len() > 0 {
				w.q.Peek()
				w.q.Receive(w.mem)
			}
			w.q.Send(right(b), 1, w.mem[:100]...)
		}},
		{"Broadcast", func(b *bsplib.Proc, w *workload) { bsplib.Broadcast(b, 0, w.mem) }},
		{"Reduce", func(b *bsplib.Proc, w *workload) { w.sum = bsplib.Reduce(b, 0, w.sum, add) }},
		{"Allreduce", func(b *bsplib.Proc, w *workload) { w.sum = bsplib.Allreduce(b, w.sum, add) }},
		{"Sum", func(b *bsplib.Proc, w *workload) { w.sum = bsplib.Sum(b, w.sum) }},
		{"AllreduceSlice", func(b *bsplib.Proc, w *workload) { bsplib.AllreduceSlice(b, w.mem, add) }},
		{"MaxSlice", func(b *bsplib.Proc, w *workload) { bsplib.MaxSlice(b, w.mem) }},
		{"SumSliceInParts", func(b *bsplib.Proc, w *workload) { bsplib.SumSlice(b, w.long) }},
		{"BroadcastOfMuch", func(b *bsplib.Proc, w *workload) { bsplib.Broadcast(b, 1, w.long) }},
		{"Gather", func(b *bsplib.Proc, w *workload) { bsplib.GatherInto(b, 2, w.mem[:b.Pid()], w.into) }},
		{"Allgather", func(b *bsplib.Proc, w *workload) { bsplib.AllgatherInto(b, w.mem[:10*b.Pid()], w.into) }},
		{"AllToAll", func(b *bsplib.Proc, w *workload) { bsplib.AllToAllInto(b, w.from, w.into) }},
		{"Scan", func(b *bsplib.Proc, w *workload) { w.sum = bsplib.Scan(b, w.sum, add) }},
	}
	for _, c := range cases {
		for _, ranks := range []int{1, 2} {
			t.Run(fmt.Sprintf("%s%dRanks", c.name, ranks), func(t *testing.T) {
				// Lists grow as the ranks' timing requires, and not all runs get there early.
				got := mallocsPerStep(t, ranks, c.step)
				for range 3 {
					got = min(got, mallocsPerStep(t, ranks, c.step))
				}
				if got > 0.2 {
					t.Errorf("%.2f allocations in each superstep of 4 processes", got)
				}
			})
		}
	}
}

// workload is the data of a process.
type workload struct {
	x   bsplib.Area[int64]
	q   bsplib.Queue[int64, int64]
	mem []int64
	sum int64

	long       []int64
	from, into [][]int64
}

// mallocsPerStep measures a superstep of 4 processes, once warm.
func mallocsPerStep(t *testing.T, ranks int, step func(b *bsplib.Proc, w *workload)) (result float64) {
	const warm, steps = 50, 300
	must.Do(t, bsplib.Run(bsplib.Config{Procs: 4, Ranks: ranks}, func(b *bsplib.Proc, _ *none) error {
		w := &workload{mem: make([]int64, 2000), long: make([]int64, 50_000), from: make([][]int64, 4), into: make([][]int64, 4)}
		for i := range w.from {
			w.from[i] = make([]int64, 100*i)
		}
		w.x, w.q = bsplib.Alloc[int64](b, 2000), bsplib.NewQueue[int64, int64](b)
		b.Sync()
		var before, after runtime.MemStats
		for i := range warm + steps {
			if i == warm && b.Pid() == 0 {
				runtime.ReadMemStats(&before)
			}
			step(b, w)
			b.Sync()
		}
		if b.Pid() == 0 {
			runtime.ReadMemStats(&after)
			result = float64(after.Mallocs-before.Mallocs) / steps
		}
		return nil
	}))
	return result
}
