// Package balance is a rank's part in deciding where processes run.
//
// The decision itself is package rebalancer's: its Trigger says when to ask, its
// Controller what to do. This package gives them what the engine measures and
// carries their reports and decisions between ranks. Per superstep it adds up what
// the rank's processes did (Superstep); at the end of a stage the rank votes with
// its flags at the barrier (Vote), and all ranks come to the same answer from the
// same votes (StageEnded); then all ranks make a call together (Call), carry out
// what it decides, and say what it took (Called).
//
// Invariants: the controllers of all ranks have made the same calls; each has the
// history of the processes on its own rank, which goes with a process that moves
// (Depart, Arrive). Only managers decide, from the same reports of all ranks.
package balance

import (
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/account/loads"
	"github.com/migbsp/migbsp/bsplib/internal/clock"
	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/rebalancer"
)

// Settings are what a Balancer works with.
type Settings struct {
	Rank     int
	Spec     rebalancer.Spec
	Platform rebalancer.Platform
	// Where is the rank of each process, kept up by the engine.
	Where []int32
	Clock clock.Clock
	// Calls carries the messages of calls.
	Calls   *control.Channel
	Machine Machine
	// Detail is what a process of this rank reports beside its measurements.
	Detail func(pid int) rebalancer.Detail
	// Account has calls say what moves have brought; all ranks agree.
	Account bool
}

// Machine is what a rank knows of the machine that it runs on.
type Machine interface {
	// Available is the share of its core that the rank gets, after work that took
	// that long; idle is for how long the rank had no processes, 0 if it has some. since says
	// that the work is that since stages have become slow. burst is the share while its quota
	// lasts.
	Available(work clock.Window, idle time.Duration, since bool) (share, burst float64)
	// Free is how many bytes its node has left, -1 if that is not known.
	Free() int64
}

// Balancer is a rank's part.
type Balancer struct {
	settings   Settings
	controller *rebalancer.Controller
	trigger    *rebalancer.Trigger
	drained    []bool  // by rank: it is to be left,
	left       []bool  // for the program drains it,
	outside    Outside // or someone outside
	refused    bool    // whose latest list would leave no rank

	tallies  []tally       // of the open observation, by process of this rank
	recorded bool          // some of its supersteps had their traffic recorded
	busy     time.Duration // work of the supersteps observed since the last call
	before   clock.Window  // of the work since the last call, what came before stages became slow
	observed []rebalancer.Measure

	traffic     Traffic              // of the current call
	decidedFrom *rebalancer.Snapshot // in it, if this rank decides for all
	forgot      bool                 // others manage than at the one before
}

// tally is what a process did in the open observation.
type tally struct {
	work, span, wait time.Duration
	traffic          []rebalancer.Traffic
}

// New makes a rank's part in a run whose processes are where the settings say. In
// the first stage nothing is observed: memory that is used for the first time makes
// it unlike others.
func New(s Settings) *Balancer {
	c := rebalancer.New(s.Platform, s.Where, s.Spec)
	if s.Account {
		c.KeepAccount()
	}
	return &Balancer{
		settings: s, controller: c, trigger: rebalancer.NewTrigger(c, 1),
		drained: make([]bool, len(s.Platform.Ranks)), left: make([]bool, len(s.Platform.Ranks)),
	}
}

// Watching reports whether the supersteps of the current stage are observed.
func (b *Balancer) Watching() bool { return b.trigger.Watching() }

// RecordsTraffic reports whether their traffic is to be recorded.
func (b *Balancer) RecordsTraffic() bool { return b.trigger.RecordsTraffic() }

// Recorded tells how long it took to record a superstep's traffic.
func (b *Balancer) Recorded(d time.Duration) {
	b.trigger.Recorded(b.settings.Clock.OwnWork(d).Seconds())
}

// Ended is a superstep that has ended.
type Ended struct {
	Samples   []*loads.Sample // of this rank's processes
	Recorded  bool            // the samples have traffic
	Inside    bool            // it was in a stage
	Elsewhere bool            // it ended at another place than the one before
}

// Superstep takes in a superstep. Consecutive ones of a stage that end at the same
// place of the program are one observation: a loop of many small supersteps within
// a stage does not drive out the others.
func (b *Balancer) Superstep(s Ended) {
	if s.Elsewhere || !s.Inside {
		b.closeObservation(s.Samples)
	}
	if !s.Inside {
		b.trigger.Outside(b.now())
		return
	}
	b.trigger.Superstep()
	if !b.trigger.Watching() {
		return
	}
	b.trigger.Ended(b.now())
	if len(b.tallies) != len(s.Samples) {
		b.tallies = make([]tally, len(s.Samples))
	}
	for i, p := range s.Samples {
		t := &b.tallies[i]
		work, span := typical(p)
		t.work += work
		t.span += span
		t.wait += min(p.Waited, work)
		b.busy += p.Work
		if s.Recorded {
			t.add(p.Traffic)
		}
	}
	b.recorded = b.recorded || s.Recorded
}

// typical is a process's work in a superstep without what the program has left out of its
// load. What others took of the core is taken to be spread over all of it.
func typical(p *loads.Sample) (work, span time.Duration) {
	if p.Aside <= 0 {
		return p.Work, p.Span
	}
	if p.Aside >= p.Span {
		return 0, 0
	}
	span = p.Span - p.Aside
	return time.Duration(float64(p.Work) * (float64(span) / float64(p.Span))), span
}

