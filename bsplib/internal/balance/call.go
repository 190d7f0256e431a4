package balance

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/clock"
	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/internal/wire"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/rebalancer"
)

// Traffic counts the messages between ranks in a call, and their bytes.
type Traffic struct{ Messages, Bytes int64 }

func (t *Traffic) count(messages, bytes int) {
	t.Messages += int64(messages)
	t.Bytes += int64(bytes)
}

// Input is a rank's input to a call.
type Input struct {
	// Requested is true if a process or rank has requested the call, and not the trigger.
	Requested bool
	// Drain lists the ranks that this rank's processes drain.
	Drain []int
	// Outside is the latest list on this rank of ranks drained from outside the program. They
	// are drained until a later list omits them.
	Outside Outside
	// Processes is the number of processes on this rank. Left is the number of remaining
	// stages in their loop, an estimate if the loop is Open.
	Processes, Left int
	Open            bool
	// Mover, if not nil, moves requesting processes. It is set on all ranks or on none.
	Mover Mover
}

// Mover moves processes during a call, with messages attached to the exchanges of the call.
type Mover interface {
	// Begin is called when the reports have arrived.
	Begin() error
	// Finish is called before the exchange where managers begin to send their decision. Received
	// is called after that exchange, with the combined flags of all ranks' Finish.
	Finish() (mpi.Flags, error)
	Received(all mpi.Flags) error
	// Decided is called with the decision, before the rank's controller adopts it.
	Decided(d *Decided) error
}

// noMoves is a Mover without moves.
type noMoves struct{}

func (noMoves) Begin() error               { return nil }
func (noMoves) Finish() (mpi.Flags, error) { return 0, nil }
func (noMoves) Received(mpi.Flags) error   { return nil }
func (noMoves) Decided(*Decided) error     { return nil }

// Outside is a list of ranks to drain, requested from outside the program. A list with a
// higher Version replaces all earlier lists.
type Outside struct {
	Version int64
	Ranks   []int
}

// Decided is the result of a call.
type Decided struct {
	rebalancer.Decision               // complete on managers and rank 0, see rebalancer.Notice
	Traffic             Traffic       // of the call
	Interval            time.Duration // since the previous call
	Outside             Outside       // the ranks drained from outside, after the latest list
	Refused             bool          // the latest list was rejected because it leaves no rank
	Requested           bool          // processes requested all moves
	// Snapshot is the input of the decision if this rank made one, otherwise nil.
	Snapshot        *rebalancer.Snapshot
	ManagersChanged bool // the managers differ from the previous call's
}

// ErrAllDrained is the error of a call that would leave processes no rank.
var ErrAllDrained = errors.New("all ranks are to be drained")

// ErrUnfit is the error of inconsistent reports.
var ErrUnfit = errors.New("the ranks' reports do not fit together")

// Call makes a rescheduling call. Each rank reports changes to its Set's manager. The managers
// exchange the reports, make the same decision and send each rank of their Sets its part of
// the decision, down a tree.
//
// BSP cost: three barriers, or two for a single Set; one more if a Set has more than 33 ranks,
// another from 74 ranks on, and one for each further factor of eight; two more if the drained
// ranks have changed since the last call; and h of the reports of all processes at each
// manager.
func (b *Balancer) Call(a Input) (Decided, error) {
	if a.Mover == nil {
		a.Mover = noMoves{}
	}
	b.snapshot, b.managersChanged = nil, false
	mine := b.state(a)
	reports, all, err := b.gatherReports(mine, b.drainFlags(&a))
	if err == nil {
		err = a.Mover.Begin()
	}
	if err == nil && all&flagDrains != 0 {
		if err = b.agreeOnDrains(&a); err == nil {
			mine.Drained = b.drained[b.settings.Rank]
			reports, _, err = b.gatherReports(mine, 0)
		}
	}
	if err != nil {
		return Decided{}, err
	}
	decision, note, err := b.decide(reports)
	if err != nil {
		return Decided{}, err
	}
	d, err := b.distribute(decision, note, a.Mover)
	if err == nil {
		err = a.Mover.Decided(&d)
	}
	if err == nil {
		b.controller.Adopt(d.Decision)
	}
	d.Outside, d.Refused, d.Snapshot, d.ManagersChanged = b.outside, b.refused, b.snapshot, b.managersChanged
	b.snapshot = nil
	return d, err
}

