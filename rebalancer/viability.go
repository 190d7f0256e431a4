package rebalancer

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/migbsp/migbsp/rebalancer/internal/cost"
)

// trial finds destinations for candidates and tests whether the move pays, each
// after the moves accepted before it.
//
// t1 is the time of the supersteps that count (weighing.span) on the process's rank, t2
// their time on the destination plus the cost of the move: with the load of all processes
// and other programs on both ranks (rates and loads), the work at the destination's speed, and
// the traffic of the process over the links to either.
type trial struct {
	v      View
	weight weighing
	steps  float64 // supersteps that count
	where  []int32
	cost.Sharing
	rates []float64 // by index of a rank alone, or of a crowded host
	load  []float64 // work per superstep, by the same index
	count []int     // processes, by rank
	state []int64   // bytes of state, by rank
	came  []int64   // bytes that moves add
	ofSet [][]int32 // ranks by Set, if the trial weighs

	moves    []Move
	verdicts []Verdict
}

func newTrial(v View) *trial {
	n := len(v.Platform.Ranks)
	t := &trial{
		v: v, steps: 1, where: slices.Clone(v.Where), Sharing: cost.NewSharing(v.Platform, v.Rates, v.drained),
		count: make([]int, n), state: make([]int64, n), came: make([]int64, n),
	}
	t.rates = slices.Concat(t.Alone, t.Capacity)
	t.load = make([]float64, len(t.rates))
	for i := range v.Snapshot.Processes {
		p := &v.Snapshot.Processes[i]
		t.put(p, int(t.where[p.Pid]), 1)
	}
	return t
}

// put adds a process to the load of a rank, or subtracts it: sign is 1 or -1.
func (t *trial) put(p *Process, rank, sign int) {
	for place := range t.Counts(rank) {
		t.load[place] += float64(sign) * p.Work
	}
	t.count[rank] += sign
	t.state[rank] += int64(sign) * p.State
}

// done is when a rank is done with its processes and so much more work, which comes from
// a rank or, if it is negative, goes there; -1 is a rank elsewhere.
func (t *trial) done(rank int, more float64, other int) float64 {
	time, host := (t.load[rank]+more)/t.rates[rank], t.Place(rank)
	if host < 0 {
		return time
	}
	if other >= 0 && t.Crowds.Joint(rank, other) {
		more = 0
	}
	return max(time, (t.load[host]+more)/t.rates[host])
}

func (t *trial) time(rank int) float64 { return t.done(rank, 0, -1) }

// idle reports whether moves between two ranks cannot gain: the ranks
// share cores, and the first needs no more time than the host as a whole.
func (t *trial) idle(from, to int) bool {
	host := t.Place(from)
	return t.Crowds.Joint(from, to) && t.load[from]/t.rates[from] <= t.load[host]/t.rates[host]
}

// weighing makes the trial compare as a strategy weighs.
func (t *trial) weighing(w weighing) *trial {
	t.weight, t.steps, t.ofSet = w, w.supersteps(t.v.Alpha, t.v.cycle()), make([][]int32, len(t.v.Platform.Sets))
	for rank, r := range t.v.Platform.Ranks {
		t.ofSet[r.Set] = append(t.ofSet[r.Set], int32(rank))
	}
	return t
}

// cycle returns the number of supersteps from one with work to the next.
func (v View) cycle() float64 {
	classes, working := make(map[int]bool), make(map[int]bool)
	for _, class := range v.Snapshot.Classes {
		classes[class] = true
	}
	for i := range v.Snapshot.Processes {
		ring := v.Snapshot.Processes[i].RecentWork
		for k, work := range ring {
			if work > 0 {
				working[v.Snapshot.Classes[len(v.Snapshot.Classes)-len(ring)+k]] = true
			}
		}
	}
	return float64(max(1, len(classes))) / float64(max(1, len(working)))
}

// proposed returns the processor that a Set's manager proposes for a process: the
// rank that would finish its processes and this process first. It is -1 if no rank has
// room; why then reports whether a rank had the time but no room, or all other ranks
// share cores with the process's own.
func (t *trial) proposed(p *Process, set int) (rank int, why string) {
	home, name, least := int(t.where[p.Pid]), t.v.Platform.Sets[set].Name, 0.0
	rank, why = -1, fmt.Sprintf("Set %s has no other rank", name)
	for _, to := range t.ofSet[set] {
		to := int(to)
		time := (t.ahead(to) + p.Work) / t.rates[to]
		switch {
		case to == home || !(t.rates[to] > 0) || rank >= 0 && time >= least:
		case t.idle(home, to):
			why = sharedRule
		case !t.fits(p, to):
			why = fmt.Sprintf("no rank of Set %s has room for %d bytes", name, p.State)
		default:
			rank, least = to, time
		}
	}
	return rank, why
}

// sharedRule is the reason why a process does not move to another rank of its host. pinnedRule is
// the reason why it cannot move at all.
const (
	sharedRule = "the ranks of its host share cores: a move between them gains nothing"
	pinnedRule = "it is pinned, or its state cannot move"
)

// ahead is the work that a rank could do until it is done with its own, or where it has more to wait for
// with that. Of ranks that share cores the one with the least work comes first.
func (t *trial) ahead(rank int) float64 {
	const leastLoaded = 1e-6
	if t.Crowds.Host(rank) < 0 {
		return t.load[rank]
	}
	return t.time(rank)*t.Alone[rank] + leastLoaded*t.load[rank]
}

