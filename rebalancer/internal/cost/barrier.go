package cost

import "github.com/migbsp/migbsp/rebalancer/platform"

// Barrier returns the cost of an empty superstep under a mapping, in seconds.
func Barrier(p *platform.Platform, where []int32) float64 {
	barrier := NewBarrierTime(p, where)
	return barrier.Time()
}

// LeastBarrier returns a lower bound of Barrier over all mappings.
func LeastBarrier(p *platform.Platform) float64 {
	if _, hosts := p.Hosts(); p.Leave && len(hosts) > 1 {
		return 0
	}
	return p.Barrier
}

// BarrierTime is the time of the barrier under a mapping that changes. If ranks without processes
// leave, only the hosts and Sets with processes take part.
type BarrierTime struct {
	p       *platform.Platform
	root    int     // Set of process 0
	host    []int   // by rank; nil if the barrier does not depend on the mapping
	onHost  []int   // processes by host
	inSet   []int   // and by Set
	hosts   int     // that have processes
	sets    int     // that have processes
	longest float64 // latency of all links
}

// NewBarrierTime begins with a mapping.
func NewBarrierTime(p *platform.Platform, where []int32) BarrierTime {
	a := BarrierTime{p: p}
	if len(where) == 0 || !p.Leave && p.Arrivals == nil {
		return a
	}
	number, hosts := p.Hosts()
	a.host, a.onHost, a.inSet = number, make([]int, len(hosts)), make([]int, len(p.Sets))
	for _, row := range p.Links {
		for _, link := range row {
			a.longest = max(a.longest, link.Latency)
		}
	}
	for _, rank := range where {
		a.count(int(rank), 1)
	}
	a.root = p.Ranks[where[0]].Set
	return a
}

// count has a process more or less on a rank.
func (a *BarrierTime) count(rank, n int) {
	host, set := &a.onHost[a.host[rank]], &a.inSet[a.p.Ranks[rank].Set]
	a.hosts, a.sets = a.hosts-min(*host, 1), a.sets-min(*set, 1)
	*host, *set = *host+n, *set+n
	a.hosts, a.sets = a.hosts+min(*host, 1), a.sets+min(*set, 1)
}

// Move takes a process from one rank to another.
func (a *BarrierTime) Move(pid, from, to int) {
	if a.host == nil {
		return
	}
	a.count(from, -1)
	a.count(to, 1)
	if pid == 0 {
		a.root = a.p.Ranks[to].Set
	}
}

// Time returns the time of the barrier: at most the barrier of all ranks, 0 if one of several
// hosts is in use, and the time of the Set's slowest link if one Set is.
func (a *BarrierTime) Time() float64 {
	barrier := a.p.Barrier
	if a.p.Leave && len(a.onHost) > 1 {
		if a.hosts == 1 {
			barrier = 0
		} else if a.sets == 1 && a.longest > 0 {
			barrier *= a.p.Links[a.root][a.root].Latency / a.longest
		}
	}
	if a.p.Arrivals != nil {
		for set, n := range a.inSet {
			if set == a.root {
				n-- // process 0 does not count
			}
			barrier += float64(n) * a.p.Arrivals[a.root][set]
		}
	}
	return barrier
}