// Called records the duration of a call and of its moves, and starts the interval to the next
// call.
func (b *Balancer) Called(took, moved time.Duration, moves int) {
	b.trigger.Called(b.now(), took.Seconds(), moved.Seconds(), moves)
	b.busy, b.before = 0, clock.Window{}
}

// Conclude returns the savings of all moves on rank 0. It returns nil on other ranks, if no
// process has left its initial rank, or if no account is kept. All ranks call it after the
// last superstep.
//
// Errors: ErrUnfit on rank 0.
//
// BSP cost: l, and h of the reports of all processes at rank 0, if a process has left its
// initial rank.
func (b *Balancer) Conclude(processes int) (*rebalancer.Bank, error) {
	if !b.settings.Account || !b.controller.Away() {
		return nil, nil
	}
	b.controller.Forget()
	mine := b.controller.Report([]rebalancer.RankState{b.state(Input{Processes: processes})}, b.settings.Detail)
	all, err := control.Gather(b.settings.Calls, 0, &mine, nil)
	if err != nil || b.settings.Rank != 0 {
		return nil, err
	}
	bank, err := b.controller.Conclude(b.trigger.Observations(), all...)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnfit, err)
	}
	return bank, nil
}

// manager returns the rank that decides for a Set: the manager in the platform, or if it is
// drained the first rank of the Set that is not.
func (b *Balancer) manager(set int) int {
	named := b.settings.Platform.Sets[set].Manager
	if !b.drained[named] {
		return named
	}
	for rank, is := range b.settings.Platform.Ranks {
		if is.Set == set && !b.drained[rank] {
			return rank
		}
	}
	return named
}

// managers returns the manager of each Set.
func (b *Balancer) managers() []int {
	all := make([]int, len(b.settings.Platform.Sets))
	for set := range all {
		all[set] = b.manager(set)
	}
	return all
}

// myManager returns the manager of this rank's Set. managing reports whether it is this rank.
func (b *Balancer) myManager() int { return b.manager(b.settings.Platform.Ranks[b.settings.Rank].Set) }
func (b *Balancer) managing() bool { return b.myManager() == b.settings.Rank }

// drains lists the requests to drain ranks that one rank has received.
type drains struct {
	Program []int // requested by processes
	Outside Outside
}

// flagDrains announces, with the exchange of reports, new requests to drain ranks. Because
// these may change the managers, the reports are then exchanged again.
const flagDrains mpi.Flags = 1

// drainFlags returns the flags of this rank's report.
func (b *Balancer) drainFlags(a *Input) mpi.Flags {
	b.refused = false
	if a.Requested && (len(a.Drain) > 0 || a.Outside.Version > b.outside.Version) {
		return flagDrains
	}
	return 0
}

// agreeOnDrains makes all ranks agree on the drained ranks: the ranks that processes of the
// program have drained, permanently, and the ranks of the latest list from outside. If that
// list leaves no rank, the previous list is used, and then the empty list.
func (b *Balancer) agreeOnDrains(a *Input) error {
	all, err := control.Allgather(b.settings.Calls, &drains{a.Drain, a.Outside})
	if err != nil {
		return err
	}
	before, latest := b.managers(), b.outside
	for _, its := range all {
		for _, rank := range its.Program {
			b.left[rank] = true
		}
		if its.Outside.Version > latest.Version {
			latest = its.Outside
		}
	}
	if !slices.Contains(b.left, false) {
		return ErrAllDrained
	}
	for i, ranks := range [][]int{latest.Ranks, b.outside.Ranks, nil} {
		next := slices.Clone(b.left)
		for _, rank := range ranks {
			next[rank] = true
		}
		if slices.Contains(next, false) {
			b.outside, b.refused, b.drained = Outside{latest.Version, ranks}, i > 0, next
			break
		}
	}
	if !slices.Equal(b.managers(), before) {
		b.controller.Forget()
		b.managersChanged = true
	}
	return nil
}

