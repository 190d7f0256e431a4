package sim

// Messages in queues of [github.com/migbsp/migbsp/bsplib], and in its collectives, which
// are made of such messages.
const (
	messageHead = 8  // bytes beside the data, of a message with a tag of up to 8 bytes
	directLimit = 64 // processes up to which an Allreduce takes one superstep
)

// send adds a message between two processes.
func (s *Step) send(from, to int, bytes float64) {
	if from != to && bytes > 0 {
		s.Messages = append(s.Messages, Message{From: int32(from), To: int32(to), Bytes: bytes})
	}
}

// enqueue sends data, if there is any, to a queue.
func (s *Step) enqueue(from, to int, data float64) {
	if data > 0 {
		s.send(from, to, messageHead+data)
	}
}

// gather sends the given bytes of each process to process 0.
func (s *Step) gather(procs int, bytes func(pid int) float64) {
	for pid := range procs {
		s.send(pid, 0, messageHead+bytes(pid))
	}
}

// broadcast sends bytes of process 0 to all.
func (s *Step) broadcast(procs int, bytes float64) {
	for pid := range procs {
		s.send(0, pid, messageHead+bytes)
	}
}

// allgather sends bytes of each process to all.
func (s *Step) allgather(procs int, bytes float64) {
	for from := range procs {
		for to := range procs {
			s.send(from, to, messageHead+bytes)
		}
	}
}

// reductionSteps returns the number of supersteps of an Allreduce.
func reductionSteps(procs int) int {
	if procs <= directLimit {
		return 1
	}
	return 2
}

// allreduce fills one superstep of an Allreduce, counted from 0.
func (s *Step) allreduce(step, procs int, bytes float64) {
	switch {
	case procs <= directLimit:
		s.allgather(procs, bytes)
	case step == 0:
		s.gather(procs, func(int) float64 { return bytes })
	default:
		s.broadcast(procs, bytes)
	}
}
