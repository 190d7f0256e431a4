package bsplib

import (
	"cmp"
	"fmt"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/checkpoint"
	"github.com/migbsp/migbsp/mpi"
)

// checkpointing is a rank's part in the checkpoints of a run.
type checkpointing struct {
	*Checkpoint
	request  *Request // that of the Checkpoint, or one that nobody makes
	run      string   // its name in checkpoints, on rank 0
	periodic bool
	served   int64         // requests that have been answered
	told     bool          // that there is a request
	stages   int           // since the last attempt
	ended    time.Duration // when that was
	spoke    time.Duration // when there was last a line about a checkpoint
	failures int           // in a row
	written  int           // complete checkpoints
	spent    time.Duration // on all attempts
}

// equipCheckpoint prepares the rank for checkpoints, and if it is to go on from
// one, reads its processes.
func (r *rank) equipCheckpoint(cfg *Config) *Error {
	if cfg.Checkpoint == nil {
		return nil
	}
	c := &checkpointing{Checkpoint: cfg.Checkpoint, request: cmp.Or(cfg.Checkpoint.Request, new(Request))}
	r.checkpoint = c
	c.periodic = c.Dir != "" && (c.Every > 0 || c.EveryStages > 0)
	if c.from == nil {
		c.run = checkpoint.NewRun()
		return nil
	}
	c.run = c.from.m.Run
	return r.restore(c.from)
}

// couldBeDue tells, at the least cost, whether due has anything to say.
func (c *checkpointing) couldBeDue() bool {
	return c.periodic || c.request.count.Load() != c.served
}

// due asks the other ranks for a checkpoint if this one was asked, or knows
// that it is time. It is called before barriers.
func (c *checkpointing) due(r *rank) mpi.Flags {
	if c.request.count.Load() != c.served {
		return flagCheckpoint
	}
	if c.periodic && r.flags&flagStage != 0 {
		if c.EveryStages > 0 && c.stages+1 >= c.EveryStages || c.Every > 0 && r.clock.Wall()-c.ended >= c.Every {
			return flagCheckpoint
		}
	}
	return 0
}

// checkpointBetween takes a checkpoint between two supersteps if some rank has
// asked for it and a stage has ended for all processes.
func (r *rank) checkpointBetween(all mpi.Flags) *Error {
	c, asked := r.checkpoint, all&flagCheckpoint != 0
	if asked && c.Dir == "" {
		c.served = c.request.count.Load()
		if r.comm.Rank() == 0 {
			c.say("%s; the run goes on", c.caller.NoDirectory)
		}
		return nil
	}
	if all&flagStage == 0 || all&(flagSync|flagEnd) != 0 {
		if asked && !c.told && r.log != nil {
			c.told = true
			fmt.Fprintf(r.log, "%s: a checkpoint is written when this stage has ended, and then the run ends\n", c.caller.Program)
		}
		return nil
	}
	if c.stages++; !asked {
		return nil
	}
	return r.takeCheckpoint()
}
