package rebalancer

import "slices"

// Report returns this controller's report at a call: the given ranks and the processes on them, except
// processes that are as the managers expect.
func (c *Controller) Report(ranks []RankState, detail func(pid int) Detail) Report {
	r := Report{Ranks: slices.Clone(ranks), Spreads: slices.Clone(c.spreads), Classes: slices.Clone(c.classes), Audits: c.auditor.report(ranks)}
	share := make([]float64, len(c.platform.Ranks))
	waitError := c.waits.error()
	for i, s := range ranks {
		r.Ranks[i].WaitError = waitError
		share[s.Rank] = s.Available
		if !(s.Available > 0) {
			share[s.Rank] = 1
		}
	}
	sets := newProspects(c)
	for pid, rank := range c.where {
		if share[rank] == 0 {
			continue
		}
		d, h := detail(pid), c.History(pid)
		p := Process{
			Pid: pid, Rank: int(rank), State: d.State, Pinned: d.Pinned, Request: d.Request,
			Work: h.work(), Time: h.time(), Regularity: h.Regularity, Sets: slices.Clone(h.Sets),
			RecentWork: slices.Clone(h.RecentWork), SinceMove: h.sinceMove, Partners: h.heaviest(len(c.where)),
			Best: sets.potential(pid, &h, d.State, share[rank]),
		}
		if d.Load > 0 || h.loads != nil {
			r.Told = append(r.Told, Told{Pid: pid, Coming: d.Load, Recent: slices.Clone(h.loads)})
		} else if as, known := c.reports.expected(pid, r.Classes); known && p.same(&as) {
			continue
		}
		r.Processes = append(r.Processes, p)
		c.reports.note(&r.Processes[len(r.Processes)-1], r.Classes)
	}
	return r
}

// Conclude updates the account after the last superstep, with the reports of all ranks, which must be
// complete: call Forget before making them. It works in any run that keeps an account (KeepAccount);
// strategies without a bank are not bound by it.
//
// Errors: see the function Merge.
func (c *Controller) Conclude(step int, reports ...Report) (*Bank, error) {
	d := Decision{Learned: c.last.Learned}
	s, err := Merge(step, reports...)
	if err != nil {
		return nil, err
	}
	v := c.view(&s, &d)
	d.Learned.Exchange = exchanged(c.spec, v, c.last.Learned.Exchange)
	return c.audit(v, false), nil
}

// Forget resets the state that only managers have, so that other ranks can become managers. All
// controllers of a run call it before the same call.
func (c *Controller) Forget() {
	c.reports.forget()
	c.last.Learned.Pending, c.last.Learned.Loads, c.last.Learned.Usual = nil, nil, nil
	c.last.Learned.LastMoves, c.last.Learned.Told, c.last.Learned.LearnsNoMore = nil, nil, false
}

// Merge combines the reports of a call and adds the omitted processes with their expected values. The
// order of the reports does not matter.
//
// Errors: see the function Merge; and an omitted process without an earlier report.
func (c *Controller) Merge(step int, all ...Report) (Snapshot, error) {
	if c.reports.last == nil || len(all) == 0 {
		return Merge(step, all...)
	}
	classes := slices.MaxFunc(all, func(a, b Report) int { return len(a.Classes) - len(b.Classes) }).Classes
	s, err := merge(step, all, len(c.where), func(pid int) (Process, bool) { return c.reports.expected(pid, classes) })
	if err != nil {
		return s, err
	}
	c.reports.open = nil // includes this controller's own processes
	for i := range all {
		for k := range all[i].Processes {
			c.reports.note(&all[i].Processes[k], classes)
		}
	}
	return s, nil
}
