package rebalancer

import (
	"cmp"
	"fmt"
	"slices"
)

// drainedRule is the reason why a process leaves a drained rank.
const drainedRule = "its rank is drained"

// forcedMoves makes the requested moves and then the moves off drained ranks. It returns the strategy's
// view: the mapping after these moves, with less free memory, and with processes pinned that are on the
// rank that they requested.
func (d *Decision) forcedMoves(v View) View {
	t := newTrial(v)
	refused := t.grant()
	t.evacuate(refused)
	for pid, why := range refused {
		t.stays(&v.Snapshot.Processes[pid], why)
	}
	d.Moves, d.Verdicts = t.chosen()
	v.Where = t.where
	s := *v.Snapshot
	s.Ranks = slices.Clone(s.Ranks)
	for i := range s.Ranks {
		if s.Ranks[i].Free >= 0 {
			s.Ranks[i].Free = max(0, s.Ranks[i].Free-t.came[i])
		}
	}
	if slices.ContainsFunc(s.Processes, func(p Process) bool { return p.Request >= 0 }) {
		s.Processes = slices.Clone(s.Processes)
	}
	for i := range s.Processes {
		if p := &s.Processes[i]; p.Request >= 0 && p.Request == int(t.where[p.Pid]) {
			p.Pinned = true
		}
	}
	v.Snapshot = &s
	return v
}

// grant makes the requested moves that fit, in rounds, because a process that leaves makes room for
// others. It returns the reasons for refusing the rest, by pid.
func (t *trial) grant() map[int]string {
	refused := make(map[int]string)
	for granted := true; granted; {
		granted = false
		for i := range t.v.Snapshot.Processes {
			p := &t.v.Snapshot.Processes[i]
			if p.Request < 0 || p.Request == int(t.where[p.Pid]) {
				continue
			}
			if why := t.refuses(p, p.Request); why != "" {
				refused[p.Pid] = why
				continue
			}
			delete(refused, p.Pid)
			t.goes(p, p.Request, "it asked to")
			granted = true
		}
	}
	return refused
}

// evacuate empties drained ranks while other ranks have room: most work first or, if not all processes
// find room, largest state first.
func (t *trial) evacuate(refused map[int]string) {
	var list []*Process
	for i := range t.v.Snapshot.Processes {
		p := &t.v.Snapshot.Processes[i]
		if !t.v.Snapshot.Ranks[t.where[p.Pid]].Drained {
			continue
		}
		if p.Pinned {
			refused[p.Pid] = drainedRule + ", but " + pinnedRule
			continue
		}
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b *Process) int {
		return cmp.Or(cmp.Compare(b.Work, a.Work), cmp.Compare(a.Pid, b.Pid))
	})
	if !t.takesAll(list) {
		slices.SortFunc(list, func(a, b *Process) int {
			return cmp.Or(cmp.Compare(b.State, a.State), cmp.Compare(a.Pid, b.Pid))
		})
	}
	for _, p := range list {
		if to := t.soonest(p); to >= 0 {
			reason := drainedRule
			if why := refused[p.Pid]; why != "" {
				reason = why + "; " + drainedRule
				delete(refused, p.Pid)
			}
			t.goes(p, to, reason)
		} else {
			refused[p.Pid] = fmt.Sprintf("%s, but no other has room for %d bytes", drainedRule, p.State)
		}
	}
}

// back adds moves that return processes to earlier ranks, where possible, and reports whether it added
// any.
func (d *Decision) back(v View, moves []Move, why string) bool {
	t := newTrial(v)
	for _, m := range moves {
		if p := &v.Snapshot.Processes[m.Pid]; !p.Pinned && v.Rates[m.To] > 0 && t.fits(p, m.To) {
			t.goes(p, m.To, why)
		}
	}
	d.Moves, d.Verdicts = append(d.Moves, t.moves...), append(d.Verdicts, t.verdicts...)
	return len(t.moves) > 0
}

// takesAll reports whether all processes of a list would find a rank, one after another.
func (t *trial) takesAll(list []*Process) bool {
	v := t.v
	v.Where = t.where
	as := newTrial(v)
	copy(as.came, t.came)
	for _, p := range list {
		to := as.soonest(p)
		if to < 0 {
			return false
		}
		as.goes(p, to, "")
	}
	return true
}

// refuses returns the reason why a process cannot go to the rank that it requested, or "".
func (t *trial) refuses(p *Process, to int) string {
	switch {
	case p.Pinned:
		return pinnedRule
	case to >= len(t.v.Rates):
		return fmt.Sprintf("there is no rank %d", to)
	case t.v.Snapshot.Ranks[to].Drained:
		return fmt.Sprintf("rank %d is drained", to)
	case !t.fits(p, to):
		return fmt.Sprintf("rank %d has no room for its %d bytes", to, p.State)
	}
	return ""
}

// soonest returns the rank that has room for a process and finishes it first, and among equals has the
// fewest processes; -1 if no rank has room.
func (t *trial) soonest(p *Process) int {
	best, at := 0.0, -1
	for rank, rate := range t.v.Rates {
		if rate <= 0 || !t.fits(p, rank) {
			continue
		}
		time := t.done(rank, p.Work, int(t.where[p.Pid]))
		if at < 0 || time < best || time == best && t.count[rank] < t.count[at] {
			best, at = time, rank
		}
	}
	return at
}
