package search

import (
	"cmp"
	"slices"

	"github.com/migbsp/migbsp/rebalancer/platform"
)

// VerdictStays is how many processes that stay on the bottleneck are explained.
const VerdictStays = 100

// The words that say why a process moves or stays.
const (
	RuleRelieves = "relieves a busy rank"
	RuleJoins    = "gets closer to its partners"
	RuleRoom     = "makes room for others"
	RulePinned   = "it is pinned"
	RuleNoRank   = "no rank would finish sooner with it"
	RuleDear     = "its move would take what a faster rank saves"
	RuleNoPay    = "moving would not save enough"
	RuleEnough   = "other moves relieve its rank"
)

// times are the weighted seconds per superstep of each rank.
func (m *instance) times(where []int32) []float64 {
	times := make([]float64, len(m.Usable))
	for pid, r := range where {
		times[r] += m.size[pid] / m.Cost.Rates[r]
	}
	return times
}

// explain gives the moves their reasons, and returns the verdicts on them and
// on the heaviest processes that stay on the bottleneck, by pid.
func (m *instance) explain(where []int32, moves []platform.Move) []platform.Verdict {
	before, after := m.times(m.Home), m.times(where)
	busy, bottleneck := m.busyRanks()
	stays := m.heaviest(where, bottleneck)
	verdicts := make([]platform.Verdict, 0, len(moves)+len(stays))
	for i := range moves {
		move := &moves[i]
		move.Reason = m.whyMoves(move, where, busy)
		verdicts = append(verdicts, platform.Verdict{
			Pid: move.Pid, To: move.To,
			T1: before[move.From], T2: after[move.To] + m.transferShare(move.Pid, move.To),
			Moves: true, Rule: move.Reason,
		})
	}
	for _, pid := range stays {
		verdicts = append(verdicts, m.whyStays(int(pid), before, after, len(moves) > 0))
	}
	slices.SortFunc(verdicts, func(a, b platform.Verdict) int { return cmp.Compare(a.Pid, b.Pid) })
	return verdicts
}

// transferShare is a process's transfer by itself, spread over the supersteps
// to come.
func (m *instance) transferShare(pid, to int) float64 {
	seconds := m.Cost.Platform.Transfer(int(m.Home[pid]), to, m.State[pid])
	return seconds / float64(max(m.Horizon, 1))
}

// busyRanks returns the ranks that exceed the lower bound of a phase before the call,
// and the busiest rank of the phase that costs most.
func (m *instance) busyRanks() (busy []bool, bottleneck int) {
	busy = make([]bool, len(m.Usable))
	longest := -1.0
	for i, load := range m.loads(m.Home)[:len(busy)*m.phases] {
		r, f := i/m.phases, i%m.phases
		time := load / m.Cost.Rates[r]
		busy[r] = busy[r] || time > 1.01*m.lower[f]
		if m.weight[f]*time > longest {
			bottleneck, longest = r, m.weight[f]*time
		}
	}
	return busy, bottleneck
}

func (m *instance) whyMoves(move *platform.Move, where []int32, busy []bool) string {
	switch {
	case m.closer(move, where):
		return RuleJoins
	case busy[move.From] && m.size[move.Pid] > 0:
		return RuleRelieves
	default:
		return RuleRoom
	}
}

// closer reports whether a move saves more seconds of traffic than the process's
// work takes.
func (m *instance) closer(move *platform.Move, where []int32) bool {
	saved := 0.0
	for _, peer := range m.peers[move.Pid] {
		saved += m.Cost.Way(move.From, int(m.Home[peer.pid]), peer.bytes)
		saved -= m.Cost.Way(move.To, int(where[peer.pid]), peer.bytes)
	}
	return saved > m.size[move.Pid]/m.Cost.Rates[move.From]
}

// heaviest lists the processes with most work that stay on a rank.
func (m *instance) heaviest(where []int32, rank int) []int32 {
	var pids []int32
	for pid, home := range m.Home {
		if int(home) == rank && where[pid] == home {
			pids = append(pids, int32(pid))
		}
	}
	descending(pids, func(pid int32) float64 { return m.size[pid] })
	return pids[:min(len(pids), VerdictStays)]
}

// whyStays compares a process's rank before the moves with the rank that would
// finish it first after them.
func (m *instance) whyStays(pid int, before, after []float64, moved bool) platform.Verdict {
	home := int(m.Home[pid])
	v := platform.Verdict{Pid: pid, To: -1, Rule: RulePinned}
	if m.Pinned[pid] {
		return v
	}
	v.T1 = before[home]
	faster := false // a rank would be, were it there
	for r, usable := range m.Usable {
		if !usable || r == home {
			continue
		}
		there := after[r] + m.size[pid]/m.Cost.Rates[r]
		faster = faster || there < v.T1
		if time := there + m.transferShare(pid, r); v.To < 0 || time < v.T2 {
			v.To, v.T2 = r, time
		}
	}
	switch {
	case v.T2 >= v.T1 && faster:
		v.Rule = RuleDear
	case v.To < 0 || v.T2 >= v.T1:
		v.Rule = RuleNoRank
	case moved:
		v.Rule = RuleEnough
	default:
		v.Rule = RuleNoPay
	}
	return v
}
