package rebalancer

// iset is how good each Set's ranks are to compute on: the mean over its ranks
// of speed and availability, relative to the best Set's. ranks is their number.
func (c *Controller) iset() (quality, ranks []float64) {
	sum, count := make([]float64, len(c.platform.Sets)), make([]float64, len(c.platform.Sets))
	for rank, r := range c.platform.Ranks {
		sum[r.Set] += c.learned.Speeds[rank] * c.learned.Available[rank]
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

// prospects is what processes may expect of each Set.
type prospects struct {
	quality, ranks []float64
	ways           [][]setWay // by Set from which, nil until they are asked for
}

// setWay is what a move from one Set to another takes.
type setWay struct{ perByte, latency float64 }

func (c *Controller) prospects() *prospects {
	p := &prospects{ways: make([][]setWay, len(c.platform.Sets))}
	p.quality, p.ranks = c.iset()
	return p
}

// from is what moves from a Set take, by Set to which.
func (p *prospects) from(here int, links [][]Link) []setWay {
	if p.ways[here] == nil {
		p.ways[here] = make([]setWay, len(links))
		for set := range links {
			link := links[here][set]
			p.ways[here][set] = setWay{max(link.PerByte, links[here][here].PerByte, links[set][set].PerByte), link.Latency}
		}
	}
	return p.ways[here]
}

// potential is the best potential of migration of a process over all Sets that
// have another rank for it, its own included, ties to the first Set:
//
//	Comp(i,j) = Pcomp(i) * CTP(i) * ISet(j)
//	Comm(i,j) = Pcomm(i,j) * BTP(i,j)
//	Mem(i,j)  = M(i) * T(i,j) + Mig(i,j)
//
// T(i,j) is the time of a byte between the process's Set and Set j, on the
// slowest part of the way; Mig(i,j) is what a move costs whatever its size. Comp and Comm
// are of the supersteps that count (weighing.span).
//
// CTP(i) is how long the process takes where it is: its computing time over the
// share of the processor that its rank gets.
func (c *Controller) potential(pid int, h *History, state int64, share float64, sets *prospects) Potential {
	here := c.platform.Ranks[c.where[pid]].Set
	best := Potential{Set: -1}
	steps := c.weight.supersteps(c.pace.Alpha, h.cycle())
	computing := steps * h.Regularity * h.time() / share
	for set, way := range sets.from(here, c.platform.Links) {
		if sets.ranks[set] == 0 || set == here && sets.ranks[set] == 1 {
			continue
		}
		p := Potential{
			Set:  set,
			Comp: computing * sets.quality[set],
			Mem:  float64(state)*way.perByte + way.latency + c.weight.mig,
		}
		for i := range h.Sets {
			if s := &h.Sets[i]; s.Set == set {
				p.Comm = steps * s.Regularity * s.Time
			}
		}
		if best.Set < 0 || p.PM() > best.PM() {
			best = p
		}
	}
	return best
}
