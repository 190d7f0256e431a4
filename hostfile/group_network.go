package hostfile

import (
	"slices"
	"time"
)

// carryNetwork gives the Sets of a run, which are those of the dividing file by
// the indices in from, the links and figures of the network that this file has.
// If it has none, and Hosts has and divides the hosts in another way, a Set's
// network is as slow as the slowest between the Sets in which its hosts are there.
func (g *grouper) carryNetwork(from []int) {
	f, hosts := g.File, g.clues.Hosts
	f.Barrier, f.barrierGiven = g.divided.Barrier, g.divided.barrierGiven
	now := map[int]int{}
	for set, before := range from {
		now[before] = set
	}
	for _, l := range g.divided.Links {
		a, usedA := now[l.A]
		b, usedB := now[l.B]
		if usedA && usedB {
			l.A, l.B = a, b
			f.Links = append(f.Links, l)
		}
	}
	if hosts == nil || hosts == g.divided {
		return
	}
	if !f.barrierGiven && f.Barrier == 0 {
		f.Barrier, f.barrierGiven = hosts.Barrier, hosts.barrierGiven
	}
	if hosts.networked() && !g.divided.networked() {
		g.carryFigures()
	}
}

// carryFigures gives Sets and links the network of Hosts.
func (g *grouper) carryFigures() {
	f := g.File
	before := make([][]int, len(f.Sets)) // Sets of Hosts, by Set
	for i := range g.hosts {
		if known := g.hosts[i].known; known >= 0 {
			set := g.hosts[i].set
			before[set] = append(before[set], g.clues.Hosts.Hosts[known].Set)
		}
	}
	for set := range before {
		slices.Sort(before[set])
		before[set] = slices.Compact(before[set])
		if rate, latency, found := g.slowest(before[set], before[set]); found {
			f.Sets[set].Rate, f.Sets[set].Latency = rate, latency
		}
	}
	for a := range before {
		for b := a + 1; b < len(before); b++ {
			rate, latency, found := g.slowest(before[a], before[b])
			link := f.Between(a, b)
			if found && (rate != link.Rate || latency != link.Latency) {
				f.Links = append(f.Links, Link{A: a, B: b, Rate: rate, Latency: latency})
			}
		}
	}
}

// slowest is the lowest rate and the highest latency between Sets of Hosts.
func (g *grouper) slowest(from, to []int) (rate float64, latency time.Duration, found bool) {
	for _, a := range from {
		for _, b := range to {
			l := g.clues.Hosts.Between(a, b)
			if !found || l.Rate < rate {
				rate = l.Rate
			}
			latency, found = max(latency, l.Latency), true
		}
	}
	return rate, latency, found
}

// networked tells whether the file gives any figure of a network.
func (f *File) networked() bool {
	if len(f.Links) > 0 {
		return true
	}
	for i := range f.Sets {
		if f.Sets[i].figures()&(rateGiven|latencyGiven) != 0 {
			return true
		}
	}
	return false
}
