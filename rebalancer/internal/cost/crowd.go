package cost

import "github.com/migbsp/migbsp/rebalancer/platform"

// Hosts on which ranks share fewer cores than there are ranks. Who computes there is the
// system's choice, so that it does not matter which of its ranks a process is on: all of
// them together are done with their work when the cores are. A move within such a host
// gains only where a rank alone has more than one core does in that time.
//
// Three figures follow. A rank's rate is its fair part of what the host gives to the run;
// alone is the rate that it has while the others there have nothing to do, at most that
// of one core; and the capacity of a host is the sum of its ranks' rates. A rank is done
// after the longer of its own work at alone and the host's work at the capacity.

// Crowds are the crowded hosts of a platform. None of them is nil.
type Crowds struct {
	of    []int32   // by rank: its host, -1 if it has a core of its own
	Ranks [][]int32 // by host
	cores []float64 // by host
}

// NewCrowds finds the hosts with several ranks and fewer cores.
func NewCrowds(p *platform.Platform) *Crowds {
	byName := make(map[string][]int32)
	for rank, r := range p.Ranks {
		if r.Cores > 0 {
			byName[r.Host] = append(byName[r.Host], int32(rank))
		}
	}
	if len(byName) == 0 {
		return nil
	}
	var c *Crowds
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
			c = &Crowds{of: make([]int32, len(p.Ranks))}
			for rank := range c.of {
				c.of[rank] = -1
			}
		}
		for _, rank := range ranks {
			c.of[rank] = int32(len(c.Ranks))
		}
		c.Ranks, c.cores = append(c.Ranks, ranks), append(c.cores, cores)
	}
	return c
}

// Host is a rank's crowded host, -1 if it is on none.
func (c *Crowds) Host(rank int) int {
	if c == nil {
		return -1
	}
	return int(c.of[rank])
}

// Joint reports whether two ranks share the cores of one host.
func (c *Crowds) Joint(a, b int) bool { return c.Host(a) >= 0 && c.Host(a) == c.Host(b) }

// Pool gives the ranks of a crowded host equal parts of what they get together. What one
// of them gets says how many of the others had work at the time; together they get what
// other programs leave of the cores.
func (c *Crowds) Pool(available []float64, drained func(rank int) bool) {
	if c == nil {
		return
	}
	for host, ranks := range c.Ranks {
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

// Sharing is what the ranks of crowded hosts can do, alone and together.
type Sharing struct {
	Crowds   *Crowds
	Alone    []float64 // by rank: work per second, of ranks with a core of their own the rate
	Capacity []float64 // by crowded host
}

// NewSharing is that of ranks at these rates, of which some are to be left.
func NewSharing(p *platform.Platform, rates []float64, drained func(rank int) bool) Sharing {
	s := Sharing{Crowds: NewCrowds(p), Alone: rates}
	if s.Crowds == nil {
		return s
	}
	s.Alone, s.Capacity = append([]float64(nil), rates...), make([]float64, len(s.Crowds.Ranks))
	for host, ranks := range s.Crowds.Ranks {
		staying, all := 0, 0.0
		for _, rank := range ranks {
			all += rates[rank]
			if !drained(int(rank)) {
				s.Capacity[host] += rates[rank]
				staying++
			}
		}
		if staying == 0 {
			s.Capacity[host], staying = all, len(ranks)
		}
		for _, rank := range ranks {
			s.Alone[rank] *= float64(staying) / max(1, s.Crowds.cores[host])
		}
	}
	return s
}

// Places are what can be the last to be done: ranks, and after them crowded hosts.
func (s *Sharing) Places() int { return len(s.Alone) + len(s.Capacity) }

// Pace is what a place needs for a unit of work.
func (s *Sharing) Pace() []float64 {
	pace := make([]float64, 0, s.Places())
	for _, rate := range s.Alone {
		pace = append(pace, 1/rate)
	}
	for _, rate := range s.Capacity {
		pace = append(pace, 1/rate)
	}
	return pace
}

// Place is the number of a rank's crowded host among the places, -1 if it is on none; a
// host is its own.
func (s *Sharing) Place(rank int) int {
	if rank >= len(s.Alone) {
		return rank
	}
	if host := s.Crowds.Host(rank); host >= 0 {
		return len(s.Alone) + host
	}
	return -1
}
