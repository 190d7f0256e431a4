package rebalancer

import (
	"math"
	"slices"
	"testing"

	"github.com/migbsp/migbsp/internal/testrun/must"
	"github.com/migbsp/migbsp/rebalancer/internal/cost"
)

// talkingRun returns a controller of one process on each of eight hosts, each sending 1 MB to the next,
// and the snapshot of a call after supersteps of the given duration. Computing takes 10 ms of it, and
// messages are predicted to take 10 ms.
func talkingRun(t *testing.T, balance string, seconds float64) (*Controller, Snapshot) {
	t.Helper()
	spec := must.Get(Parse(balance))(t)
	p := Uniform(8, Link{Latency: 1e-4, PerByte: 1e-8})
	p.Leave, p.Barrier = true, 1e-4
	where := make([]int32, len(p.Ranks))
	for rank := range where {
		where[rank] = int32(rank)
	}
	c := New(p, where, spec)
	return c, observed(t, c, seconds)
}

// observed returns the snapshot of a call after eight such supersteps.
func observed(t *testing.T, c *Controller, seconds float64) Snapshot {
	t.Helper()
	const steps = 8
	for step := range steps {
		o := Observation{Step: step + 1, Count: 1}
		for pid := range c.where {
			o.Processes = append(o.Processes, Measure{Pid: pid, Time: 0.01, Received: []Traffic{{Pid: (pid + 1) % len(c.where), Bytes: 1e6}}})
		}
		c.Observe(o)
	}
	ranks := statesOf(len(c.platform.Ranks), RankState{Elapsed: steps * seconds, Steps: steps, Called: 1e-3, Remaining: 1000})
	return must.Get(Merge(8*(c.last.Call+1), c.Report(ranks, freeDetail)))(t)
}

// The measured excess over the lines' predicted exchange counts for all mappings, so if it is large the
// processes move together to one host.
func TestExchangesCountAsMeasured(t *testing.T) {
	for _, c := range []struct {
		seconds  float64
		together bool
	}{{0.02, false}, {0.15, true}} {
		run, s := talkingRun(t, "auto", c.seconds)
		d := run.Decide(s)
		if got := (c.seconds - 0.01) / (0.01 + 2e-4); d.Learned.Exchange < 0.99*got || d.Learned.Exchange > 1.01*got {
			t.Errorf("supersteps of %g s: exchanges take %g of what is predicted, want %g", c.seconds, d.Learned.Exchange, got)
		}
		hosts := map[int32]bool{}
		for _, rank := range costMoved(run.where, d.Moves) {
			hosts[rank] = true
		}
		if together := len(hosts) == 1; together != c.together {
			t.Errorf("supersteps of %g s: processes on %d hosts; %s", c.seconds, len(hosts), d.WhyNone)
		}
	}
}

// Published strategies do not learn it, nor does a run on one host, where unexplained time is waiting
// for cores.
func TestExchangesThatAreNotLearned(t *testing.T) {
	run, s := talkingRun(t, "pwor", 0.15)
	if d := run.Decide(s); d.Learned.Exchange != 0 {
		t.Errorf("pwor has learned %g", d.Learned.Exchange)
	}
	run, s = talkingRun(t, "auto", 0.15)
	for rank := range run.platform.Ranks {
		run.platform.Ranks[rank].Host = "one"
	}
	if d := run.Decide(s); d.Learned.Exchange != 0 {
		t.Errorf("one host has learned %g", d.Learned.Exchange)
	}
}

// The ratio learned under another mapping does not replace the ratio of the initial mapping.
func TestExchangesOfTheStartAreKept(t *testing.T) {
	run, s := talkingRun(t, "auto", 0.15)
	d := run.Decide(s)
	home, step := d.Learned.Bank.AtHome.Exchange, d.Learned.Bank.AtHome.Step
	if math.Abs(step-0.15) > 1e-9 {
		t.Errorf("a superstep at the start took %g s, not 0.15", step)
	}
	if home != d.Learned.Exchange || len(d.Moves) == 0 {
		t.Fatalf("%g at the start, %g now, %d moves", home, d.Learned.Exchange, len(d.Moves))
	}
	run.Adopt(d)
	two := make([]int32, len(run.where)) // a mapping with communication
	for pid := range two {
		two[pid] = int32(pid % 2)
	}
	run.where = two
	s = observed(t, run, 0.05)
	d = run.Decide(s)
	if at := d.Learned.Bank.AtHome.Exchange; at != home || d.Learned.Exchange == home {
		t.Errorf("%g at the start after %g, %g now", at, home, d.Learned.Exchange)
	}
	if b := d.Learned.Bank; b.AtHome.Step != step {
		t.Errorf("supersteps of %g s at the start, where they took %g; %g expected there", b.AtHome.Step, step, b.home)
	}
	if m := (&cost.Model{Exchange: 3}); m.Exchanged(2) != 6 || (&cost.Model{}).Exchanged(2) != 2 {
		t.Error("a factor is not applied")
	}
}

