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
	r := p.process.Rank
	if rank < 0 || rank >= r.Home.Comm.Size() {
		p.fail(KindNoSuchPlace, "Post to rank %d; there are %d", rank, r.Home.Comm.Size())
	}
	if !r.Home.Comm.Present(rank) {
		p.fail(KindNoSuchPlace, "Post to rank %d, which has no process", rank)
	}
	if n := len(data); n == 0 || n > MostPost {
		p.fail(KindOutOfBounds, "Post of %d bytes, of which there must be 1 to %d", n, MostPost)
	}
	if r.Now.Office != nil {
		r.Now.Office.Post(rank, data)
	} else if err := r.Home.Comm.Post(rank, data); err != nil {
		p.process.CutOff(err)
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
	r := p.process.Rank
	running := func() error { // an error when the run has been ended by another rank
		_, _, err := r.Home.Comm.Poll(0)
		return err
	}
	var err error
	if r.Now.Office != nil {
		rank, data, err = r.Now.Office.Poll(patience, running)
	} else {
		rank, data, err = r.Home.Comm.Poll(patience)
	}
	if err != nil {
		p.process.CutOff(err)
	}
	return rank, data
}
