package clock

import (
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/clock/laps"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/mpi/mpitest"
	"github.com/migbsp/migbsp/rebalancer"
)

const (
	us = time.Microsecond
	ms = time.Millisecond
)

// unequal returns a platform with a rank of speed 1 and a rank of speed 0.5, each a Set. A byte
// takes 1 us on the first, 5 us on the second, 2 us from the first to the second, and 3 us back.
func unequal() rebalancer.Platform {
	there, back := rebalancer.Link{Latency: 100e-6, PerByte: 2e-6}, rebalancer.Link{Latency: 150e-6, PerByte: 3e-6}
	return rebalancer.Platform{
		Sets:    []rebalancer.Set{{Name: "fast", Manager: 0}, {Name: "slow", Manager: 1}},
		Ranks:   []rebalancer.Rank{{Host: "a", Set: 0, Speed: 1}, {Host: "b", Set: 1, Speed: 0.5}},
		Links:   [][]rebalancer.Link{{{Latency: 10e-6, PerByte: 1e-6}, there}, {back, {Latency: 20e-6, PerByte: 5e-6}}},
		Barrier: 1e-3,
	}
}

// onPlatform runs body on each rank of unequal, where process 0 begins on rank 0, and 1
// and 2 on rank 1. Its last argument is an exchange of all ranks.
func onPlatform(t *testing.T, preset func(pid, step int) time.Duration, body func(rank int, c *Emulated, exchange func())) {
	t.Helper()
	p := NewPlatform(unequal(), []int32{0, 1, 1})
	mpitest.OnRanks(2)(t, func(comm mpi.Comm) error {
		barrier := func() error {
			_, err := comm.Exchange(comm.Lane(0), 0)
			return err
		}
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		body(comm.Rank(), p.Rank(comm.Rank(), preset, barrier), func() {
			if err := barrier(); err != nil {
				t.Error(err)
			}
		})
		return nil
	})
}

// near reports whether times are equal up to rounding.
func near(a, b time.Duration) bool { return (a - b).Abs() <= 2*time.Nanosecond }

func duration(seconds float64) time.Duration { return time.Duration(math.Round(seconds * 1e9)) }

type message struct {
	from, to int
	bytes    int64
}

