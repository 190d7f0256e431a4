package bsplib

import (
	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/rebalancer"
)

// platformOf is what a host file says, for the ranks that fill its slots.
func platformOf(f *hostfile.File) rebalancer.Platform {
	hosts := make([]int, f.Ranks())
	managers := make([]int, len(f.Sets))
	for rank := range hosts {
		hosts[rank] = f.Place(rank)
	}
	for set := range managers {
		managers[set] = f.Manager(set)
	}
	return describe(f, hosts, managers)
}

// describe is the platform of ranks on the given hosts of a file.
func describe(f *hostfile.File, hosts, managers []int) rebalancer.Platform {
	p := rebalancer.Platform{Barrier: f.Barrier.Seconds()}
	for _, host := range hosts {
		h := f.Hosts[host]
		p.Ranks = append(p.Ranks, rebalancer.Rank{Host: h.Name, Set: h.Set, Speed: h.Speed, Memory: h.Memory / int64(max(1, h.Slots))})
	}
	p.Links = make([][]rebalancer.Link, len(f.Sets))
	for a, set := range f.Sets {
		p.Sets = append(p.Sets, rebalancer.Set{Name: set.Name, Manager: managers[a]})
		p.Links[a] = make([]rebalancer.Link, len(f.Sets))
		for b := range f.Sets {
			l := f.Between(a, b)
			p.Links[a][b] = rebalancer.Link{Latency: l.Latency.Seconds(), PerByte: 1 / l.Rate}
		}
	}
	return p
}
