package balance

import (
	"errors"
	"math"
	"slices"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/clock"
	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/internal/wire"
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
	// that they have before them in their loop.
	Processes, Left int
}

// Outside is a list of ranks that are to be left, the Version-th. Of several lists the latest
// counts, and takes the place of all before it.
type Outside struct {
	Version int64
	Ranks   []int
}

// Decided is what a call has come to.
type Decided struct {
	rebalancer.Decision               // on rank 0 with all verdicts
	Traffic             Traffic       // of the call
	Interval            time.Duration // since the call before
	Outside             Outside       // the ranks that are left for someone outside, after the latest list
	Refused             bool          // its ranks are not those that were asked for, for none would be left
}

// ErrAllDrained is the error of a call that would leave processes no rank.
var ErrAllDrained = errors.New("all ranks are to be drained")

// Call makes a rescheduling call: each rank reports to its Set's manager, the
// managers exchange what they have, come to the same decision and tell it to the
// ranks of their Sets.
//
// BSP cost: three barriers, two where there is one Set, one more where it was asked
// for, and h of the reports of all processes at each manager.
func (b *Balancer) Call(a Asking) (Decided, error) {
	if a.Asked {
		if err := b.agreeOnDrains(&a); err != nil {
			return Decided{}, err
		}
	}
	reports, err := b.gatherReports(a)
	if err == nil && b.managing() {
		err = b.decide(reports)
	}
	if err != nil {
		return Decided{}, err
	}
	d, err := b.receiveDecision()
	if err == nil {
		b.controller.Adopt(d.Decision)
	}
	d.Outside, d.Refused = b.outside, b.refused
	return d, err
}

