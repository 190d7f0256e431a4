package sim

// Messages in queues of [github.com/migbsp/migbsp/bsplib], and in its collectives, which
// are made of such messages.
const (
	messageHead = 8  // bytes beside the data, of a message with a tag of up to 8 bytes
	directLimit = 64 // processes up to which an Allreduce is messages of all to all
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

// allreduce fills the superstep of an Allreduce, as its record has it.
func (s *Step) allreduce(procs int, bytes float64) {
	if procs <= directLimit {
		s.allgather(procs, bytes)
		return
	}
	s.gather(procs, func(int) float64 { return bytes })
	s.broadcast(procs, bytes)
}