// gatherReports sends the reports of a Set's ranks to its manager, and all ranks' flags to all
// ranks. Ranks that are not managers receive no reports.
func (b *Balancer) gatherReports(state rebalancer.RankState, flags mpi.Flags) ([]rebalancer.Report, mpi.Flags, error) {
	mine := []rebalancer.Report{b.controller.Report([]rebalancer.RankState{state}, b.settings.Detail)}
	if err := control.Send(b.settings.Calls, b.myManager(), &mine); err != nil {
		return nil, 0, err
	}
	b.traffic = Traffic{}
	return b.receiveReports(flags, 0)
}

// decide sends the reports of each Set to all managers, which make the same decision.
func (b *Balancer) decide(reports []rebalancer.Report) (d rebalancer.Decision, note notice, err error) {
	sets := len(b.settings.Platform.Sets)
	if sets > 1 {
		for set := 0; set < sets && b.managing(); set++ {
			if err := control.Send(b.settings.Calls, b.manager(set), &reports); err != nil {
				return d, note, err
			}
		}
		if reports, _, err = b.receiveReports(0, sets-1); err != nil {
			return d, note, err
		}
	}
	for i := range reports {
		if rank := reports[i].Ranks[0].Rank; b.manager(b.settings.Platform.Ranks[rank].Set) != rank {
			b.traffic.count(1, reports[i].Size())
		}
	}
	if !b.managing() {
		return d, note, nil
	}
	return b.decideFrom(reports)
}

// receiveReports ends an exchange of reports. It counts each received message as sent to
// others managers.
func (b *Balancer) receiveReports(flags mpi.Flags, others int) (all []rebalancer.Report, of mpi.Flags, err error) {
	if of, err = b.settings.Calls.Exchange(flags); err != nil {
		return nil, 0, err
	}
	err = control.Each(b.settings.Calls, func(_ int, some *[]rebalancer.Report) error {
		if others > 0 {
			b.traffic.count(others, others*wire.Size(some))
		}
		all = append(all, *some...)
		return nil
	})
	return all, of, err
}

// state returns this rank's own state for its report.
func (b *Balancer) state(a Input) rebalancer.RankState {
	left, idle := math.MaxInt32, time.Duration(0)
	if a.Processes > 0 {
		left = b.ahead(a.Left, a.Open)
	} else {
		idle = time.Duration(b.trigger.Elapsed(b.now()) * 1e9)
	}
	s := b.trigger.State(b.now(), left, a.Requested)
	s.Rank, s.Drained = b.settings.Rank, b.drained[b.settings.Rank]
	work := b.settings.Clock.Worked()
	_, slow := b.trigger.Since(a.Requested)
	if slow {
		work.Wall, work.CPU = work.Wall-b.before.Wall, work.CPU-b.before.CPU
	}
	s.Available, s.Burst = b.settings.Machine.Available(work, idle, slow)
	s.Free = b.settings.Machine.Free()
	return s
}

// decideFrom makes a decision from the reports of all ranks and returns the notice for the
// ranks of the Set.
func (b *Balancer) decideFrom(reports []rebalancer.Report) (d rebalancer.Decision, note notice, err error) {
	var snapshot rebalancer.Snapshot
	b.settings.Clock.Decide(func() {
		if snapshot, err = b.controller.Merge(b.trigger.Observations(), reports...); err == nil {
			snapshot.Barriers = b.trigger.Barriers()
			d = b.controller.Decide(snapshot)
			b.snapshot = &snapshot
		}
	})
	if err != nil {
		return d, note, err
	}
	note, err = b.noticeOf(&d, snapshot.Ranks, func(pid int) bool { return snapshot.Processes[pid].Request >= 0 })
	note.Requested = !slices.ContainsFunc(d.Moves, func(m rebalancer.Move) bool { return snapshot.Processes[m.Pid].Request != m.To })
	return d, note, err
}

