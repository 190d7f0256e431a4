package bsplib

import (
	"github.com/migbsp/migbsp/bsplib/internal/account"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
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

// stateBytes is what a move of a process would transfer, -1 if it is not on this rank.
func (c *crew) stateBytes(pid int) int64 {
	if p := c.local(pid); p != nil {
		return p.stateBytes()
	}
	return -1
}
