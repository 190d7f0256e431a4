package rebalancer

import (
	"cmp"
	"fmt"
	"slices"
)

// Report is the input of some ranks to a call.
type Report struct {
	Ranks     []RankState  // of the reporting ranks
	Processes []Process    // on them, by pid
	Spreads   []StepSpread // of the supersteps since the last call, oldest first
	Classes   []int        // of the supersteps in Process.RecentWork
	Audits    []Audit      // of the ranks that had processes, by rank; none where the run is where it began
	Told      []Told       // declared loads of processes, if any; Merge assigns them to the processes
}

// Told is the load of a process as declared by the program, in a unit of its own: cells,
// particles, rows.
type Told struct {
	Pid    int
	Coming float64   // in the coming stage; 0 if not declared
	Recent []float32 // in the supersteps of RecentWork; 0 where not declared, nil if never declared
}

// RankState is the state of a rank at a call.
type RankState struct {
	Rank      int
	Available float64 // share of its processor that the run gets: CPU time over wall time of its work
	Burst     float64 // the same while its quota lasts; 0 means Available: it has none
	Free      int64   // bytes of memory left; negative if not known
	Drained   bool    // all processes must leave
	Elapsed   float64 // seconds since the last call, rescheduling itself left out
	Steps     int     // supersteps in that time
	Recent    float64 // seconds of a superstep, of late; 0 if that is Elapsed over Steps
	Lately    int     // supersteps of these
	WaitError float64 // standard error of the seconds from when the rank's processes have computed until a superstep ends; 0 if not known
	Called    float64 // seconds that the last call took, moves left out
	Moved     float64 // seconds that its moves took
	Remaining int     // supersteps still to come in the current stage loop; the same on all ranks
}

// Process is the state of one process at a call.
type Process struct {
	Pid, Rank int
	State     int64 // bytes that a move transfers
	Pinned    bool  // it cannot move
	Request   int   // rank that it asked to go to, -1 if it did not ask

	Work       float64      // aged work per superstep (PI)
	Time       float64      // aged computing time per superstep (CTP)
	Regularity float64      // Pcomp, 0 to 1
	Sets       []SetTraffic // by Set it receives from; a Set without traffic may be missing
	Best       Potential    // the best of its potentials of migration

	RecentWork []float32 // work in each of the last supersteps, oldest first: the same supersteps for all processes
	SinceMove  int       // how many of RecentWork, the last ones, were on Rank
	Partners   []Traffic // heaviest senders, bytes per superstep
	Told       *Told     `wire:"-"` // in a Snapshot, the declared load; nil if none
}

// SetTraffic is the traffic a process receives from the ranks of one Set.
type SetTraffic struct {
	Set        int
	Bytes      float64 // aged, per superstep
	Time       float64 // aged seconds per superstep (BTP)
	Regularity float64 // Pcomm
}

// Snapshot is the complete input of a call. It is the same on all managers.
type Snapshot struct {
	Step      int
	Ranks     []RankState // by rank
	Processes []Process   // by pid
	Spreads   []StepSpread
	Classes   []int   // of the supersteps in Process.RecentWork
	Audits    []Audit // by rank
	// Barriers is the mean number of supersteps that count as one since the last call; 0 means 1. All
	// managers count the same.
	Barriers float64
}

// Detail is what an observer reports about a process in addition to its measurements.
type Detail struct {
	State   int64   // bytes that a move transfers
	Pinned  bool    // it cannot move
	Request int     // rank that it asks for, -1 if none
	Load    float64 // declared load of its coming stage; 0 if none
}

// Merge combines the reports of a call, in any order.
//
// Errors: a rank or process that is missing or reported twice, and reports that
// are not of the same supersteps.
func Merge(step int, reports ...Report) (Snapshot, error) {
	n := 0
	for i := range reports {
		n += len(reports[i].Processes)
	}
	return merge(step, reports, n, nil)
}

// merge combines the reports on n processes. It uses expected for a process that is missing from them.
func merge(step int, reports []Report, n int, expected func(pid int) (p Process, known bool)) (s Snapshot, err error) {
	s.Step, s.Processes = step, make([]Process, n)
	for i := range reports {
		s.Ranks = append(s.Ranks, reports[i].Ranks...)
		s.Audits = append(s.Audits, reports[i].Audits...)
	}
	slices.SortFunc(s.Ranks, func(a, b RankState) int { return cmp.Compare(a.Rank, b.Rank) })
	slices.SortFunc(s.Audits, func(a, b Audit) int { return cmp.Compare(a.Rank, b.Rank) })
	for i, r := range s.Ranks {
		if r.Rank != i {
			return s, fmt.Errorf("rebalancer: the reports have rank %d where rank %d should be", r.Rank, i)
		}
	}
	there := make([]bool, n)
	for i := range reports {
		for k := range reports[i].Processes {
			p := &reports[i].Processes[k]
			if p.Pid < 0 || p.Pid >= n || there[p.Pid] {
				return s, fmt.Errorf("rebalancer: of %d processes process %d is reported, or twice", n, p.Pid)
			}
			s.Processes[p.Pid], there[p.Pid] = *p, true
		}
	}
	for pid := range s.Processes {
		p := &s.Processes[pid]
		if !there[pid] {
			if *p, there[pid] = expected(pid); !there[pid] {
				return s, fmt.Errorf("rebalancer: process %d is not reported, and was not before", pid)
			}
		}
		if p.Rank < 0 || p.Rank >= len(s.Ranks) {
			return s, fmt.Errorf("rebalancer: process %d is reported on rank %d of %d", pid, p.Rank, len(s.Ranks))
		}
	}
	if err := s.mergeSupersteps(reports); err != nil {
		return s, err
	}
	return s, s.mergeTold(reports)
}

