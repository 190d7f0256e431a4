package sim

import (
	"cmp"
	"slices"

	"github.com/migbsp/migbsp/rebalancer"
)

// Seen returns the platform as rescheduling sees it, with a rank for each host: its speed,
// where 1 is Reference, and as the link between two Sets the route between their
// managers. A run would measure the same before it begins.
func (p *Platform) Seen(barrier Barrier) (rebalancer.Platform, error) {
	r := rebalancer.Platform{Ranks: make([]rebalancer.Rank, len(p.Hosts)), Barrier: p.Fixed, Arrivals: p.arrivals(barrier)}
	mate := make([]int, len(p.Sets)) // another host of each Set
	for i := range mate {
		mate[i] = p.Sets[i].Manager
	}
	for i := range p.Hosts {
		h := &p.Hosts[i]
		r.Ranks[i] = rebalancer.Rank{Host: h.Name, Set: h.Set, Speed: cmp.Or(h.Declared, h.Speed) * float64(h.Cores) / Reference}
		mate[h.Set] = i
	}
	for a, set := range p.Sets {
		r.Sets = append(r.Sets, rebalancer.Set{Name: set.Name, Manager: set.Manager})
		row := make([]rebalancer.Link, len(p.Sets))
		for b, other := range p.Sets {
			to := other.Manager
			if a == b {
				to = mate[a]
			}
			link, err := p.link(set.Manager, to)
			if err != nil {
				return r, err
			}
			row[b] = link
		}
		r.Links = append(r.Links, row)
	}
	return r, nil
}

// arrivals returns the seconds that a process of one Set adds to a barrier whose process 0
// is in another.
func (p *Platform) arrivals(barrier Barrier) [][]float64 {
	if barrier == (Barrier{}) {
		return nil
	}
	all := make([][]float64, len(p.Sets))
	for a, root := range p.Sets {
		all[a] = make([]float64, len(p.Sets))
		for b, set := range p.Sets {
			all[a][b] = barrier.Far
			if p.district(root.Manager) == p.district(set.Manager) {
				all[a][b] = barrier.Near
			}
		}
	}
	return all
}

// whole returns the speed of all cores of a host together.
func (h *Host) whole() float64 { return h.Speed * float64(h.Cores) }

// link returns the latency and the rate of a route.
func (p *Platform) link(from, to int) (rebalancer.Link, error) {
	route, err := p.Route(from, to)
	if err != nil {
		return rebalancer.Link{}, err
	}
	l := rebalancer.Link{Latency: route.Latency}
	for _, link := range route.Links {
		l.PerByte = max(l.PerByte, 1/p.Links[link].Rate)
	}
	return l, nil
}

// cores maps hosts to the ranks seen by rescheduling: each core of a host is a rank. The host itself
// shares all of its cores among its processes; but a process alone is as fast as one core.
type cores struct {
	host  []int32 // by rank
	first []int32 // by host: the first of its ranks
}

func newCores(p *Platform) *cores {
	s := new(cores)
	for i := range p.Hosts {
		s.first = append(s.first, int32(len(s.host)))
		s.host = append(s.host, slices.Repeat([]int32{int32(i)}, p.Hosts[i].Cores)...)
	}
	return s
}

// ranks returns the platform with a rank for each core, from the one with a rank for each
// host.
func (s *cores) ranks(p *Platform, hosts rebalancer.Platform) rebalancer.Platform {
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

// deal returns the rank of each process: the processes of a host get its cores in turn.
func (s *cores) deal(p *Platform, where []int32) []int32 {
	ranks, next := make([]int32, len(where)), make([]int, len(s.first))
	for pid, host := range where {
		ranks[pid] = s.first[host] + int32(next[host]%p.Hosts[host].Cores)
		next[host]++
	}
	return ranks
}

// ofHosts returns a decision with hosts instead of ranks. It has no moves between cores of
// one host.
func (s *cores) ofHosts(d rebalancer.Decision) rebalancer.Decision {
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
