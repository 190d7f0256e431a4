package rebalancer

import (
	"math"
	"math/rand/v2"
	"slices"
)

// autoCase describes a random instance.
type autoCase struct {
	pids, ranks, phases, sets int
	unequal                   bool    // speeds from 1 to 4
	talk                      int     // partners of each process
	rotating                  bool    // in phase f only processes with pid%phases == f work
	state                     int64   // maximum for each process
	pinned                    float64 // share of the processes
	memory                    bool
	drained                   bool // rank 0 is drained and has no processes
}

// view returns an instance with a random mapping.
func (c autoCase) view(rng *rand.Rand) View {
	p := c.platform(rng)
	s := &Snapshot{Step: 100, Ranks: statesOf(c.ranks, RankState{Remaining: 100, Called: 0.01}), Classes: make([]int, c.phases)}
	v := View{
		Platform: p, Snapshot: s, Where: make([]int32, c.pids), Rates: make([]float64, c.ranks),
		Learned: &Learned{Trust: 1, Available: slices.Repeat([]float64{1}, c.ranks)}, Call: 1,
	}
	for r := range s.Ranks {
		v.Rates[r] = p.Ranks[r].Speed
	}
	v.Learned.Speeds = slices.Clone(v.Rates)
	first := 0
	if c.drained {
		s.Ranks[0].Drained, v.Rates[0], first = true, 0, 1
	}
	for f := range s.Classes {
		s.Classes[f] = f
	}
	for pid := range c.pids {
		v.Where[pid] = int32(first + rng.IntN(c.ranks-first))
		s.Processes = append(s.Processes, c.process(pid, int(v.Where[pid]), rng))
	}
	if c.memory {
		limitMemory(p, s)
	}
	return v
}

func (c autoCase) platform(rng *rand.Rand) *Platform {
	p := Uniform(c.ranks, Link{Latency: 1e-4, PerByte: 1e-8})
	sets := max(c.sets, 1)
	p.Sets, p.Links = make([]Set, sets), make([][]Link, sets)
	for a := range sets {
		p.Links[a] = make([]Link, sets)
		for b := range sets {
			p.Links[a][b] = Link{Latency: 1e-4, PerByte: 1e-8}
			if a != b {
				p.Links[a][b] = Link{Latency: 1e-3, PerByte: 4e-8}
			}
		}
	}
	for r := range p.Ranks {
		p.Ranks[r].Set = r * sets / c.ranks
		if c.unequal {
			p.Ranks[r].Speed = 1 + 3*rng.Float64()
		}
	}
	p.Barrier = 1e-3
	return &p
}

func (c autoCase) process(pid, rank int, rng *rand.Rand) Process {
	p := Process{Pid: pid, Rank: rank, Request: -1, RecentWork: make([]float32, c.phases)}
	p.Pinned = rng.Float64() < c.pinned
	if c.state > 0 {
		p.State = rng.Int64N(c.state)
	}
	for f := range p.RecentWork {
		if !c.rotating || pid%c.phases == f {
			p.RecentWork[f] = float32(0.1 + rng.ExpFloat64())
		}
		p.Work += float64(p.RecentWork[f]) / float64(c.phases)
	}
	for range c.talk {
		p.Partners = append(p.Partners, Traffic{Pid: rng.IntN(c.pids), Bytes: rng.Int64N(30_000_000)})
	}
	return p
}

// limitMemory sets the memory of every rank to 1.5 times its share of all states.
func limitMemory(p *Platform, s *Snapshot) {
	total := int64(0)
	for _, q := range s.Processes {
		total += q.State
	}
	for r := range p.Ranks {
		p.Ranks[r].Memory = total*3/2/int64(len(p.Ranks)) + 1
	}
}

// forecastOf returns the forecast of moves.
func forecastOf(v View, moves []Move) Forecast { return newForecastModel(v).forecast(moves) }

// totalOf returns the exact prediction of the value that auto minimizes.
func totalOf(v View, moves []Move) float64 {
	f := forecastOf(v, moves)
	return f.After + f.Cost
}

// movesTo returns the moves from the current mapping to another.
func movesTo(v View, where []int32) []Move {
	var moves []Move
	for pid, r := range where {
		if r != v.Where[pid] {
			moves = append(moves, Move{Pid: pid, From: int(v.Where[pid]), To: int(r), Bytes: v.Snapshot.Processes[pid].State})
		}
	}
	return moves
}

// allowed reports whether a mapping respects pins, drained ranks and memory. A rank that exceeds its
// memory already may stay as it is.
func allowed(v View, where []int32) bool {
	n := len(v.Rates)
	stored, before, arriving := make([]int64, n), make([]int64, n), make([]int64, n)
	for pid, r := range where {
		p := &v.Snapshot.Processes[pid]
		stored[r] += p.State
		before[v.Where[pid]] += p.State
		if r != v.Where[pid] {
			arriving[r] += p.State
			if p.Pinned {
				return false
			}
		}
		if v.Rates[r] == 0 && !p.Pinned {
			return false
		}
	}
	for r := range stored {
		limit := v.Platform.Ranks[r].Memory
		if limit > 0 && stored[r] > max(limit, before[r]) {
			return false
		}
		if free := v.Snapshot.Ranks[r].Free; free >= 0 && arriving[r] > free {
			return false
		}
	}
	return true
}

// optimum returns the least total of all allowed mappings.
func optimum(v View) float64 {
	best := math.Inf(1)
	where := make([]int32, len(v.Where))
	for {
		if allowed(v, where) {
			best = min(best, totalOf(v, movesTo(v, where)))
		}
		i := 0
		for ; i < len(where); i++ {
			if where[i]++; int(where[i]) < len(v.Rates) {
				break
			}
			where[i] = 0
		}
		if i == len(where) {
			return best
		}
	}
}

// bestSingle returns the least total of staying and of all single moves.
func bestSingle(v View) float64 {
	best := math.Inf(1)
	where := slices.Clone(v.Where)
	for pid := range where {
		for r := range v.Rates {
			where[pid] = int32(r)
			if allowed(v, where) {
				best = min(best, totalOf(v, movesTo(v, where)))
			}
		}
		where[pid] = v.Where[pid]
	}
	return best
}

// chooseAuto runs the strategy with a minimum saving.
func chooseAuto(v View, least float64) []Move {
	moves, _ := autoDefinition.New(map[string]float64{"least": least, "effort": 1}).Choose(v)
	return moves
}
