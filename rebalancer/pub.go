package rebalancer

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
)

// The strategies of PUB balance load alone: a rank's load is the time that its
// processes take there per superstep.

var pubGlobalDefinition = Definition{
	Name: "pub-global", About: "PUB: one process from the most loaded to the least loaded rank", Source: "PUB; MigCube and MigHull, 2; jMigBSP dissertation, 3.1",
	New: func(map[string]float64) Strategy { return pubGlobal{} },
}

type pubGlobal struct{}

// Choose: see Strategy.
func (pubGlobal) Choose(v View) ([]Move, []Verdict) {
	t := newTrial(v)
	most, least := -1, -1
	for rank := range t.load {
		if v.Rates[rank] <= 0 {
			continue
		}
		if most < 0 || t.time(rank) > t.time(most) || t.Crowds.Joint(rank, most) && t.load[rank] > t.load[most] {
			most = rank
		}
		if least < 0 || t.time(rank) < t.time(least) || t.Crowds.Joint(rank, least) && t.load[rank] < t.load[least] {
			least = rank
		}
	}
	if least < 0 {
		return nil, nil
	}
	return t.relieve(most, least, t.time(least), "from the most to the least loaded rank")
}

var pubRandomDefinition = Definition{
	Name: "pub-random", About: "PUB: each rank asks some at random and gives to the least loaded of them", Source: "PUB; jMigBSP dissertation, 3.1",
	Parameters: []Parameter{
		{"c", 2, 1, 1 << 20, "ranks that each rank asks"},
		{"d", 1, 1, 1e6, "mean processes' loads by which the other must be less loaded"},
	},
	New: func(values map[string]float64) Strategy {
		return pubRandom{int(values["c"]), values["d"], uint64(values["seed"])}
	},
}

type pubRandom struct {
	asked int
	least float64
	seed  uint64
}

// Choose: see Strategy.
func (s pubRandom) Choose(v View) ([]Move, []Verdict) {
	random := rand.New(rand.NewPCG(s.seed, uint64(v.Call)))
	t := newTrial(v)
	return t.exchange(s.least, func(rank, ranks int) []knownLoad {
		var known []knownLoad
		for _, other := range someOthers(random, rank, ranks, s.asked) {
			known = append(known, knownLoad{other, t.time(other)})
		}
		return known
	}, "to the least loaded rank that this one asked")
}

// knownLoad is what a rank knows of another: the time of its processes in a superstep.
type knownLoad struct {
	rank int
	time float64
}

// someOthers draws so many other ranks, or as many as there are; one may come
// more than once.
func someOthers(random *rand.Rand, rank, ranks, n int) []int {
	drawn := make([]int, min(n, ranks-1))
	for i := range drawn {
		drawn[i] = random.IntN(ranks - 1)
		if drawn[i] >= rank {
			drawn[i]++
		}
	}
	return drawn
}

var pubPredictDefinition = Definition{
	Name: "pub-predict", About: "PUB: each rank keeps the loads that others have sent it, which may be old", Source: "PUB; jMigBSP dissertation, 3.1",
	Parameters: []Parameter{
		{"k", 3, 1, 1 << 20, "ranks to which each rank sends its load"},
		{"d", 1, 1, 1e6, "mean processes' loads by which the other must be less loaded"},
	},
	New: func(values map[string]float64) Strategy {
		return pubPredict{int(values["k"]), values["d"], uint64(values["seed"])}
	},
}

type pubPredict struct {
	told  int
	least float64
	seed  uint64
}

// Choose: see Strategy.
func (s pubPredict) Choose(v View) ([]Move, []Verdict) {
	known := s.known(v)
	return newTrial(v).exchange(s.least, func(rank, _ int) []knownLoad { return known[rank] }, "to the least loaded rank by what this one was told")
}

