package rebalancer

import (
	"cmp"
	"math"
	"slices"

	"github.com/migbsp/migbsp/internal/wire"
	"github.com/migbsp/migbsp/rebalancer/internal/cost"
	"github.com/migbsp/migbsp/rebalancer/internal/search"
)

// Choice is where the processes are next that are in a Set.
type Choice struct {
	Set     int
	Places  Places    // of those that move, also to the Set
	Bytes   wire.Runs // that each of them takes
	After   []float64 // as Figures.Before, with them
	Traffic traffic   // between processes, with them
	Looked  int       // changes that the search looked at
}

// member is a process that is in the Set after the leavers have left, and others have come.
type member struct {
	pid      int
	state    int64
	row      []float32
	partners []Traffic
	pinned   bool
	came     bool
}

// Choose takes the processes that come to the Set, and chooses a mapping of those that are there.
func (r *Region) Choose(come []Leaver) Choice {
	choice := Choice{Set: r.set}
	if r.council.home != nil || r.council.view.horizon() == 0 {
		return r.stay(choice)
	}
	members, where := r.members(come)
	in := r.instance(members, where, r.floor())
	found := search.Choose(in, r.council.c.spec.value("least"), r.council.c.spec.value("effort"))
	choice.Looked = found.Looked
	for _, m := range found.Moves {
		where[m.Pid] = int32(m.To)
	}
	traffic := r.newMeter()
	rows := make([][]float32, len(members))
	for i, m := range members {
		rows[i] = m.row
		to := r.ranks[where[i]]
		if from := int(r.council.c.where[m.pid]); from != to {
			choice.Places = append(choice.Places, Place{int32(m.pid), int32(to)})
			choice.Bytes = append(choice.Bytes, float64(m.state))
		}
		for _, t := range m.partners {
			from := int(r.council.c.where[r.pid(t)])
			if at, here := slices.BinarySearchFunc(members, r.pid(t), func(m member, pid int) int { return cmp.Compare(m.pid, pid) }); here {
				from = r.ranks[where[at]]
			}
			traffic.add(from, to, t.Bytes)
		}
	}
	choice.After, choice.Traffic = r.slowest(where[:len(members)], rows, r.weights), traffic.traffic()
	return choice
}

// stay is a choice that moves nothing.
func (r *Region) stay(c Choice) Choice {
	traffic := r.newMeter()
	for at, pid := range r.pids {
		for _, t := range r.snapshot.Processes[at].Partners {
			traffic.add(int(r.council.c.where[r.pid(t)]), int(r.council.c.where[pid]), t.Bytes)
		}
	}
	c.After, c.Traffic = r.slowest(r.model.view.Where, r.model.Rows, r.weights), traffic.traffic()
	return c
}

func (v *View) horizon() int { return costHorizon(v.Ranks) }

// members are the processes that are in the Set once flows have gone, by pid, and the places of
// their ranks. Those that come go to where they would be done first, the longest first.
func (r *Region) members(arrivals []Leaver) (list []member, where []int32) {
	for at, pid := range r.pids {
		if p := &r.snapshot.Processes[at]; !r.leaves[at] {
			list = append(list, member{pid: int(pid), state: p.State, row: r.model.Rows[at], partners: p.Partners, pinned: p.Pinned})
		}
	}
	for _, l := range arrivals {
		list = append(list, member{pid: l.Pid, state: l.State, row: r.fitted(l.Row), partners: l.Partners, came: true})
	}
	slices.SortFunc(list, func(a, b member) int { return cmp.Compare(a.pid, b.pid) })
	where = make([]int32, len(list))
	busy, work := make([]float64, len(r.ranks)), make([]float64, len(list))
	var come []int
	for i, m := range list {
		for c, x := range m.row {
			work[i] += r.weights[c] * float64(x)
		}
		if m.came {
			come = append(come, i)
			continue
		}
		where[i] = r.local(int(r.council.c.where[m.pid]))
		busy[where[i]] += work[i]
	}
	slices.SortStableFunc(come, func(a, b int) int { return cmp.Compare(work[b], work[a]) })
	for _, i := range come {
		best, least := 0, math.Inf(1)
		for at, rate := range r.rates {
			if rate <= 0 {
				continue
			}
			if done := (busy[at] + work[i]) / rate; done < least {
				best, least = at, done
			}
		}
		where[i] = int32(best)
		busy[best] += work[i]
	}
	return list, where
}

