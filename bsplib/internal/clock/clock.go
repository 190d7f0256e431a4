// Package clock tells a rank what time it is and what its processes' work takes.
//
// There are two clocks. Real reads this machine's. Emulated keeps the time of a
// platform that in-process ranks pretend to be: work takes what it takes here
// divided by the rank's speed there, bytes take what the platform's links give
// them, and the runtime's own doing takes nothing but what it is charged for.
// The engine drives both alike and does not know which one it has.
//
// A superstep is measured like this, on each rank:
//
//	Begin      the processes' work begins
//	Lap        a process has ended its work, the next one begins
//	Superstep  all ranks have ended the superstep, its messages are delivered
//
// Invariants: a rank's own goroutine uses its clock; all ranks of an emulated
// platform end the same supersteps and make the same charged exchanges in the
// same order, and so keep the same time.
package clock

import (
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/clock/laps"
	"github.com/migbsp/migbsp/bsplib/internal/control"
)

// Clock is a rank's time in a run.
type Clock interface {
	// Start begins the run's time.
	Start()
	// Now is the time since Start. On an emulated platform it stands still while
	// processes work.
	Now() time.Duration
	// Time is Now as the process sees it that works at the moment.
	Time() time.Duration
	// Wall is this machine's time since Start.
	Wall() time.Duration
	// Emulated reports whether Now and Time are a platform's.
	Emulated() bool

	// Begin begins the measuring of a superstep of this rank's processes: where the last
	// one ended, unless Interrupt has been called since.
	Begin(procs int) (now, wall time.Duration)
	// Interrupt tells that the runtime does something between two supersteps that is part
	// of neither.
	Interrupt()
	// Lap ends the measuring of a process's work.
	Lap(pid, step int) laps.Lap
	// Carry enters bytes that one process has sent to another, for Superstep, which has to be
	// told where time is emulated. where has the rank of each process.
	Carry(from, to int, bytes int64, where []int32)
	// Superstep ends the superstep that began last, in which the rank's processes
	// worked for so long. All ranks call it. An error is the engine's.
	Superstep(work time.Duration, where []int32) (Superstep, error)

	// Worked returns and forgets how long this rank's work since the last call has
	// taken, as far as two clocks saw it.
	Worked() Window
	// Working is Worked without forgetting it.
	Working() Window

	// Calls and Moves charge for the exchanges of rescheduling calls and of moves;
	// they are nil where these take the time that they take.
	Calls() control.Meter
	Moves() control.Meter
	// Decide charges for the computing of a decision, which the caller then sends
	// in an exchange of Calls.
	Decide(decide func())
	// OwnWork is the part of Now that the runtime takes when it works for so long.
	OwnWork(d time.Duration) time.Duration
	// Emulation sums up the run on the platform; nil if there is none.
	Emulation() *Emulation
}

// Superstep is what a superstep has taken on this rank: all of it, and the part
// after the processes' work.
type Superstep struct{ Took, Barrier time.Duration }

// Window is work that was timed by the wall's clock and by the thread's, without what the thread waited for.
type Window struct{ Wall, CPU time.Duration }
