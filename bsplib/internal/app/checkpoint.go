package app

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/checkpoint"
	"github.com/migbsp/migbsp/internal/settings"
)

// parseInterval reads a duration, 10m, or a number of stages, 100stages. No
// text is no interval.
func parseInterval(text string) (time.Duration, int, error) {
	if text == "" {
		return 0, 0, nil
	}
	expected := fmt.Errorf("%q, expected a time such as 10m, or a number of stages such as 100stages", text)
	number, ok := strings.CutSuffix(text, "stages")
	if !ok {
		number, ok = strings.CutSuffix(text, "stage")
	}
	if ok {
		n, err := strconv.Atoi(strings.TrimSpace(number))
		if err != nil || n < 1 {
			return 0, 0, expected
		}
		return 0, n, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, 0, expected
	}
	return d, 0, nil
}

// prepareCheckpoint takes over what the settings say about checkpoints, and finds
// the one to go on from. All ranks call it, and get the same error.
func (app *application) prepareCheckpoint(args []string) error {
	f, c := &app.flags, &app.plan.Checkpoint
	*c = Checkpoint{
		Dir: strings.NewReplacer("%j", Job(), "%p", app.name, "%%", "%").Replace(f.checkpoint), Restart: f.restart,
		Parameters: app.parameters(),
		Caller: checkpoint.Caller{
			Program: app.name, Args: args, Job: Job(), Procs: "-procs", Parameter: "-",
			NoDirectory: "SIGUSR1 asks for a checkpoint, but there is no -checkpoint directory for it",
		},
	}
	if app.watch != nil {
		app.adviseRestart("")
		c.Completed = app.adviseRestart
	}
	if app.lead {
		c.Tell = &app.console
	}
	c.Every, c.EveryStages, _ = parseInterval(f.every)
	if c.Restart == "" {
		return nil
	}
	from, err := app.runner.Resume(&app.plan)
	if err != nil {
		return fmt.Errorf("%s: %w", app.written("restart"), settings.OfFile(c.Restart, err))
	}
	if from != nil {
		app.from, app.plan.Procs = from, from.Procs
		if app.watch != nil {
			app.adviseRestart(from.Path)
		}
	}
	return nil
}

// checkDirectory says now if no checkpoint could be written when one is due.
func (app *application) checkDirectory() error {
	dir := app.plan.Checkpoint.Dir
	if dir == "" {
		return nil
	}
	if err := checkpoint.CheckDirectory(dir); err != nil {
		return fmt.Errorf("%s: no checkpoint can be written there: %w", app.written("checkpoint"), settings.OfFile(dir, err))
	}
	return nil
}

// parameters are the program's own settings.
func (app *application) parameters() []checkpoint.Parameter {
	var list []checkpoint.Parameter
	for _, v := range app.values {
		if slices.Contains(app.own, v.Name) {
			list = append(list, checkpoint.Parameter{Name: v.Name, Value: v.Value})
		}
	}
	return list
}

// checkCheckpoint refuses checkpoints of a program that cannot be written, and
// says if one that was to go on begins anew.
func (app *application) checkCheckpoint() int {
	c := &app.plan.Checkpoint
	if c.Dir != "" {
		if err := app.runner.Movable(); err != nil {
			return app.refuse(ExitFailed, fmt.Errorf("%s: %w", app.written("checkpoint"), err))
		}
	}
	if c.Restart != "" && app.from == nil && !app.flags.quiet {
		fmt.Fprintf(app.stderr(), "%s: no complete checkpoint in %s: the program begins anew\n", app.name, c.Dir)
	}
	return ExitOK
}

// endAtCheckpoint ends a program whose run a checkpoint has ended, or could not
// begin.
func (app *application) endAtCheckpoint(f *Failure) int {
	code, text := ExitCheckpointed, f.Text
	if f.Kind == NotResumed {
		code, text = ExitUsage, app.written("restart")+": "+f.Text
		if app.lead {
			if older := app.from.Before(); older != nil && app.flags.restart != RestartAuto {
				text += "; the checkpoint before is " + older.Path
			}
		}
	}
	app.breakRecord(code, text)
	return app.refuse(code, errors.New(text))
}