// fitted is the row of a process of another Set by this one's columns: if they differ, its mean.
func (r *Region) fitted(row []float32) []float32 {
	if len(row) == r.model.Columns {
		return row
	}
	fitted, mean := make([]float32, r.model.Columns), float32(0)
	for _, x := range row {
		mean += x / float32(len(row))
	}
	for c := range fitted {
		fitted[c] = mean
	}
	return fitted
}

// floor is, by column, the time below which it brings nothing to be done: that of all work shared
// out evenly.
func (r *Region) floor() []float64 {
	rate, totals := 0.0, make([]float64, r.model.Columns)
	for _, o := range r.council.all {
		rate += o.Load.Rate
		for c := range totals {
			if len(o.Totals) == len(totals) {
				totals[c] += o.Totals[c]
			} else {
				totals[c] += o.Load.Work
			}
		}
	}
	for c := range totals {
		totals[c] = ratioOr(totals[c], rate, 0)
	}
	return totals
}

// elsewhere is the rate of the rank that stands for all others in a search. It is so low that
// their work, which is there, is none beside the Set's.
const elsewhere = 1e-9

// instance is the search for a better mapping of members that are in these places, and of the
// work of the other Sets: a process that does not move, on a rank that nothing else goes to.
func (r *Region) instance(members []member, where []int32, floor []float64) *search.Instance {
	n, ranks := len(members), len(r.ranks)
	platform := *r.model.view.Platform
	platform.Ranks = append(slices.Clone(platform.Ranks), Rank{Speed: elsewhere})
	rates := append(slices.Clone(r.model.Rates), elsewhere)
	in := &search.Instance{
		Weights: r.weights, Horizon: r.council.view.horizon(), Trust: costTrust(r.council.view.Learned), Call: costCall(r.council.view.Ranks),
		Work: make([][]float32, n+1), Home: append(slices.Clone(where), int32(ranks)),
		Pinned: make([]bool, n+1), State: make([]int64, n+1), Free: make([]int64, ranks+1), Usable: make([]bool, ranks+1),
		Affordable: func(paid, saved float64, _ []int32) bool {
			return r.council.bank.allows(paid, saved, r.council.way+paid)
		},
		Set: &r.council.c.spec.params().Search,
	}
	in.Value = float64(max(in.Horizon, 1)) * in.Trust
	model := &cost.Model{
		Platform: &platform, Rates: rates,
		Shared: cost.NewSharing(&platform, rates, func(int) bool { return false }),
	}
	if r.model.Partners != nil {
		model.Partners = make([][]Traffic, n+1)
	}
	for i, m := range members {
		in.Work[i], in.Pinned[i], in.State[i] = m.row, m.pinned, m.state
		if m.came {
			in.State[i] = 0 // wherever it goes, it is on its way
		}
		if model.Partners == nil {
			continue
		}
		for _, t := range m.partners {
			at, here := slices.BinarySearchFunc(members, t.Pid, func(m member, pid int) int { return cmp.Compare(m.pid, pid) })
			if here {
				model.Partners[i] = append(model.Partners[i], Traffic{Pid: at, Bytes: t.Bytes})
			}
		}
	}
	in.Cost = model
	in.Work[n], in.Pinned[n] = make([]float32, len(floor)), true
	for c, seconds := range floor {
		in.Work[n][c] = float32(seconds * elsewhere)
	}
	for at := range r.ranks {
		in.Free[at] = r.snapshot.Ranks[at].Free
		in.Usable[at] = r.rates[at] > 0
	}
	in.Free[ranks] = 0
	return in
}

