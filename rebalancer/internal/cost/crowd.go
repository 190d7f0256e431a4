package cost

import (
	"iter"
	"slices"

	"github.com/migbsp/migbsp/rebalancer/platform"
)

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
	if !slices.ContainsFunc(p.Ranks, func(r platform.Rank) bool { return r.Cores > 0 }) {
		return nil
	}
	on := make(map[string][]int32) // ranks by host
	for rank, r := range p.Ranks {
		if r.Cores > 0 {
			on[r.Host] = append(on[r.Host], int32(rank))
		}
	}
	c := &Crowds{of: slices.Repeat([]int32{-1}, len(p.Ranks))}
	for first, r := range p.Ranks {
		ranks, cores := on[r.Host], r.Cores
		if len(ranks) < 2 || ranks[0] != int32(first) {
			continue
		}
		for _, rank := range ranks {
			cores = min(cores, p.Ranks[rank].Cores)
		}
		if float64(len(ranks)) <= cores {
			continue
		}
		for _, rank := range ranks {
			c.of[rank] = int32(len(c.Ranks))
		}
		c.Ranks, c.cores = append(c.Ranks, ranks), append(c.cores, cores)
	}
	if len(c.Ranks) == 0 {
		return nil
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

// staying are a host's ranks that are not to be left; all of them if there are none.
func (c *Crowds) staying(host int, drained func(rank int) bool) []int32 {
	some := slices.DeleteFunc(slices.Clone(c.Ranks[host]), func(rank int32) bool { return drained(int(rank)) })
	if len(some) == 0 {
		return c.Ranks[host]
	}
	return some
}

// Pool gives the ranks of a crowded host equal parts of what they get together. What one
// of them gets says how many of the others had work at the time; together they get what
// other programs leave of the cores.
func (c *Crowds) Pool(available []float64, drained func(rank int) bool) {
	if c == nil {
		return
	}
	for host, ranks := range c.Ranks {
		sum := 0.0
		for _, rank := range ranks {
			sum += available[rank]
		}
		staying := len(c.staying(host, drained))
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
	s.Alone, s.Capacity = slices.Clone(rates), make([]float64, len(s.Crowds.Ranks))
	for host, ranks := range s.Crowds.Ranks {
		staying := s.Crowds.staying(host, drained)
		for _, rank := range staying {
			s.Capacity[host] += rates[rank]
		}
		for _, rank := range ranks {
			s.Alone[rank] *= float64(len(staying)) / max(1, s.Crowds.cores[host])
		}
	}
	return s
}

// Pace is what a place needs for a unit of work. Places are what can be the last to be done: ranks, and after
// them crowded hosts.
func (s *Sharing) Pace() []float64 {
	pace := slices.Concat(s.Alone, s.Capacity)
	for place, rate := range pace {
		pace[place] = 1 / rate
	}
	return pace
}

// Counts are the places at which work on a rank counts: the rank, and its crowded host if it is on one.
func (s *Sharing) Counts(rank int) iter.Seq[int] {
	return func(yield func(place int) bool) {
		if host := s.Place(rank); yield(rank) && host >= 0 {
			yield(host)
		}
	}
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
