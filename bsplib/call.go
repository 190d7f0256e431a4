package bsplib

import (
	"fmt"
	"math"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/rebalancer"
)

// talk counts what ranks tell each other in a rescheduling call.
type talk struct{ messages, bytes int64 }

func (t *talk) count(messages, bytes int) {
	t.messages += int64(messages)
	t.bytes += int64(bytes)
}

// call is a rescheduling call: each rank reports to its Set's manager, the
// managers exchange what they have, come to the same decision and tell it to
// the ranks of their Sets.
//
// BSP cost: three barriers, two where there is one Set, one more where it was asked
// for, and h of the reports of all processes at each manager.
func (r *rank) call(asked bool) (rebalancer.Decision, *Error) {
	b := r.balance
	var none rebalancer.Decision
	if asked {
		if err := r.agreeOnDrains(); err != nil {
			return none, err
		}
	}
	reports, err := r.gatherReports(asked)
	if err != nil {
		return none, err
	}
	if err := r.decide(reports); err != nil {
		return none, err
	}
	d, err := r.hearDecision()
	if err != nil {
		return none, err
	}
	b.controller.Adopt(d)
	if asked {
		reasons := make(map[int]string)
		for _, v := range d.Verdicts {
			reasons[v.Pid] = v.Rule
		}
		r.answerWishes(reasons)
	}
	return d, nil
}

// manager is the rank that decides for a Set: the one that the platform names,
// or if it is drained the first that is not.
func (b *balance) manager(set int) int {
	named := b.platform.Sets[set].Manager
	if !b.drained[named] {
		return named
	}
	for rank, is := range b.platform.Ranks {
		if is.Set == set && !b.drained[rank] {
			return rank
		}
	}
	return named
}

func (r *rank) managing() bool {
	me := r.comm.Rank()
	return r.balance.manager(r.balance.platform.Ranks[me].Set) == me
}

// agreeOnDrains tells all ranks which ranks are to be left.
func (r *rank) agreeOnDrains() *Error {
	var asked []int
	for _, p := range r.procs {
		asked = append(asked, p.wish.drain...)
	}
	all, err := control.Allgather(r.calls, &asked)
	if err != nil {
		return r.engineError(err)
	}
	for _, ranks := range all {
		for _, rank := range ranks {
			r.balance.drained[rank] = true
		}
	}
	left := 0
	for _, drained := range r.balance.drained {
		if !drained {
			left++
		}
	}
	if left == 0 {
		return &Error{Kind: NoSuchPlace, Pid: -1, Rank: r.comm.Rank(), Superstep: r.step - 1, known: true,
			Text: fmt.Sprintf("all %d ranks are to be drained; processes must run somewhere", r.comm.Size())}
	}
	return nil
}

// decide comes to a decision on managers and sends it to their Sets. Rank 0,
// which keeps the account, gets the reasons too.
func (r *rank) decide(reports []rebalancer.Report) *Error {
	b, me := r.balance, r.comm.Rank()
	if !r.managing() {
		return nil
	}
	snapshot, err := rebalancer.Merge(b.observations, reports...)
	if err != nil {
		return r.engineError(err)
	}
	var d rebalancer.Decision
	r.clock.Decide(func() { d = b.controller.Decide(snapshot) })
	brief := d.WithoutVerdicts()
	for _, v := range d.Verdicts {
		if snapshot.Processes[v.Pid].Request >= 0 {
			brief.Verdicts = append(brief.Verdicts, v)
		}
	}
	said := decisionMessage{Stride: 1}
	if said.Decision, err = brief.AppendBinary(nil); err != nil {
		return r.engineError(err)
	}
	b.talk.count(r.comm.Size()-len(b.platform.Sets), (r.comm.Size()-len(b.platform.Sets))*len(said.Decision))
	said.Messages, said.Bytes = b.talk.messages, b.talk.bytes
	if !r.clock.Emulated() {
		said.Stride = strideFor(secondsPerStep(snapshot.Ranks), r.n/r.comm.Size()+1)
		said.Interval = longestInterval(snapshot.Ranks)
	}
	for to, is := range b.platform.Ranks {
		if is.Set != b.platform.Ranks[me].Set {
			continue
		}
		to0 := said
		if to == 0 {
			if to0.Decision, err = d.AppendBinary(nil); err != nil {
				return r.engineError(err)
			}
		}
		if err := control.Send(r.calls, to, &to0); err != nil {
			return r.engineError(err)
		}
	}
	return nil
}

// decisionMessage is what a manager tells the ranks of its Set.
type decisionMessage struct {
	Stride          int     // one stage in so many is observed from now on
	Interval        float64 // seconds since the last call
	Messages, Bytes int64   // of the call
	Decision        []byte
}

// longestInterval is the time since the last call, in seconds.
func longestInterval(ranks []rebalancer.RankState) float64 {
	longest := 0.0
	for _, s := range ranks {
		longest = max(longest, s.Elapsed)
	}
	return longest
}

// secondsPerStep is the mean length of a superstep since the last call.
func secondsPerStep(ranks []rebalancer.RankState) float64 {
	longest := 0.0
	for _, s := range ranks {
		longest = max(longest, s.Elapsed/math.Max(1, float64(s.Steps)))
	}
	return longest
}

func (r *rank) hearDecision() (d rebalancer.Decision, failure *Error) {
	if _, err := r.calls.Exchange(0); err != nil {
		return d, r.engineError(err)
	}
	b := r.balance
	err := control.Each(r.calls, func(_ int, said *decisionMessage) error {
		b.stride, b.talk = said.Stride, talk{said.Messages, said.Bytes}
		if err := d.UnmarshalBinary(said.Decision); err != nil {
			return err
		}
		r.calibration.CreditBudget(time.Duration(said.Interval*1e9), d.Surprise)
		return nil
	})
	if err != nil {
		return d, r.engineError(err)
	}
	return d, nil
}
