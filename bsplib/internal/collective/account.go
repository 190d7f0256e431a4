package collective

import (
	"github.com/migbsp/migbsp/bsplib/internal/account/loads"
	"github.com/migbsp/migbsp/bsplib/internal/memory"
)

// The account of a collective lists messages from process to process. These depend on the
// program alone and not on the mapping, so that the record of one run predicts the traffic of
// another. The actual traffic is less, because it is exchanged between ranks.

// accountDirect is the maximum number of processes for an Allreduce to be accounted for as
// messages from all to all. With more processes, the messages go through process 0.
const accountDirect = 64

// messageHead is the size of a message's header in bytes.
const messageHead = 8

// enterCollective enters a collective into the account, in its first superstep.
func (r *Rank) enterCollective(s *exchange, samples []*loads.Sample) {
	n, root, procs := s.in.size, s.in.root, len(r.where)
	for _, did := range samples {
		switch s.in.call.collective() {
		case broadcast:
			if did.Pid == root {
				did.Sent += (procs - 1) * n
			} else {
				r.enterMessage(did, root, n)
				r.stream.Ways.Read(int(r.where[root]), n)
			}
		case reduction:
			did.Sent += n
			if did.Pid == root {
				r.enterMessages(did, procs, n)
			}
		case scan:
			did.Sent += (procs - did.Pid) * n
			r.enterMessages(did, did.Pid+1, n)
		case allreduction, sum, least, greatest:
			gathers := procs <= accountDirect || did.Pid == 0
			if procs > accountDirect {
				did.Sent += n
			}
			if gathers {
				did.Sent += procs * n
				r.enterMessages(did, procs, n)
			} else {
				r.enterMessage(did, 0, n)
			}
		case allreductionSlice, sumSlice, leastSlice, greatestSlice:
			did.Sent += 2 * n
			r.enterMessages(did, procs, 2*(n/procs))
		case allgather:
			r.enterAllgather(s, did)
		}
	}
}

// enterMessages enters a message of n bytes from each of the first processes, 0 to first-1.
func (r *Rank) enterMessages(did *loads.Sample, first, n int) {
	if !r.stream.Recording {
		did.Received += first * (messageHead + n)
		return
	}
	for from := range first {
		r.enterMessage(did, from, n)
	}
}

func (r *Rank) enterMessage(did *loads.Sample, from, n int) {
	did.Received += messageHead + n
	if r.stream.Recording {
		did.Record(from, messageHead+n)
	}
}

// enterAllgather enters the processes' contributions, whose lengths it reads from the slots.
func (r *Rank) enterAllgather(s *exchange, did *loads.Sample) {
	t := r.layout()
	for _, rank := range t.members {
		data := r.from(s, rank)
		for _, pid := range t.procs[rank] {
			n := int(*memory.Word(data, 0))
			if pid == did.Pid {
				did.Sent += len(r.where) * n
			}
			r.enterMessage(did, pid, n)
			r.stream.Ways.Read(rank, n)
			data = data[min(memory.Pad(8+n), len(data)):]
		}
	}
}
