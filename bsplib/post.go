package bsplib

import (
	"time"

	"github.com/migbsp/migbsp/mpi"
)

// This file is for what does not fit into supersteps: short messages that arrive at once,
// from anybody, as a farm of independent tasks needs them. They go between ranks, not
// processes: those of a rank run one after another, and who polls keeps the others from
// running.

// MostPost is the length of the longest message of Post.
const MostPost = mpi.MostPost

// Post sends a message of 1 to MostPost bytes to a rank, at once and not at the end of the
// superstep. data may be used again. Messages from one rank to another arrive in order.
//
// Rules: the rank has a process, one of which takes its messages, by Poll, before the
// processes end.
//
// Errors: no such rank, one that has left the supersteps because it has no process, or
// another length, ends the run.
//
// BSP cost: none in the superstep's h. On an emulated platform the message takes what its
// link takes for it.
func (p *Proc) Post(rank int, data []byte) {
	p.mustNotCompute("Post")
	r := p.rank
	if rank < 0 || rank >= r.comm.Size() {
		p.fail(KindNoSuchPlace, "Post to rank %d; there are %d", rank, r.comm.Size())
	}
	if !r.comm.Present(rank) {
		p.fail(KindNoSuchPlace, "Post to rank %d, which has no process", rank)
	}
	if n := len(data); n == 0 || n > MostPost {
		p.fail(KindOutOfBounds, "Post of %d bytes, of which there must be 1 to %d", n, MostPost)
	}
	if r.now.office != nil {
		r.now.office.Post(rank, data)
	} else if err := mpi.Post(r.comm, rank, data); err != nil {
		p.cutOff(err)
	}
}

// Poll takes the next message that was posted to the process's rank, and says which rank
// posted it. It waits for one up to patience, by Time's clock; -1 says that none has come.
// data is valid until the next Poll on this rank.
//
// Rules: the rank's other processes do not run meanwhile. On an emulated platform messages
// come in the order of that platform's time. Abort, or a panic, of another process ends the
// wait; an error that one returns is reported when all have ended the superstep.
//
// BSP cost: the time that it waits counts as the process's own, as others wait for it at the
// end of the superstep.
func (p *Proc) Poll(patience time.Duration) (rank int, data []byte) {
	p.mustNotCompute("Poll")
	r := p.rank
	var err error
	if r.now.office != nil {
		rank, data, err = r.now.office.Poll(patience, r.running)
	} else {
		rank, data, err = r.comm.Poll(patience)
	}
	if err != nil {
		p.cutOff(err)
	}
	return rank, data
}

// running is an error when the run has been ended by another rank.
func (r *rank) running() error {
	_, _, err := r.comm.Poll(0)
	return err
}

// cutOff leaves the process when its rank cannot go on.
func (p *Proc) cutOff(err error) {
	p.rank.now.failure = p.rank.engineError(err)
	p.rank.now.closed = true
	panic(leave{})
}
