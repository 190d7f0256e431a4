package bsplib

import (
	"math"
	"testing"
	"time"

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
	o.b.restart(r)
	return o
}

// stages lets so many pass that take so long each, of which work takes a part.
func (o *observer) stages(n int, length time.Duration, share float64) {
	for range n {
		c := o.byHand()
		c.at += length
		c.timed.Wall += length
		c.timed.CPU += time.Duration(share * float64(length))
		o.b.steps++
		o.b.stage++
		o.b.hear(o.rank)
	}
}

func TestStagesThatBecomeSlowCallForHelp(t *testing.T) {
	for _, c := range []struct {
		name     string
		strategy string
		before   int
		slow     []time.Duration
		want     bool
	}{
		{"three in a row", "auto", 20, []time.Duration{16e8, 16e8, 16e8}, true},
		{"two in a row", "auto", 20, []time.Duration{40e8, 40e8, 10e8, 40e8}, false},
		{"not much slower", "auto", 20, []time.Duration{14e8, 14e8, 14e8, 14e8}, false},
		{"nothing known before", "auto", 3, []time.Duration{40e8, 40e8, 40e8}, false},
		{"without the guard", "percent,guard=0", 20, []time.Duration{40e8, 40e8, 40e8}, false},
		{"growing slowly", "auto", 1000, nil, false},
	} {
		o := newObserver(t, c.strategy)
		o.stages(c.before, time.Second, 1)
		for _, length := range c.slow {
			o.stages(1, length, 1)
		}
		if c.slow == nil {
			for length := 10e8; length < 100e8; length *= 1.02 {
				o.stages(1, time.Duration(length), 1)
			}
		}
		if got := o.b.alarmed(o.rank); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestAnAlarmCostsLittle(t *testing.T) {
	o := newObserver(t, "auto")
	o.stages(20, time.Second, 1)
	o.stages(3, 2*time.Second, 1)
	o.b.called = 1
	if o.b.alarmed(o.rank) {
		t.Error("a call of 1 s is asked for after 26 s")
	}
	o.stages(100, 2*time.Second, 1)
	if !o.b.alarmed(o.rank) {
		t.Error("a call of 1 s is not asked for after 200 s")
	}
}

// After an alarm only what came since the first slow stage counts, and what is usual
// is learned anew.
func TestAnAlarmIsAboutWhatCameLast(t *testing.T) {
	o := newObserver(t, "auto")
	o.b.share = 0.8
	o.stages(100, time.Second, 0.8)
	o.stages(1, 4*time.Second, 0.5)
	o.stages(3, 10*time.Second, 0.2)
	s := o.b.rankState(o.rank, true)
	if s.Steps != 104 || math.Abs(s.Recent-10) > 0.5 || math.Abs(s.Available-0.2) > 0.01 {
		t.Errorf("%+v, want 104 steps, of which the last took 10 s, and a share of 0.2", s)
	}
	o.b.alarm.heed(false)
	o.b.restart(o.rank)
	o.stages(20, 10*time.Second, 0.2)
	if o.b.alarmed(o.rank) {
		t.Error("it goes on ringing")
	}
	s = o.b.rankState(o.rank, false)
	if s.Steps != 20 || math.Abs(s.Elapsed-200) > 1 || s.Recent != 0 {
		t.Errorf("%+v, want 20 steps in 200 s", s)
	}
}

// Slow stages that a call came too early for are not what is usual after it.
func TestACallBeforeTheAlarmDoesNotSilenceIt(t *testing.T) {
	o := newObserver(t, "auto")
	o.stages(20, time.Second, 1)
	o.stages(1, 4*time.Second, 1)
	o.b.alarm.heed(false)
	o.b.restart(o.rank)
	o.stages(2, 4*time.Second, 1)
	if !o.b.alarmed(o.rank) {
		t.Error("three slow stages in a row, with a call among them, are not noticed")
	}
}

// What is usual does not count the first stage, which memory makes slow.
func TestTheFirstStageIsNotUsual(t *testing.T) {
	o := newObserver(t, "auto")
	for _, length := range []time.Duration{100e9, 10e8, 10e8} {
		o.byHand().at += length
		o.b.endStage(o.rank, 0)
	}
	if usual := o.b.alarm.usual; math.Abs(usual-1) > 0.1 {
		t.Errorf("%g s are usual, want 1", usual)
	}
}
