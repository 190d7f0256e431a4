package rebalancer

// iset is how good each Set's ranks are to compute on: the mean over its ranks
// of speed and availability, relative to the best Set's. ranks is their number.
func (c *Controller) iset() (quality, ranks []float64) {
	sum, count := make([]float64, len(c.platform.Sets)), make([]float64, len(c.platform.Sets))
	for rank, r := range c.platform.Ranks {
		sum[r.Set] += c.memory.Speeds[rank] * c.memory.Available[rank]
		count[r.Set]++
	}
	best := 0.0
	for set := range sum {
		if count[set] > 0 {
			sum[set] /= count[set]
		}
		best = max(best, sum[set])
	}
	for set := range sum {
		if best > 0 {
			sum[set] /= best
		}
	}
	return sum, count
}

// potential is the best potential of migration of a process over all Sets that
// have another rank for it, its own included, ties to the first Set:
//
//	Comp(i,j) = Pcomp(i) * CTP(i) * ISet(j)
//	Comm(i,j) = Pcomm(i,j) * BTP(i,j)
//	Mem(i,j)  = M(i) * T(i,j) + Mig(i,j)
//
// T(i,j) is the time of a byte between the process's Set and Set j, on the
// slowest part of the way; Mig(i,j) is what a move costs whatever its size.
func (c *Controller) potential(pid int, h *History, state int64, iset, ranks []float64) Potential {
	here := c.platform.Ranks[c.where[pid]].Set
	best := Potential{Set: -1}
	for set := range c.platform.Sets {
		if ranks[set] == 0 || set == here && ranks[set] == 1 {
			continue
		}
		link := c.platform.Links[here][set]
		perByte := max(link.PerByte, c.platform.Links[here][here].PerByte, c.platform.Links[set][set].PerByte)
		p := Potential{
			Set:  set,
			Comp: h.Regularity * h.time * iset[set],
			Mem:  float64(state)*perByte + link.Latency,
		}
		for _, s := range h.Sets {
			if s.Set == set {
				p.Comm = s.Regularity * s.Time
			}
		}
		if best.Set < 0 || p.PM() > best.PM() {
			best = p
		}
	}
	return best
}
