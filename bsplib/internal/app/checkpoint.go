package app

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/checkpoint"
	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/internal/settings"
)

// prepareCheckpoint copies the settings of checkpoints to the plan, and finds the checkpoint to
// resume from. All ranks call it, and get the same error.
func (app *application) prepareCheckpoint(args []string) error {
	f, c := app.conf.flags, app.conf.plan.Checkpoint
	app.conf.plan.Restart, app.conf.plan.GoBack = f.restart, f.restart == RestartAuto || app.conf.survives("restart")
	*c = checkpoint.Settings{
		Dir:        app.conf.checkpointDir(),
		Parameters: app.conf.parameters(),
		Caller: &checkpoint.Caller{
			Program: app.conf.say.name, Args: args, Job: Job(), Procs: "-procs", Parameter: "-",
			NoDirectory: "SIGUSR1 asks for a checkpoint, but there is no -checkpoint directory for it",
		},
	}
	if app.watch != nil {
		app.adviseRestart("", time.Time{}, 0)
		c.Completed = func(dir string, superstep int) { app.adviseRestart(dir, time.Now(), superstep) }
	}
	if app.conf.say.lead {
		c.Tell = &app.conf.say.console
	}
	if c.Every, c.EveryStages, _ = parseInterval(f.every); f.every == everyAuto {
		c.BetweenLosses = app.conf.earlier.betweenLosses()
	}
	c.Deadline = app.conf.deadline(app.begun)
	if err := app.checkDirectory(); err != nil {
		return err
	}
	if f.restart == "" {
		return nil
	}
	from, err := app.runner.Resume(app.conf.plan)
	if err != nil {
		return fmt.Errorf("%s: %w", app.conf.written("restart"), settings.OfFile(f.restart, err))
	}
	if from != nil {
		c.From, app.conf.plan.Procs = from, from.Manifest.Procs
	}
	return nil
}

// jobEnd is Slurm's variable for the end of a job, in seconds since 1970.
const jobEnd = "SLURM_JOB_END_TIME"

// deadline returns the end of the time of a program that began then, the zero time if it has no
// limit. Of two limits the earlier one counts.
func (conf *configuration) deadline(begun time.Time) time.Time {
	var ends []time.Time
	if limit, err := time.ParseDuration(conf.flags.limit); err == nil {
		ends = append(ends, begun.Add(limit))
	}
	if seconds, err := strconv.ParseInt(os.Getenv(jobEnd), 10, 64); err == nil && seconds > 0 {
		ends = append(ends, time.Unix(seconds, 0))
	}
	if len(ends) == 0 {
		return time.Time{}
	}
	return slices.MinFunc(ends, time.Time.Compare)
}

// checkDirectory returns an error if a checkpoint could not be written later. On rank 0 it locks the
// directory first, so that an earlier run that is still ending writes its last checkpoint before
// this run looks for it.
func (app *application) checkDirectory() error {
	c, wrong := app.conf.plan.Checkpoint, error(nil)
	if c.Dir == "" {
		return nil
	}
	if app.conf.say.lead {
		c.Lock, wrong = app.lockDirectory()
	}
	if wrong == nil {
		wrong = checkpoint.CheckDirectory(c.Dir)
	}
	if inUse, is := errors.AsType[*checkpoint.InUse](wrong); is {
		wrong = fmt.Errorf("%s: %w; name another directory, or end that run", app.conf.written("checkpoint"), inUse)
	} else if wrong != nil {
		wrong = fmt.Errorf("%s: no checkpoint can be written there: %w", app.conf.written("checkpoint"), settings.OfFile(c.Dir, wrong))
	}
	return app.firstWrong(wrong)
}

// lockDirectory locks the checkpoint directory. A restarted run waits for the run before it.
func (app *application) lockDirectory() (*checkpoint.Lock, error) {
	patience := time.Duration(0)
	if app.conf.goesOn() {
		patience = checkpoint.LockPatience
	}
	return checkpoint.Acquire(app.conf.plan.Checkpoint.Dir, app.conf.plan.Checkpoint.Caller, patience, func(line string) {
		fmt.Fprintf(app.conf.say.stderr(), "%s: %s: %s\n", app.conf.say.name, app.conf.written("checkpoint"), line)
	})
}

// checkCheckpoint refuses checkpoints of a program whose state cannot be written. It prints a note if
// -restart has found no checkpoint and the program begins from the start.
func (app *application) checkCheckpoint() int {
	c := app.conf.plan.Checkpoint
	if c.Dir != "" {
		if err := app.runner.Movable(); err != nil && app.conf.survives("checkpoint") {
			c.Dir = ""
			app.requests.saves.Store(false)
			app.adviseRestart("", time.Time{}, 0)
			app.conf.say.warn(fmt.Sprintf("no checkpoints are written, and the program begins anew after a loss: %v", err))
		} else if err != nil {
			return app.conf.say.refuse(ExitFailed, fmt.Errorf("%s: %w", app.conf.written("checkpoint"), err))
		}
	}
	if app.conf.plan.Restart != "" && c.From == nil && !app.conf.flags.quiet {
		fmt.Fprintf(app.conf.say.stderr(), "%s: no complete checkpoint in %s: the program begins anew\n", app.conf.say.name, c.Dir)
	}
	return ExitOK
}

// endEarly ends a program whose run ended with a checkpoint, or did not begin: it could not read the
// checkpoint to resume from, or its initial mapping.
func (app *application) endEarly(e *failure.Error, code int, text string) int {
	switch _, unplaced := errors.AsType[*failure.Unplaced](e); {
	case unplaced:
		text = app.conf.written("start") + ": " + text
	case code == ExitUsage:
		text = app.conf.written("restart") + ": " + text
		if app.conf.say.lead {
			if older := app.conf.plan.Checkpoint.From.Before(); older != nil && app.conf.flags.restart != RestartAuto {
				text += "; the checkpoint before is " + older.Path
			}
		}
	}
	app.record.breakRecord(code, text)
	return app.conf.say.refuse(code, errors.New(text))
}
