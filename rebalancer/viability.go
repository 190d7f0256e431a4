package rebalancer

import (
	"fmt"
	"slices"

	"github.com/migbsp/migbsp/rebalancer/internal/cost"
)

// trial finds out where candidates should go and whether they gain there, each
// after the moves that are accepted already.
//
// t1 is the time of the supersteps that count (weighing.span) at the process's rank, t2
// that at the destination with the move's cost: with the load by others and all processes
// on both ranks (rates and loads), the work at the destination's speed, and what
// the process receives over the links to either.
type trial struct {
	v      View
	weight weighing
	steps  float64 // supersteps that count
	where  []int32
	load   []float64 // work per superstep, by rank
	crowd  []float64 // the same, by crowded host
	cost.Sharing
	count []int            // processes, by rank
	state []int64          // bytes of state, by rank
	came  []int64          // bytes that accepted moves bring
	trees []*cost.RankTree // of ranks by Set, nil until they are asked for
	ofSet [][]int32        // ranks by Set, as long
}

func newTrial(v View) *trial {
	n := len(v.Platform.Ranks)
	t := &trial{v: v, steps: 1, where: append([]int32(nil), v.Where...), load: make([]float64, n), count: make([]int, n), state: make([]int64, n), came: make([]int64, n)}
	t.Sharing = cost.NewSharing(v.Platform, v.Rates, v.drained)
	t.crowd = make([]float64, len(t.Capacity))
	for i := range v.Snapshot.Processes {
		p := &v.Snapshot.Processes[i]
		rank := t.where[p.Pid]
		t.load[rank] += p.Work
		if host := t.Crowds.Host(int(rank)); host >= 0 {
			t.crowd[host] += p.Work
		}
		t.count[rank]++
		t.state[rank] += p.State
	}
	return t
}

// done is when a rank is done with its processes and so much more work, which comes from
// a rank or, if it is negative, goes there; -1 is a rank elsewhere.
func (t *trial) done(rank int, more float64, other int) float64 {
	host := t.Crowds.Host(rank)
	if host < 0 {
		return (t.load[rank] + more) / t.v.Rates[rank]
	}
	together := t.crowd[host]
	if other < 0 || !t.Crowds.Joint(rank, other) {
		together += more
	}
	return max((t.load[rank]+more)/t.Alone[rank], together/t.Capacity[host])
}

// idle reports whether a move between two ranks gains nothing whatever it moves: they
// share cores, and the first has no more to do than a core does before all are done.
func (t *trial) idle(from, to int) bool {
	return t.Crowds.Joint(from, to) && t.load[from]/t.Alone[from] <= t.crowd[t.Crowds.Host(from)]/t.Capacity[t.Crowds.Host(from)]
}

// weighing makes the trial compare as a strategy weighs.
func (t *trial) weighing(w weighing) *trial {
	t.weight, t.steps = w, w.supersteps(t.v.Alpha, t.v.cycle())
	return t
}

// cycle returns the number of supersteps from one with work to the next.
func (v View) cycle() float64 {
	classes, working := make(map[int]bool), make(map[int]bool)
	for _, class := range v.Snapshot.Classes {
		classes[class] = true
	}
	if len(classes) < 2 {
		return 1
	}
	for i := range v.Snapshot.Processes {
		ring := v.Snapshot.Processes[i].RecentWork
		for k, work := range ring {
			if work > 0 {
				working[v.Snapshot.Classes[len(v.Snapshot.Classes)-len(ring)+k]] = true
			}
		}
		if len(working) == len(classes) {
			break
		}
	}
	return float64(len(classes)) / float64(max(1, len(working)))
}

// proposed is the processor that a Set's manager proposes for a process: the
// one that would be done with its processes and this one first. -1 if none has
// room; why then says whether one had the time but not the room, or only ranks were left
// that share cores with the process's own.
func (t *trial) proposed(p *Process, set int) (rank int, why string) {
	home := int(t.where[p.Pid])
	name := t.v.Platform.Sets[set].Name
	why = fmt.Sprintf("Set %s has no other rank", name)
	rank = t.tree(set).Soonest(p.Work, func(rank int) bool {
		switch {
		case rank == home:
			return false
		case t.idle(home, rank):
			why = sharedRule
			return false
		case !t.fits(p, rank):
			why = fmt.Sprintf("no rank of Set %s has room for %d bytes", name, p.State)
			return false
		}
		return true
	})
	return rank, why
}

// sharedRule says why a process stays on its rank rather than go to another of its host.
const sharedRule = "the ranks of its host share cores: a move between them gains nothing"

// gaining are the moves but for those between ranks that share cores and gain nothing by it,
// which a strategy of one's own may not know.
func gaining(v View, moves []Move) []Move {
	if cost.NewCrowds(v.Platform) == nil {
		return moves
	}
	t := newTrial(v)
	return slices.DeleteFunc(slices.Clone(moves), func(m Move) bool { return t.idle(m.From, m.To) })
}

// tree is that of a Set's ranks.
func (t *trial) tree(set int) *cost.RankTree {
	if t.trees == nil {
		t.trees = make([]*cost.RankTree, len(t.v.Platform.Sets))
		t.ofSet = make([][]int32, len(t.v.Platform.Sets))
		for rank, r := range t.v.Platform.Ranks {
			t.ofSet[r.Set] = append(t.ofSet[r.Set], int32(rank))
		}
	}
	if t.trees[set] == nil {
		loads := t.load
		if t.Crowds != nil {
			loads = make([]float64, len(t.load))
			for _, rank := range t.ofSet[set] {
				loads[rank] = t.ahead(int(rank))
			}
		}
		t.trees[set] = cost.NewRankTree(t.ofSet[set], t.Alone, loads)
	}
	return t.trees[set]
}

