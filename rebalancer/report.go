package rebalancer

// Report is what some ranks know when a call is due.
type Report struct {
	Ranks     []RankState // of the reporting ranks
	Processes []Process   // on them, by pid
	Extents   []Extent    // of the supersteps since the last call, oldest first
	Classes   []int       // of the supersteps in Process.Phases
}

// RankState is how a rank is at a call.
type RankState struct {
	Rank      int
	Available float64 // share of its processor that the run gets: CPU time over wall time of its work
	Free      int64   // bytes of memory left; negative if not known
	Drained   bool    // all processes are to leave
	Elapsed   float64 // seconds since the last call, rescheduling itself left out
	Steps     int     // supersteps in that time
	Recent    float64 // seconds of a superstep, of late; 0 if that is Elapsed over Steps
	Called    float64 // seconds that the last call took, moves left out
	Moved     float64 // seconds that its moves took
	Remaining int     // supersteps still to come in the current stage loop; the same on all ranks
}

// Process is what is known of one process at a call.
type Process struct {
	Pid, Rank int
	State     int64 // bytes that a move transfers
	Pinned    bool  // it cannot move
	Request   int   // rank that it asked to go to, -1 if it did not ask

	Index      float64      // aged work per superstep (PI)
	Time       float64      // aged computing time per superstep (CTP)
	Regularity float64      // Pcomp, 0 to 1
	Sets       []SetTraffic // by Set it receives from; a Set without traffic may be missing
	Best       Potential    // the best of its potentials of migration

	Phases   []float32 // work in each of the last supersteps, oldest first: the same supersteps for all processes
	Here     int       // how many of Phases, the last ones, were on Rank
	Partners []Traffic // heaviest senders, bytes per superstep
}

// SetTraffic is what a process receives from the ranks of one Set.
type SetTraffic struct {
	Set        int
	Bytes      float64 // aged, per superstep
	Time       float64 // aged seconds per superstep (BTP)
	Regularity float64 // Pcomm
}

// Potential is PM(i,j) for one Set j, in its parts.
type Potential struct {
	Set             int // -1 if there is none
	Comp, Comm, Mem float64
}

// PM is the potential itself.
func (p Potential) PM() float64 { return p.Comp + p.Comm - p.Mem }

// Snapshot is all that is known at a call: the same on all managers.
type Snapshot struct {
	Step      int
	Ranks     []RankState // by rank
	Processes []Process   // by pid
	Extents   []Extent
	Classes   []int // by phase: the class of the superstep, for Process.Phases
}
