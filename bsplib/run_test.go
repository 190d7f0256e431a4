package bsplib_test

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/internal/testrun/must"
)

// Processes are spread over the ranks in blocks, as evenly as possible.
func TestProcessesAreSpreadInBlocks(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		ranks := bsplib.Allgather(b, []int{b.Rank()})
		size := make([]int, b.NRanks())
		last := 0
		for _, r := range ranks {
			if err := equal(b, "ranks go up", r[0] >= last, true); err != nil {
				return err
			}
			last = r[0]
			size[last]++
		}
		share := b.NProcs() / b.NRanks()
		for _, n := range size {
			if err := equal(b, "an even share", n == share || n == share+1, true); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestConfig(t *testing.T) {
	bsptest.InProcess(t)
	cores := runtime.GOMAXPROCS(0)
	for _, c := range []struct{ procs, ranks, wantProcs, wantRanks int }{
		{0, 0, cores, cores},
		{1, 0, 1, 1},
		{100, 0, 100, cores},
		{0, 3, 3, 3},
		{2, 5, 2, 5},
		{5, 2, 5, 2},
	} {
		count := make([]int, c.wantProcs)
		err := bsplib.Run(bsplib.Config{Procs: c.procs, Ranks: c.ranks}, func(b *bsplib.Proc, _ *none) error {
			count[b.Pid()] = b.NProcs()*1000 + b.NRanks()
			return nil
		})
		for pid, n := range count {
			if err != nil || n != c.wantProcs*1000+c.wantRanks {
				t.Fatalf("%+v: process %d counted %d processes on %d ranks; %v", c, pid, n/1000, n%1000, err)
			}
		}
	}
}

// An invalid configuration is an error, not a crash.
func TestConfigsThatAreRefused(t *testing.T) {
	bsptest.InProcess(t)
	for _, cfg := range []bsplib.Config{{Procs: -1}, {Ranks: -1}, {Procs: -3, Ranks: 2}} {
		var err error
		caught := try(func() { err = runOrHang(t, cfg, func(*bsplib.Proc, *none) error { return nil }) })
		if caught != nil || err == nil || !strings.Contains(err.Error(), "at least one") {
			t.Errorf("%+v: error %v, panic %v", cfg, err, caught)
		}
	}
}

// A run leaves no goroutines behind, with or without an error.
func TestRunLeavesNothingBehind(t *testing.T) {
	bsptest.InProcess(t)
	before := runtime.NumGoroutine()
	for i := range 60 {
		runOrHang(t, bsplib.Config{Procs: 4, Ranks: 1 + i%5}, func(b *bsplib.Proc, _ *none) error {
			b.Sync()
			switch {
			case b.Pid() != 2:
			case i%4 == 1:
				b.Abort("stop")
			case i%4 == 2:
				return errWrong
			case i%4 == 3:
				panic("stop")
			}
			b.Sync()
			return nil
		})
	}
	for wait := time.Millisecond; runtime.NumGoroutine() > before && wait < 5*time.Second; wait *= 2 {
		time.Sleep(wait)
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines before, %d after", before, after)
	}
}

// A program may start another run.
func TestRunInARun(t *testing.T) {
	bsptest.InProcess(t)
	bsptest.Run(t, 3, func(b *bsplib.Proc, _ *none) error {
		b.Sync()
		err := bsplib.Run(bsplib.Config{Procs: 2, Ranks: 2}, func(c *bsplib.Proc, _ *none) error {
			return equal(c, "the value", reverse(c, c.Pid()), 1-c.Pid())
		})
		b.Sync()
		return err
	})
}

// Concurrent runs are independent of each other.
func TestRunsAtTheSameTime(t *testing.T) {
	bsptest.InProcess(t)
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			err := bsplib.Run(bsplib.Config{Procs: 3 + i, Ranks: 1 + i%3}, func(b *bsplib.Proc, _ *none) error {
				x := bsplib.Register(b, make([]int, 1))
				for round := range b.Stages(20) {
					if round > 0 {
						x.Put(right(b), 0, 100*i+round)
					}
					b.Sync()
					if round > 0 && x.Slice()[0] != 100*i+round {
						return equal(b, "the area", x.Slice()[0], 100*i+round)
					}
				}
				if i == 4 {
					return errWrong
				}
				return nil
			})
			if (err != nil) != (i == 4) {
				t.Errorf("run %d: %v", i, err)
			}
		})
	}
	wg.Wait()
}

// Sizes that cannot fit into any memory are refused before any allocation.
func TestTooManyProcessesOrRanks(t *testing.T) {
	bsptest.InProcess(t)
	var hosts strings.Builder
	for i := range 200 {
		fmt.Fprintf(&hosts, "node%d slots=65536\n", i)
	}
	platform := must.Get(hostfile.Parse("many.hosts", strings.NewReader(hosts.String())))(t)
	for _, c := range []struct {
		cfg   bsplib.Config
		words string
	}{
		{bsplib.Config{Procs: math.MaxInt}, "9223372036854775807 processes on"},
		{bsplib.Config{Procs: 1 << 62}, "4611686018427387904 processes on"},
		{bsplib.Config{Procs: 1 << 36, Ranks: 2}, "68719476736 processes on 2 ranks need at least 34.5 TiB of memory"},
		{bsplib.Config{Procs: 1, Ranks: math.MaxInt}, "1 processes on 9223372036854775807 ranks"},
		{bsplib.Config{Ranks: 10_000_000}, "10000000 processes on 10000000 ranks"},
		{bsplib.Config{Platform: platform}, "13107200 processes on 13107200 ranks"},
	} {
		err := bsplib.Run(c.cfg, func(*bsplib.Proc, *none) error { return nil })
		if err == nil || !strings.HasPrefix(err.Error(), "bsplib: "+c.words) || !strings.Contains(err.Error(), "available") {
			t.Errorf("%d processes, %d ranks: %v", c.cfg.Procs, c.cfg.Ranks, err)
		}
	}
}

func TestStagesCountUp(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		var got []int
		for k := range b.Stages(3) {
			got = append(got, k)
		}
		for k := range b.Stages(2) {
			got = append(got, 10+k)
		}
		for range b.Stages(0) {
			got = append(got, -1)
		}
		return equal(b, "stages", got, []int{0, 1, 2, 10, 11})
	})
}

func TestSuperstepsAreCounted(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		got := []int{b.Superstep()}
		b.Sync()
		got = append(got, b.Superstep())
		for range b.Stages(2) {
			b.Sync()
			got = append(got, b.Superstep())
		}
		got = append(got, b.Superstep())
		for range b.Stages(2) {
			break
		}
		bsplib.Allreduce(b, 1, plus)
		got = append(got, b.Superstep())
		bsplib.AllreduceSlice(b, []int{1}, plus)
		return equal(b, "supersteps", append(got, b.Superstep()), []int{1, 2, 3, 5, 6, 7, 8})
	})
}

// A loop that is left ends without a barrier: pending puts wait for the next.
func TestLeavingALoopIsNoBarrier(t *testing.T) {
	bsptest.Everywhere(t, func(b *bsplib.Proc, _ *none) error {
		x := bsplib.Register(b, make([]int, 1))
		b.Sync()
		for k := range b.Stages(5) {
			x.Put(right(b), 0, 7)
			if k == 1 {
				break
			}
			x.Put(right(b), 0, 6)
		}
		before := x.Slice()[0]
		b.Sync()
		return equal(b, "before and after Sync", []int{before, x.Slice()[0]}, []int{6, 7})
	})
}
