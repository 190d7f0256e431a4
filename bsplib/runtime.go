package bsplib

import (
	"iter"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/process"
	"github.com/migbsp/migbsp/bsplib/internal/site"
	"github.com/migbsp/migbsp/mpi"
)

// Runtime gives a process access to its rank and to rescheduling. Most programs do not need it.
type Runtime struct{ p *Proc }

// Runtime returns the runtime of the process.
func (p *Proc) Runtime() Runtime { return Runtime{p} }

// Host returns the name of a rank's host, and Set the number of the Set that contains the host. A rank
// that does not exist ends the run.
func (r Runtime) Host(rank int) string {
	r.mustExist("Host of", rank)
	return r.p.process.Rank.Cluster.Hosts[rank]
}

// Set: see Host.
func (r Runtime) Set(rank int) int {
	r.mustExist("Set of", rank)
	return r.p.process.Rank.Cluster.Platform.Ranks[rank].Set
}

func (r Runtime) mustExist(what string, rank int) {
	if rank < 0 || rank >= r.p.NRanks() {
		r.p.fail(KindNoSuchPlace, "%s rank %d; there are ranks 0 to %d", what, rank, r.p.NRanks()-1)
	}
}

// Engine returns a short description of the engine that carries the bytes.
func (r Runtime) Engine() string { return r.p.process.Home.Comm.Engine().Text }

// Emulated reports whether Proc.Time is the time of an emulated platform.
func (r Runtime) Emulated() bool { return r.p.process.Rank.Timing.Clock.Emulated() }

// Pin keeps the process on its rank until Unpin: no rescheduling call moves it, and its Migrate
// requests are refused. It is for a process that holds something that cannot move: an open
// file, a device, a connection. It holds in a restarted run too.
func (r Runtime) Pin() { r.p.process.Pinned = true }

// Unpin lets the process move again.
func (r Runtime) Unpin() { r.p.process.Pinned = false }

// Arrived returns the rank from which the process came, and true, between a move and the end of
// the first stage after it; otherwise it returns false. Programs use it to open again the files
// and devices that could not move with the process.
func (r Runtime) Arrived() (from int, just bool) {
	from = int(r.p.process.CameFrom) - 1
	return from, from >= 0
}

// Drain requests that all processes leave a rank at the end of the current stage,
// and that none moves there afterwards. One process's call is enough.
//
// Errors: a rank that does not exist ends the run, and so does draining all ranks.
func (r Runtime) Drain(rank int) {
	p := r.p
	r.mustExist("Drain", rank)
	q := p.process.Asking()
	q.Drain = append(q.Drain, rank)
}

// Aside calls f and leaves its time out of the process's load. It is for work that a process
// does once, or now and then, such as reading its part of a file or writing a picture. Such work
// does not predict the stages to come, and must not cause moves. Other processes still
// wait for it, so the account of the run counts it as work.
//
// Rules: f may do anything that the program may do where it calls Aside. Aside within Aside has
// no effect.
//
// BSP cost: the cost of f.
func (r Runtime) Aside(f func()) {
	p := r.p
	p.process.BeginAside()
	defer p.process.EndAside()
	f()
}

// EachStage runs stage(k) for k = 0 .. n-1, as Stages does with the body of a loop, and is for
// very many processes: between stages such a process has no stack, which is most of its
// memory. For that the call of EachStage leaves the program, as a move to another rank would:
// deferred functions run, then stage is called for each k, and after the last stage the
// program is entered again, Fresh is false, and EachStage returns.
//
// Rules: as for Stages. stage may use its own variables, the process's state, and values that
// no stage changes. The part of the program before EachStage runs twice, unless it
// checks Fresh, and its communication must have ended with a Sync. The program returns the
// error that stage returns.
//
// BSP cost: a superstep's, for each stage's last.
func (r Runtime) EachStage(n int, stage func(k int) error) {
	p := r.p
	p.mustNotCompute("EachStage")
	if stage == nil {
		p.fail(KindFailed, "EachStage without a function")
	}
	s := &p.process.Stages
	loop, first, over := p.beginLoop("EachStage")
	switch {
	case over:
		return
	case first >= n:
		s.End(loop)
		return
	}
	s.At = process.Position{Loop: loop, Stage: first}
	s.Inside, s.All, s.Left = true, n, n-first
	p.process.EachStage(stage, site.Walk(3))
}