// Settle takes the figures of all managers, by Set: it brings the bank up to date, and finds the way
// home if it is time to go.
func (r *Council) Settle(all []Figures) {
	c := r.c
	r.figures = all
	if c.auditor == nil {
		return
	}
	shadows := c.auditor.shadows
	series := auditSeries{}
	for i := range all {
		series.include(all[i].Audit)
	}
	f := bankFigures{horizon: r.view.horizon()}
	barriers := r.barriers()
	f.sends, f.waits = r.messages(all, 0), barriers*cost.Barrier(&c.platform, c.where)
	ways := make([]float64, len(shadows))
	for k, where := range shadows {
		f.shadowSends = append(f.shadowSends, r.messages(all, 1+k))
		f.shadowWaits = append(f.shadowWaits, barriers*cost.Barrier(&c.platform, where))
		waits, states := 0.0, make([]traffic, len(all))
		for i := range all {
			waits, states[i] = max(waits, all[i].Waits[k]), all[i].Ways[k]
		}
		ways[k] = waits + r.seconds(states)
		if ways[k] > 0 {
			ways[k] += costCall(r.view.Ranks)
		}
	}
	f.computed = series.audited(f.exchanges())
	if !f.computed.known {
		f.computed.real = meanOfAll(slowestOf(all, func(f *Figures) []float64 { return f.Seen }))
		for k := range f.computed.shadow {
			f.computed.shadow[k] = f.computed.real
		}
	}
	f.rest = float64(f.horizon) * (sumOf(slowestOf(all, func(f *Figures) []float64 { return f.Before })) + f.sends + f.waits)
	r.bank = c.balance(r.view.Ranks, f)
	if !c.spec.banked() {
		return
	}
	r.way = ways[0]
	start := slices.Equal(c.where, shadows[0])
	if to := r.bank.retreats(ways, f.horizon, start); to >= 0 {
		r.home = []Move{}
		for pid, rank := range shadows[to] {
			if from := c.where[pid]; from != rank && r.view.Rates[rank] > 0 {
				r.home = append(r.home, Move{Pid: pid, From: int(from), To: int(rank)})
			}
		}
	}
}

// slowestOf is, by column, the largest of all Sets' figures: of those with as many columns as
// most have, with their sum in each column of those that have fewer.
func slowestOf(all []Figures, of func(f *Figures) []float64) (slowest []float64) {
	for i := range all {
		slowest = atLeast(slowest, of(&all[i]))
	}
	return slowest
}

// atLeast is the larger in each column. Lists of different lengths, which look back differently
// far, are compared by their sums.
func atLeast(a, b []float64) []float64 {
	if len(a) != len(b) {
		if sumOf(a) > sumOf(b) {
			return a
		}
		return slices.Clone(b)
	}
	for c := range a {
		a[c] = max(a[c], b[c])
	}
	return a
}

// Rules of moves that are decided within Sets.
const (
	withinRule = "its Set's ranks are done sooner"
	acrossRule = "the Set where it goes has less to do"
)

