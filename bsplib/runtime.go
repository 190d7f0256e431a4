package bsplib

import (
	"iter"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/process"
	"github.com/migbsp/migbsp/bsplib/internal/site"
	"github.com/migbsp/migbsp/mpi"
)

// Runtime is what runs a process, for programs that take part in where and how it does: most need
// none of it.
type Runtime struct{ p *Proc }

// Runtime is what runs the process.
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

// Engine says in a few words what carries the bytes.
func (r Runtime) Engine() string { return r.p.process.Home.Comm.Engine().Text }

// Emulated reports whether Proc.Time is that of an emulated platform.
func (r Runtime) Emulated() bool { return r.p.process.Rank.Timing.Clock.Emulated() }

// Pin keeps the process on its rank: no call moves it, and what it asks for with Migrate is
// refused, until Unpin. It is for a process that holds what does not move: an open file, a
// device, a connection. When a run goes on from a checkpoint processes are not pinned.
func (r Runtime) Pin() { r.p.process.Pinned = true }

// Unpin lets the process move again.
func (r Runtime) Unpin() { r.p.process.Pinned = false }

// Arrived returns the rank from which the process has just come, and true, from when a move
// has entered its program anew until the end of its first stage here; else false. It is where
// a program opens again what it could not take along.
func (r Runtime) Arrived() (from int, just bool) {
	from = int(r.p.process.CameFrom) - 1
	return from, from >= 0
}

// Drain asks that all processes leave a rank when the current stage ends, and
// that none comes there any more. One process's call is enough.
//
// Errors: a rank that does not exist ends the run, and so does draining all.
func (r Runtime) Drain(rank int) {
	p := r.p
	r.mustExist("Drain", rank)
	q := p.process.Asking()
	q.Drain = append(q.Drain, rank)
}

// Aside calls f and leaves the time that it takes out of the process's load: what a
// process does once, or now and then, such as reading its part of a file or writing a
// picture, says nothing of the stages that come, and shall move nothing. Others wait for
// it all the same, so that the account of the run has it as work.
//
// Rules: f may do whatever the program may in its place. Aside within Aside has no effect.
//
// BSP cost: that of f.
func (r Runtime) Aside(f func()) {
	p := r.p
	p.process.BeginAside()
	defer p.process.EndAside()
	f()
}

// EachStage runs stage(k) for k = 0 .. n-1, as Stages does with the body of a loop, and
// is for very many processes: between stages such a process has no stack, which is most
// of what it takes. For that its program is left at the call of EachStage, as if it
// went to another rank: what it has deferred runs, then stage is called for each k, and
// after the last stage the program is entered anew, Fresh is false, and EachStage
// returns.
//
// Rules: those of Stages. What stage uses, beside its variables, is in the process's
// state, or is not changed by stages. What the program does in front of EachStage it does
// twice, unless it asks Fresh, and what it does there with other processes has ended
// with a Sync. An error that stage returns is what the program returns.
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

// OpenStages is Stages for a loop whose length is not known: it goes on until all processes
// leave it, in the same pass, by break or return. For decisions that depend on how much is left,
// a loop is expected to go on for twice as many stages as it has had, and a second: once would be as likely
// too few as too many, many that go on do so for far longer, and what takes less than a second hardly
// gains or loses by being moved.
//
// Rules and cost are those of Stages.
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

// The rest is for what does not fit into supersteps: short messages that arrive at once,
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
func (r Runtime) Poll(patience time.Duration) (rank int, data []byte) {
	p, on := r.p, r.p.process.Rank
	p.mustNotCompute("Poll")
	running := func() error { // an error when the run has been ended by another rank
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