// add adds a superstep's traffic.
func (t *tally) add(traffic []rebalancer.Traffic) {
	if t.traffic == nil {
		t.traffic = make([]rebalancer.Traffic, 0, 4)
	}
next:
	for _, x := range traffic {
		for i := range t.traffic {
			if t.traffic[i].Pid == x.Pid {
				t.traffic[i].Bytes += x.Bytes
				continue next
			}
		}
		t.traffic = append(t.traffic, x)
	}
}

// closeObservation gives the open observation to the controller.
func (b *Balancer) closeObservation(samples []*loads.Sample) {
	o, watched := b.trigger.Close()
	if watched {
		o.Processes = b.observed[:0]
		for i := range b.tallies {
			t := &b.tallies[i]
			m := rebalancer.Measure{Pid: samples[i].Pid, Time: t.work.Seconds(), Span: t.span.Seconds(), Wait: t.wait.Seconds(), Load: samples[i].Load}
			if b.recorded {
				m.Comm, m.Received = b.communication(m.Pid, t.traffic), t.traffic
			}
			o.Processes = append(o.Processes, m)
		}
		b.controller.Observe(o)
		b.observed = o.Processes
		for i := range b.tallies {
			t := &b.tallies[i]
			t.work, t.span, t.wait = 0, 0, 0
			if t.traffic != nil {
				t.traffic = t.traffic[:0]
			}
		}
	}
	b.recorded = false
}

// communication is what the messages to a process took, by the platform's links.
func (b *Balancer) communication(pid int, traffic []rebalancer.Traffic) float64 {
	seconds, where := 0.0, b.settings.Where
	for _, t := range traffic {
		seconds += b.settings.Platform.Transfer(int(where[t.Pid]), int(where[pid]), t.Bytes)
	}
	return seconds
}

// Vote is this rank's vote at the end of a stage; left stages are still to come in the loop, as far as
// the past tells if it is open.
func (b *Balancer) Vote(left int, open bool, processes int) rebalancer.Vote {
	if !b.trigger.Watching() {
		return rebalancer.Vote{}
	}
	if b.settings.Clock.OwnWork(time.Second) == 0 {
		processes = 0 // observing them takes no time
	}
	return b.trigger.Vote(b.now(), b.busy.Seconds(), b.ahead(left, open), processes)
}

// openAhead is for how many seconds a loop of stages that is open is expected to go on, beside as many
// stages as the past tells: so that the first call comes while there is time to move. It costs short loops
// one call: on examples/two-sets.hosts examples/c/heat.c loses 10 ms of 70, and gains 20% instead of 2% of 400 ms, 46%
// instead of 42% of 3 s.
const openAhead = 1.0

// ahead is how many stages are expected to come, where left are or, if the loop is open, the past tells so.
func (b *Balancer) ahead(left int, open bool) int {
	if !open {
		return left
	}
	s := b.trigger.State(b.now(), left, false)
	if s.Steps == 0 || s.Elapsed <= 0 {
		return left
	}
	return left + int(min(openAhead*float64(s.Steps)/s.Elapsed, 1e6))
}

// StageEnded takes in a stage that has ended on all ranks, with what they have voted
// together, and reports whether a call is due. last is true after a loop's last
// stage.
func (b *Balancer) StageEnded(samples []*loads.Sample, v rebalancer.Vote, last bool) (due bool) {
	b.closeObservation(samples)
	now := 0.0
	if b.trigger.Timed() { // stages may be as short as a reading of the clock
		now = b.now()
	}
	if b.trigger.StageEnded(now, 0, v) {
		b.before = b.settings.Clock.Working()
	}
	return b.trigger.Due(v, last)
}

// Pause leaves time out of the account that the rank has spent on something else.
func (b *Balancer) Pause(d time.Duration) { b.trigger.Pause(b.settings.Clock.OwnWork(d).Seconds()) }

// Progress is how far this rank has come, and CatchUp tells that to one that took no
// part for a while.
func (b *Balancer) Progress() rebalancer.Progress { return b.trigger.Progress(b.now()) }

func (b *Balancer) CatchUp(p rebalancer.Progress) { b.trigger.CatchUp(b.now(), p) }

// Relink tells that links between Sets have been measured, and the lines of hosts if these are
// known.
func (b *Balancer) Relink(links [][]rebalancer.Link, lines []float64) {
	b.settings.Platform.Links, b.settings.Platform.Lines = links, lines
	b.controller.Relink(links, lines)
}

// Measured tells that the call that begins has taken so long to measure links, and MeasureSoon
// that the next one is to follow at once and to measure them.
func (b *Balancer) Measured(d time.Duration) { b.trigger.Measured(d.Seconds()) }
func (b *Balancer) MeasureSoon()             { b.trigger.MeasureSoon() }

// History is what this rank has measured of one of its processes.
func (b *Balancer) History(pid int) ([]byte, error) {
	h := b.controller.History(pid)
	return h.AppendBinary(nil)
}

// Depart is the history of a process that leaves this rank, which then has none of it.
func (b *Balancer) Depart(pid int) ([]byte, error) {
	h := b.controller.Depart(pid)
	return h.AppendBinary(nil)
}

// Arrive takes the history of a process that has come to this rank.
func (b *Balancer) Arrive(pid int, history []byte) error {
	var h rebalancer.History
	if err := h.UnmarshalBinary(history); err != nil {
		return err
	}
	b.controller.Arrive(pid, h)
	return nil
}

// now is the run's time in seconds.
func (b *Balancer) now() float64 { return b.settings.Clock.Now().Seconds() }
