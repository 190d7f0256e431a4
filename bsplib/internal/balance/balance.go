// Package balance implements a rank's part in deciding the mapping of processes to ranks.
//
// Package rebalancer makes the decision: its Trigger decides when to reschedule, its
// Controller which processes to move. This package passes the engine's measurements to them
// and sends their reports and decisions between ranks. In each superstep it sums the loads of
// the rank's processes (Superstep). At the end of a stage the rank votes with its flags at the
// barrier (Vote), and all ranks derive the same result from the same votes (StageEnded). Then
// all ranks make a call together (Call), execute its decision, and report its cost (Called).
//
// Invariants: the controllers of all ranks have made the same calls. Each holds the histories
// of the processes on its own rank; the history moves with its process (Depart, Arrive). Only
// managers decide, from the same reports of all ranks.
package balance

import (
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/account/loads"
	"github.com/migbsp/migbsp/bsplib/internal/clock"
	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/rebalancer"
)

// Settings configures a Balancer.
type Settings struct {
	Rank     int
	Spec     rebalancer.Spec
	Platform rebalancer.Platform
	// Where is the rank of each process. The engine updates it.
	Where []int32
	Clock clock.Clock
	// Calls carries the messages of calls.
	Calls   *control.Channel
	Machine Machine
	// Detail returns the part of a process's report that is not measured.
	Detail func(pid int) rebalancer.Detail
	// Modelled reports whether a model chose the initial mapping: the first call checks it early.
	Modelled bool
	// Account makes calls estimate the time that moves have saved. It is the same on all ranks.
	Account bool
}

// Machine describes the machine that a rank runs on.
type Machine interface {
	// Available returns the rank's share of its core, estimated from work, and its share until its
	// quota is exhausted. idle is the time that the rank has had no processes, 0 if it has some.
	// since is true if work covers only the time since stages became slow.
	Available(work clock.Window, idle time.Duration, since bool) (share, burst float64)
	// Free returns the free memory of the rank's node in bytes, -1 if unknown.
	Free() int64
}

// Balancer is a rank's part in rescheduling.
type Balancer struct {
	settings   Settings
	controller *rebalancer.Controller
	trigger    *rebalancer.Trigger
	drained    []bool  // by rank: no process may run there
	left       []bool  // by rank: drained by the program
	outside    Outside // latest list of ranks drained from outside the program
	refused    bool    // that list would have left no rank, and was not adopted

	tallies  []tally       // of the open observation, by process of this rank
	recorded bool          // traffic was recorded in some of its supersteps
	busy     time.Duration // work of the supersteps observed since the last call
	before   clock.Window  // work after the last call and before stages became slow
	observed []rebalancer.Measure

	traffic         Traffic              // of the current call
	snapshot        *rebalancer.Snapshot // input of the current call's decision, if this rank decides
	managersChanged bool                 // the managers changed in the current call
}

// tally is the load of a process in the open observation.
type tally struct {
	work, span, wait time.Duration
	traffic          []rebalancer.Traffic
}

// New returns a Balancer for a run with the mapping s.Where. It does not observe the first
// stage, which is atypical because the program touches its memory for the first time.
func New(s Settings) *Balancer {
	c := rebalancer.New(s.Platform, s.Where, s.Spec)
	if s.Account {
		c.KeepAccount()
	}
	t := rebalancer.NewTrigger(c, 1)
	if s.Modelled {
		t.CheckStart()
	}
	return &Balancer{
		settings: s, controller: c, trigger: t,
		drained: make([]bool, len(s.Platform.Ranks)), left: make([]bool, len(s.Platform.Ranks)),
	}
}

// Watching reports whether the supersteps of the current stage are observed.
func (b *Balancer) Watching() bool { return b.trigger.Watching() }

// RecordsTraffic reports whether the traffic of these supersteps must be recorded.
func (b *Balancer) RecordsTraffic() bool { return b.trigger.RecordsTraffic() }

// Recorded sets the time that recording a superstep's traffic took.
func (b *Balancer) Recorded(d time.Duration) {
	b.trigger.Recorded(b.settings.Clock.OwnWork(d).Seconds())
}

// Ended describes a superstep that has ended.
type Ended struct {
	Samples   []*loads.Sample // of this rank's processes
	Recorded  bool            // the samples include traffic
	Inside    bool            // it was in a stage
	Elsewhere bool            // it ended at another site than the previous superstep
}

