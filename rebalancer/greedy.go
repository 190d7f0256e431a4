package rebalancer

import (
	"cmp"
	"slices"
)

var greedyDefinition = Definition{
	Name: "greedy", About: "all processes anew, the longest first, each to the rank that is done with it first",
	Source:     "list scheduling, Graham 1969",
	Parameters: []Parameter{{"stay", 0.05, 0, 1e6, "part of a mean rank's time by which another rank must be sooner"}},
	New:        func(values map[string]float64) Strategy { return greedy{values["stay"]} },
}

// greedy is the plain baseline: a list schedule by the ranks' rates that ignores the cost of moves
// and the communication between processes. It treats ranks that share cores as a single rank.
type greedy struct{ stay float64 }

// Choose: see Strategy.
func (s greedy) Choose(v View) ([]Move, []Verdict) {
	t := newTrial(v)
	var list []*Process
	work, rate := 0.0, 0.0
	for i := range v.Snapshot.Processes {
		p := &v.Snapshot.Processes[i]
		work += p.Work
		if !p.Pinned {
			list = append(list, p)
			t.load[t.where[p.Pid]] -= p.Work
		}
	}
	for _, r := range v.Rates {
		rate += r
	}
	slices.SortFunc(list, func(a, b *Process) int {
		return cmp.Or(cmp.Compare(b.Work, a.Work), cmp.Compare(a.Pid, b.Pid))
	})
	bonus := s.stay * ratioOr(work, rate, 0)
	for _, p := range list {
		from := int(t.where[p.Pid])
		best, least := from, 0.0
		if v.Rates[from] > 0 {
			least = (t.load[from]+p.Work)/v.Rates[from] - bonus
		}
		for rank, rate := range v.Rates {
			if rank == from || rate <= 0 || t.Crowds.Joint(from, rank) || !t.fits(p, rank) {
				continue
			}
			if time := (t.load[rank] + p.Work) / rate; time < least || v.Rates[best] <= 0 {
				best, least = rank, time
			}
		}
		t.load[from] += p.Work // goes takes it from there
		if best != from {
			t.goes(p, best, "it is done there first")
		}
	}
	return t.moves, t.verdicts
}
