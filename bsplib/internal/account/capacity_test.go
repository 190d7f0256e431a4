package account

import (
	"math"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/account/capacity"
	"github.com/migbsp/migbsp/bsplib/internal/account/loads"
	"github.com/migbsp/migbsp/bsplib/internal/clock"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/decided"
	"github.com/migbsp/migbsp/probe"
	"github.com/migbsp/migbsp/rebalancer"
)

// machineWith returns a machine that grants a rank part of a core.
func machineWith(quota float64, seen *probe.Contention) func() capacity.Look {
	return func() capacity.Look { return capacity.Look{Contention: *seen, Quota: quota, Shared: 2 * quota} }
}

// One of two hosts grants a tenth of a core. Its process is slow, and moves to the other host.
// The record contains the reason, and the time that the move has saved, at the call and at the
// end.
func TestCapacityAndSaving(t *testing.T) {
	book, written := newRecord()
	r := run{speeds: []float64{1, 1}, where: []int32{0, 1}, book: book}
	r.set = Settings{Loads: noStates,
		Brought: func() (float64, float64, bool, error) { return 2.4, 0.2, true, nil }}
	const before, after = 10, 30
	r.do(t, Facts{}, func(m *member) {
		seen := new(probe.Contention)
		m.looker = capacity.NewLooker(machineWith([]float64{1, 0.1}[m.rank], seen))
		step := func(n int, spans [2]time.Duration) {
			m.Begin(m.clock.now, m.clock.wall)
			longest := max(spans[0], spans[1])
			for _, s := range m.samples {
				s.Work, s.Span = 10*ms, spans[m.rank]/time.Duration(len(m.samples))
				m.Worked(s, m.clock.wall)
			}
			took := longest + 5*ms
			m.clock.now += took
			m.Close(n, 1, clock.Superstep{Took: took, Barrier: took - spans[m.rank]}, m.samples, false, nil)
		}
		for n := 1; n <= before; n++ {
			step(n, [2]time.Duration{10 * ms, 100 * ms})
		}
		m.must(m.Ship(before + 1))
		m.Call(&rebalancer.Decision{Call: 1, Moves: []rebalancer.Move{{Pid: 1, From: 1, To: 0}}, Forecast: rebalancer.Forecast{Horizon: 100, Before: 10, After: 2},
			Learned: rebalancer.Learned{Bank: &rebalancer.Bank{Likely: -0.2, Doubt: 0.3, Paid: 0.2}}},
			decided.Costs{Step: before, At: m.clock.now.Seconds(), Took: 0.1, Move: 0.2})
		m.clock.now += 300 * ms
		m.samples = [][]*loads.Sample{{{Pid: 0}, {Pid: 1}}, nil}[m.rank]
		for n := before + 1; n <= before+after; n++ {
			step(n, [2]time.Duration{20 * ms, 0})
		}
		if m.rank == 1 {
			*seen = probe.Contention{Delay: 0.8, Throttled: 0.6}
		}
		m.must(m.Stop(before + after + 1))
	})
	book.Recorder.Close(&ledger.End{}, nil)
	savings := entries[ledger.Saving](t, written.String())
	if got := savings[0]; got.Step != before || math.Abs(got.Gross()) > 1e-9 || math.Abs(got.Error-0.3) > 1e-9 {
		t.Errorf("at the call %+v", got)
	}
	saving := savings[len(savings)-1]
	// 40 supersteps of 105 ms without the move; with it 10 of 105 and 30 of 25.
	if saving.Step != before+after || math.Abs(saving.Unmoved-40*0.105) > 0.02 || math.Abs(saving.Seen-1.8) > 1e-9 {
		t.Errorf("%+v, want 4.2 s unmoved and 1.8 s seen", saving)
	}
	all := entries[ledger.Capacity](t, written.String())
	if len(all) == 0 {
		t.Fatal("no capacity is recorded")
	}
	slow := all[len(all)-1].Ranks[1]
	want := ledger.RankCapacity{Elapsed: 1, CPU: 0.1, Throttled: 0.8, Other: 0.1, Share: 0.1, Quota: 0.1, Cores: 0.2}
	for i, x := range []float64{
		slow.Elapsed - want.Elapsed, slow.CPU - want.CPU, slow.Throttled - want.Throttled, slow.Other - want.Other, slow.Share - want.Share, slow.Quota - want.Quota,
	} {
		if math.Abs(x) > 0.001 {
			t.Errorf("figure %d of the slow rank: %+v, want %+v", i, slow, want)
		}
	}
	if c := book.Capacity().Ranks[0]; c.Factor() != 1 {
		t.Errorf("rank 0 got %+v", c)
	}
	s, spent, known := book.Saving()
	if !known || s != saving || math.Abs(spent-0.3) > 1e-9 {
		t.Errorf("%+v, %g s spent, known %v", s, spent, known)
	}
	if wrong := book.Check(); len(wrong) > 0 {
		t.Error(wrong)
	}
}