// Superstep records a superstep. Consecutive supersteps of a stage that end at the same site
// form one observation, so that a loop of many small supersteps within a stage does not
// displace the others.
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

// typical returns a process's work in a superstep without the part that the program has
// excluded from its load. It assumes that time lost to rivals is spread evenly over the work.
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

// closeObservation passes the open observation to the controller.
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

// communication returns the transfer time, in seconds, of the messages to a process,
// according to the platform's links.
func (b *Balancer) communication(pid int, traffic []rebalancer.Traffic) float64 {
	seconds, where := 0.0, b.settings.Where
	for _, t := range traffic {
		seconds += b.settings.Platform.Transfer(int(where[t.Pid]), int(where[pid]), t.Bytes)
	}
	return seconds
}

// Vote returns this rank's vote at the end of a stage. left is the number of remaining stages
// in the loop, an estimate if open is true.
func (b *Balancer) Vote(left int, open bool, processes int) rebalancer.Vote {
	if !b.trigger.Watching() {
		return rebalancer.Vote{}
	}
	if b.settings.Clock.OwnWork(time.Second) == 0 {
		processes = 0 // observing them is free
	}
	return b.trigger.Vote(b.now(), b.busy.Seconds(), b.ahead(left, open), processes)
}

// openAhead is the time, in seconds, that an open loop of stages is expected to continue, in
// addition to the estimated number of stages. It makes the first call early enough for moves to
// pay, and costs short loops one call. With examples/c/heat.c on examples/two-sets.hosts, a run of
// 70 ms loses 10 ms, 400 ms gains 20% instead of 2%, and 3 s gains 46% instead of 42%.
const openAhead = 1.0

// ahead returns the expected number of remaining stages. left is the number of remaining
// stages in the loop, an estimate if open is true.
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

// StageEnded records a stage that has ended on all ranks, with their combined vote, and
// reports whether a call is due. last is true after a loop's last stage.
func (b *Balancer) StageEnded(samples []*loads.Sample, v rebalancer.Vote, last bool) (due bool) {
	b.closeObservation(samples)
	now := 0.0
	if b.trigger.Timed() { // a short stage may cost no more than reading the clock
		now = b.now()
	}
	if b.trigger.StageEnded(now, 0, v) {
		b.before = b.settings.Clock.Working()
	}
	return b.trigger.Due(v, last)
}

// Pause excludes time that the rank has spent outside the program from the measurements.
func (b *Balancer) Pause(d time.Duration) { b.trigger.Pause(b.settings.Clock.OwnWork(d).Seconds()) }

// Progress returns the state of this rank's trigger, for CatchUp on an idle rank.
func (b *Balancer) Progress() rebalancer.Progress { return b.trigger.Progress(b.now()) }

// CatchUp sets the trigger of a rank that rejoins to the progress of a participating rank.
func (b *Balancer) CatchUp(p rebalancer.Progress) { b.trigger.CatchUp(b.now(), p) }

// Relink replaces the links between Sets, and the lines of hosts, by measured ones. lines is
// nil if unknown.
func (b *Balancer) Relink(links [][]rebalancer.Link, lines []float64) {
	b.settings.Platform.Links, b.settings.Platform.Lines = links, lines
	b.controller.Relink(links, lines)
}

// Measured sets the time that the current call has spent on measuring links. MeasureSoon
// requests that the next call follows at once and measures them.
func (b *Balancer) Measured(d time.Duration) { b.trigger.Measured(d.Seconds()) }
func (b *Balancer) MeasureSoon()             { b.trigger.MeasureSoon() }

// History returns this rank's encoded measurements of one of its processes.
func (b *Balancer) History(pid int) ([]byte, error) {
	h := b.controller.History(pid)
	return h.AppendBinary(nil)
}

// Depart removes and returns the encoded history of a process that leaves this rank.
func (b *Balancer) Depart(pid int) ([]byte, error) {
	h := b.controller.Depart(pid)
	return h.AppendBinary(nil)
}

// Arrive adds the encoded history of a process that has arrived on this rank.
func (b *Balancer) Arrive(pid int, history []byte) error {
	var h rebalancer.History
	if err := h.UnmarshalBinary(history); err != nil {
		return err
	}
	b.controller.Arrive(pid, h)
	return nil
}

// now returns the run's time in seconds.
func (b *Balancer) now() float64 { return b.settings.Clock.Now().Seconds() }