// The duration of a superstep is the longest work of a rank, divided by its speed, the largest
// transfer time, the largest latency and the barrier. The clock also computes the duration with
// the initial mapping, and a lower bound for any mapping.
func TestEmulatedSupersteps(t *testing.T) {
	steps := []struct {
		name     string
		where    []int32
		work     []time.Duration // at speed 1
		messages []message

		work0, work1         time.Duration // of the ranks
		took, unmoved, bound time.Duration
	}{
		{
			name: "work alone", where: []int32{0, 1, 1}, work: []time.Duration{10 * ms, 10 * ms, 10 * ms},
			work0: 10 * ms, work1: 40 * ms, took: 41 * ms, unmoved: 41 * ms, bound: 21 * ms, // (10+10+10) / (1+0.5)
		},
		{
			name: "the slow host's bytes", where: []int32{0, 1, 1}, work: []time.Duration{60 * ms, 0, 0},
			messages: []message{{0, 2, 1000}, {0, 1, 200}},
			work0:    60 * ms, took: 61*ms + 6*ms + 100*us, unmoved: 61*ms + 6*ms + 100*us, bound: 61 * ms, // one long process
		},
		{
			name: "nothing", where: []int32{0, 1, 1}, work: []time.Duration{0, 0, 0}, took: ms, unmoved: ms, bound: ms,
		},
		{
			name: "both ways at once", where: []int32{0, 1, 1}, work: []time.Duration{0, 0, 0},
			messages: []message{{0, 2, 600}, {1, 0, 400}, {1, 1, 1e6}, {2, 1, 1e6}},
			took:     ms + 3*ms + 150*us, unmoved: ms + 3*ms + 150*us, bound: ms,
		},
		{
			name: "moved", where: []int32{0, 0, 1}, work: []time.Duration{10 * ms, 10 * ms, 10 * ms},
			messages: []message{{0, 1, 1000}},
			work0:    20 * ms, work1: 20 * ms, took: 21 * ms, unmoved: 41*ms + 5*ms + 100*us, bound: 21 * ms,
		},
		{
			name: "moved away from each other", where: []int32{0, 0, 1}, work: []time.Duration{ms, ms, ms},
			messages: []message{{1, 2, 100}},
			work0:    2 * ms, work1: 2 * ms, took: 3*ms + 500*us + 100*us, unmoved: 4*ms + ms, bound: 2*ms + ms,
		},
		{
			name: "all on the slow host", where: []int32{1, 1, 1}, work: []time.Duration{6 * ms, 3 * ms, 0},
			work1: 18 * ms, took: 19 * ms, unmoved: 7 * ms, bound: 7 * ms,
		},
	}
	const again = 5 // repetitions, because supersteps must be independent
	preset := func(pid, step int) time.Duration { return steps[step%len(steps)].work[pid] }
	onPlatform(t, preset, func(rank int, c *Emulated, _ func()) {
		c.Start()
		var now, unmoved, bound time.Duration
		for step := range again * len(steps) {
			s := &steps[step%len(steps)]
			at, _ := c.Begin(len(s.where))
			work := time.Duration(0)
			for pid, on := range s.where {
				if int(on) == rank {
					l := c.Lap(pid, step)
					work += l.Work
					if l.Span != l.Work {
						t.Errorf("%s: work of %v in %v", s.name, l.Work, l.Span)
					}
				}
			}
			for _, m := range s.messages {
				if int(s.where[m.to]) == rank {
					c.Carry(m.from, m.to, m.bytes, s.where)
				}
			}
			if want := []time.Duration{s.work0, s.work1}[rank]; work != want {
				t.Errorf("%s: rank %d worked %v, want %v", s.name, rank, work, want)
			}
			end, err := c.Superstep(work, s.where)
			if err != nil || !near(end.Took, s.took) || !near(end.Barrier, s.took-work) {
				t.Errorf("%s: on rank %d it took %+v, %v; want %v with a barrier of %v", s.name, rank, end, err, s.took, s.took-work)
			}
			if !near(c.Now()-at, s.took) {
				t.Errorf("%s: rank %d goes on from %v to %v, want %v more", s.name, rank, at, c.Now(), s.took)
			}
			now, unmoved, bound = now+s.took, unmoved+s.unmoved, bound+s.bound
			e := c.Emulation()
			if !near(duration(e.Took), now) || !near(duration(e.Unmoved), unmoved) || !near(duration(e.Bound), bound) {
				t.Errorf("after %s: %+v, want %v, unmoved %v, bound %v", s.name, *e, now, unmoved, bound)
			}
		}
		// 6, 3 and 0.5 ms for bytes, each with one latency.
		e := c.Emulation()
		if !near(duration(e.Bytes), again*(9*ms+500*us)) || !near(duration(e.Latency), again*350*us) || e.Calls != 0 || e.Moves != 0 {
			t.Errorf("%+v: bytes and ways of the supersteps are not their parts of it", *e)
		}
		if e.Barrier != 1e-3 {
			t.Errorf("%+v", *e)
		}
	})
}

