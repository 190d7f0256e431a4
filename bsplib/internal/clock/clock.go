// Package clock measures a rank's time and the work of its processes.
//
// A Clock is either a Real, which reads this machine's clock, or an Emulated, which keeps the
// time of an emulated platform for in-process ranks. On the platform, the duration of work is
// the duration measured here divided by the rank's emulated speed, the duration of messages
// follows from the platform's links, and the runtime's own work is free except for explicit
// charges. The engine uses both in the same manner.
//
// Each rank measures a superstep by these calls:
//
//	Begin      the processes' work begins
//	Lap        a process has ended its work, the next one begins
//	Superstep  all ranks have ended the superstep, its messages are delivered
//
// Invariants: only a rank's own goroutine uses its clock. All ranks of an emulated platform end
// the same supersteps and make the same charged exchanges in the same order, so their clocks
// show the same time.
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
	// Now returns the time since Start. On an emulated platform it does not advance while
	// processes work.
	Now() time.Duration
	// Time returns Now, plus the work in the open superstep on an emulated platform.
	Time() time.Duration
	// Wall returns this machine's time since Start.
	Wall() time.Duration
	// Emulated reports whether Now and Time are emulated.
	Emulated() bool

	// Begin begins the measurement of a superstep of procs processes at the end of the last
	// superstep or, if Interrupt has been called since, at the current time.
	Begin(procs int) (now, wall time.Duration)
	// Interrupt excludes the runtime's work between two supersteps from both.
	Interrupt()
	// Lap ends the measurement of a process's work.
	Lap(pid, step int) laps.Lap
	// Carry counts bytes sent from one process to another, for Superstep on an emulated
	// platform. where is the rank of each process.
	Carry(from, to int, bytes int64, where []int32)
	// Superstep ends the open superstep. work is the total work of the rank's processes. All
	// ranks call it. Errors come from the engine's exchange.
	Superstep(work time.Duration, where []int32) (Superstep, error)

	// Worked returns this rank's work since the last call of Worked, limited to work that was
	// measured by both clocks.
	Worked() Window
	// Working returns the same as Worked without resetting it.
	Working() Window

	// Calls and Moves return meters that charge for the exchanges of rescheduling calls and of
	// moves. They return nil on a real clock, which includes these costs.
	Calls() control.Meter
	Moves() control.Meter
	// Decide calls decide and charges its computation with the next exchange of Calls, in
	// which the caller sends the decision.
	Decide(decide func())
	// OwnWork returns the part of d, a duration of the runtime's own work, that Now includes.
	OwnWork(d time.Duration) time.Duration
	// Emulation returns the totals of a run on an emulated platform, nil on a real clock.
	Emulation() *Emulation
}

// Superstep is the duration of a superstep on this rank. Barrier is the part after the
// processes' work.
type Superstep struct{ Took, Barrier time.Duration }

// Window is work measured both as elapsed time and as CPU time of the thread, excluding the
// thread's waits.
type Window struct{ Wall, CPU time.Duration }