// Called tells what a call has taken, and its moves. The time to the next one begins.
func (b *Balancer) Called(took, moved time.Duration, moves int) {
	b.trigger.Called(b.now(), took.Seconds(), moved.Seconds(), moves)
	b.busy, b.before = 0, clock.Window{}
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

// myManager is the manager of this rank's Set, managing whether that is this rank.
func (b *Balancer) myManager() int { return b.manager(b.settings.Platform.Ranks[b.settings.Rank].Set) }
func (b *Balancer) managing() bool { return b.myManager() == b.settings.Rank }

// drains is what a rank knows of ranks that are to be left.
type drains struct {
	Program []int // as processes have asked
	Outside Outside
}

// agreeOnDrains tells all ranks which ranks are to be left: those that processes of the
// program drain, for good, and those of the latest list from outside. A list that
// leaves none gives way to the one before, and that to no list.
func (b *Balancer) agreeOnDrains(a *Asking) error {
	all, err := control.Allgather(b.settings.Calls, &drains{a.Drain, a.Outside})
	if err != nil {
		return err
	}
	latest := b.outside
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
	return nil
}

// gatherReports brings the reports of all ranks to each manager, first to the
// manager of the rank's Set, then from each manager to all. Other ranks get none.
func (b *Balancer) gatherReports(a Asking) ([]rebalancer.Report, error) {
	sets := len(b.settings.Platform.Sets)
	mine := []rebalancer.Report{b.controller.Report([]rebalancer.RankState{b.state(a)}, b.settings.Detail)}
	if err := control.Send(b.settings.Calls, b.myManager(), &mine); err != nil {
		return nil, err
	}
	b.traffic = Traffic{}
	reports, err := b.receiveReports(0)
	if err == nil && sets > 1 {
		for set := 0; set < sets && b.managing(); set++ {
			if err := control.Send(b.settings.Calls, b.manager(set), &reports); err != nil {
				return nil, err
			}
		}
		reports, err = b.receiveReports(sets - 1)
	}
	for i := range reports {
		if rank := reports[i].Ranks[0].Rank; b.manager(b.settings.Platform.Ranks[rank].Set) != rank {
			b.traffic.count(1, reports[i].Size())
		}
	}
	return reports, err
}

// receiveReports ends an exchange of reports. It counts what has arrived as sent to
// each of the others.
func (b *Balancer) receiveReports(others int) (all []rebalancer.Report, err error) {
	if _, err := b.settings.Calls.Exchange(0); err != nil {
		return nil, err
	}
	err = control.Each(b.settings.Calls, func(_ int, some *[]rebalancer.Report) error {
		if others > 0 {
			b.traffic.count(others, others*wire.Size(some))
		}
		all = append(all, *some...)
		return nil
	})
	return all, err
}

// state is what this rank reports of itself.
func (b *Balancer) state(a Asking) rebalancer.RankState {
	left, idle := math.MaxInt32, time.Duration(0)
	if a.Processes > 0 {
		left = a.Left
	} else {
		idle = time.Duration(b.trigger.Elapsed(b.now()) * 1e9)
	}
	s := b.trigger.State(b.now(), left, a.Asked)
	s.Rank, s.Drained = b.settings.Rank, b.drained[b.settings.Rank]
	work := b.settings.Clock.Worked()
	if _, slow := b.trigger.Since(a.Asked); slow {
		work.Wall, work.CPU = work.Wall-b.before.Wall, work.CPU-b.before.CPU
	}
	s.Available, s.Free = b.settings.Machine.Available(work, idle), b.settings.Machine.Free()
	return s
}

// decide comes to a decision and sends it to the ranks of the Set. Rank 0, which
// keeps the account, gets the reasons of all processes, the others of those that
// have asked to move.
func (b *Balancer) decide(reports []rebalancer.Report) error {
	var snapshot rebalancer.Snapshot
	var d rebalancer.Decision
	var err error
	b.settings.Clock.Decide(func() {
		if snapshot, err = rebalancer.Merge(b.trigger.Observations(), reports...); err == nil {
			snapshot.Barriers = b.trigger.Barriers()
			d = b.controller.Decide(snapshot)
		}
	})
	if err != nil {
		return err
	}
	brief := d.WithoutVerdicts()
	for _, v := range d.Verdicts {
		if snapshot.Processes[v.Pid].Request >= 0 {
			brief.Verdicts = append(brief.Verdicts, v)
		}
	}
	told := decision{Stride: 1}
	if told.Decision, err = brief.AppendBinary(nil); err != nil {
		return err
	}
	ranks := b.settings.Platform.Ranks
	told.Traffic = b.traffic
	others := len(ranks) - len(b.settings.Platform.Sets)
	told.Traffic.count(others, others*len(told.Decision))
	if b.settings.Clock.OwnWork(time.Second) > 0 {
		told.Stride = rebalancer.Stride(snapshot.Ranks, len(b.settings.Where)/len(ranks)+1)
		for _, s := range snapshot.Ranks {
			told.Interval = max(told.Interval, s.Elapsed)
		}
	}
	for to, is := range ranks {
		if is.Set != ranks[b.settings.Rank].Set {
			continue
		}
		told := told
		if to == 0 {
			if told.Decision, err = d.AppendBinary(nil); err != nil {
				return err
			}
		}
		if err := control.Send(b.settings.Calls, to, &told); err != nil {
			return err
		}
	}
	return nil
}

// decision is what a manager tells the ranks of its Set.
type decision struct {
	Stride   int     // one stage in so many is observed from now on
	Interval float64 // seconds since the last call, 0 where measuring takes no time
	Traffic  Traffic // of the call
	Decision []byte
}

func (b *Balancer) receiveDecision() (d Decided, err error) {
	if _, err := b.settings.Calls.Exchange(0); err != nil {
		return d, err
	}
	err = control.Each(b.settings.Calls, func(_ int, told *decision) error {
		b.trigger.Sample(told.Stride)
		d.Traffic, d.Interval = told.Traffic, time.Duration(told.Interval*1e9)
		return d.Decision.UnmarshalBinary(told.Decision)
	})
	return d, err
}
