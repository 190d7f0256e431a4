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

// Traffic counts the messages of ranks to others in a call, and their bytes.
type Traffic struct{ Messages, Bytes int64 }

func (t *Traffic) count(messages, bytes int) {
	t.Messages += int64(messages)
	t.Bytes += int64(bytes)
}

// Asking is why and how a rank comes to a call.
type Asking struct {
	// Asked is true if some process or rank has asked for the call, rather than the
	// trigger.
	Asked bool
	// Drain is the ranks that this rank's processes want to be left.
	Drain []int
	// Outside is what is known on this rank of ranks that are to be left for as long as
	// someone outside of the program says so.
	Outside Outside
	// Processes is the number of processes on this rank, Left the number of stages
	// that they have before them in their loop; if it is Open that is what the past tells.
	Processes, Left int
	Open            bool
	// Along, unless it is nil, is what goes along with the call. On all ranks or on none.
	Along Along
}

// Along is what goes along with the exchanges of a call, attached to them.
type Along interface {
	// Reported is called when the reports have come.
	Reported() error
	// Telling is called before the exchange in which managers begin to tell their decision. Told
	// is called after it, with what all ranks' Telling have returned.
	Telling() (mpi.Flags, error)
	Told(all mpi.Flags) error
	// Decided is called with the decision, before the rank's controller adopts it.
	Decided(d *Decided) error
}

// nothing goes along.
type nothing struct{}

func (nothing) Reported() error             { return nil }
func (nothing) Telling() (mpi.Flags, error) { return 0, nil }
func (nothing) Told(mpi.Flags) error        { return nil }
func (nothing) Decided(*Decided) error      { return nil }

// Outside is a list of ranks that are to be left, the Version-th. Of several lists the latest
// counts, and takes the place of all before it.
type Outside struct {
	Version int64
	Ranks   []int
}

// Decided is what a call has come to.
type Decided struct {
	rebalancer.Decision               // all of it on managers and rank 0, see rebalancer.Notice
	Traffic             Traffic       // of the call
	Interval            time.Duration // since the call before
	Outside             Outside       // the ranks that are left for someone outside, after the latest list
	Refused             bool          // its ranks are not those that were asked for, for none would be left
	Wished              bool          // all moves are where processes asked to go
	// Snapshot is what this rank has decided from for all processes, nil if it has not.
	Snapshot *rebalancer.Snapshot
	Forgot   bool // others manage than at the call before
}

// ErrAllDrained is the error of a call that would leave processes no rank.
var ErrAllDrained = errors.New("all ranks are to be drained")

// ErrUnfit is the error of reports that do not fit together.
var ErrUnfit = errors.New("the ranks' reports do not fit together")

