package rebalancer

// prospects computes the potentials of migration of processes to each Set.
type prospects struct {
	c      *Controller
	weight weighing
	// quality is how good each Set's ranks are to compute on (ISet): the mean over its ranks of
	// speed and availability, relative to the best Set's. ranks is their number.
	quality, ranks []float64
}

func newProspects(c *Controller) *prospects {
	p := &prospects{c: c, weight: weighing{span: 1}, quality: make([]float64, len(c.platform.Sets)), ranks: make([]float64, len(c.platform.Sets))}
	if _, given := c.spec.values["span"]; given {
		p.weight = newWeighing(c.spec.values)
	}
	for rank, r := range c.platform.Ranks {
		p.quality[r.Set] += c.last.Learned.Speeds[rank] * c.last.Learned.Available[rank]
		p.ranks[r.Set]++
	}
	best := 0.0
	for set, ranks := range p.ranks {
		p.quality[set] = ratioOr(p.quality[set], ranks, 0)
		best = max(best, p.quality[set])
	}
	for set := range p.quality {
		p.quality[set] = ratioOr(p.quality[set], best, 0)
	}
	return p
}

// potential is the best potential of migration of a process over all Sets that
// have another rank for it, its own included, ties to the first Set:
//
//	Comp(i,j) = Pcomp(i) * CTP(i) * ISet(j)
//	Comm(i,j) = Pcomm(i,j) * BTP(i,j)
//	Mem(i,j)  = M(i) * T(i,j) + Mig(i,j)
//
// T(i,j) is the time per byte between the process's Set and Set j, on the
// slowest link of the path; Mig(i,j) is the fixed cost of a move. Comp and Comm
// cover the supersteps that count (weighing.span).
//
// CTP(i) is the duration of the process on its present rank: its computing time over the
// CPU share of the rank.
func (p *prospects) potential(pid int, h *History, state int64, share float64) Potential {
	c := p.c
	here := c.platform.Ranks[c.where[pid]].Set
	best := Potential{Set: -1}
	steps := p.weight.supersteps(c.last.After.Alpha, h.cycle())
	computing := steps * h.Regularity * h.time() / share
	for set, link := range c.platform.Links[here] {
		if p.ranks[set] == 0 || set == here && p.ranks[set] == 1 {
			continue
		}
		perByte := max(link.PerByte, c.platform.Links[here][here].PerByte, c.platform.Links[set][set].PerByte)
		x := Potential{
			Set:  set,
			Comp: computing * p.quality[set],
			Mem:  float64(state)*perByte + link.Latency + p.weight.mig,
		}
		for i := range h.Sets {
			if s := &h.Sets[i]; s.Set == set {
				x.Comm = steps * s.Regularity * s.Time
			}
		}
		if best.Set < 0 || x.PM() > best.PM() {
			best = x
		}
	}
	return best
}
