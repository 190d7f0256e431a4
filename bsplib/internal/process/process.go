// Package process implements the processes of a run, except for their coroutines: the position of a
// process in its program, its requests, and its conversion to an image, which consists of bytes, and
// back.
package process

import (
	"fmt"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/stream"
	"github.com/migbsp/migbsp/mpi"
)

// Rank holds the data that the processes of a rank share.
type Rank struct {
	Comm    mpi.Comm
	Stream  *stream.Stream
	Program *Program
	Where   []int32         // rank of each process
	New     func() *Process // allocates a process that arrives
}

// Process is a process of the run, except for its coroutine.
type Process struct {
	Data     stream.Process // its end of the data path
	Home     *Rank
	Request  *Request       // its request to move or drain, nil without one
	Stages   Stages         // its progress
	State    unsafe.Pointer // the program's state, allocated by NewState
	Load     float64        // in the coming stage, declared by the program; 0 if not declared
	Pinned   bool           // it must not move
	CameFrom int32          // rank that it has just moved from, plus 1; 0 if it has not moved
}

// Begin initializes a new process as the rank's process pid, without a state.
func (r *Rank) Begin(p *Process, pid int) {
	p.Home, p.Data.Pid, p.Data.Did.Pid, p.Data.Out = r, pid, pid, r.Stream.Out
}

// Stages is the progress of a process in the stage loops of its program.
type Stages struct {
	Inside  bool
	Resumed bool
	Open    bool     // Left is an estimate from past stages
	Left    int      // remaining stages of the current loop
	All     int      // stages of the current loop
	Loop    int      // loops begun in this entry
	At      Position // where a later entry continues
}

// End ends a loop of stages.
func (s *Stages) End(loop int) {
	s.Inside, s.Open, s.All, s.Left = false, false, 0, 0
	s.At = Position{Loop: loop + 1}
}

// Position is a position between two stages. All loops before Loop are finished.
type Position struct{ Loop, Stage int }

// String returns the position with stages and loops counted from 0, as in the program.
func (at Position) String() string {
	return fmt.Sprintf("stage %d of stage loop %d", at.Stage-1, at.Loop)
}

// BeginStage begins a stage. The load that the program has declared applies to the work measured
// from now on.
func (p *Process) BeginStage() { p.Data.Did.Load = p.Load }

// Release frees the memory of the process's areas, and its fixed memory.
func (p *Process) Release() {
	if f := p.fixed(); f != nil {
		f.Leave()
	}
	p.Home.Stream.Registry.Release(&p.Data)
}

// Requested returns the rank that the process requests to move to, -1 if none. emptiest returns the
// rank of a host with the fewest processes.
func (p *Process) Requested(emptiest func(host string, where []int32) int) int {
	if p.Request == nil {
		return -1
	}
	switch to := p.Request.To; to.Kind {
	case OnRank:
		return to.Number
	case NextTo:
		return int(p.Home.Where[to.Number])
	case OnHost:
		return emptiest(to.Host, p.Home.Where)
	}
	return -1
}