// Conclude takes the choices of all managers, by Set, and comes to the decision.
func (r *Council) Conclude(all []Choice) Decision {
	c, v, figures := r.c, r.view, r.figures
	d := Decision{Step: v.Step, Call: c.call + 1, Before: c.pace, Learned: c.learned}
	d.Learned.Speeds, d.Learned.Available = slices.Clone(c.learned.Speeds), v.Learned.Available
	d.Learned.Pending, d.Learned.Bank = nil, r.bank
	d.Bound = r.bound(figures)
	before := slowestOf(figures, func(f *Figures) []float64 { return f.Before })
	var after []float64
	var moves []Move
	messages, known := make([]traffic, len(all)), make([]traffic, len(all))
	for i := range all {
		messages[i], known[i] = all[i].Traffic, figures[i].Known
		after = atLeast(after, all[i].After)
		d.Searched = max(d.Searched, all[i].Looked)
		for k, is := range all[i].Places {
			m := Move{Pid: int(is.Pid), From: int(c.where[is.Pid]), To: int(is.Rank), Bytes: int64(all[i].Bytes[k]), Reason: withinRule}
			if c.platform.Ranks[m.From].Set != c.platform.Ranks[m.To].Set {
				m.Reason = acrossRule
			}
			moves = append(moves, m)
		}
	}
	slices.SortFunc(moves, func(a, b Move) int { return cmp.Compare(a.Pid, b.Pid) })
	f := Forecast{Horizon: v.horizon()}
	f.Before = float64(f.Horizon) * (sumOf(before) + r.barriers()*cost.Barrier(&c.platform, c.where) + r.seconds(known))
	f.After = f.Before
	if len(moves) > 0 {
		where := costMoved(c.where, moves)
		f.After = float64(f.Horizon) * (sumOf(after) + r.barriers()*cost.Barrier(&c.platform, where) + r.seconds(messages))
		f.Cost = costTransfer(&c.platform, moves) + costCall(v.Ranks)
	}
	way := r.way + f.Cost
	switch {
	case r.home != nil:
		d.Moves = r.home
		for i := range d.Moves {
			d.Moves[i].Reason = r.bank.homeRule()
		}
		d.retreated()
	case len(moves) == 0:
		d.WhyNone = "no move was found that pays"
	case c.refusal(&d, r.bank, moves, f, func(saving float64) bool { return r.bank.allows(f.Cost, saving, way) }) == "":
		d.Moves = moves
	}
	d.Forecast = f
	if len(d.Moves) == 0 {
		d.Forecast.After, d.Forecast.Cost, way = f.Before, 0, way-f.Cost
	}
	for _, m := range d.Moves {
		d.Verdicts = append(d.Verdicts, Verdict{Pid: m.Pid, Potential: Potential{Set: -1}, To: m.To, Moves: true, Rule: m.Reason})
	}
	if r.bank != nil {
		r.bank.leave(len(d.Moves) > 0, slices.Equal(c.where, r.bank.shadows[0]), d.Forecast.Cost, way)
	}
	c.paceFor(v.Snapshot, &d)
	return d
}

// bound is what no mapping can beat, of the supersteps that were seen.
func (r *Council) bound(all []Figures) Bound {
	b := Bound{Split: -1}
	rate, fastest := 0.0, 0.0
	for _, o := range r.all {
		rate, fastest = rate+o.Load.Rate, max(fastest, o.Load.Fastest)
	}
	seen := slowestOf(all, func(f *Figures) []float64 { return f.Seen })
	longest, work := make([]float64, len(seen)), make([]float64, len(seen))
	for i := range all {
		for c := range min(len(seen), len(all[i].Work)) {
			longest[c] = max(longest[c], all[i].Longest[c])
			work[c] += all[i].Work[c]
		}
	}
	n := float64(max(1, len(seen)))
	for c := range seen {
		long, shared := ratioOr(longest[c], fastest, 0), ratioOr(work[c], rate, 0)
		b.Longest, b.Share, b.Least = b.Longest+long/n, b.Share+shared/n, b.Least+max(long, shared)/n
	}
	b.Step = meanOfAll(seen) + r.messages(all, 0) + r.barriers()*cost.Barrier(&r.c.platform, r.c.where)
	return b
}

// barriers is how many of them count as one.
func (r *Council) barriers() float64 {
	if r.c.platform.Leave {
		return max(1, r.view.Barriers)
	}
	return 1
}

// messages is what those between processes take, as it is or with a shadow.
func (r *Council) messages(all []Figures, k int) float64 {
	parts := make([]traffic, len(all))
	for i := range all {
		parts[i] = all[i].Traffic[k]
	}
	return r.seconds(parts)
}
