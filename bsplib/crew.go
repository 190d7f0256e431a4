package bsplib

import (
	"io"
	"math/rand/v2"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/account"
	"github.com/migbsp/migbsp/bsplib/internal/clock"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/calls"
)

// crew are a rank's processes, and the workers on which they run: worker.go.
type crew struct {
	now    *current
	stream *stream.Stream
	timing *timing

	procs   []*Proc           // in the order of their pids
	samples []*account.Sample // of procs
	at      int               // index of the process that runs
	idle    []*worker         // those with no process
	here    bool              // the only process runs on the goroutine of the rank
	many    bool              // there are so many processes that it pays to look ahead: ahead.go
	ahead   []ahead           // by index of the process, nil as long as none has come to a Sync
}

// set makes these the rank's processes, by pid.
func (c *crew) set(procs []*Proc) {
	c.procs, c.samples = procs, make([]*account.Sample, len(procs))
	for i, p := range procs {
		p.index, c.samples[i] = i, &p.data.Did
	}
	c.lookAhead()
}

// local is the process of that number, nil if it is on another rank.
func (c *crew) local(pid int) *Proc { return procOf(c.stream.Local[pid]) }

// first is the first of them, nil if there is none.
func (c *crew) first() *Proc {
	if len(c.procs) == 0 {
		return nil
	}
	return c.procs[0]
}

// position is how far the first process is in its stage loops.
func (c *crew) position() (at account.Position) {
	if p := c.first(); p != nil && p.stages.all > 0 {
		s := &p.stages
		at = account.Position{Loop: s.at.Loop + 1, Stage: s.all - s.left, Stages: s.all}
	}
	return at
}

// timing is a rank's time, and what of it is measured.
type timing struct {
	clock    clock.Clock
	account  *account.Account
	earlier  time.Duration // of the run, before this program went on with it
	measured bool          // every superstep is
	followed bool          // the clock needs the traffic of each
}

// outcome is what the reader of a run gets on rank 0, unless it is nil.
type outcome struct {
	why      io.Writer      // the reasons of moves
	callLog  *calls.Writer  // what they were decided from
	relinked bool           // links were measured since the last call that was kept
	log      io.Writer      // messages
	screen   account.Screen // log, where it shows progress in place
	result   *ledger.Result // what process 0 has reported
	reported *reported      // by process 0 while it was on this rank
}

// reported is a result and the superstep in which it was handed over.
type reported struct {
	Step   int
	Result ledger.Result
}

type worker struct {
	yield func(struct{}) bool
	next  func() (struct{}, bool)
	stop  func()
}

// ahead is where a process that waits for a barrier lies in memory: hints, never followed.
type ahead struct {
	stack     uintptr // the end that is in use
	goroutine uintptr
	passing   [2]uintptr // what iter.Pull passes values and control by
}

// unrest moves processes without a reason, after each stage.
type unrest struct {
	shake   bool       // every process
	scatter *rand.Rand // or some of them, in tests
}
