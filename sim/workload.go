package sim

import "math/rand/v2"

// Workload describes the work and messages of a program, superstep by superstep. Runs at
// the same time may share a workload: Fill changes s only.
type Workload interface {
	// Processes returns the number of processes.
	Processes() int
	// Steps returns the number of supersteps.
	Steps() int
	// Fill writes the work and messages of a superstep, counted from 0, to s, which is empty. A run
	// calls it for consecutive supersteps.
	Fill(step int, s *Step) error
	// State returns the number of bytes that a process takes with it when it moves.
	State(pid int) float64
}

// Step is one superstep.
type Step struct {
	Work     []float64 // floating-point operations, by process
	Messages []Message
	Moves    []Move  // after it, that the workload itself prescribes
	Over     float64 // seconds that it takes more than all this, for barriers and the like
	// State is the number of bytes that each process copies when it moves after the superstep, nil if
	// Workload.State returns them. It belongs to the workload and must not be changed.
	State []float64
	Site  string // where in the program it ends, "" if that is not known
}

// Message is sent when its sender has computed its part of the superstep.
type Message struct {
	From, To int32 // processes
	Bytes    float64
}

// Move is a move of a process to another host.
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

// state returns the bytes that a process takes with it when it moves after the superstep.
func (s *Step) state(w Workload, pid int) float64 {
	if s.State != nil {
		return s.State[pid]
	}
	return w.State(pid)
}

// Ring is the pattern of lattice-Boltzmann programs: in each superstep all processes
// compute the same and give their border to the neighbour on the right.
type Ring struct {
	Size   int // processes
	Length int // supersteps
	Flops  float64
	Bytes  float64 // of a message
	Kept   float64 // bytes of a process's state
	Noise  float64 // maximum deviation of a process's work in a superstep, relative to Flops
	Seed   uint64  // of the noise
}

// Processes implements Workload, as do the other exported methods.
func (r *Ring) Processes() int    { return r.Size }
func (r *Ring) Steps() int        { return r.Length }
func (r *Ring) State(int) float64 { return r.Kept }

func (r *Ring) Fill(step int, s *Step) error {
	noise := rand.NewPCG(r.Seed, uint64(step))
	for pid := range s.Work {
		s.Work[pid] = r.Flops
		if r.Noise > 0 {
			s.Work[pid] *= 1 + r.Noise*(2*float64(noise.Uint64()>>11)/(1<<53)-1)
		}
		if r.Size > 1 {
			s.Messages = append(s.Messages, Message{From: int32(pid), To: int32((pid + 1) % r.Size), Bytes: r.Bytes})
		}
	}
	return nil
}

// Wavefront is dynamic programming over a square matrix in which each process has a column: in
// superstep k the processes on the k-th diagonal compute, and send their results to the next column.
type Wavefront struct {
	Size        int     // of the matrix, and processes
	First, Last float64 // operations of a process in the first and in the last superstep
	Bytes       float64 // of a message
	Kept        float64 // bytes of a process's state besides the last message that it received
}

// Processes implements Workload, as do the other exported methods.
func (w *Wavefront) Processes() int    { return w.Size }
func (w *Wavefront) Steps() int        { return 2*w.Size - 1 }
func (w *Wavefront) State(int) float64 { return w.Bytes + w.Kept }

func (w *Wavefront) Fill(step int, s *Step) error {
	work := w.First
	if w.Steps() > 1 {
		work += (w.Last - w.First) * float64(step) / float64(w.Steps()-1)
	}
	for pid := max(0, step-w.Size+1); pid <= min(step, w.Size-1); pid++ {
		s.Work[pid] = work
		if pid+1 < w.Size {
			s.Messages = append(s.Messages, Message{From: int32(pid), To: int32(pid + 1), Bytes: w.Bytes})
		}
	}
	return nil
}
