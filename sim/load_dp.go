package sim

// Wavefront is dynamic programming over a square matrix of which each process has a
// column: in superstep k the processes on the k-th diagonal compute, and give what
// they have to the next column.
type Wavefront struct {
	Size        int     // of the matrix, and processes
	First, Last float64 // operations of a process in the first and in the last superstep
	Bytes       float64 // of a message
	Kept        float64 // bytes of a process's state beside what it got last
}

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