// OpenStages is Stages for a loop of unknown length: it goes on until all processes leave it,
// in the same pass, by break or return. To decide on moves, the loop is expected to go on for
// twice the stages it has had, plus a second. The factor is not one, because that would be too
// low as often as too high, and many loops that go on do so for far longer. The second is added
// because moves hardly matter to a loop that takes less.
//
// Rules and cost are as for Stages.
func (r Runtime) OpenStages() iter.Seq[int] {
	p := r.p
	at := site.Walk(3)
	return func(yield func(int) bool) {
		s := &p.process.Stages
		loop, k, over := p.beginLoop("OpenStages")
		if over {
			return
		}
		s.Inside, s.Open = true, true
		for ; ; k++ {
			s.All, s.Left = 3*(k+1), 2*(k+1)+1
			p.process.BeginStage()
			if !yield(k) {
				break
			}
			s.At = process.Position{Loop: loop, Stage: k + 1}
			s.Left = 2 * (k + 1)
			if p.process.At != 0 {
				at = p.process.At
			}
			p.process.Meet(at, p.process.StageFlags())
		}
		s.End(loop)
	}
}

// The rest of this file is for communication that does not fit into supersteps: short messages
// from any rank that arrive at once, as a farm of independent tasks needs them. They go between
// ranks, not processes: the processes of a rank run one after another, and a process that
// polls keeps the others from running.

// MostPost is the length of the longest message of Post.
const MostPost = mpi.MostPost

// Post sends a message of 1 to MostPost bytes to a rank, at once and not at the end of the
// superstep. data may be used again. Messages from one rank to another arrive in order.
//
// Rules: a process of the rank must take the message, by Poll, before the processes end.
//
// Errors: the run ends if the rank does not exist or has left the supersteps because it has no
// process, and if data has another length.
//
// BSP cost: none in the superstep's h. On an emulated platform the message takes its link's
// time.
func (r Runtime) Post(rank int, data []byte) {
	p, on := r.p, r.p.process.Rank
	p.mustNotCompute("Post")
	r.mustExist("Post to", rank)
	if !mpi.Present(on.Home.Comm, rank) {
		p.fail(KindNoSuchPlace, "Post to rank %d, which has no process", rank)
	}
	if n := len(data); n == 0 || n > MostPost {
		p.fail(KindOutOfBounds, "Post of %d bytes, of which there must be 1 to %d", n, MostPost)
	}
	if on.Now.Office != nil {
		on.Now.Office.Post(rank, data)
	} else if err := mpi.Post(on.Home.Comm, rank, data); err != nil {
		p.process.CutOff(err)
	}
}

// Poll takes the next message that was posted to the process's rank, and returns the rank that
// posted it. It waits up to patience, by Time's clock, and returns -1 if no message has come.
// data is valid until the next Poll on this rank.
//
// Rules: the rank's other processes do not run meanwhile. On an emulated platform messages
// come in the order of that platform's time. Abort, or a panic, of another process ends the
// wait; an error that another process returns is reported when all have ended the superstep.
//
// BSP cost: the time that it waits counts as the process's own, as others wait for it at the
// end of the superstep.
func (r Runtime) Poll(patience time.Duration) (rank int, data []byte) {
	p, on := r.p, r.p.process.Rank
	p.mustNotCompute("Poll")
	running := func() error { // an error if another rank has ended the run
		_, _, err := on.Home.Comm.Poll(0)
		return err
	}
	var err error
	if on.Now.Office != nil {
		rank, data, err = on.Now.Office.Poll(patience, running)
	} else {
		rank, data, err = on.Home.Comm.Poll(patience)
	}
	if err != nil {
		p.process.CutOff(err)
	}
	return rank, data
}
