package bsplib

import (
	"errors"
	"fmt"
	"io"
	"path"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/app"
	"github.com/migbsp/migbsp/bsplib/internal/checkpoint"
	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/bsplib/internal/process"
)

// ErrCheckpointed ends a run that was asked for a checkpoint, after the
// checkpoint has been written to disk.
var ErrCheckpointed = failure.ErrCheckpointed

// Checkpoint configures checkpoints and the restart from one. All ranks must
// be given the same Checkpoint.
//
// A checkpoint is taken of all processes at the end of the same stage. It is
// complete or absent: a failure during writing leaves the previous checkpoint
// intact, and a checkpoint that cannot be written does not end the run.
//
// A restarted run gives the same result, bit for bit, on any number of ranks
// and on any engine. It needs the same program with the same number of
// processes and the same Parameters.
//
// BSP cost: each checkpoint costs three barriers and the writing of the states
// to disk. Stages without a checkpoint cost no more than in a run without.
type Checkpoint struct {
	// Dir is the directory that holds the run's checkpoints; "" writes none.
	Dir string
	// Every is the time, and EveryStages the number of stages, after which a
	// checkpoint is written at the end of a stage; 0 leaves it to Trigger.
	Every       time.Duration
	EveryStages int
	// Restart is the checkpoint to restart from. If it is a directory of
	// checkpoints, the newest is used; "" starts from the beginning. If it is
	// set, Config.Procs may be 0.
	Restart string
	// Trigger requests a checkpoint from outside the program.
	Trigger *CheckpointTrigger
	// Log receives a line about each failure and each refused request, on rank 0.
	Log io.Writer
	// Parameters are the settings that the result depends on besides the program.
	Parameters []Parameter
}

// Parameter is a setting of a program by name and value.
type Parameter = checkpoint.Parameter

// CheckpointTrigger asks a run for a checkpoint, after which the run ends with
// ErrCheckpointed. If it cannot be written the run goes on. Any goroutine may
// use a CheckpointTrigger, on any rank; one rank's is enough.
type CheckpointTrigger struct{ count atomic.Int64 }

// Fire requests a checkpoint. A second Fire before the checkpoint is written has no effect.
func (t *CheckpointTrigger) Fire() { t.count.Add(1) }

// openCheckpoint prepares the checkpoints of a run that is not started by Main.
func (cfg *Config) openCheckpoint(program *process.Program) error {
	c := cfg.Checkpoint
	if c == nil {
		return nil
	}
	cfg.set.Checkpoint = &checkpoint.Settings{
		Dir: c.Dir, Every: c.Every, EveryStages: c.EveryStages, Caller: caller(), Parameters: c.Parameters, Tell: c.Log,
	}
	if c.Trigger != nil {
		cfg.set.Checkpoint.Requests = &c.Trigger.count
	}
	err := cfg.resume(func() (*checkpoint.Source, error) {
		if err := cfg.lock(); err != nil || c.Restart == "" {
			return nil, err
		}
		return checkpoint.Find(c.Restart)
	})
	if err != nil {
		return err
	}
	if from := cfg.set.Checkpoint.From; from != nil {
		cfg.Procs = from.Manifest.Procs
	}
	return cfg.checkCheckpoint(program)
}

// lock locks the directory for checkpoints, on rank 0. A restarted run waits for the run before it.
func (cfg *Config) lock() (err error) {
	c, patience := cfg.set.Checkpoint, time.Duration(0)
	if c.Dir == "" {
		return nil
	}
	if cfg.Checkpoint.Restart != "" {
		patience = checkpoint.LockPatience
	}
	c.Lock, err = checkpoint.Acquire(c.Dir, c.Caller, patience, func(line string) {
		if c.Tell != nil {
			fmt.Fprintf(c.Tell, "%s: Checkpoint.Dir %s: %s\n", c.Caller.Program, c.Dir, line)
		}
	})
	if inUse, is := errors.AsType[*checkpoint.InUse](err); is {
		return fmt.Errorf("Dir %s: %w; name another directory, or end that run", c.Dir, inUse)
	}
	return nil // the first checkpoint will fail, and the run goes on
}

// caller describes the caller of Run for messages. The program is named by its
// main package.
func caller() *checkpoint.Caller {
	c := &checkpoint.Caller{
		Program: "program", Job: app.Job(), Procs: "Config.Procs", Parameter: "parameter ",
		NoDirectory: "a checkpoint has been requested, but Checkpoint.Dir names no directory for it",
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Path != "" {
		c.Program = path.Base(info.Path)
	}
	return c
}

// resume finds the checkpoint to restart from on rank 0, and sends it to all
// ranks. Without a checkpoint it returns nil, and the run starts from the
// beginning.
func (cfg *Config) resume(find func() (*checkpoint.Source, error)) (err error) {
	c := cfg.set.Checkpoint
	c.From, err = checkpoint.Resume(cfg.Comm, func() (*checkpoint.Source, error) {
		from, err := find()
		if from != nil && err == nil {
			err = from.Fits(c.Caller, c.Parameters, cfg.Procs)
		}
		return from, err
	})
	return err
}

// checkCheckpoint checks that the program's processes can be written and that
// they match the checkpoint to restart from. All ranks return the same error.
func (cfg *Config) checkCheckpoint(program *process.Program) error {
	c := cfg.set.Checkpoint
	if c == nil || c.Dir == "" && c.From == nil {
		return nil
	}
	if _, err := program.Plan(); err != nil {
		return err
	}
	if c.From == nil {
		return nil
	}
	name, layout := program.Identity()
	return c.From.FitsState(name, checkpoint.Hex(layout))
}