// If exchanges become longer after few processes have moved, the initial mapping is assumed to be
// affected too, so the moves are not blamed. Once most have moved, only the measurement there counts.
func TestExchangesChangeWhereFewHaveMoved(t *testing.T) {
	run, s := talkingRun(t, "auto", 0.15)
	m := newCostModel(View{Platform: &run.platform, Snapshot: &s, Where: run.where, Learned: &Learned{Speeds: []float64{1}}})
	of := *m
	of.Exchange = 1
	f := bankFigures{bank: &Bank{AtHome: AtHome{Exchange: 1, Steps: 1e12, Off: 0.1, PerByte: of.Communication(run.where) / m.view.volume(), Span: s.Ranks[0].Steps}}}
	m.Exchange = 4
	f.sends, f.waits = m.Exchanges(run.where)
	last := math.Inf(1)
	for _, moved := range []int{0, 1, len(run.where) / 2, len(run.where)} {
		where := slices.Clone(run.where)
		for pid := range moved {
			where[pid]++
		}
		seconds, off := f.homeExchange(m, where, run.where)
		if !(seconds < last) || !(off > 0) {
			t.Errorf("%d have moved: %g s ± %g, fewer %g", moved, seconds, off, last)
		}
		last = seconds
	}
	want := of.exchange(run.where)
	if !near(last, want) {
		t.Errorf("all have moved: %g s, want %g as seen there", last, want)
	}
	// Bytes took twice as long there, because the heaviest senders differed in each superstep.
	f.bank.AtHome.PerByte *= 2
	where := make([]int32, len(run.where))
	for pid := range where {
		where[pid] = run.where[pid] + 1
	}
	if seconds, _ := f.homeExchange(m, where, run.where); !near(seconds, want+of.Communication(run.where)/2) {
		t.Errorf("%g s, want half as much again as %g", seconds, want)
	}
	// The effect grows if traffic covers twice as many supersteps, which hides more of these
	// differences.
	f.bank.AtHome.Span = s.Ranks[0].Steps / 2
	if seconds, _ := f.homeExchange(m, where, run.where); !near(seconds, want+of.Communication(run.where)*3/4) {
		t.Errorf("%g s, want three quarters as much again as %g", seconds, want)
	}
	// Half have moved, and short exchanges are four times as long as predicted: the initial mapping
	// gains no time from it.
	f.bank.AtHome.PerByte, f.sends, f.waits = 0, want/200, want/200
	half := slices.Clone(run.where)
	for pid := range len(half) / 2 {
		half[pid]++
	}
	if seconds, _ := f.homeExchange(m, half, run.where); seconds > 1.02*want {
		t.Errorf("%g s, want %g and at most a hundredth more", seconds, want)
	}
}

// If no rate has changed but the samples contain too many heavy supersteps, the estimate for the
// initial mapping does not grow, although messages would seem to take no time here.
func TestSamplesOfHeavySupersteps(t *testing.T) {
	const heavy, empty = 0.028, 0.0005
	u := Audit{Parts: []HomeWork{{}}}
	v := View{
		Platform: &Platform{Ranks: []Rank{{Speed: 1}}, Sets: []Set{{}}}, Learned: &Learned{Speeds: []float64{1}, Available: []float64{1}},
		Snapshot: &Snapshot{Ranks: []RankState{{}}},
	}
	for i := range 30 {
		v.Snapshot.Spreads = append(v.Snapshot.Spreads, StepSpread{Steps: 1, Wall: heavy}, StepSpread{Steps: 1, Wall: empty})
		if wall := float32(heavy); i < 10 {
			if i%3 == 2 {
				wall = empty
			}
			u.Wall, u.Parts[0].Work = append(u.Wall, wall), append(u.Parts[0].Work, wall)
		}
	}
	v.Snapshot.Audits = []Audit{u}
	f := bankFigures{bank: &Bank{AtHome: AtHome{Exchange: 1}}, sends: 0.004, waits: 0.001, home: 0.005, computed: newAudited(v, v.sampled(), speedRange, 0, 0)}
	f.likely = f.computed
	const measured = (heavy+empty)/2 + 0.005
	low, high := f.told(measured, f.computed.real+f.sends+f.waits, f.computed.doubt(60))
	if math.Abs(low-measured) > 1e-6 || math.Abs(high-measured) > 1e-6 {
		t.Errorf("%g to %g s, want the %g s that are measured", low, high, measured)
	}
	if low, high := f.told(measured-f.sends, f.computed.real+f.waits, 0); (low+high)/2 < measured-f.sends/2 {
		t.Errorf("%g to %g s: computing leaves no time for messages here", low, high)
	}
}

