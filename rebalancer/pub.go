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
	for rank := range v.Rates {
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
	if least >= 0 {
		t.relieve(most, least, t.time(least), "from the most to the least loaded rank")
	}
	return t.moves, t.verdicts
}

// pubLocal holds the parameters of the strategies in which each rank sends processes to a rank that
// it knows.
type pubLocal struct {
	others int // ranks that each rank queries or informs
	least  float64
	seed   uint64
}

// pubLocalDefinition returns the Definition of a pubLocal strategy. others is its parameter for the
// number of ranks.
func pubLocalDefinition(name, about string, others Parameter, strategy func(s pubLocal) Strategy) Definition {
	return Definition{
		Name: name, About: about, Source: "PUB; jMigBSP dissertation, 3.1",
		Parameters: []Parameter{others, {"d", 1, 1, 1e6, "mean processes' loads by which the other must be less loaded"}},
		New: func(values map[string]float64) Strategy {
			return strategy(pubLocal{int(values[others.Name]), values["d"], uint64(values["seed"])})
		},
	}
}

var pubRandomDefinition = pubLocalDefinition("pub-random", "PUB: each rank asks some at random and gives to the least loaded of them",
	Parameter{"c", 2, 1, 1 << 20, "ranks that each rank asks"}, func(s pubLocal) Strategy { return pubRandom(s) })

type pubRandom pubLocal

// Choose: see Strategy.
func (s pubRandom) Choose(v View) ([]Move, []Verdict) {
	random := rand.New(rand.NewPCG(s.seed, uint64(v.Call)))
	t := newTrial(v)
	return t.exchange(s.least, "to the least loaded rank that this one asked", func(rank int, knows func(other int, time float64)) {
		for _, other := range someOthers(random, rank, len(v.Rates), s.others) {
			knows(other, t.time(other))
		}
	})
}

// someOthers draws n other ranks, or ranks-1 if that is less. A rank may be
// drawn more than once.
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

var pubPredictDefinition = pubLocalDefinition("pub-predict", "PUB: each rank keeps the loads that others have sent it, which may be old",
	Parameter{"k", 3, 1, 1 << 20, "ranks to which each rank sends its load"}, func(s pubLocal) Strategy { return pubPredict(s) })

type pubPredict pubLocal

// Choose: see Strategy.
func (s pubPredict) Choose(v View) ([]Move, []Verdict) {
	told := s.told(v)
	return newTrial(v).exchange(s.least, "to the least loaded rank by what this one was told", func(rank int, knows func(other int, time float64)) {
		for _, other := range slices.Sorted(maps.Keys(told[rank])) {
			knows(other, told[rank][other])
		}
	})
}

// told returns the loads known to each rank: the latest load received from each other rank. The
// receivers follow from the seed and the number of the call, so Learned stores only the loads.
func (s pubPredict) told(v View) []map[int]float64 {
	all := s.remember(v)
	told := make([]map[int]float64, len(v.Rates))
	for rank := range told {
		told[rank] = make(map[int]float64)
	}
	for i, loads := range all {
		random := rand.New(rand.NewPCG(s.seed, uint64(v.Call-(len(all)-1-i))))
		for rank := range told {
			for _, to := range someOthers(random, rank, len(told), s.others) {
				told[to][rank] = float64(loads[rank])
			}
		}
	}
	return told
}

// remember returns the loads of the last calls and the current one, oldest first: up to 64 calls,
// fewer if the run has very many ranks.
func (s pubPredict) remember(v View) [][]float32 {
	t := newTrial(v)
	now := make([]float32, len(v.Rates))
	for rank := range now {
		if v.Rates[rank] > 0 {
			now[rank] = float32(t.time(rank))
		}
	}
	before := v.Learned.Loads
	most := min(64, max(1, (1<<18)/max(1, len(now))))
	before = before[max(0, len(before)-most+1):]
	return append(slices.Clip(before), now)
}

// exchange moves a process from each rank to the least loaded rank it knows,
// if the known load of that rank is lower by the mean load of least processes.
func (t *trial) exchange(least float64, reason string, each func(rank int, knows func(other int, time float64))) ([]Move, []Verdict) {
	mean := 0.0
	for rank, rate := range t.v.Rates {
		if rate > 0 {
			mean += t.time(rank) / float64(max(1, len(t.where)))
		}
	}
	for rank, rate := range t.v.Rates {
		best, known := -1, 0.0
		each(rank, func(other int, time float64) {
			if t.v.Rates[other] > 0 && (best < 0 || time < known) {
				best, known = other, time
			}
		})
		if rate > 0 && best >= 0 && known < t.time(rank)-least*mean {
			t.relieve(rank, best, known, reason)
		}
	}
	return t.moves, t.verdicts
}

// relieve moves the process from one rank to another that best evens out
// their times, if any does. known is the time of the receiving rank.
func (t *trial) relieve(from, to int, known float64, reason string) {
	if from == to || t.time(from) <= known {
		return
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
		if after := max(t.done(from, -p.Work, to), then); after < longest {
			longest, best = after, p
		}
	}
	if best != nil {
		t1, t2 := t.compare(best, to)
		verdict := t.goes(best, to, fmt.Sprintf("%s, %d to %d", reason, from, to))
		verdict.T1, verdict.T2 = t1, t2
	}
}
