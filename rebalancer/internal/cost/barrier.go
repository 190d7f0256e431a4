package cost

import (
	"slices"

	"github.com/migbsp/migbsp/rebalancer/platform"
)

// Barrier is what a superstep costs on a mapping even if nothing is done in it.
func Barrier(p *platform.Platform, where []int32) float64 {
	arrivals := NewBarrierTime(p, where)
	return arrivals.Time()
}

// LeastBarrier is the least of any mapping of n processes.
func LeastBarrier(p *platform.Platform, n int) float64 {
	if _, hosts := Hosts(p); p.Leave && hosts > 1 {
		return 0
	}
	if p.Arrivals == nil || n == 0 {
		return p.Barrier
	}
	least := slices.Min(p.Arrivals[0])
	for _, row := range p.Arrivals[1:] {
		least = min(least, slices.Min(row))
	}
	return p.Barrier + float64(n-1)*least
}

// BarrierTime is what the barrier takes on a mapping that changes.
type BarrierTime struct {
	p     *platform.Platform
	root  int   // Set of process 0
	count []int // processes in each Set, without process 0
	sum   float64

	here *partakers // nil unless ranks without processes leave
}

// NewBarrierTime begins with a mapping.
func NewBarrierTime(p *platform.Platform, where []int32) BarrierTime {
	a := BarrierTime{p: p}
	if p.Leave {
		a.here = newPartakers(p, where)
	}
	if p.Arrivals == nil || len(where) == 0 {
		return a
	}
	a.count = make([]int, len(p.Sets))
	for _, rank := range where[1:] {
		a.count[p.Ranks[rank].Set]++
	}
	a.rooted(p.Ranks[where[0]].Set)
	return a
}

// rooted takes process 0 to a Set.
func (a *BarrierTime) rooted(set int) {
	a.root, a.sum = set, 0
	for other, n := range a.count {
		a.sum += float64(n) * a.p.Arrivals[set][other]
	}
}

// Move takes a process from one rank to another.
func (a *BarrierTime) Move(pid, from, to int) {
	if a.here != nil {
		a.here.add(from, -1)
		a.here.add(to, 1)
	}
	if a.count == nil {
		return
	}
	from, to = a.p.Ranks[from].Set, a.p.Ranks[to].Set
	switch {
	case from == to:
	case pid == 0:
		a.rooted(to)
	default:
		a.count[from]--
		a.count[to]++
		a.sum += a.p.Arrivals[a.root][to] - a.p.Arrivals[a.root][from]
	}
}

// Time is what the barrier takes.
func (a *BarrierTime) Time() float64 {
	barrier := a.p.Barrier
	if a.here != nil {
		barrier *= a.here.part()
	}
	return barrier + max(0, a.sum)
}

// partakers counts processes by host and by Set: a barrier is one of those that have some.
type partakers struct {
	p       *platform.Platform
	host    []int // by rank
	onHost  []int
	inSet   []int
	hosts   int // with processes
	sets    int // with processes
	longest float64
	all     int // hosts that there are
}

func newPartakers(p *platform.Platform, where []int32) *partakers {
	h := &partakers{p: p, inSet: make([]int, len(p.Sets))}
	h.host, h.all = Hosts(p)
	h.onHost = make([]int, h.all)
	for _, row := range p.Links {
		for _, link := range row {
			h.longest = max(h.longest, link.Latency)
		}
	}
	for _, rank := range where {
		h.add(int(rank), 1)
	}
	return h
}

// Hosts numbers the hosts of ranks; one without a name is a host of its own.
func Hosts(p *platform.Platform) (number []int, hosts int) {
	known := make(map[string]int)
	for _, rank := range p.Ranks {
		n, is := known[rank.Host]
		if !is || rank.Host == "" {
			n = hosts
			known[rank.Host] = n
			hosts++
		}
		number = append(number, n)
	}
	return number, hosts
}

// add counts a process more or less on a rank.
func (h *partakers) add(rank, n int) {
	count := func(in []int, at int) (change int) {
		before := in[at]
		in[at] += n
		switch {
		case before == 0 && in[at] > 0:
			return 1
		case before > 0 && in[at] == 0:
			return -1
		}
		return 0
	}
	h.hosts += count(h.onHost, h.host[rank])
	h.sets += count(h.inSet, h.p.Ranks[rank].Set)
}

// part is the part of a barrier of all ranks that one of these takes.
func (h *partakers) part() float64 {
	switch {
	case h.all == 1:
	case h.hosts == 1:
		return 0
	case h.sets == 1 && h.longest > 0:
		for set, n := range h.inSet {
			if n > 0 {
				return h.p.Links[set][set].Latency / h.longest
			}
		}
	}
	return 1
}
