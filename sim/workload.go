package sim

// Workload is what a program does, superstep by superstep. Steps are asked for in
// order, from 0. Runs at the same time may share a workload, so that Fill changes
// nothing but s.
type Workload interface {
	Processes() int
	Steps() int
	// Fill puts what happens in a superstep into s, which is empty.
	Fill(step int, s *Step) error
	// State is how many bytes a process takes with it when it moves.
	State(pid int) float64
}

// Step is one superstep.
type Step struct {
	Work     []float64 // floating-point operations, by process
	Messages []Message
	Moves    []Move  // after it, that the workload itself prescribes
	Over     float64 // seconds that it takes more than all this, for barriers and the like
	// State is how many bytes processes take with them when they move after it, where
	// that is another than Workload.State says; nil where it is not. It is the
	// workload's, and stays as it is.
	State []float64
	Site  string // where in the program it ends, "" if nobody knows
}

// Message is sent when its sender has computed its part of the superstep.
type Message struct {
	From, To int32 // processes
	Bytes    float64
}

// Move takes a process to another host.
type Move struct {
	Pid, Host int
	Bytes     float64
}

func (s *Step) clear(processes int) {
	if s.Work == nil {
		s.Work = make([]float64, processes)
	}
	clear(s.Work)
	s.Messages, s.Moves, s.Over = s.Messages[:0], s.Moves[:0], 0
	s.State, s.Site = nil, ""
}

// state is how many bytes a process takes along when it moves after the superstep.
func (s *Step) state(w Workload, pid int) float64 {
	if s.State != nil {
		return s.State[pid]
	}
	return w.State(pid)
}
