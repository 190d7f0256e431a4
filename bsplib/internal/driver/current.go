package driver

import (
	"github.com/migbsp/migbsp/bsplib/internal/clock"
	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/bsplib/internal/membership/watch"
	"github.com/migbsp/migbsp/bsplib/internal/stream"
	"github.com/migbsp/migbsp/mpi"
)

// Flags that ranks exchange at every barrier.
const (
	FlagSync       mpi.Flags = stream.FlagFree << iota // a process of the rank called Sync, other than within a collective
	flagEnd                                            // a process of the rank has ended
	flagFail                                           // a process of the rank has returned an error
	FlagStage                                          // a process of the rank has ended a stage
	flagCall                                           // a process asks for a rescheduling call, or the rank as stages have become slow
	flagInside                                         // a process of the rank is in a stage
	flagLast                                           // the stage was its loop's last
	flagWorth                                          // the rest of the loop is long enough for a rescheduling call
	flagShort                                          // stages follow one another too fast for all to be observed
	flagElsewhere                                      // the superstep ends at another line than the one before
	flagUpkeep                                         // the account must be sent to rank 0, or a roll call is due
	flagCheckpoint                                     // a checkpoint is due at the end of this stage; the last of mpi.FewFlags
)

// Current is the superstep that a rank is in.
type Current struct {
	Step      int
	measuring bool           // it is measured
	flags     mpi.Flags      // for its barrier
	site      uintptr        // of this superstep's first Sync on this rank
	lastSite  uintptr        // of the last superstep that had one
	over      bool           // all processes on all ranks have ended
	closed    bool           // the run has failed: processes that are resumed must leave
	failure   *failure.Error // the error that ended the run, if the barrier ran within a Sync

	// rearranged: processes came or left at the last barrier. drive then restarts the superstep,
	// because it may be in the middle of the old list of processes; a process that ran the barrier
	// within its own Sync yields to drive at once.
	rearranged bool
	inline     bool // the barrier runs within the only process's Sync

	Office *clock.Emulated // in which processes post on an emulated platform, nil elsewhere
	pulse  *watch.Pulse    // the rank's progress, read by its watcher
}