// Call makes a rescheduling call: each rank reports what has changed to its Set's manager, the
// managers exchange what they have, come to the same decision and tell the ranks of
// their Sets what it means to them, down a tree.
//
// BSP cost: three barriers, two where there is one Set; one more where a Set has more than 33 ranks, another one from 74 on and for each
// eight times as many; two more where other ranks are to be left than at the last call; and h
// of the reports of all processes at each manager.
func (b *Balancer) Call(a Asking) (Decided, error) {
	if a.Along == nil {
		a.Along = nothing{}
	}
	b.decidedFrom, b.forgot = nil, false
	mine := b.state(a)
	reports, all, err := b.gatherReports(mine, b.news(&a))
	if err == nil {
		err = a.Along.Reported()
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
	decision, told, err := b.decide(reports)
	if err != nil {
		return Decided{}, err
	}
	d, err := b.tell(decision, told, a.Along)
	if err == nil {
		err = a.Along.Decided(&d)
	}
	if err == nil {
		b.controller.Adopt(d.Decision)
	}
	d.Outside, d.Refused, d.Snapshot, d.Forgot = b.outside, b.refused, b.decidedFrom, b.forgot
	b.decidedFrom = nil
	return d, err
}

// Called tells what a call has taken, and its moves. The time to the next one begins.
func (b *Balancer) Called(took, moved time.Duration, moves int) {
	b.trigger.Called(b.now(), took.Seconds(), moved.Seconds(), moves)
	b.busy, b.before = 0, clock.Window{}
}

// Conclude brings what moves have brought to rank 0, after the last superstep. It is nil on the
// others, and where all processes are where they began or no account is kept. All ranks call it.
//
// Errors: ErrUnfit on rank 0.
//
// BSP cost: l, and h of the reports of all processes at rank 0, if some process is elsewhere.
func (b *Balancer) Conclude(processes int) (*rebalancer.Bank, error) {
	if !b.settings.Account || !b.controller.Away() {
		return nil, nil
	}
	b.controller.Forget()
	mine := b.controller.Report([]rebalancer.RankState{b.state(Asking{Processes: processes})}, b.settings.Detail)
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

// manager is the rank that decides for a Set: the one that the platform names, or if
// that is drained the first of the Set that is not.
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

// managers are those of all Sets.
func (b *Balancer) managers() []int {
	all := make([]int, len(b.settings.Platform.Sets))
	for set := range all {
		all[set] = b.manager(set)
	}
	return all
}

// myManager is the manager of this rank's Set, managing whether that is this rank.
func (b *Balancer) myManager() int { return b.manager(b.settings.Platform.Ranks[b.settings.Rank].Set) }
func (b *Balancer) managing() bool { return b.myManager() == b.settings.Rank }

// drains is what a rank knows of ranks that are to be left.
type drains struct {
	Program []int // as processes have asked
	Outside Outside
}

// flagDrains says, with the exchange of reports, that ranks are to be left of which the last
// call did not know. Who manages may change by that, so the reports are exchanged anew then.
const flagDrains mpi.Flags = 1

// news are the flags of this rank's report.
func (b *Balancer) news(a *Asking) mpi.Flags {
	b.refused = false
	if a.Asked && (len(a.Drain) > 0 || a.Outside.Version > b.outside.Version) {
		return flagDrains
	}
	return 0
}

// agreeOnDrains tells all ranks which ranks are to be left: those that processes of the
// program drain, for good, and those of the latest list from outside. A list that
// leaves none gives way to the one before, and that to no list.
func (b *Balancer) agreeOnDrains(a *Asking) error {
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
		b.forgot = true
	}
	return nil
}

// gatherReports brings the reports of a Set's ranks to its manager, and all ranks' flags to
// all. Other ranks get no reports.
func (b *Balancer) gatherReports(state rebalancer.RankState, flags mpi.Flags) ([]rebalancer.Report, mpi.Flags, error) {
	mine := []rebalancer.Report{b.controller.Report([]rebalancer.RankState{state}, b.settings.Detail)}
	if err := control.Send(b.settings.Calls, b.myManager(), &mine); err != nil {
		return nil, 0, err
	}
	b.traffic = Traffic{}
	return b.receiveReports(flags, 0)
}

// decide brings the reports of each Set to all managers, which come to the same decision.
func (b *Balancer) decide(reports []rebalancer.Report) (d rebalancer.Decision, told notice, err error) {
	sets := len(b.settings.Platform.Sets)
	if sets > 1 {
		for set := 0; set < sets && b.managing(); set++ {
			if err := control.Send(b.settings.Calls, b.manager(set), &reports); err != nil {
				return d, told, err
			}
		}
		if reports, _, err = b.receiveReports(0, sets-1); err != nil {
			return d, told, err
		}
	}
	for i := range reports {
		if rank := reports[i].Ranks[0].Rank; b.manager(b.settings.Platform.Ranks[rank].Set) != rank {
			b.traffic.count(1, reports[i].Size())
		}
	}
	if !b.managing() {
		return d, told, nil
	}
	return b.decideFrom(reports)
}

// receiveReports ends an exchange of reports. It counts what has arrived as sent to
// each of the others.
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

// state is what this rank reports of itself.
func (b *Balancer) state(a Asking) rebalancer.RankState {
	left, idle := math.MaxInt32, time.Duration(0)
	if a.Processes > 0 {
		left = b.ahead(a.Left, a.Open)
	} else {
		idle = time.Duration(b.trigger.Elapsed(b.now()) * 1e9)
	}
	s := b.trigger.State(b.now(), left, a.Asked)
	s.Rank, s.Drained = b.settings.Rank, b.drained[b.settings.Rank]
	work := b.settings.Clock.Worked()
	_, slow := b.trigger.Since(a.Asked)
	if slow {
		work.Wall, work.CPU = work.Wall-b.before.Wall, work.CPU-b.before.CPU
	}
	s.Available, s.Burst = b.settings.Machine.Available(work, idle, slow)
	s.Free = b.settings.Machine.Free()
	return s
}

// decideFrom comes to a decision from the reports of all ranks and says what the ranks of the Set are
// to be told.
func (b *Balancer) decideFrom(reports []rebalancer.Report) (d rebalancer.Decision, told notice, err error) {
	var snapshot rebalancer.Snapshot
	b.settings.Clock.Decide(func() {
		if snapshot, err = b.controller.Merge(b.trigger.Observations(), reports...); err == nil {
			snapshot.Barriers = b.trigger.Barriers()
			d = b.controller.Decide(snapshot)
			b.decidedFrom = &snapshot
		}
	})
	if err != nil {
		return d, told, err
	}
	told, err = b.noticeOf(&d, snapshot.Ranks, func(pid int) bool { return snapshot.Processes[pid].Request >= 0 })
	told.Wished = !slices.ContainsFunc(d.Moves, func(m rebalancer.Move) bool { return snapshot.Processes[m.Pid].Request != m.To })
	return d, told, err
}

// noticeOf is what ranks are told of a decision that was made with ranks in these states; asked
// reports whether a process asked to move.
func (b *Balancer) noticeOf(d *rebalancer.Decision, states []rebalancer.RankState, asked func(pid int) bool) (told notice, err error) {
	told = notice{Stride: 1, Traffic: b.traffic}
	is := b.controller.Notice(d, asked)
	if told.Notice, err = wire.Append(nil, &is); err != nil {
		return told, err
	}
	ranks := len(b.settings.Platform.Ranks)
	others := ranks - len(b.settings.Platform.Sets)
	told.Traffic.count(others, others*len(told.Notice))
	if b.manager(b.settings.Platform.Ranks[0].Set) != 0 {
		told.Traffic.count(0, d.Size())
	}
	if b.settings.Clock.OwnWork(time.Second) > 0 {
		told.Stride = b.trigger.Stride(states, len(b.settings.Where)/ranks+1)
		for _, s := range states {
			told.Interval = max(told.Interval, s.Elapsed)
		}
	}
	return told, nil
}

// notice is what ranks are told of a call.
type notice struct {
	Stride   int     // one stage in so many is observed from now on
	Interval float64 // seconds since the last call, 0 where measuring takes no time
	Traffic  Traffic // of the call
	Wished   bool    // all moves are where processes asked to go
	Notice   []byte
	Decision []byte // all of it, for rank 0, which keeps the account
}

// tell passes what managers tell on to all ranks, down the tree of each Set, and returns what
// this rank is told.
func (b *Balancer) tell(d rebalancer.Decision, told notice, along Along) (Decided, error) {
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
				passed := told
				passed.Decision = nil
				if to == 0 {
					var err error
					if passed.Decision, err = d.AppendBinary(nil); err != nil {
						return Decided{}, err
					}
				}
				if err := control.Send(b.settings.Calls, to, &passed); err != nil {
					return Decided{}, err
				}
			}
		}
		if level > 0 {
			along = nothing{}
		}
		flags, err := along.Telling()
		if err == nil {
			flags, err = b.settings.Calls.Exchange(flags)
		}
		if err == nil {
			err = along.Told(flags)
		}
		if err != nil {
			return Decided{}, err
		}
		err = control.Each(b.settings.Calls, func(_ int, passed *notice) (err error) {
			told = *passed
			d, err = b.understand(passed)
			return err
		})
		if err != nil {
			return Decided{}, err
		}
	}
	b.trigger.Sample(told.Stride)
	return Decided{Decision: d, Traffic: told.Traffic, Interval: time.Duration(told.Interval * 1e9), Wished: told.Wished}, nil
}

// understand is the decision that this rank was told of.
func (b *Balancer) understand(told *notice) (d rebalancer.Decision, err error) {
	if len(told.Decision) > 0 {
		return d, d.UnmarshalBinary(told.Decision)
	}
	var n rebalancer.Notice
	if err := wire.Read(told.Notice, &n); err != nil {
		return d, err
	}
	return b.controller.Understand(n)
}
