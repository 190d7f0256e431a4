package rebalancer

import (
	"slices"

	"github.com/migbsp/migbsp/rebalancer/internal/cost"
	"github.com/migbsp/migbsp/rebalancer/internal/share"
)

// Leaver is a process that leaves its Set.
type Leaver struct {
	Pid      int
	State    int64
	Row      []float32 // work by predicted superstep
	Partners []Traffic
}

// meter adds up messages at the ranks of a Region.
type meter struct {
	r          *Region
	sent, came []int64 // by place in ranks
	between    map[[2]int]int64
}

func (r *Region) newMeter() *meter {
	return &meter{r: r, sent: make([]int64, len(r.ranks)), came: make([]int64, len(r.ranks)), between: make(map[[2]int]int64)}
}

func (m *meter) add(from, to int, bytes int64) {
	if from == to || bytes == 0 {
		return
	}
	ranks := m.r.council.c.platform.Ranks
	m.between[[2]int{ranks[from].Set, ranks[to].Set}] += bytes
	if at := m.r.local(from); at >= 0 {
		m.sent[at] += bytes
	}
	if at := m.r.local(to); at >= 0 {
		m.came[at] += bytes
	}
}

func (m *meter) traffic() (t traffic) {
	for at, rank := range m.r.ranks {
		t.Ranks = max(t.Ranks, m.r.council.c.platform.Line(rank)*float64(max(m.sent[at], m.came[at])))
	}
	for pair, bytes := range m.between {
		t.Between = append(t.Between, setBytes{pair[0], pair[1], bytes})
	}
	slices.SortFunc(t.Between, func(a, b setBytes) int {
		if a.From != b.From {
			return a.From - b.From
		}
		return a.To - b.To
	})
	return t
}

// seconds is what the traffic of all Sets takes together.
func (l *Council) seconds(all []traffic) float64 {
	between, longest, latency := make(map[[2]int]int64), 0.0, 0.0
	for i := range all {
		longest = max(longest, all[i].Ranks)
		for _, is := range all[i].Between {
			between[[2]int{is.From, is.To}] += is.Bytes
		}
	}
	for pair, bytes := range between {
		link := l.c.platform.Links[pair[0]][pair[1]]
		latency = max(latency, link.Latency)
		if pair[0] != pair[1] {
			longest = max(longest, float64(bytes)*link.PerByte)
		}
	}
	return longest + latency
}

// Meet takes what all managers have opened with, by Set.
func (l *Council) Meet(all []Opening) {
	c := l.c
	l.all = all
	s := Snapshot{Ranks: make([]RankState, len(c.platform.Ranks))}
	for rank, is := range c.platform.Ranks {
		o := &all[is.Set]
		s.Ranks[rank] = o.State
		s.Ranks[rank].Rank, s.Ranks[rank].Available, s.Ranks[rank].Free = rank, o.Available[l.place[rank]], -1
	}
	for i, o := range all {
		if i == 0 {
			s.Step, s.Barriers, s.Spreads, s.Classes = o.Step, o.Barriers, slices.Clone(o.Spreads), o.Classes
			continue
		}
		for k := range min(len(s.Spreads), len(o.Spreads)) {
			s.Spreads[k].merge(o.Spreads[k])
		}
	}
	learned := c.learned
	learned.Available = available(&c.platform, &s)
	l.view = View{Platform: &c.platform, Snapshot: &s, Where: c.where, Learned: &learned, Call: c.call + 1, Alpha: c.pace.Alpha}
	l.view.Rates = rates(&s, &learned)
	l.flows = l.findFlows()
}

// Ranks are the states of all ranks, as far as managers tell each other.
func (l *Council) Ranks() []RankState { return l.view.Ranks }

// Whole reports whether managers must know all to decide: which all of them know from each
// other's openings.
func (l *Council) Whole() bool {
	return slices.ContainsFunc(l.all, func(o Opening) bool { return o.Whole })
}

// Share is what a manager tells next: figures, and by Set those that leave for it. guests are what
// others say of processes that began here.
func (r *Region) Share(guests []Guests) (f Figures, leavers [][]Leaver) {
	return r.measure(guests), r.leavers()
}

