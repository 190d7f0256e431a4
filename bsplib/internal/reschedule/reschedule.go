// Package reschedule makes rescheduling calls: it passes the requests of a rank's processes to the
// call of package balance, returns the answers, and enters the call into account and log. The
// driver makes the moves between Call and Moved.
package reschedule

import (
	"errors"
	"io"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/account"
	"github.com/migbsp/migbsp/bsplib/internal/balance"
	"github.com/migbsp/migbsp/bsplib/internal/clock"
	"github.com/migbsp/migbsp/bsplib/internal/cluster"
	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/bsplib/internal/membership"
	"github.com/migbsp/migbsp/bsplib/internal/move"
	"github.com/migbsp/migbsp/bsplib/internal/process"
	"github.com/migbsp/migbsp/internal/drain"
	"github.com/migbsp/migbsp/ledger/calls"
	"github.com/migbsp/migbsp/ledger/decided"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/rebalancer"
)

// Settings configures a Caller.
type Settings struct {
	Spec     rebalancer.Spec
	Rank     *process.Rank
	Process  func(pid int) *process.Process // of this rank
	Clock    clock.Clock
	Calls    *control.Channel
	Cluster  *cluster.Cluster
	Members  *membership.Members
	Mover    *move.Mover
	Account  *account.Account
	Emptying *drain.Emptying // hosts to drain, nil if not possible
	Modelled bool            // as balance.Settings.Modelled
	// On rank 0, Why receives the reasons of moves, and Log the inputs of decisions. Either may be
	// nil.
	Why io.Writer
	Log *calls.Writer
}

// Caller is a rank's part in calls.
type Caller struct {
	settings Settings
	balance  *balance.Balancer
	relinked bool // links were measured since the last logged call
}

var _ balance.Mover = (*move.Mover)(nil)

// New returns a rank's Caller, and the Balancer that it uses.
func New(s Settings) (*Caller, *balance.Balancer) {
	c := &Caller{settings: s}
	emulated, platform := s.Clock.Emulated(), s.Cluster.Platform
	b := balance.Settings{
		Rank: s.Rank.Comm.Rank(), Spec: s.Spec, Platform: platform, Where: s.Rank.Where, Clock: s.Clock, Calls: s.Calls,
		Machine: s.Cluster.Machine(emulated), Detail: c.detail, Account: s.Account.Kept() && !emulated,
		Modelled: s.Modelled,
	}
	c.balance = balance.New(b)
	s.Log.Start(calls.Start{Strategy: s.Spec.String(), Account: b.Account, Where: s.Rank.Where, Platform: platform})
	if s.Cluster.HasLinks() {
		c.relink()
	}
	return c, c.balance
}

// relink passes measured links to the Balancer.
func (c *Caller) relink() {
	c.balance.Relink(c.settings.Cluster.Platform.Links, c.settings.Cluster.Platform.Lines)
	c.relinked = true
}

// Outcome is a call's decision, with its times.
type Outcome struct {
	balance.Decided
	entered, begun, ended time.Duration // on the run's clock; entered is when idle ranks were recalled
	moving                time.Duration // the part spent on moves
}

// Call makes a call of all ranks before the given superstep. It first ships the account to rank 0.
// asked is true if processes have made requests, or ranks have requested a call because stages have
// become slow.
//
// Errors: balance.ErrAllDrained on all ranks; errors of the engine; a move.Error.
func (c *Caller) Call(asked bool, processes []*process.Process, step int) (*Outcome, error) {
	s, o := &c.settings, new(Outcome)
	o.entered = s.Clock.Now()
	o.entered -= s.Members.Waking(o.entered)
	if err := s.Account.Ship(step); err != nil {
		return nil, err
	}
	// Recalling ranks and shipping the account count as part of the call, and not of the
	// supersteps before.
	before := s.Clock.Now() - o.entered
	c.balance.Pause(before)
	measuring := s.Clock.Now()
	switch anew, err := s.Cluster.Remeasure(); {
	case err != nil:
		return nil, err
	case anew:
		c.relink()
		c.balance.Measured(s.Clock.Now() - measuring)
	}
	o.begun = s.Clock.Now() - before
	if err := c.decide(o, asked, processes); err != nil {
		return nil, err
	}
	o.ended = s.Clock.Now()
	if o.moving = s.Mover.Took(); len(o.Moves) == 0 {
		s.Mover.Drop()
	}
	return o, nil
}

// decide makes the call with the requests of the rank's processes, and stores the answers.
func (c *Caller) decide(o *Outcome, asked bool, processes []*process.Process) (err error) {
	s := &c.settings
	a := balance.Input{Requested: asked, Processes: len(processes)}
	a.Outside.Ranks, a.Outside.Version = s.Emptying.Ranks()
	if len(processes) > 0 {
		a.Left, a.Open = processes[0].Stages.Left, processes[0].Stages.Open
	}
	for _, p := range processes {
		if p.Request != nil {
			a.Drain = append(a.Drain, p.Request.Drain...)
		}
	}
	if asked && !s.Clock.Emulated() { // an emulated clock charges moves separately
		c.propose(processes)
		a.Mover = s.Mover
	}
	o.Decided, err = c.balance.Call(a)
	if errors.Is(err, balance.ErrAllDrained) {
		if settled := s.Rank.Stream.Landings.Settle(mpi.Moves); settled != nil { // transfers of proposed states
			return settled
		}
	}
	if err != nil {
		return err
	}
	s.Emptying.Decided(o.Outside.Ranks, o.Outside.Version, o.Refused)
	if s.Cluster.Credit(o.Interval, o.Forecast.After, o.UnexplainedTime) {
		c.balance.MeasureSoon()
	}
	if asked {
		c.answer(processes, &o.Decision)
	}
	return nil
}

// Moved ends a call whose moves were made before the given superstep.
func (c *Caller) Moved(o *Outcome, step int) {
	s := &c.settings
	moved, took := o.moving, o.ended-o.moving
	if len(o.Moves) > 0 {
		moved += s.Clock.Now() - o.ended
	}
	if s.Why != nil {
		o.Why(s.Why, &s.Cluster.Platform)
	}
	s.Account.Call(&o.Decision, decided.Costs{
		Step: step - 1, At: o.entered.Seconds(), Took: (took - o.entered).Seconds(), Move: moved.Seconds(),
		Messages: o.Traffic.Messages, Talk: o.Traffic.Bytes,
	})
	for _, a := range s.Emptying.Answers(o.Moves, s.Rank.Where, func(pid int) string { return ruleFor(pid, o.Verdicts) }) {
		a.Step, a.At = step-1, s.Clock.Now().Seconds()
		s.Account.Drained(&a)
	}
	c.balance.Called(took-o.begun, moved, len(o.Moves))
	c.keep(&o.Decided)
}

// keep logs the input of a call's decision, if this rank made it. The time for logging counts
// neither for the call nor for a superstep.
func (c *Caller) keep(d *balance.Decided) {
	if d.Snapshot == nil || !c.settings.Log.Keeps() {
		return
	}
	began := time.Now()
	x := calls.Call{Forgot: d.ManagersChanged, Snapshot: *d.Snapshot, Moves: d.Moves}
	if c.relinked {
		x.Links, x.Lines, c.relinked = c.settings.Cluster.Platform.Links, c.settings.Cluster.Platform.Lines, false
	}
	c.settings.Log.Call(&x)
	c.balance.Pause(time.Since(began))
}
