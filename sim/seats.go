package sim

import (
	"slices"

	"github.com/migbsp/migbsp/rebalancer"
)

// seats are the places of processes as rescheduling sees them: each core of a host is a
// rank. On which of its cores a process runs is nothing to the host, which shares them
// all; but a process alone is as fast as one of them.
type seats struct {
	host  []int32 // by rank
	first []int32 // by host: the first of its ranks
}

func newSeats(p *Platform) *seats {
	s := new(seats)
	for i := range p.Hosts {
		s.first = append(s.first, int32(len(s.host)))
		for range p.Hosts[i].Cores {
			s.host = append(s.host, int32(i))
		}
	}
	return s
}

// ranks is the platform of the cores, from that of the hosts.
func (s *seats) ranks(p *Platform, hosts rebalancer.Platform) rebalancer.Platform {
	all := hosts
	all.Ranks = make([]rebalancer.Rank, len(s.host))
	for rank, host := range s.host {
		all.Ranks[rank] = hosts.Ranks[host]
		all.Ranks[rank].Speed /= float64(p.Hosts[host].Cores)
	}
	all.Sets = slices.Clone(hosts.Sets)
	for i := range all.Sets {
		all.Sets[i].Manager = int(s.first[all.Sets[i].Manager])
	}
	return all
}

// deal gives the processes of each host its cores in turn.
func (s *seats) deal(p *Platform, where []int32) []int32 {
	ranks, next := make([]int32, len(where)), make([]int, len(s.first))
	for pid, host := range where {
		ranks[pid] = s.first[host] + int32(next[host]%p.Hosts[host].Cores)
		next[host]++
	}
	return ranks
}

// ofHosts is a decision with hosts in the place of ranks. Moves from core to core of a
// host are none.
func (s *seats) ofHosts(d rebalancer.Decision) rebalancer.Decision {
	if len(s.host) == len(s.first) {
		return d
	}
	moves := d.Moves
	d.Moves, d.Verdicts = nil, slices.Clone(d.Verdicts)
	for _, m := range moves {
		if m.From, m.To = int(s.host[m.From]), int(s.host[m.To]); m.From != m.To {
			d.Moves = append(d.Moves, m)
		}
	}
	for i := range d.Verdicts {
		if to := d.Verdicts[i].To; to >= 0 {
			d.Verdicts[i].To = int(s.host[to])
		}
	}
	return d
}