// measure finds the figures of the Set's ranks, with leavers.
func (r *Region) measure(guests []Guests) Figures {
	c, v := r.council.c, r.council.view
	f := Figures{Set: r.set, Before: r.slowest(r.model.view.Where, r.model.Rows, r.weights)}
	seen := newCostModel(r.model.view)
	f.Seen = r.slowest(seen.view.Where, seen.Rows, seen.EqualWeights())
	for c := range f.Seen {
		f.Seen[c] *= float64(seen.Columns)
	}
	f.Work = seen.Totals()
	_, f.Longest = seen.Longest()

	shadows := c.auditor.mappings()
	maps := r.council.mappings()
	meters, ways, waits := make([]*meter, len(maps)), make([]*meter, len(shadows)), make([][]float64, len(shadows))
	for k := range maps {
		meters[k] = r.newMeter()
	}
	for k := range ways {
		ways[k], waits[k] = r.newMeter(), make([]float64, len(r.ranks))
	}
	for at, pid := range r.pids {
		p := &r.snapshot.Processes[at]
		for _, t := range p.Partners {
			from := r.pid(t)
			for k, where := range maps {
				meters[k].add(int(where[from]), int(where[pid]), t.Bytes)
			}
		}
		for k, where := range shadows {
			from, to := int(c.where[pid]), int(where[pid])
			if from == to {
				continue
			}
			ways[k].add(from, to, p.State)
			latency := cost.Latency(&c.platform, from, to)
			waits[k][r.local(from)] += latency
			if here := r.local(to); here >= 0 {
				waits[k][here] += latency
			}
		}
	}
	f.Known = meters[0].traffic()
	away := Audit{Rank: r.ranks[0]}
	for _, g := range guests {
		if g.Rank < 0 || g.Rank >= len(c.platform.Ranks) || r.local(g.Rank) < 0 || g.Map < 0 || g.Map >= len(maps) {
			continue
		}
		meters[g.Map].sent[r.local(g.Rank)] += g.Sent
		meters[g.Map].came[r.local(g.Rank)] += g.Received
		if g.Map == 0 {
			continue
		}
		ways[g.Map-1].came[r.local(g.Rank)] += g.State
		waits[g.Map-1][r.local(g.Rank)] += g.Latency
		if g.Work != nil {
			away.Wall = make([]float32, len(g.Work))
			away.Parts = append(away.Parts, HomeWork{Shadow: g.Map - 1, Home: g.Rank, Work: g.Work})
		}
	}
	s := *v.Snapshot
	v.Snapshot, s.Audits = &s, slices.Clone(r.snapshot.Audits)
	if away.Parts != nil {
		s.Audits = append(s.Audits, away)
	}
	f.Audit = newAuditSeries(v, len(shadows), r.ranks)
	for _, m := range meters {
		f.Traffic = append(f.Traffic, m.traffic())
	}
	for k, m := range ways {
		f.Ways = append(f.Ways, m.traffic())
		f.Waits = append(f.Waits, slices.Max(waits[k]))
	}
	return f
}

// slowest is, by column, its weight times the seconds of the slowest of the Set's ranks, of
// processes with these rows where they are.
func (r *Region) slowest(where []int32, rows [][]float32, weights []float64) []float64 {
	return r.model.ByColumn(rows, where, weights, nil)
}

// leavers are the processes that the flows of classes have leave for other Sets.
func (r *Region) leavers() [][]Leaver {
	all := make([][]Leaver, len(r.council.all))
	r.leaves = make([]bool, len(r.pids))
	mine := slices.DeleteFunc(slices.Clone(r.council.flows), func(f share.Flow) bool { return f.From != r.set })
	if len(mine) == 0 {
		return all
	}
	var load share.Set
	members := make(map[int][]int)
	busy := make([]float64, len(r.ranks))
	r.classify(&load, func(class, at int) { members[class] = append(members[class], at) })
	for at := range r.pids {
		rank := r.model.view.Where[at]
		busy[rank] += r.work(at) / r.model.Rates[rank]
	}
	for _, f := range mine {
		// Those go first whose ranks have most to do.
		list := members[f.Class]
		slices.SortStableFunc(list, func(a, b int) int {
			x, y := busy[r.model.view.Where[a]], busy[r.model.view.Where[b]]
			switch {
			case x > y:
				return -1
			case x < y:
				return 1
			}
			return a - b
		})
		n := min(f.Count, len(list))
		for _, at := range list[:n] {
			p, rank := &r.snapshot.Processes[at], r.model.view.Where[at]
			busy[rank] -= r.work(at) / r.model.Rates[rank]
			r.leaves[at] = true
			all[f.To] = append(all[f.To], Leaver{Pid: int(r.pids[at]), State: p.State, Row: r.model.Rows[at], Partners: p.Partners})
		}
		members[f.Class] = list[n:]
	}
	return all
}

// findFlows finds the flows between Sets, none where they would not pay.
func (l *Council) findFlows() []share.Flow {
	c, all, v := l.c, l.all, l.view
	sets := make([]share.Set, len(all))
	for i := range all {
		sets[i] = all[i].Load
	}
	platform := &c.platform
	flows := share.Out(sets, func(from, to int) float64 { return platform.Links[from][to].Latency })
	if len(flows) == 0 {
		return nil
	}
	between, waits, longest, latency := make(map[[2]int]float64), make([]float64, len(sets)), 0.0, 0.0
	for _, f := range flows {
		is := sets[f.From].Classes[f.Class]
		between[[2]int{f.From, f.To}] += is.Bytes * float64(f.Count) / float64(is.Count)
		link := platform.Links[f.From][f.To]
		longest = max(longest, between[[2]int{f.From, f.To}]*link.PerByte)
		latency = max(latency, link.Latency)
		waits[f.To] += link.Latency / max(1, float64(len(all[f.To].Available)))
	}
	saved := float64(costHorizon(v.Ranks)) * (share.Slowest(sets) - share.Time(sets))
	if c.spec.guarded() && saved*costTrust(v.Learned) <= longest+latency+slices.Max(waits) {
		return nil
	}
	return flows
}
