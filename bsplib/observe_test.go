package bsplib

import (
	"math"
	"testing"
	"time"

	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/rebalancer"
)

// observer is a rank in a loop of stages whose clock is moved by hand.
type observer struct {
	*rank
	b *balance
}

func newObserver(t *testing.T, strategy string) *observer {
	r, _ := idleRank(0)
	spec, err := rebalancer.Parse(strategy)
	if err != nil {
		t.Fatal(err)
	}
	o := &observer{r, newBalance(spec, rebalancer.Uniform(1, defaultLink), r.where)}
	o.stages(1, 0, 1)
	return o
}

// stages lets so many pass that take so long each, of which work takes a part.
func (o *observer) stages(n int, length time.Duration, share float64) {
	for range n {
		o.start = o.start.Add(-length)
		o.meter.wall += length
		o.meter.cpu += time.Duration(share * float64(length))
		o.b.observe(o.rank, flagStage|flagInside)
		o.b.endStage(o.rank, flagStage|flagInside)
	}
}

// At a call that slow stages have asked for only what came since the first of them counts,
// in all that is reported.
func TestACallForSlowStagesIsAboutThem(t *testing.T) {
	o := newObserver(t, "auto")
	o.b.share = 0.8
	o.stages(100, time.Second, 0.8)
	o.stages(1, 4*time.Second, 0.5)
	o.stages(3, 10*time.Second, 0.2)
	if how := o.b.vote(o.rank, 1000); how&flagCall == 0 {
		t.Errorf("flags %b, want one that asks for a call", how)
	}
	s := o.b.rankState(o.rank, true)
	if s.Steps != 104 || math.Abs(s.Recent-10) > 0.5 || math.Abs(s.Available-0.2) > 0.01 {
		t.Errorf("%+v, want 104 steps, of which the last took 10 s, and a share of 0.2", s)
	}
	o.b.called(o.rank, 0, 0, 0)
	o.stages(20, 10*time.Second, 0.2)
	if how := o.b.vote(o.rank, 1000); how&flagCall != 0 {
		t.Error("what was slow is usual by now, and asked for a call all the same")
	}
	s = o.b.rankState(o.rank, false)
	if s.Steps != 20 || math.Abs(s.Elapsed-200) > 1 || s.Recent != 0 {
		t.Errorf("%+v, want 20 steps in 200 s", s)
	}
}

// Supersteps outside stages, and those of the first one, are not observed.
func TestTheFirstStageIsNotObserved(t *testing.T) {
	o := newObserver(t, "auto")
	for _, all := range []mpi.Flags{flagSync, flagSync} {
		o.b.observe(o.rank, all)
	}
	if n := o.b.trigger.Observations(); n != 0 {
		t.Errorf("%d observations before the second stage", n)
	}
	o.b.observe(o.rank, flagInside)
	o.b.observe(o.rank, flagInside)
	o.b.observe(o.rank, flagInside|flagElsewhere|flagStage)
	o.b.endStage(o.rank, flagInside|flagElsewhere|flagStage)
	if n := o.b.trigger.Observations(); n != 2 {
		t.Errorf("%d observations of three supersteps that end at two places, want 2", n)
	}
}
