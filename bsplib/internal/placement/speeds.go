package placement

import (
	"container/heap"
	"slices"

	"github.com/migbsp/migbsp/rebalancer"
)

// Capacities returns the work that each rank does per second: its speed times its share of a core.
// Ranks of a host share its cores, within the quota of the host's control group.
func Capacities(p *rebalancer.Platform) []float64 {
	capacity, _ := capacities(p)
	return capacity
}

// capacities returns the capacity of each rank, and whether all are equal within the error of the
// measured speeds.
func capacities(p *rebalancer.Platform) (capacity []float64, equal bool) {
	capacity = make([]float64, len(p.Ranks))
	_, hosts := p.Hosts()
	for _, ranks := range hosts {
		for _, rank := range ranks {
			r := &p.Ranks[rank]
			capacity[rank] = r.Speed
			if r.Cores > 0 {
				capacity[rank] *= min(1, r.Cores/float64(len(ranks)))
			}
		}
	}
	return capacity, slices.Min(capacity) >= slices.Max(capacity)*(1-p.SpeedError)
}

// Even reports whether all ranks of the platform have the same capacity, within the error of the
// measured speeds.
func Even(p *rebalancer.Platform) bool {
	_, equal := capacities(p)
	return equal
}

// BySpeeds returns blocks of consecutive processes in proportion to the capacities of ranks, and
// equal blocks if the capacities are equal.
func (m *Machine) BySpeeds(procs int) Start {
	capacity, equal := capacities(m.Platform)
	if equal {
		s := Equal(procs, len(capacity))
		m.anchored(s.Where)
		return s
	}
	s := Start{Where: m.anchored(proportional(procs, capacity))}
	s.Why = "by speeds: " + spread(s.Where, m.Platform)
	return s
}

// proportional returns blocks of consecutive processes whose lengths minimize the time of the
// slowest rank for equal processes. A rank with a share of less than half a process gets none,
// unless that excludes all ranks.
func proportional(procs int, capacity []float64) []int32 {
	total := 0.0
	for _, c := range capacity {
		total += c
	}
	q := &queue{capacity: capacity, count: make([]int, len(capacity))}
	for rank, c := range capacity {
		if c*float64(procs) >= total/2 {
			q.ranks = append(q.ranks, rank)
		}
	}
	if len(q.ranks) == 0 {
		for rank := range capacity {
			q.ranks = append(q.ranks, rank)
		}
	}
	q.fill(procs)
	where := make([]int32, 0, procs)
	for rank, n := range q.count {
		where = append(where, slices.Repeat([]int32{int32(rank)}, n)...)
	}
	return where
}

// queue orders ranks by the time at which each would end with one more process.
type queue struct {
	capacity []float64 // by rank
	count    []int     // of processes, by rank
	ranks    []int
}

// fill gives each of a number of processes to the first rank of the queue, which is the method of
// D'Hondt. Every rank gets at least the whole part of its proportion by it, so that fill starts
// there; less one, for rounding.
func (q *queue) fill(procs int) {
	total := 0.0
	for _, rank := range q.ranks {
		total += q.capacity[rank]
	}
	for _, rank := range q.ranks {
		q.count[rank] = max(0, int(float64(procs)*q.capacity[rank]/total)-1)
	}
	for _, n := range q.count {
		procs -= n
	}
	heap.Init(q)
	for range procs {
		q.count[q.ranks[0]]++
		heap.Fix(q, 0)
	}
}

func (q *queue) then(i int) float64 {
	rank := q.ranks[i]
	return float64(q.count[rank]+1) / q.capacity[rank]
}

func (q *queue) Len() int { return len(q.ranks) }

func (q *queue) Less(i, j int) bool {
	a, b := q.then(i), q.then(j)
	return a < b || a == b && q.ranks[i] < q.ranks[j]
}

func (q *queue) Swap(i, j int) { q.ranks[i], q.ranks[j] = q.ranks[j], q.ranks[i] }
func (q *queue) Push(any)      {}
func (q *queue) Pop() any      { return nil }
