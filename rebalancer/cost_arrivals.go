package rebalancer

import "slices"

// barrier is what a superstep costs on a mapping even if nothing is done in it.
func (p *Platform) barrier(where []int32) float64 {
	if p.Arrivals == nil || len(where) == 0 {
		return p.Barrier
	}
	arrivals := newCostArrivals(p, where)
	return arrivals.time()
}

// leastBarrier is the least of any mapping of n processes.
func (p *Platform) leastBarrier(n int) float64 {
	if p.Arrivals == nil || n == 0 {
		return p.Barrier
	}
	least := slices.Min(p.Arrivals[0])
	for _, row := range p.Arrivals[1:] {
		least = min(least, slices.Min(row))
	}
	return p.Barrier + float64(n-1)*least
}

// costArrivals is the barrier of a mapping that changes.
type costArrivals struct {
	p     *Platform
	root  int   // Set of process 0
	count []int // processes in each Set, without process 0
	sum   float64
}

func newCostArrivals(p *Platform, where []int32) costArrivals {
	a := costArrivals{p: p}
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
func (a *costArrivals) rooted(set int) {
	a.root, a.sum = set, 0
	for other, n := range a.count {
		a.sum += float64(n) * a.p.Arrivals[set][other]
	}
}

// move takes a process from one rank to another.
func (a *costArrivals) move(pid, from, to int) {
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

func (a *costArrivals) time() float64 { return a.p.Barrier + max(0, a.sum) }