// known returns what each rank knows, by rank, in the order of the others: of each one that
// has told it, what it told last. Who tells whom follows from the seed and the number of the
// call, so that Learned needs the loads alone.
func (s pubPredict) known(v View) [][]knownLoad {
	all := s.remember(v)
	n := len(v.Platform.Ranks)
	told := make([]map[int]float64, n)
	for i, loads := range all {
		random := rand.New(rand.NewPCG(s.seed, uint64(v.Call-(len(all)-1-i))))
		for rank := range n {
			for _, to := range someOthers(random, rank, n, s.told) {
				if told[to] == nil {
					told[to] = make(map[int]float64)
				}
				told[to][rank] = float64(loads[rank])
			}
		}
	}
	known := make([][]knownLoad, n)
	for rank, of := range told {
		for _, other := range slices.Sorted(maps.Keys(of)) {
			known[rank] = append(known[rank], knownLoad{other, of[other]})
		}
	}
	return known
}

// What is kept of loads: those of the last mostTold calls, and fewer of very many ranks.
const (
	mostTold      = 64
	mostToldLoads = 1 << 18
)

// remember returns the loads of the last calls and of this one, oldest first.
func (s pubPredict) remember(v View) [][]float32 {
	t := newTrial(v)
	now := make([]float32, len(t.load))
	for rank := range now {
		if v.Rates[rank] > 0 {
			now[rank] = float32(t.time(rank))
		}
	}
	before := v.Learned.Loads
	most := min(mostTold, max(1, mostToldLoads/max(1, len(now))))
	before = before[max(0, len(before)-most+1):]
	return append(slices.Clip(before), now)
}

// time is what a rank's processes take in a superstep.
func (t *trial) time(rank int) float64 { return t.done(rank, 0, -1) }

// exchange lets each rank give a process to the least loaded of those it knows,
// if that is less loaded by some processes, as far as it knows.
func (t *trial) exchange(least float64, knows func(rank, ranks int) []knownLoad, reason string) (moves []Move, verdicts []Verdict) {
	mean := 0.0
	for rank := range t.load {
		if t.v.Rates[rank] > 0 {
			mean += t.time(rank) / float64(max(1, len(t.where)))
		}
	}
	for rank := range t.load {
		known := knows(rank, len(t.load))
		if t.v.Rates[rank] <= 0 {
			continue
		}
		best := knownLoad{rank: -1}
		for _, other := range known {
			if t.v.Rates[other.rank] > 0 && (best.rank < 0 || other.time < best.time) {
				best = other
			}
		}
		if best.rank >= 0 && best.time < t.time(rank)-least*mean {
			m, v := t.relieve(rank, best.rank, best.time, reason)
			moves, verdicts = append(moves, m...), append(verdicts, v...)
		}
	}
	return moves, verdicts
}

// relieve moves the process from one rank to another, of which the time is known, that
// brings their times closest together, if one does.
func (t *trial) relieve(from, to int, known float64, reason string) ([]Move, []Verdict) {
	if from < 0 || to < 0 || from == to || t.time(from) <= known {
		return nil, nil
	}
	var best *Process
	longest := t.time(from)
	for i := range t.v.Snapshot.Processes {
		p := &t.v.Snapshot.Processes[i]
		if int(t.where[p.Pid]) != from || int(t.v.Where[p.Pid]) != from || p.Pinned || p.Work <= 0 || !t.fits(p, to) {
			continue
		}
		then := known + p.Work/t.v.Rates[to]
		if t.Crowds.Host(to) >= 0 {
			then = known + t.done(to, p.Work, from) - t.time(to)
		}
		after := max(t.done(from, -p.Work, to), then)
		if after < longest {
			longest, best = after, p
		}
	}
	if best == nil {
		return nil, nil
	}
	t1, t2 := t.compare(best, to)
	m := t.accept(best, to, fmt.Sprintf("%s, %d to %d", reason, from, to))
	return []Move{m}, []Verdict{{Pid: best.Pid, Potential: best.Best, To: to, T1: t1, T2: t2, Moves: true, Rule: m.Reason}}
}
