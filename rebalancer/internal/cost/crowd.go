package cost

import (
	"iter"
	"slices"

	"github.com/migbsp/migbsp/rebalancer/platform"
)

// Crowded hosts: hosts whose ranks share fewer cores than there are ranks. The operating system
// schedules the cores, so it does not matter which of the ranks a process is on: all of
// them finish when the cores have done the host's work. A move within such a host
// gains only if a single rank has more work than one core does in that time.
//
// Three figures follow. A rank's rate is its fair share of the host's capacity for the run;
// alone is its rate while the other ranks of the host are idle, at most the rate
// of one core; and the capacity of a host is the sum of its ranks' rates. A rank takes
// the longer of its own work at alone and the host's work at the capacity.

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

// staying returns a host's ranks that are not drained; all of them if all are.
func (c *Crowds) staying(host int, drained func(rank int) bool) []int32 {
	some := slices.DeleteFunc(slices.Clone(c.Ranks[host]), func(rank int32) bool { return drained(int(rank)) })
	if len(some) == 0 {
		return c.Ranks[host]
	}
	return some
}

// Pool divides the capacity available to a crowded host equally among its ranks. The measured
// share of a single rank depends on the number of others with work at the time; together they get
// the part of the cores that other programs leave.
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

// Sharing holds the rates of ranks on crowded hosts, alone and together.
type Sharing struct {
	Crowds   *Crowds
	Alone    []float64 // by rank: work per second, of ranks with a core of their own the rate
	Capacity []float64 // by crowded host
}

// NewSharing returns the Sharing of ranks at these rates. drained ranks will be left.
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

// Pace returns the time per unit of work, by place. A place is a rank, or, after the ranks, a crowded
// host: any of them may be the last to finish.
func (s *Sharing) Pace() []float64 {
	pace := slices.Concat(s.Alone, s.Capacity)
	for place, rate := range pace {
		pace[place] = 1 / rate
	}
	return pace
}

// Counts yields the places whose load includes work on a rank: the rank, and its crowded host if any.
func (s *Sharing) Counts(rank int) iter.Seq[int] {
	return func(yield func(place int) bool) {
		if host := s.Place(rank); yield(rank) && host >= 0 {
			yield(host)
		}
	}
}

// Place returns the place of a rank's crowded host, or -1 if it is on none. A host is its
// own place.
func (s *Sharing) Place(rank int) int {
	if rank >= len(s.Alone) {
		return rank
	}
	if host := s.Crowds.Host(rank); host >= 0 {
		return len(s.Alone) + host
	}
	return -1
}
