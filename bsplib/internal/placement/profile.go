package placement

import (
	"fmt"
	"math"
	"slices"

	"github.com/migbsp/migbsp/internal/profile"
)

// Measured is the profile of an earlier run of the program.
type Measured struct {
	*profile.Profile
	Exact bool // the earlier run had the same parameters
}

// useful reports whether the profile has work and traffic for this number of processes.
func (m *Measured) useful(procs int) bool {
	if m == nil || len(m.Mapping) != procs {
		return false
	}
	recorded := false
	for _, c := range m.Classes {
		recorded = recorded || c.Recorded > 0
		if len(c.Work) != procs {
			return false
		}
	}
	return recorded
}

// Decide returns the initial mapping of a run by a request of Auto or Speeds. A profile of the same
// parameters counts more than the program's hints, and these more than another profile. Hints and
// profiles need known links.
func (m *Machine) Decide(procs int, r *Request, links bool) Start {
	switch {
	case r == nil || r.How == Speeds || !links:
		return m.BySpeeds(procs)
	case r.Profile.useful(procs) && (r.Profile.Exact || r.Work == nil):
		return m.ByProfile(procs, r.Profile)
	case r.Work != nil:
		return m.ByHints(procs, r.Work)
	}
	return m.BySpeeds(procs)
}

// ByProfile returns the mapping with the least time by the loads of a profile: the last mapping of the
// earlier run, or blocks on all ranks, on one Set or on one host, improved by moves of single
// processes.
func (m *Machine) ByProfile(procs int, p *Measured) Start {
	s := newSearch(m, procs, p)
	starts := [][]int32{s.model.blocks(nil, s.work)}
	if len(m.Platform.Ranks) <= manyRanks {
		for _, ranks := range s.model.groups() {
			starts = append(starts, s.model.blocks(ranks, s.work))
		}
	}
	var best []int32
	least := math.Inf(1)
	if best = s.last(); best != nil {
		least = s.time(best) * (1 - modelError)
	}
	for _, where := range starts {
		if t := s.time(where); best == nil || s.model.fits(where) && t < least {
			least, best = t, where
		}
	}
	s.improve(best, s.time(best))
	why := fmt.Sprintf("from the profile of %s (%s): %s", p.Written.Local().Format("2 Jan"), p.Key, spread(best, m.Platform))
	return Start{best, why, true}
}

// search looks for the mapping of a profile's loads.
type search struct {
	model   *model
	profile *Measured
	work    []float64 // seconds of each process in the run, on a core of speed 1
}

func newSearch(m *Machine, procs int, p *Measured) *search {
	m = &Machine{Platform: m.Platform, Room: Room{Free: m.Room.Free}, Anchored: m.Anchored}
	for _, bytes := range p.States {
		m.Room.Needed += bytes
	}
	s := &search{model: newModel(m, procs), profile: p, work: make([]float64, procs)}
	for _, c := range p.Classes {
		for pid, w := range c.Work {
			s.work[pid] += w * float64(c.Supersteps)
		}
	}
	return s
}

// last returns the last mapping of the earlier run on the hosts of this one, nil if a host is missing.
func (s *search) last() []int32 {
	ranks := make(map[string][]int32)
	for _, its := range s.model.hosts {
		ranks[s.model.machine.Platform.Ranks[its[0]].Host] = its
	}
	before := make(map[int][]int) // ranks of each host of the profile
	for rank, host := range s.profile.Ranks {
		before[host] = append(before[host], rank)
	}
	where := make([]int32, s.model.procs)
	for pid, rank := range s.profile.Mapping {
		host := s.profile.Ranks[rank]
		now, at := ranks[s.profile.Hosts[host].Name], slices.Index(before[host], rank)
		if at >= len(now) {
			return nil
		}
		where[pid] = now[at]
	}
	return s.model.machine.anchored(where)
}

// time returns the predicted seconds of all supersteps with a mapping.
func (s *search) time(where []int32) (seconds float64) {
	count := make([]float64, len(s.model.capacity))
	for _, rank := range where {
		count[rank]++
	}
	latency, load := s.model.latency(count), make([]float64, len(s.model.capacity))
	for i := range s.profile.Classes {
		c := &s.profile.Classes[i]
		clear(load)
		for pid, w := range c.Work {
			load[where[pid]] += w
		}
		seconds += float64(c.Supersteps) * (s.model.longest(load) + s.bytes(c, where) + latency)
	}
	return seconds
}

// bytes returns the seconds of the bytes of a superstep.
func (s *search) bytes(c *profile.Class, where []int32) float64 {
	flow := s.model.machine.Platform.NewFlow()
	for _, f := range c.Traffic {
		s.model.add(&flow, where[f.From], where[f.To], f.Bytes)
	}
	seconds, _ := s.model.machine.Platform.Times(&flow)
	return seconds
}

// searchWork bounds the steps of improve: terms of the sums that it computes, some nanoseconds each, so
// that it takes some 20 ms.
const searchWork = 4_000_000

// improve moves single processes between ranks of the mapping while that makes it faster.
func (s *search) improve(where []int32, least float64) {
	cost := s.model.procs + len(s.model.capacity)
	for _, c := range s.profile.Classes {
		cost += len(c.Work) + len(c.Traffic) + len(s.model.capacity)
	}
	left := searchWork / cost
	ranks := slices.Compact(slices.Sorted(slices.Values(where)))
	for better := true; better; {
		better = false
		for pid := range where {
			if pid == 0 && s.model.machine.Anchored {
				continue
			}
			for _, to := range ranks {
				from := where[pid]
				if to == from {
					continue
				}
				if left--; left < 0 {
					return
				}
				where[pid] = to
				if t := s.time(where); t < least*(1-leastGain) && s.model.fits(where) {
					least, better = t, true
				} else {
					where[pid] = from
				}
			}
		}
	}
}

// modelError is the part of the time that another mapping than the last one has to save. The earlier run
// found the last mapping by measurements, and the model knows less: without this part lbm -steps 500 went
// from one host with a quota of 40 %, where it took 0.77 s, to two of them, where it took 1.34 s.
const modelError = 0.25

// leastGain is the part of the time that a move of one process has to save. Less is within the
// differences between two runs.
const leastGain = 0.05