// mergeTold assigns the declared loads to the processes.
func (s *Snapshot) mergeTold(reports []Report) error {
	for _, r := range reports {
		for i := range r.Told {
			t := &r.Told[i]
			if t.Pid < 0 || t.Pid >= len(s.Processes) {
				return fmt.Errorf("rebalancer: the reports have the load of process %d of %d", t.Pid, len(s.Processes))
			}
			p := &s.Processes[t.Pid]
			if len(t.Recent) != 0 && len(t.Recent) != len(p.RecentWork) {
				return fmt.Errorf("rebalancer: process %d has the loads of %d supersteps and the work of %d", t.Pid, len(t.Recent), len(p.RecentWork))
			}
			p.Told = t
		}
	}
	return nil
}

// mergeSupersteps merges the reports' figures of each superstep.
func (s *Snapshot) mergeSupersteps(reports []Report) error {
	reports = slices.Clone(reports)
	slices.SortFunc(reports, func(a, b Report) int { return cmp.Compare(a.firstRank(), b.firstRank()) })
	// Ranks that have no processes and took no part have seen no superstep.
	some := slices.DeleteFunc(slices.Clone(reports), func(r Report) bool { return len(r.Processes) == 0 && len(r.Spreads) == 0 })
	if len(some) > 0 {
		reports = some
	}
	for i, r := range reports {
		if i == 0 {
			s.Classes, s.Spreads = r.Classes, slices.Clone(r.Spreads)
			continue
		}
		if len(r.Spreads) != len(s.Spreads) || !slices.Equal(r.Classes, s.Classes) {
			return fmt.Errorf("rebalancer: rank %d reports %d supersteps, rank %d reports %d",
				r.firstRank(), len(r.Spreads), reports[0].firstRank(), len(s.Spreads))
		}
		for k, e := range r.Spreads {
			s.Spreads[k].merge(e)
		}
	}
	for i := range s.Processes {
		if n := len(s.Processes[i].RecentWork); n > len(s.Classes) {
			return fmt.Errorf("rebalancer: process %d has the work of %d supersteps of %d", i, n, len(s.Classes))
		}
	}
	return nil
}

func (r *Report) firstRank() int {
	if len(r.Ranks) == 0 {
		return -1
	}
	return slices.MinFunc(r.Ranks, func(a, b RankState) int { return cmp.Compare(a.Rank, b.Rank) }).Rank
}

// Audit is the work of a rank's processes in sampled supersteps since the last call.
type Audit struct {
	Rank  int
	Wall  []float32 // seconds of computing, by sample
	Parts []HomeWork
}

// HomeWork is the work of the processes on a rank that began on rank Home.
type HomeWork struct {
	Home int
	Work []float32 // by sample
	Wait []float32 // seconds spent waiting for operations that take as long on any rank; nil if none
}

// StepSpread sums up how long the processes took that computed in a superstep.
type StepSpread struct {
	Steps    int // supersteps that it stands for
	Count    int // processes that computed
	Sum      float64
	Min, Max float64
	Wall     float64 // of the rank that computed longest
}

// merge adds the spread of the same superstep over other processes.
func (e *StepSpread) merge(o StepSpread) {
	if o.Count == 0 {
		return
	}
	if e.Count == 0 || o.Min < e.Min {
		e.Min = o.Min
	}
	e.Max = max(e.Max, o.Max)
	e.Wall = max(e.Wall, o.Wall)
	e.Sum += o.Sum
	e.Count += o.Count
}

// MeasuredStep returns the mean over the ranks of the seconds per superstep since the
// last call, and the number of these supersteps; 0 without measurements.
func MeasuredStep(ranks []RankState) (seconds float64, steps int) {
	n := 0
	for _, r := range ranks {
		if r.Steps > 0 && r.Elapsed > 0 {
			seconds += r.Elapsed / float64(r.Steps)
			steps = max(steps, r.Steps)
			n++
		}
	}
	if n == 0 {
		return 0, 0
	}
	return seconds / float64(n), steps
}

// costHorizon returns the least number of remaining supersteps of any rank.
func costHorizon(ranks []RankState) int {
	if len(ranks) == 0 {
		return 0
	}
	return max(0, slices.MinFunc(ranks, func(a, b RankState) int { return cmp.Compare(a.Remaining, b.Remaining) }).Remaining)
}

// costCall returns the longest duration of the last call on any rank.
func costCall(ranks []RankState) float64 {
	longest := 0.0
	for _, r := range ranks {
		longest = max(longest, r.Called)
	}
	return longest
}