// Exchanges of calls and moves take the time of their bytes, without a barrier. Their time does
// not count for the run without moves.
func TestCharges(t *testing.T) {
	preset := func(pid, step int) time.Duration { return 10 * ms }
	where := []int32{0, 1, 1}
	onPlatform(t, preset, func(rank int, c *Emulated, exchange func()) {
		calls, moves := c.Calls(), c.Moves()
		var now, called, moved time.Duration
		check := func(after string) {
			e := c.Emulation()
			if !near(c.Now(), now) || !near(duration(e.Calls), called) || !near(duration(e.Moves), moved) {
				t.Errorf("rank %d after %s: it is %v, %+v; want %v, calls %v, moves %v", rank, after, c.Now(), *e, now, called, moved)
			}
		}
		for range 4 { // 12 rounds of 3
			c.Begin(1)
			for pid := range where {
				if int(where[pid]) == rank {
					c.Lap(pid, 1)
				}
			}
			if _, err := c.Superstep(0, where); err != nil {
				t.Error(err)
			}
			now += 41 * ms
			check("a superstep")

			calls.Ship(rank, 1e6)
			calls.Ship(1-rank, []int64{100, 300}[rank])
			exchange()
			calls.Shipped()
			now, called = now+1650*us, called+1650*us // 300 bytes at 5 us on the slow host, and the larger latency
			check("a call")

			if rank == 0 {
				moves.Ship(1, 1000)
			}
			exchange()
			moves.Shipped()
			now, moved = now+5100*us, moved+5100*us
			check("a move")
		}
		if e := c.Emulation(); !near(duration(e.Unmoved), 4*41*ms) || !near(duration(e.Bound), 4*21*ms) || e.Bytes != 0 || e.Latency != 0 {
			t.Errorf("%+v: charges are counted as supersteps", *e)
		}
	})
}

// The computation of the slowest manager, divided by its speed, is charged once, with the next
// exchange.
func TestDecide(t *testing.T) {
	var least, most [2]time.Duration // the managers' computation on the platform
	onPlatform(t, nil, func(rank int, c *Emulated, exchange func()) {
		begun := laps.Thread()
		c.Decide(func() { least[rank] = c.here(burn(5 * ms)) })
		most[rank] = c.here(laps.Thread() - begun)
		for range 4 {
			exchange()
			c.Calls().Shipped()
		}
		low, high := max(least[0], least[1]), max(most[0], most[1])
		if took := duration(c.Emulation().Calls); took < low || took > high || low < 10*ms || c.Now() != time.Duration(c.Emulation().Calls*1e9) {
			t.Errorf("rank %d: charged %v and it is %v, want %v to %v", rank, took, c.Now(), low, high)
		}
	})
}

// While processes work, Now does not advance, and Time includes the work of the running process
// and of earlier processes on its rank, at the rank's speed.
func TestTimeWhileAProcessWorks(t *testing.T) {
	preset := func(pid, step int) time.Duration { return 10 * ms }
	onPlatform(t, preset, func(rank int, c *Emulated, _ func()) {
		each := []time.Duration{10 * ms, 20 * ms}[rank]
		for step := range 3 {
			begun, _ := c.Begin(2)
			for n := range 3 {
				if want := begun + time.Duration(n)*each; c.Time() != want || c.Now() != begun {
					t.Errorf("step %d, rank %d: %v to process %d, and it is %v; want %v and %v", step, rank, c.Time(), n, c.Now(), want, begun)
				}
				c.Lap(rank, step)
			}
			if _, err := c.Superstep(0, []int32{0, 1, 1}); err != nil {
				t.Error(err)
			}
		}
	})
	onPlatform(t, nil, func(rank int, c *Emulated, _ func()) {
		c.Begin(1)
		begun := laps.Thread()
		first := c.Time()
		used := burn(ms)
		time.Sleep(ms)
		second := c.Time()
		if seen := second - first; seen < c.here(used) || c.Now() != 0 {
			t.Errorf("rank %d: %v have passed, want %v at least, and it is %v", rank, seen, c.here(used), c.Now())
		}
		l := c.Lap(rank, 1)
		if most := c.here(laps.Thread() - begun + first); l.Work < second || l.Span != l.Work || l.Work > most {
			t.Errorf("rank %d: %+v; want work of %v to %v", rank, l, second, most)
		}
	})
}

// The emulated clock counts messages, does not charge for the runtime's own work, and does not
// report on this machine's cores.
func TestEmulatedHasNoMachine(t *testing.T) {
	onPlatform(t, nil, func(rank int, c *Emulated, _ func()) {
		c.Begin(1)
		burn(ms)
		c.Lap(rank, 1)
		if !c.Emulated() || c.OwnWork(time.Hour) != 0 || c.Working() != (Window{}) || c.Worked() != (Window{}) {
			t.Errorf("rank %d shows this machine", rank)
		}
	})
}
