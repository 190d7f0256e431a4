package sim

import "github.com/migbsp/migbsp/rebalancer"

// ranks is the platform as rescheduling sees it, with a rank for each host: speeds, of
// which 1 is Reference, and between Sets what their managers have between them.
// It is what a run would measure before it begins.
func (p *Platform) ranks(barrier Barrier) (rebalancer.Platform, error) {
	r := rebalancer.Platform{Ranks: make([]rebalancer.Rank, len(p.Hosts)), Barrier: p.Fixed, Arrivals: p.arrivals(barrier)}
	mate := make([]int, len(p.Sets)) // another host of each Set
	for i := range mate {
		mate[i] = p.Sets[i].Manager
	}
	for i := range p.Hosts {
		h := &p.Hosts[i]
		r.Ranks[i] = rebalancer.Rank{Host: h.Name, Set: h.Set, Speed: h.whole() / Reference}
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

// arrivals is what a process of one Set adds to a barrier whose process 0 is in another.
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

// whole is what all cores of a host do together.
func (h *Host) whole() float64 { return h.Speed * float64(h.Cores) }

// link is a route in the two figures that rescheduling knows.
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
