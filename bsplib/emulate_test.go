package bsplib_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib"
	"github.com/migbsp/migbsp/bsplib/bsptest"
	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/rebalancer"
)

// unequal has a fast host, and a slow one in another Set: 8 Mb/s is a
// microsecond for each byte.
const unequal = `#@platform barrier=1ms
#@set fast speed=1 rate=8Mb/s latency=10us
a slots=1
#@set slow speed=0.5 rate=8Mb/s latency=20us
b slots=1
#@link fast slow rate=4Mb/s latency=100us
`

// milliseconds returns a function for work of n ms everywhere.
func milliseconds(n int) func(int, int) time.Duration {
	return func(int, int) time.Duration { return time.Duration(n) * time.Millisecond }
}

func balance(t *testing.T, text string) *rebalancer.Spec {
	t.Helper()
	spec := must.Get(rebalancer.Parse(text))(t)
	return &spec
}

// The clock of an emulated platform adds up the processes' work, by the speed
// of their hosts, and their messages, by the links.
func TestEmulatedTime(t *testing.T) {
	bsptest.InProcess(t)
	var book ledger.Account
	cfg := bsplib.Config{Procs: 3, Start: "blocks", Platform: platform(t, unequal), Account: &book}.WithWork(milliseconds(10))
	var times []time.Duration
	must.Do(t, bsptest.Try(t, cfg, func(b *bsplib.Proc, s *struct{ In bsplib.Area[byte] }) error {
		s.In = bsplib.Register(b, make([]byte, 1000))
		note := func() {
			if b.Pid() == 0 {
				times = append(times, b.Time())
			}
		}
		note()
		b.Sync()
		note()
		if b.Pid() == 0 {
			s.In.Put(2, 0, make([]byte, 1000)...)
		}
		b.Sync()
		note()
		in := make([]byte, 500)
		if b.Pid() == 0 {
			s.In.Get(1, 0, in)
		}
		b.Sync()
		note()
		return nil
	}))
	// Process 0 is on a; 1 and 2 are on b, where 10 ms of work take 20.
	compute := 40*time.Millisecond + time.Millisecond
	want := []time.Duration{0, compute,
		2*compute + 2*time.Millisecond + 100*time.Microsecond,
		3*compute + 3*time.Millisecond + 200*time.Microsecond}
	for i := range want {
		if d := times[i] - want[i]; d.Abs() > 10 {
			t.Errorf("after superstep %d it is %v, want %v", i, times[i], want[i])
		}
	}
	total := want[3] + compute
	if e := book.Emulation; e == nil || math.Abs(e.With-total.Seconds()) > 1e-8 || e.With != e.Without || math.Abs(e.Least-4*0.021) > 1e-8 {
		t.Errorf("account %+v, want %v with and without", e, total)
	}
}

// With the same work a run repeats to the last digit, moves included.
func TestEmulationRepeats(t *testing.T) {
	bsptest.InProcess(t)
	var first string
	for range 5 {
		cfg := bsplib.Config{Procs: 8, Platform: platform(t, unequal), Balance: balance(t, "percent,guard=0")}.
			WithWork(func(pid, step int) time.Duration { return time.Duration(10+pid) * time.Millisecond })
		h := recorded(t, cfg, passOn(40))
		e := h.End.Emulation
		got := fmt.Sprintf("%v %g %g %.6f", h.Moves, e.Without, e.Least, e.With-e.Calls)
		if first == "" {
			first = got
		}
		if got != first {
			t.Errorf("first %s\nnow   %s", first, got)
		}
	}
}

// ringState is the state of a process in a ring.
type ringState struct {
	Sum int
	In  bsplib.Area[int]
}

// passOn returns a program whose processes pass a number round a ring.
func passOn(stages int) func(*bsplib.Proc, *ringState) error {
	return func(b *bsplib.Proc, s *ringState) error {
		if b.Fresh() {
			s.In = bsplib.Alloc[int](b, 1)
			b.Sync()
		}
		for k := range b.Stages(stages) {
			s.Sum += s.In.Slice()[0]
			s.In.Put(right(b), 0, k+b.Pid())
		}
		want := (stages-1)*left(b) + (stages-1)*(stages-2)/2
		return equal(b, "sum", s.Sum, want)
	}
}

// Moves pay on an unequal platform, and no process moves on an equal one.
func TestAutoGainsWhereThereIsSomethingToGain(t *testing.T) {
	bsptest.InProcess(t)
	for _, c := range []struct {
		name, hosts string
		work        func(pid, step int) time.Duration
		least       float64 // least share of the time saved
		moves       bool
	}{
		{"a slow host", unequal, milliseconds(10), 0.2, true},
		{"equal hosts, equal work", "#@set s speed=1\na slots=1\nb slots=1\n", milliseconds(10), -0.01, false},
		{"equal hosts, unequal work", "#@set s speed=1\na slots=1\nb slots=1\n", func(pid, step int) time.Duration {
			return time.Duration(1+pid/4*9) * time.Millisecond
		}, 0.35, true},
		{"rotating work", "#@set s speed=1\na slots=1\nb slots=1\n", func(pid, step int) time.Duration {
			if pid/2 == step%4 {
				return 10 * time.Millisecond
			}
			return 0
		}, 0.4, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := bsplib.Config{Procs: 8, Start: "blocks", Platform: platform(t, c.hosts), Balance: balance(t, "auto")}.WithWork(c.work)
			h := recorded(t, cfg, passOn(200))
			moved, e := len(h.Moves) > 0, h.End.Emulation
			if moved != c.moves || e.Gain() < c.least || e.Gain() > e.Possible() {
				t.Errorf("moved %v; %.3f of the time saved of %.3f possible, want at least %.3f", moved, e.Gain(), e.Possible(), c.least)
			}
		})
	}
}