func (t *trial) fits(p *Process, rank int) bool {
	if limit := t.v.Platform.Ranks[rank].Memory; limit > 0 && t.state[rank]+p.State > limit {
		return false
	}
	free := t.v.Snapshot.Ranks[rank].Free
	return free < 0 || t.came[rank]+p.State <= free
}

// compare gives t1 and t2 of a process for a destination.
func (t *trial) compare(p *Process, to int) (t1, t2 float64) {
	from := int(t.where[p.Pid])
	if t.v.Rates[from] > 0 {
		t1 = t.steps * (t.time(from) + t.receiving(p, from))
	} else {
		t1 = 1e300
	}
	t2 = t.steps*(t.done(to, p.Work, from)+t.receiving(p, to)) + t.v.Platform.Transfer(from, to, p.State) + t.weight.mig
	return t1, t2
}

// receiving returns the time of a process's incoming messages on a rank.
func (t *trial) receiving(p *Process, rank int) float64 {
	seconds := 0.0
	for _, partner := range p.Partners {
		if partner.Pid >= 0 && partner.Pid < len(t.where) && !t.Crowds.Joint(int(t.where[partner.Pid]), rank) {
			seconds += t.v.Platform.Transfer(int(t.where[partner.Pid]), rank, partner.Bytes)
		}
	}
	return seconds
}

// goes adds a move to the state that later candidates are tested against, and returns its verdict.
func (t *trial) goes(p *Process, to int, reason string) *Verdict {
	from := int(t.where[p.Pid])
	t.moves = append(t.moves, Move{Pid: p.Pid, From: from, To: to, Bytes: p.State, Reason: reason})
	t.put(p, from, -1)
	t.put(p, to, 1)
	t.came[to] += p.State
	t.where[p.Pid] = int32(to)
	verdict := t.stays(p, reason)
	verdict.To, verdict.Moves = to, true
	return verdict
}

// stays returns the verdict on a process for which no rank is proposed.
func (t *trial) stays(p *Process, why string) *Verdict {
	t.verdicts = append(t.verdicts, Verdict{Pid: p.Pid, Potential: p.Best, To: -1, Rule: why})
	return &t.verdicts[len(t.verdicts)-1]
}

func (t *trial) chosen() ([]Move, []Verdict) {
	sortVerdicts(t.verdicts)
	return t.moves, t.verdicts
}

func sortVerdicts(verdicts []Verdict) {
	slices.SortStableFunc(verdicts, func(a, b Verdict) int { return cmp.Compare(a.Pid, b.Pid) })
}

// consider decides about one candidate for the Set of its potential, and reports whether it moves.
func (t *trial) consider(p *Process) bool {
	to, why := t.proposed(p, p.Best.Set)
	if to < 0 {
		t.stays(p, why)
		return false
	}
	t1, t2 := t.compare(p, to)
	var verdict *Verdict
	switch {
	case !t.weight.test:
		verdict = t.goes(p, to, "candidate, moved without a test")
	case t1 > t2:
		verdict = t.goes(p, to, fmt.Sprintf("t1 %.3g s > t2 %.3g s", t1, t2))
	default:
		verdict = t.stays(p, fmt.Sprintf("t1 %.3g s <= t2 %.3g s", t1, t2))
	}
	verdict.To, verdict.T1, verdict.T2 = to, t1, t2
	return verdict.Moves
}

// inRoom are the moves that leave no rank with more than it has memory for, or
// more than it had before if that is too much already. Moves to a rank that
// would be too full are left out, the last first. Strategies are expected to
// keep to this themselves; memory that runs out ends a run, so it is made sure.
func inRoom(v View, moves []Move) []Move {
	t, moves := newTrial(v), slices.Clone(moves)
	before := slices.Clone(t.state)
	count := func(m Move, bytes int64) {
		t.state[m.From] -= bytes
		t.state[m.To] += bytes
		t.came[m.To] += bytes
	}
	for _, m := range moves {
		count(m, m.Bytes)
	}
	full := func(r int) bool {
		limit, free := v.Platform.Ranks[r].Memory, v.Snapshot.Ranks[r].Free
		return limit > 0 && t.state[r] > max(limit, before[r]) || free >= 0 && t.came[r] > free
	}
	for at := len(moves) - 1; at >= 0; at-- {
		if m := moves[at]; m.Bytes > 0 && full(m.To) {
			count(m, -m.Bytes)
			moves = slices.Delete(moves, at, at+1)
			at = len(moves) // a rank that it would have left may be too full now
		}
	}
	return moves
}

// weighing holds the weights of computing and communication, which recur in each superstep,
// against the cost of a move, which occurs once.
type weighing struct {
	test bool    // candidates move only if t1 > t2
	span float64 // supersteps that count, among supersteps with work; untilNext: all until the next call
	mig  float64 // fixed cost of a move, in seconds
}

func newWeighing(values map[string]float64) weighing {
	return weighing{test: values["viability"] != 0, span: values["span"], mig: values["mig"]}
}

// supersteps returns the number of supersteps that count. alpha is the number until the next call, and
// cycle the number from one superstep with work to the next.
func (w weighing) supersteps(alpha int, cycle float64) float64 {
	if w.span == untilNext {
		return float64(max(1, alpha))
	}
	return w.span * cycle
}

// untilNext is span=alpha.
const untilNext = 0