// broughtAfter returns the estimated saving of eight supersteps of 80 ms on one host, after steps
// supersteps of the given duration under the initial mapping, and the error from the measurement there.
func broughtAfter(t *testing.T, seconds float64, steps int) (saved, doubt float64) {
	t.Helper()
	run, s := talkingRun(t, "auto", seconds)
	s.Step = steps
	for i := range s.Ranks {
		s.Ranks[i].Steps, s.Ranks[i].Elapsed = steps, seconds*float64(steps)
	}
	run.Adopt(run.Decide(s))
	clear(run.where)
	run.auditor.restart(run.where, run.sharesAlone())
	saved, doubt = run.Decide(observed(t, run, 0.08)).Learned.Bank.Brought()
	return saved, doubt - broughtUnseen*math.Abs(saved)
}

// Exchanges that took much longer under the initial mapping than predicted count, even after few
// supersteps.
func TestWhatTheStartShowedIsBelieved(t *testing.T) {
	const want = (0.15 - 0.08) * 8
	for _, steps := range []int{1, 4, 400} {
		if saved, doubt := broughtAfter(t, 0.15, steps); math.Abs(saved-want) > max(doubt, 0.05*want) {
			t.Errorf("after %d supersteps %g s are said to be saved, %g in doubt, want %g", steps, saved, doubt, want)
		}
	}
}

// Supersteps vary, and the estimated saving is no more certain than that, away from the initial mapping
// or back. Before the first move the saving has no error.
func TestSuperstepsDifferByThemselves(t *testing.T) {
	const noise = 0.05
	run, _ := talkingRun(t, "auto", 0.0202)
	start := slices.Clone(run.where)
	for _, c := range []struct {
		name  string
		where []int32
		least float64
	}{
		{"at the start", start, 0},
		{"on one host", make([]int32, len(start)), 2 * math.Sqrt2 * noise * 8},
		{"back", start, 2 * math.Sqrt2 * noise * 8 * math.Sqrt2},
	} {
		run.where = slices.Clone(c.where)
		run.auditor.restart(run.where, run.sharesAlone())
		s := observed(t, run, 0.0202)
		for i := range s.Ranks {
			s.Ranks[i].WaitError = noise * float64(1+i)
		}
		d := run.Decide(s)
		d.Moves = nil
		run.Adopt(d)
		if b := d.Learned.Bank; b.Doubt < c.least*(1-1e-9) || b.Doubt > 2*c.least {
			t.Errorf("%s: %g s are in doubt, want %g at least", c.name, b.Doubt, c.least)
		}
	}
}

// The error of the saving falls with the number of supersteps measured under the initial mapping, and
// grows with their variation.
func TestFirstExchangesAreDoubted(t *testing.T) {
	last := math.Inf(1)
	for _, steps := range []int{1, 4, 16, 400} {
		const home = 0.0202 // seconds, as predicted for the lines
		saved, doubt := broughtAfter(t, home, steps)
		if want := (home - 0.08) * 8; math.Abs(saved-want) > 0.02*math.Abs(want) {
			t.Errorf("after %d supersteps %g s are said to be saved, want %g", steps, saved, want)
		}
		if doubt >= last || doubt <= 0 {
			t.Errorf("after %d supersteps %g s are in doubt, with fewer %g", steps, doubt, last)
		}
		last = doubt
	}
	for _, c := range []struct {
		waits []float64
		want  float64
	}{{[]float64{1}, 0}, {[]float64{1, 1, 1}, 0}, {[]float64{1, 3}, 1}, {[]float64{1, 3, 1, 3}, 1 / math.Sqrt(3)}} {
		var w byClass
		for _, seconds := range c.waits {
			w.add(0, seconds)
			w.add(2, 10*seconds/3)
		}
		factor := math.Sqrt((1 + 100.0/9) / 4) // of two classes, one slower than the other
		if got := w.error(); math.Abs(got-c.want*factor) > 1e-9 {
			t.Errorf("%v: error %g, want %g", c.waits, got, c.want*factor)
		}
	}
	v := plainView(repeat(2, 1), []int32{0, 1}, []float64{1, 1})
	for rank := range v.Snapshot.Ranks {
		v.Snapshot.Ranks[rank].Steps, v.Snapshot.Ranks[rank].Elapsed, v.Snapshot.Ranks[rank].WaitError = 4, 4, 0.3*float64(rank+1)
	}
	if got := exchangeOff(v); math.Abs(got-0.6) > 1e-9 {
		t.Errorf("exchanges of 1 s +- 0.3 s are known to %g", got)
	}
	if got := together(0.3, 0.4); math.Abs(got-0.24) > 1e-9 || together(0, 0.4) != 0.4 || together(0.3, 0) != 0.3 {
		t.Errorf("0.3 and 0.4 are %g together", got)
	}
}
