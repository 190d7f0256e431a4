package rebalancer

import (
	"cmp"
	"slices"
)

// verdictStays is how many processes that stay on the bottleneck are explained.
const verdictStays = 100

// The words that say why a process moves or stays.
const (
	ruleDrained  = "its rank is drained"
	ruleRelieves = "relieves a busy rank"
	ruleJoins    = "gets closer to its partners"
	ruleRoom     = "makes room for others"
	rulePinned   = "it is pinned"
	ruleNoRank   = "no rank would finish sooner with it"
	ruleNoPay    = "moving would not save enough"
	ruleEnough   = "other moves relieve its rank"
)

// autoTimes is the weighted seconds per superstep of each rank before and after.
type autoTimes struct{ before, after []float64 }

func (m *autoModel) times(where []int32) []float64 {
	times := make([]float64, len(m.fast))
	for pid, r := range where {
		times[r] += m.size[pid] * m.fast[r]
	}
	return times
}

// explain gives the moves their reasons, and returns the verdicts on them and
// on the heaviest processes that stay on the bottleneck, by pid.
func (m *autoModel) explain(where []int32, moves []Move) []Verdict {
	times := autoTimes{before: m.times(m.home), after: m.times(where)}
	busy, bottleneck := m.busyRanks()
	stays := m.heaviest(where, bottleneck)
	verdicts := make([]Verdict, 0, len(moves)+len(stays))
	explainUpTo := func(pid int) {
		for len(stays) > 0 && int(stays[0]) < pid {
			verdicts = append(verdicts, m.whyStays(int(stays[0]), times, len(moves) > 0))
			stays = stays[1:]
		}
	}
	for i := range moves {
		move := &moves[i]
		explainUpTo(move.Pid)
		move.Reason = m.whyMoves(move, where, busy)
		verdicts = append(verdicts, Verdict{
			Pid: move.Pid, Potential: m.cost.process(move.Pid).Best, To: move.To,
			T1: times.before[move.From], T2: times.after[move.To] + m.transferShare(move.Pid, move.To),
			Moves: true, Rule: move.Reason,
		})
	}
	explainUpTo(len(m.home))
	return verdicts
}

// transferShare is a process's transfer by itself, spread over the supersteps
// to come.
func (m *autoModel) transferShare(pid, to int) float64 {
	seconds := m.cost.view.Platform.Transfer(int(m.home[pid]), to, m.state[pid])
	return seconds / float64(max(m.cost.horizon, 1))
}

// busyRanks tells which ranks exceed the lower bound of a phase before the call,
// and which is busiest in the phase that costs most.
func (m *autoModel) busyRanks() (busy []bool, bottleneck int) {
	loads := make([]float64, len(m.fast)*m.phases)
	for pid, r := range m.home {
		load := loads[int(r)*m.phases:]
		for f, x := range m.row(pid) {
			load[f] += x
		}
	}
	busy = make([]bool, len(m.fast))
	longest := -1.0
	for i, load := range loads {
		r, f := i/m.phases, i%m.phases
		time := load * m.fast[r]
		busy[r] = busy[r] || time > 1.01*m.lower[f]
		if m.weight[f]*time > longest {
			bottleneck, longest = r, m.weight[f]*time
		}
	}
	return busy, bottleneck
}

func (m *autoModel) whyMoves(move *Move, where []int32, busy []bool) string {
	switch {
	case !m.usable[move.From]:
		return ruleDrained
	case m.closer(move, where):
		return ruleJoins
	case busy[move.From] && m.size[move.Pid] > 0:
		return ruleRelieves
	default:
		return ruleRoom
	}
}

// closer tells whether a move saves more seconds of traffic than the process's
// work takes.
func (m *autoModel) closer(move *Move, where []int32) bool {
	saved := 0.0
	for _, peer := range m.talk.of(move.Pid) {
		saved += m.cost.way(move.From, int(m.home[peer.pid]), peer.bytes)
		saved -= m.cost.way(move.To, int(where[peer.pid]), peer.bytes)
	}
	return saved > m.size[move.Pid]*m.fast[move.From]
}

// heaviest lists the processes with most work that stay on a rank, by pid.
func (m *autoModel) heaviest(where []int32, rank int) []int32 {
	var pids []int32
	for pid, home := range m.home {
		if int(home) == rank && where[pid] == home && m.cost.process(pid) != nil {
			pids = append(pids, int32(pid))
		}
	}
	slices.SortFunc(pids, func(a, b int32) int {
		return cmp.Or(cmp.Compare(m.size[b], m.size[a]), cmp.Compare(a, b))
	})
	pids = pids[:min(len(pids), verdictStays)]
	slices.Sort(pids)
	return pids
}

// whyStays compares a process's rank before the moves with the one that would
// finish first with it after them.
func (m *autoModel) whyStays(pid int, times autoTimes, moved bool) Verdict {
	home := int(m.home[pid])
	v := Verdict{Pid: pid, Potential: m.cost.process(pid).Best, To: -1, Rule: rulePinned}
	if m.fixed[pid] {
		return v
	}
	v.T1 = times.before[home]
	for r, usable := range m.usable {
		if !usable || r == home {
			continue
		}
		time := times.after[r] + m.size[pid]*m.fast[r] + m.transferShare(pid, r)
		if v.To < 0 || time < v.T2 {
			v.To, v.T2 = r, time
		}
	}
	switch {
	case v.To < 0 || v.T2 >= v.T1:
		v.Rule = ruleNoRank
	case moved:
		v.Rule = ruleEnough
	default:
		v.Rule = ruleNoPay
	}
	return v
}
