package rebalancer

// Hosts on which ranks share fewer cores than there are ranks. Who computes there is the
// system's choice, so that it does not matter which of its ranks a process is on: all of
// them together are done with their work when the cores are. A move within such a host
// gains only where a rank alone has more than one core does in that time.
//
// Three figures follow. A rank's rate is its fair part of what the host gives to the run;
// alone is the rate that it has while the others there have nothing to do, at most that
// of one core; and the capacity of a host is the sum of its ranks' rates. A rank is done
// after the longer of its own work at alone and the host's work at the capacity.

// crowds are the crowded hosts of a platform. None of them is nil.
type crowds struct {
	of    []int32   // by rank: its host, -1 if it has a core of its own
	ranks [][]int32 // by host
	cores []float64 // by host
}

// crowds finds the hosts with several ranks and fewer cores.
func (p *Platform) crowds() *crowds {
	byName := make(map[string][]int32)
	for rank, r := range p.Ranks {
		if r.Cores > 0 {
			byName[r.Host] = append(byName[r.Host], int32(rank))
		}
	}
	if len(byName) == 0 {
		return nil
	}
	var c *crowds
	for _, r := range p.Ranks {
		ranks := byName[r.Host]
		delete(byName, r.Host)
		cores := 0.0
		for i, rank := range ranks {
			if has := p.Ranks[rank].Cores; i == 0 || has < cores {
				cores = has
			}
		}
		if len(ranks) < 2 || float64(len(ranks)) <= cores {
			continue
		}
		if c == nil {
			c = &crowds{of: make([]int32, len(p.Ranks))}
			for rank := range c.of {
				c.of[rank] = -1
			}
		}
		for _, rank := range ranks {
			c.of[rank] = int32(len(c.ranks))
		}
		c.ranks, c.cores = append(c.ranks, ranks), append(c.cores, cores)
	}
	return c
}

// host is a rank's crowded host, -1 if it is on none.
func (c *crowds) host(rank int) int {
	if c == nil {
		return -1
	}
	return int(c.of[rank])
}

// joint reports whether two ranks share the cores of one host.
func (c *crowds) joint(a, b int) bool { return c.host(a) >= 0 && c.host(a) == c.host(b) }

// pool gives the ranks of a crowded host equal parts of what they get together. What one
// of them gets says how many of the others had work at the time; together they get what
// other programs leave of the cores.
func (c *crowds) pool(available []float64, drained func(rank int) bool) {
	if c == nil {
		return
	}
	for host, ranks := range c.ranks {
		sum, staying := 0.0, 0
		for _, rank := range ranks {
			sum += available[rank]
			if !drained(int(rank)) {
				staying++
			}
		}
		if staying == 0 {
			staying = len(ranks)
		}
		for _, rank := range ranks {
			available[rank] = min(sum, c.cores[host]) / float64(staying)
		}
	}
}

// sharing is what the ranks of crowded hosts can do, alone and together.
type sharing struct {
	*crowds
	alone    []float64 // by rank: work per second, of ranks with a core of their own the rate
	capacity []float64 // by crowded host
}

// newSharing is for a View's ranks at these rates.
func newSharing(v View, rates []float64) sharing {
	s := sharing{crowds: v.Platform.crowds(), alone: rates}
	if s.crowds == nil {
		return s
	}
	s.alone, s.capacity = append([]float64(nil), rates...), make([]float64, len(s.ranks))
	for host, ranks := range s.ranks {
		staying, all := 0, 0.0
		for _, rank := range ranks {
			all += rates[rank]
			if !drainedRank(v.Ranks, int(rank)) {
				s.capacity[host] += rates[rank]
				staying++
			}
		}
		if staying == 0 {
			s.capacity[host], staying = all, len(ranks)
		}
		for _, rank := range ranks {
			s.alone[rank] *= float64(staying) / max(1, s.cores[host])
		}
	}
	return s
}

// drainedRank reports whether processes are to leave a rank.
func drainedRank(ranks []RankState, rank int) bool { return rank < len(ranks) && ranks[rank].Drained }

// places are what can be the last to be done: ranks, and after them crowded hosts.
func (s *sharing) places() int { return len(s.alone) + len(s.capacity) }

// pace is what a place needs for a unit of work.
func (s *sharing) pace() []float64 {
	pace := make([]float64, 0, s.places())
	for _, rate := range s.alone {
		pace = append(pace, 1/rate)
	}
	for _, rate := range s.capacity {
		pace = append(pace, 1/rate)
	}
	return pace
}

// place is the number of a rank's crowded host among the places, -1 if it is on none; a
// host is its own.
func (s *sharing) place(rank int) int {
	if rank >= len(s.alone) {
		return rank
	}
	if host := s.host(rank); host >= 0 {
		return len(s.alone) + host
	}
	return -1
}
