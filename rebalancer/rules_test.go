package rebalancer

import (
	"fmt"
	"slices"
	"strings"
)

// rules checks a decision against the state of the run before it.
type rules struct {
	where  []int32
	detail []Detail
	ranks  []RankState
	memory []int64
	guard  bool
	forced bool // a move is required at any cost
}

func (s *stage) snapshot() rules {
	r := rules{where: slices.Clone(s.where), detail: slices.Clone(s.detail), ranks: slices.Clone(s.ranks),
		guard: s.whole.spec.value("guard") != 0}
	for _, rank := range s.platform.Ranks {
		r.memory = append(r.memory, rank.Memory)
	}
	for pid, d := range s.detail {
		r.forced = r.forced || d.Request >= 0 || s.ranks[s.where[pid]].Drained
	}
	return r
}

func (r rules) obeyed(d *Decision) error {
	if (d.WhyNone == "") != (len(d.Moves) > 0) {
		return fmt.Errorf("%d moves, kept %q", len(d.Moves), d.WhyNone)
	}
	after := slices.Clone(r.where)
	for _, m := range d.Moves {
		switch {
		case int(after[m.Pid]) != m.From || m.From == m.To:
			return fmt.Errorf("%+v, but it is on rank %d", m, after[m.Pid])
		case r.detail[m.Pid].Pinned:
			return fmt.Errorf("%+v of a pinned process", m)
		case r.ranks[m.To].Drained:
			return fmt.Errorf("%+v to a drained rank", m)
		case m.Reason == "" || m.Bytes != r.detail[m.Pid].State:
			return fmt.Errorf("%+v", m)
		}
		after[m.Pid] = int32(m.To)
	}
	if err := r.fits(after); err != nil {
		return err
	}
	f := d.Forecast
	undone := len(d.Moves) > 0 && strings.Contains(d.Moves[0].Reason, "did not pay")
	if r.guard && !r.forced && !undone && len(d.Moves) > 0 && !(f.After+f.Cost < f.Before) {
		return fmt.Errorf("moves that cost: %+v", f)
	}
	return r.explained(d, after)
}

// fits returns an error if the new mapping exceeds a limit, or if a process stays on a
// drained rank although another rank has room.
func (r rules) fits(after []int32) error {
	stored, was, came := make([]int64, len(r.ranks)), make([]int64, len(r.ranks)), make([]int64, len(r.ranks))
	roomy := true
	for pid, rank := range after {
		stored[rank] += r.detail[pid].State
		was[r.where[pid]] += r.detail[pid].State
		if rank != r.where[pid] {
			came[rank] += r.detail[pid].State
		}
	}
	for i, rank := range r.ranks {
		if r.memory[i] > 0 && stored[i] > max(r.memory[i], was[i]) {
			return fmt.Errorf("rank %d holds %d bytes of %d", i, stored[i], r.memory[i])
		}
		if rank.Free >= 0 && came[i] > rank.Free {
			return fmt.Errorf("%d bytes come to rank %d, where %d are free", came[i], i, rank.Free)
		}
		roomy = roomy && r.memory[i] == 0 && rank.Free < 0
	}
	for pid, rank := range after {
		anywhere := r.memory[0] == 0 && r.ranks[0].Free < 0
		if r.ranks[rank].Drained && !r.detail[pid].Pinned && (roomy || anywhere) {
			return fmt.Errorf("process %d stays on drained rank %d", pid, rank)
		}
	}
	return nil
}

// explained checks that each process has one verdict at most and that it agrees with the moves.
func (r rules) explained(d *Decision, after []int32) error {
	moves := 0
	said := make(map[int]bool)
	for i, v := range d.Verdicts {
		goes := after[v.Pid] != r.where[v.Pid]
		if i > 0 && v.Pid <= d.Verdicts[i-1].Pid || v.Rule == "" || v.Moves != goes || goes && v.To != int(after[v.Pid]) {
			return fmt.Errorf("verdict %d is %+v, it goes from %d to %d", i, v, r.where[v.Pid], after[v.Pid])
		}
		if goes {
			moves++
		}
		said[v.Pid] = true
	}
	if moves != len(d.Moves) {
		return fmt.Errorf("%d verdicts move, %d moves", moves, len(d.Moves))
	}
	for pid, p := range r.detail {
		if p.Request >= 0 && int(after[pid]) != p.Request && !said[pid] {
			return fmt.Errorf("process %d is not told why its request is refused", pid)
		}
	}
	return nil
}