// noticeOf returns the notice of a decision that was made with ranks in the given states.
// requested reports whether a process requested a move.
func (b *Balancer) noticeOf(d *rebalancer.Decision, states []rebalancer.RankState, requested func(pid int) bool) (note notice, err error) {
	note = notice{Stride: 1, Traffic: b.traffic}
	is := b.controller.Notice(d, requested)
	if note.Notice, err = wire.Append(nil, &is); err != nil {
		return note, err
	}
	ranks := len(b.settings.Platform.Ranks)
	others := ranks - len(b.settings.Platform.Sets)
	note.Traffic.count(others, others*len(note.Notice))
	if b.manager(b.settings.Platform.Ranks[0].Set) != 0 {
		note.Traffic.count(0, d.Size())
	}
	if b.settings.Clock.OwnWork(time.Second) > 0 {
		note.Stride = b.trigger.Stride(states, len(b.settings.Where)/ranks+1)
		for _, s := range states {
			note.Interval = max(note.Interval, s.Elapsed)
		}
	}
	return note, nil
}

// notice is a manager's message to the ranks of its Set about a call.
type notice struct {
	Stride    int     // from now on, one in Stride stages is observed
	Interval  float64 // seconds since the last call, 0 if measuring is free
	Traffic   Traffic // of the call
	Requested bool    // processes requested all moves
	Notice    []byte
	Decision  []byte // the complete decision, for rank 0, which keeps the account
}

// distribute sends the managers' notices to all ranks, down the tree of each Set, and returns the
// decision as this rank received it.
func (b *Balancer) distribute(d rebalancer.Decision, note notice, mover Mover) (Decided, error) {
	trees := b.settings.Platform.Trees(b.managers(), func(int) bool { return false })
	mine := trees[b.settings.Platform.Ranks[b.settings.Rank].Set]
	place := slices.Index(mine, b.settings.Rank)
	levels := 1
	for _, t := range trees {
		levels = max(levels, t.Levels())
	}
	for level := range levels {
		if mine.Level(place) == level {
			for _, to := range mine.Children(place) {
				forwarded := note
				forwarded.Decision = nil
				if to == 0 {
					var err error
					if forwarded.Decision, err = d.AppendBinary(nil); err != nil {
						return Decided{}, err
					}
				}
				if err := control.Send(b.settings.Calls, to, &forwarded); err != nil {
					return Decided{}, err
				}
			}
		}
		if level > 0 {
			mover = noMoves{}
		}
		flags, err := mover.Finish()
		if err == nil {
			flags, err = b.settings.Calls.Exchange(flags)
		}
		if err == nil {
			err = mover.Received(flags)
		}
		if err != nil {
			return Decided{}, err
		}
		err = control.Each(b.settings.Calls, func(_ int, received *notice) (err error) {
			note = *received
			d, err = b.decode(received)
			return err
		})
		if err != nil {
			return Decided{}, err
		}
	}
	b.trigger.Sample(note.Stride)
	return Decided{Decision: d, Traffic: note.Traffic, Interval: time.Duration(note.Interval * 1e9), Requested: note.Requested}, nil
}

// decode decodes the decision in a notice.
func (b *Balancer) decode(received *notice) (d rebalancer.Decision, err error) {
	if len(received.Decision) > 0 {
		return d, d.UnmarshalBinary(received.Decision)
	}
	var n rebalancer.Notice
	if err := wire.Read(received.Notice, &n); err != nil {
		return d, err
	}
	return b.controller.Understand(n)
}
