// Package process is a process of a run as the runtime knows it, apart from the coroutine that it
// runs on: where it stands in its program, what it has asked for, and how all that it is becomes
// an image, which is bytes, and a process again.
package process

import (
	"fmt"
	"unsafe"

	"github.com/migbsp/migbsp/bsplib/internal/stream"
	"github.com/migbsp/migbsp/mpi"
)

// Rank is what the processes of a rank have in common.
type Rank struct {
	Comm    mpi.Comm
	Stream  *stream.Stream
	Program *Program
	Where   []int32         // rank of each process
	New     func() *Process // makes room for one that comes
}

// Process is a process of the run, apart from the coroutine on which it runs.
type Process struct {
	Data     stream.Process // its end of the data path
	Home     *Rank
	Request  *Request       // to be elsewhere, nil if there is none
	Stages   Stages         // how far it is
	State    unsafe.Pointer // the program's, as Program.NewState makes it
	Load     float64        // in the coming stage, as its program has said; 0 if it has not
	Pinned   bool           // it must not move
	CameFrom int32          // 1 more than the rank that it has just come from, 0 if it has not
}

// Begin makes a new process the rank's process pid, without a state.
func (r *Rank) Begin(p *Process, pid int) {
	p.Home, p.Data.Pid, p.Data.Did.Pid, p.Data.Out = r, pid, pid, r.Stream.Out
}

// Stages is how far a process has come in the stage loops of its program.
type Stages struct {
	Inside  bool
	Resumed bool
	Open    bool     // Left is an estimate from the past
	Left    int      // stages of the current loop, still to come
	All     int      // stages of the current loop
	Loop    int      // loops begun in this entry
	At      Position // where a later entry goes on
}

// End ends a loop of stages.
func (s *Stages) End(loop int) {
	s.Inside, s.Open, s.All, s.Left = false, false, 0, 0
	s.At = Position{Loop: loop + 1}
}

// Position is a place between two stages: loops before it are finished.
type Position struct{ Loop, Stage int }

// String counts stages and loops as the program does, from 0.
func (at Position) String() string {
	return fmt.Sprintf("stage %d of stage loop %d", at.Stage-1, at.Loop)
}

// BeginStage begins a stage: the load that the program has given is that of the work measured now.
func (p *Process) BeginStage() { p.Data.Did.Load = p.Load }

// Release gives up the memory of the process's areas, and its fixed memory.
func (p *Process) Release() {
	if f := p.fixed(); f != nil {
		f.Leave()
	}
	p.Home.Stream.Registry.Release(&p.Data)
}

// Requested is the rank that the process asks to be on, -1 if none. emptiest is the rank of a host
// with the fewest processes.
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
