package sim

// Ring is what lattice-Boltzmann programs look like from outside: in each superstep
// all processes compute the same and give their border to the neighbour on the right.
type Ring struct {
	Size   int // processes
	Length int // supersteps
	Flops  float64
	Bytes  float64 // of a message
	Kept   float64 // bytes of a process's state
}

func (r *Ring) Processes() int    { return r.Size }
func (r *Ring) Steps() int        { return r.Length }
func (r *Ring) State(int) float64 { return r.Kept }

func (r *Ring) Fill(_ int, s *Step) error {
	for pid := range s.Work {
		s.Work[pid] = r.Flops
		if r.Size > 1 {
			s.Messages = append(s.Messages, Message{From: int32(pid), To: int32((pid + 1) % r.Size), Bytes: r.Bytes})
		}
	}
	return nil
}
