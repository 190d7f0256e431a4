package loads

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/clock"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/rebalancer"
)

// played returns the totals of two processes after ten supersteps at two alternating sites.
// Process 1 begins on rank 1, which is half as fast, and moves to rank 0 after five supersteps.
// If compacted is true, rank 0 reports and compacts its totals after each superstep.
func played(compacted bool) Run {
	c := clock.NewReal(nil)
	bytes := func(pid int) int64 { return int64(100 + pid) }
	ranks := []*Totals{NewTotals(Settings{Procs: 2, Speed: 1, StateBytes: bytes}, c), NewTotals(Settings{Procs: 2, Speed: 0.5, StateBytes: bytes}, c)}
	crews := [][]*Sample{{{Pid: 0}}, {{Pid: 1}}}
	for step := 1; step <= 10; step++ {
		if step == 6 {
			crews = [][]*Sample{{{Pid: 0}, {Pid: 1}}, {}}
		}
		for rank, crew := range crews {
			for _, s := range crew {
				s.Work = time.Second * time.Duration(1+s.Pid)
				s.Span = 2 * s.Work
				if rank == 1 {
					s.Work *= 2
				}
				s.Traffic = []rebalancer.Traffic{{Pid: 1 - s.Pid, Bytes: 100}, {Pid: s.Pid, Bytes: 1}}
			}
			ranks[rank].Take(step, int64(step%2), crew, step <= 5 || step == 7)
		}
		if compacted {
			ranks[0].Report(step)
			ranks[0].compact()
		}
	}
	return Sum(2, []Report{ranks[0].Report(11), ranks[1].Report(11)})
}

// Totals are the same for each process on any rank, with any number of moves and reports.
func TestTotals(t *testing.T) {
	for _, compacted := range []bool{false, true} {
		run := played(compacted)
		if len(run.Classes) != 2 {
			t.Fatalf("classes are %+v", run.Classes)
		}
		recorded := map[int64]int{0: 2, 1: 4}
		for _, c := range run.Classes {
			if c.Steps != 5 || c.Recorded != recorded[c.Site] || !slices.Equal(c.Work, []float64{5, 10}) {
				t.Errorf("compacted %v, site %d: %d steps, %d recorded, work %v", compacted, c.Site, c.Steps, c.Recorded, c.Work)
			}
			if !slices.Equal(c.Messages, []ledger.Message{{From: 1, To: 0, Bytes: 100}, {From: 0, To: 1, Bytes: 100}}) {
				t.Errorf("compacted %v, site %d: messages %v", compacted, c.Site, c.Messages)
			}
		}
		if !slices.Equal(run.States, []int64{100, 101}) {
			t.Errorf("states are %v", run.States)
		}
		if math.Abs(run.Shares[0]-0.5) > 1e-9 || run.Shares[1] != 1 {
			t.Errorf("shares are %v", run.Shares)
		}
	}
}

// Traffic is recorded at first, and periodically later.
func TestTotalsNeedTraffic(t *testing.T) {
	totals, needs := NewTotals(Settings{Procs: 1, StateBytes: func(int) int64 { return 0 }}, clock.NewReal(nil)), 0
	samples := []*Sample{{}}
	const steps = recordedSteps + 10*recordedShare
	for step := 1; step <= steps; step++ {
		is := totals.NeedsTraffic()
		if is {
			needs++
		}
		totals.Take(step, 1, samples, is)
	}
	if needs != recordedSteps+10 {
		t.Errorf("the traffic of %d supersteps of %d is recorded", needs, steps)
	}
	var none *Totals
	none.Take(1, 1, nil, false)
	if none.NeedsTraffic() || len(none.Report(1).Loads.Parts) > 0 {
		t.Error("no totals need traffic")
	}
}
