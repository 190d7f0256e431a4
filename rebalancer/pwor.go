package rebalancer

import "fmt"

var pworDefinition = Definition{
	Name: "pwor", About: "processes that take much longer than the mean go to the rank that is done with them first",
	Source:     "jMigBSP dissertation, 3.1",
	Parameters: []Parameter{{"r", 1.5, 1, 1e6, "multiple of the mean time from which on a process moves"}},
	New:        func(values map[string]float64) Strategy { return pwor{values["r"]} },
}

type pwor struct{ most float64 }

// Choose: see Strategy.
func (s pwor) Choose(v View) ([]Move, []Verdict) {
	t := newTrial(v)
	mean := 0.0
	for i := range v.Snapshot.Processes {
		mean += v.Snapshot.Processes[i].Time / float64(len(v.Snapshot.Processes))
	}
	for i := range v.Snapshot.Processes {
		p := &v.Snapshot.Processes[i]
		if p.Time <= s.most*mean || p.Pinned {
			continue
		}
		from := int(t.where[p.Pid])
		best := from
		for rank := range v.Rates {
			if v.Rates[rank] > 0 && rank != from && t.fits(p, rank) && t.with(p, rank) < t.with(p, best) {
				best = rank
			}
		}
		if best == from {
			t.stays(p, "no rank is done with it sooner").To = from
			continue
		}
		t1, t2 := t.compare(p, best)
		verdict := t.goes(p, best, fmt.Sprintf("it takes %.3g times the mean", p.Time/mean))
		verdict.T1, verdict.T2 = t1, t2
	}
	return t.chosen()
}

// with is when a rank is done with its processes and p.
func (t *trial) with(p *Process, rank int) float64 {
	if t.v.Rates[rank] <= 0 {
		return 1e300
	}
	if from := int(t.where[p.Pid]); from != rank {
		return t.done(rank, p.Work, from)
	}
	return t.time(rank)
}
