package bsplib

import (
	"encoding/binary"
	"fmt"
	"time"

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
	var asked []uint64
	for _, p := range r.procs {
		for _, rank := range p.wish.drain {
			asked = append(asked, uint64(rank))
		}
	}
	for to := range r.side.Out {
		b := &r.side.Out[to]
		b.Grow(8 * len(asked))
		b.Bytes = append(b.Bytes, bytesOf(asked)...)
	}
	if err := r.confer(); err != nil {
		return err
	}
	left := 0
	for _, in := range r.side.In {
		for i := 0; i < len(in); i += 8 {
			r.balance.drained[*wordAt(in, i)] = true
		}
	}
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
	begun := threadClock()
	snapshot, err := rebalancer.Merge(b.trigger.Observations(), reports...)
	if err != nil {
		return r.engineError(err)
	}
	d := b.controller.Decide(snapshot)
	brief := d.WithoutVerdicts()
	for _, v := range d.Verdicts {
		if snapshot.Processes[v.Pid].Request >= 0 {
			brief.Verdicts = append(brief.Verdicts, v)
		}
	}
	if r.virtual != nil {
		r.virtual.decided(threadClock().used - begun.used)
	}
	text, err := brief.AppendBinary(nil)
	if err != nil {
		return r.engineError(err)
	}
	full, err := d.AppendBinary(nil)
	if err != nil {
		return r.engineError(err)
	}
	b.talk.count(r.comm.Size()-len(b.platform.Sets), (r.comm.Size()-len(b.platform.Sets))*len(text))
	stride, interval := 1, 0.0
	if r.virtual == nil {
		stride = rebalancer.Stride(snapshot.Ranks, r.n/r.comm.Size()+1)
		interval = longestInterval(snapshot.Ranks)
	}
	for to, is := range b.platform.Ranks {
		if is.Set != b.platform.Ranks[me].Set {
			continue
		}
		said := text
		if to == 0 {
			said = full
		}
		out := &r.side.Out[to]
		out.Grow(briefBytes + len(said))
		for _, w := range []uint64{uint64(stride), uint64(interval * 1e9), uint64(b.talk.messages), uint64(b.talk.bytes)} {
			out.Bytes = binary.NativeEndian.AppendUint64(out.Bytes, w)
		}
		out.Bytes = append(out.Bytes, said...)
	}
	return nil
}

// briefBytes is the length of what goes with a decision: how many stages go with
// one that is observed, how long the last interval between calls was, and the
// messages and bytes of the call.
const briefBytes = 4 * 8

// longestInterval is the time since the last call, in seconds.
func longestInterval(ranks []rebalancer.RankState) float64 {
	longest := 0.0
	for _, s := range ranks {
		longest = max(longest, s.Elapsed)
	}
	return longest
}

func (r *rank) hearDecision() (d rebalancer.Decision, failure *Error) {
	if err := r.confer(); err != nil {
		return d, err
	}
	b := r.balance
	in := r.side.In[b.manager(b.platform.Ranks[r.comm.Rank()].Set)]
	b.trigger.Sample(int(*wordAt(in, 0)))
	b.talk = talk{messages: int64(*wordAt(in, 16)), bytes: int64(*wordAt(in, 24))}
	if err := d.UnmarshalBinary(in[briefBytes:]); err != nil {
		return d, r.engineError(err)
	}
	r.sounding.afford(time.Duration(*wordAt(in, 8)), b.platform.Links, d.UnexplainedTime)
	return d, nil
}

// confer is an exchange of the runtime's own words.
func (r *rank) confer() *Error {
	seconds, err := r.runtimeExchange()
	if r.virtual != nil {
		r.virtual.calls += seconds
	}
	return err
}

// runtimeExchange exchanges the side lane. On an emulated platform that takes
// the time of what is in it, and of what has been given to virtual.ship, and
// the result is these seconds.
func (r *rank) runtimeExchange() (float64, *Error) {
	if v := r.virtual; v != nil {
		for to := range r.side.Out {
			v.ship(to, int64(len(r.side.Out[to].Bytes)))
		}
	}
	if _, err := r.comm.Exchange(r.side, 0); err != nil {
		return 0, r.engineError(err)
	}
	if r.virtual != nil {
		return r.virtual.transfer(), nil
	}
	return 0, nil
}
