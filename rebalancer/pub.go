package rebalancer

import (
	"fmt"
	"math/rand/v2"
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
		if most < 0 || t.time(rank) > t.time(most) || t.joint(rank, most) && t.load[rank] > t.load[most] {
			most = rank
		}
		if least < 0 || t.time(rank) < t.time(least) || t.joint(rank, least) && t.load[rank] < t.load[least] {
			least = rank
		}
	}
	return t.relieve(most, least, "from the most to the least loaded rank")
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
	return newTrial(v).exchange(s.least, func(rank, ranks int) []int {
		return someOthers(random, rank, ranks, s.asked)
	})
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
	Name: "pub-predict", About: "PUB: each rank knows the loads that some ranks have sent it", Source: "PUB; jMigBSP dissertation, 3.1",
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
	random := rand.New(rand.NewPCG(s.seed, uint64(v.Call)))
	known := make([][]int, len(v.Platform.Ranks))
	for rank := range known {
		for _, to := range someOthers(random, rank, len(known), s.told) {
			known[to] = append(known[to], rank)
		}
	}
	return newTrial(v).exchange(s.least, func(rank, _ int) []int { return known[rank] })
}

// time is what a rank's processes take in a superstep.
func (t *trial) time(rank int) float64 { return t.done(rank, 0, -1) }

// exchange lets each rank give a process to the least loaded of those it knows,
// if that is less loaded by some processes.
func (t *trial) exchange(least float64, knows func(rank, ranks int) []int) (moves []Move, verdicts []Verdict) {
	mean := 0.0
	for rank := range t.load {
		if t.v.Rates[rank] > 0 {
			mean += t.time(rank) / float64(max(1, len(t.where)))
		}
	}
	for rank := range t.load {
		asked := knows(rank, len(t.load))
		if t.v.Rates[rank] <= 0 {
			continue
		}
		best := -1
		for _, other := range asked {
			if t.v.Rates[other] > 0 && (best < 0 || t.time(other) < t.time(best)) {
				best = other
			}
		}
		if best >= 0 && t.time(best) < t.time(rank)-least*mean {
			m, v := t.relieve(rank, best, "to the least loaded rank that this one knows")
			moves, verdicts = append(moves, m...), append(verdicts, v...)
		}
	}
	return moves, verdicts
}

// relieve moves the process from one rank to another that brings their times
// closest together, if one does.
func (t *trial) relieve(from, to int, reason string) ([]Move, []Verdict) {
	if from < 0 || to < 0 || from == to || t.time(from) <= t.time(to) {
		return nil, nil
	}
	var best *Process
	longest := t.time(from)
	for i := range t.v.Processes {
		p := &t.v.Processes[i]
		if int(t.where[p.Pid]) != from || int(t.v.Where[p.Pid]) != from || p.Pinned || p.Work <= 0 || !t.fits(p, to) {
			continue
		}
		after := max(t.done(from, -p.Work, to), t.done(to, p.Work, from))
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