// ahead is the load of a rank that a tree has, where it has more to wait for than its own
// the work that it could do meanwhile. Of ranks that share cores the one with the least work
// comes first.
func (t *trial) ahead(rank int) float64 {
	const leastLoaded = 1e-6
	if t.Crowds.Host(rank) < 0 {
		return t.load[rank]
	}
	return t.done(rank, 0, -1)*t.Alone[rank] + leastLoaded*t.load[rank]
}

// fits reports whether a rank has the memory for a process.
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
		t1 = t.steps * (t.done(from, 0, -1) + t.receiving(p, from))
	} else {
		t1 = 1e300
	}
	t2 = t.steps*(t.done(to, p.Work, from)+t.receiving(p, to)) + t.v.Platform.Transfer(from, to, p.State) + t.weight.mig
	return t1, t2
}

// receiving is what a process's messages take on a rank.
func (t *trial) receiving(p *Process, rank int) float64 {
	seconds := 0.0
	for _, partner := range p.Partners {
		if partner.Pid >= 0 && partner.Pid < len(t.where) && !t.Crowds.Joint(int(t.where[partner.Pid]), rank) {
			seconds += t.v.Platform.Transfer(int(t.where[partner.Pid]), rank, partner.Bytes)
		}
	}
	return seconds
}

// accept makes a move part of what later candidates see.
func (t *trial) accept(p *Process, to int, reason string) Move {
	from := int(t.where[p.Pid])
	t.load[from] -= p.Work
	t.load[to] += p.Work
	if !t.Crowds.Joint(from, to) {
		if host := t.Crowds.Host(from); host >= 0 {
			t.crowd[host] -= p.Work
		}
		if host := t.Crowds.Host(to); host >= 0 {
			t.crowd[host] += p.Work
		}
	}
	t.count[from]--
	t.count[to]++
	t.state[from] -= p.State
	t.state[to] += p.State
	t.came[to] += p.State
	t.where[p.Pid] = int32(to)
	if t.trees != nil {
		t.reload(from)
		t.reload(to)
	}
	return Move{Pid: p.Pid, From: from, To: to, Bytes: p.State, Reason: reason}
}

// reload tells a rank's tree of its load, and of those of the ranks that share its cores.
func (t *trial) reload(rank int) {
	ranks := []int32{int32(rank)}
	if host := t.Crowds.Host(rank); host >= 0 {
		ranks = t.Crowds.Ranks[host]
	}
	for _, rank := range ranks {
		if tree := t.trees[t.v.Platform.Ranks[rank].Set]; tree != nil {
			tree.Update(int(rank), t.ahead(int(rank)))
		}
	}
}

// consider decides about one candidate for a Set.
func (t *trial) consider(p *Process, set int) (Verdict, *Move) {
	verdict := Verdict{Pid: p.Pid, Potential: p.Best, To: -1}
	if p.Pinned {
		verdict.Rule = "it is pinned, or its state cannot move"
		return verdict, nil
	}
	to, why := t.proposed(p, set)
	if to < 0 {
		verdict.Rule = why
		return verdict, nil
	}
	verdict.To = to
	verdict.T1, verdict.T2 = t.compare(p, to)
	if t.weight.test && !(verdict.T1 > verdict.T2) {
		verdict.Rule = fmt.Sprintf("t1 %.3g s <= t2 %.3g s", verdict.T1, verdict.T2)
		return verdict, nil
	}
	verdict.Moves = true
	verdict.Rule = fmt.Sprintf("t1 %.3g s > t2 %.3g s", verdict.T1, verdict.T2)
	if !t.weight.test {
		verdict.Rule = "candidate, moved without a test"
	}
	m := t.accept(p, to, verdict.Rule)
	return verdict, &m
}

// inRoom are the moves that leave no rank with more than it has memory for, or
// more than it had before if that is too much already. Moves to a rank that
// would be too full are left out, the last first. Strategies are expected to
// keep to this themselves; memory that runs out ends a run, so it is made sure.
func inRoom(v View, moves []Move) []Move {
	moves = slices.Clone(moves)
	n := len(v.Platform.Ranks)
	before, change, come := make([]int64, n), make([]int64, n), make([]int64, n)
	for i := range v.Snapshot.Processes {
		p := &v.Snapshot.Processes[i]
		before[v.Where[p.Pid]] += p.State
	}
	count := func(m Move, bytes int64) {
		change[m.From] -= bytes
		change[m.To] += bytes
		come[m.To] += bytes
	}
	for _, m := range moves {
		count(m, m.Bytes)
	}
	full := func(r int) bool {
		limit, free := v.Platform.Ranks[r].Memory, v.Snapshot.Ranks[r].Free
		return limit > 0 && change[r] > 0 && before[r]+change[r] > limit || free >= 0 && come[r] > free
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

// weighing is how potentials of migration and their test weigh computing and communication,
// of which each superstep has its own, against a move, which there is once.
type weighing struct {
	test bool    // candidates move only if t1 > t2
	span float64 // supersteps that count, of those in which there is work; untilNext: all until the next call
	mig  float64 // seconds of a move whatever its size
}

func newWeighing(values map[string]float64) weighing {
	return weighing{test: values["viability"] != 0, span: values["span"], mig: values["mig"]}
}

// supersteps returns how many supersteps count, with so many until the next call, and so
// many from one with work to the next.
func (w weighing) supersteps(alpha int, cycle float64) float64 {
	if w.span == untilNext {
		return float64(max(1, alpha))
	}
	return w.span * cycle
}

// untilNext is span=alpha.
const untilNext = 0
