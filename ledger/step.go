package ledger

import (
	"fmt"
	"time"
)

// Step is the account of one superstep over all ranks, or of several that ended at one site
// of the program, added up.
type Step struct {
	First int           // number of the (first) superstep
	Last  int           // of the last; others in between may have ended elsewhere
	Count int           // supersteps added up; 0 counts as 1
	Site  string        // file:line where they ended; "end" at the end of the program
	At    time.Duration // when the first began, from the start of the run

	Ranks int
	// Work is the elapsed time of a rank's computing, for which the barrier waits. In simulations,
	// and in records without denied, it includes only the time in which the rank ran.
	Work    []time.Duration // by rank; nil where only the sums are known
	WorkMax time.Duration   // of the rank that worked longest, in each superstep
	Longest time.Duration   // the largest WorkMax of a single superstep
	WorkMin time.Duration   // of the rank with the least work
	WorkSum time.Duration   // of all ranks
	Least   time.Duration   // WorkMax on the best of all mappings of the processes

	// The time during which the rank had work and did not run: Denied is part of WorkMax, DeniedSum
	// of WorkSum. Lost is added to WorkMax if Work excludes it.
	Denied, DeniedSum, Lost time.Duration

	SlowestRank int // the rank with WorkMax in the longest superstep
	Slowest     int // its slowest process, -1 if it has none
	SlowestWork time.Duration

	Talks int           // supersteps with messages
	H     int64         // bytes: largest of max(sent, received) of any process
	Ways  [Ways]int64   // bytes by class of links: largest of max(sent, received) of any rank
	Comm  time.Duration // shortest time a rank spent in the barrier: without waiting for others
	Total time.Duration // from barrier to barrier on rank 0
}

// WorkAvg returns the mean work of a rank.
func (s *Step) WorkAvg() time.Duration { return s.WorkSum / time.Duration(max(s.Ranks, 1)) }

// Imbalance returns the longest work over the mean, 1 at best.
func (s *Step) Imbalance() float64 {
	if s.WorkSum == 0 {
		return 1
	}
	return float64(s.WorkMax) * float64(s.Ranks) / float64(s.WorkSum)
}

// Idle returns the share of the longest work that ranks waited for it on average.
func (s *Step) Idle() float64 { return 1 - 1/s.Imbalance() }

// Ended returns the time of the ends of supersteps: from the end of the longest work to the
// next superstep. It is the shortest time of a rank in the barrier, or more if ranks leave
// the barrier one after the other, as over slow links.
func (s *Step) Ended() time.Duration { return max(s.Comm, s.Total-s.WorkMax-s.Lost) }

// Left returns the bytes that left ranks.
func (s *Step) Left() (bytes int64) {
	for way := int(WithinRank) + 1; way < Ways; way++ {
		bytes += s.Ways[way]
	}
	return bytes
}

// longest returns the longest work of a rank in one superstep.
func (s *Step) longest() time.Duration {
	if s.Count == 1 {
		return s.WorkMax
	}
	return s.Longest
}

// Add adds the supersteps of t to s. The slowest rank and process are taken from the
// longest single superstep. Work is added for the ranks that s has; none if it is nil. Site
// stays.
func (s *Step) Add(t *Step) {
	before := s.longest()
	if s.Count == 0 {
		s.First, s.At, s.SlowestRank, s.Slowest = t.First, t.At, t.SlowestRank, t.Slowest
	}
	s.Last = max(s.Last, t.Last)
	s.Count += t.Count
	s.Ranks = t.Ranks
	s.Longest = max(before, t.longest())
	if t.longest() > before {
		s.SlowestRank, s.Slowest, s.SlowestWork = t.SlowestRank, t.Slowest, t.SlowestWork
	}
	for rank := range min(len(s.Work), len(t.Work)) {
		s.Work[rank] += t.Work[rank]
	}
	s.WorkMax += t.WorkMax
	s.WorkMin += t.WorkMin
	s.WorkSum += t.WorkSum
	s.Denied += t.Denied
	s.DeniedSum += t.DeniedSum
	s.Lost += t.Lost
	s.Talks += t.Talks
	s.Least += t.Least
	s.H += t.H
	for way, h := range t.Ways {
		s.Ways[way] += h
	}
	s.Comm += t.Comm
	s.Total += t.Total
}

// longestTime is more than runs take, and little enough to be added up.
const longestTime = 1 << 57 * time.Nanosecond // four years

// check refuses figures that no superstep can have.
func (s *Step) check(run *Run) error {
	ranks := len(run.Ranks)
	if s.Count < 1 || s.First < 1 || s.Last < s.First || s.Count > s.Last-s.First+1 {
		return fmt.Errorf("superstep: %d supersteps between %d and %d", s.Count, s.First, s.Last)
	}
	if len(s.Work) != ranks {
		return fmt.Errorf("superstep %d: work of %d ranks, the run has %d", s.First, len(s.Work), ranks)
	}
	for _, d := range append([]time.Duration{s.WorkMax, s.Longest, s.WorkMin, s.Denied, s.DeniedSum, s.Lost, s.Least, s.Comm, s.Total, s.At, s.SlowestWork}, s.Work...) {
		if d < 0 || d > longestTime {
			return fmt.Errorf("superstep %d: a time of %v; expected one from 0 to %v", s.First, d, longestTime)
		}
	}
	if s.Denied > s.WorkMax {
		return fmt.Errorf("superstep %d: %v of the longest work of %v was denied", s.First, s.Denied, s.WorkMax)
	}
	if s.DeniedSum > s.WorkSum {
		return fmt.Errorf("superstep %d: %v of all work of %v was denied", s.First, s.DeniedSum, s.WorkSum)
	}
	if s.H < 0 || s.Talks < 0 || s.Talks > s.Count {
		return fmt.Errorf("superstep %d: h of %d bytes in %d of %d supersteps", s.First, s.H, s.Talks, s.Count)
	}
	for way, h := range s.Ways {
		if h < 0 {
			return fmt.Errorf("superstep %d: h of %d bytes %s", s.First, h, Way(way))
		}
	}
	if s.SlowestRank < -1 || s.SlowestRank >= ranks {
		return fmt.Errorf("superstep %d: the slowest rank is %d of %d", s.First, s.SlowestRank, ranks)
	}
	return nil
}
