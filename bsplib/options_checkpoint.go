package bsplib

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/checkpoint"
	"github.com/migbsp/migbsp/ledger"
)

// checkpointFlags say where and when checkpoints are written, and from which
// the program goes on.
type checkpointFlags struct {
	checkpoint string
	every      string
	restart    string
}

// restartAuto is the value of -restart that lets the program look for itself.
const restartAuto = "auto"

func (f *checkpointFlags) define(flags *flag.FlagSet) {
	flags.StringVar(&f.checkpoint, "checkpoint", "", "write checkpoints into `directory`: after SIGUSR1, and then end with code 75; %j is the job, %p the program")
	flags.StringVar(&f.every, "checkpoint-every", "", "write one also after this `time or number` of stages, as 10m or 100stages, and go on")
	flags.StringVar(&f.restart, "restart", "", "go on from a checkpoint: auto (the newest in the -checkpoint directory, or from the beginning if there is none) or `directory`")
}

// check finds what the flags cannot mean.
func (f *checkpointFlags) check(written func(name string) string) error {
	if _, _, err := parseInterval(f.every); err != nil {
		return fmt.Errorf("%s: %w", written("checkpoint-every"), err)
	}
	switch {
	case f.every != "" && f.checkpoint == "":
		return fmt.Errorf("%s: there is no -checkpoint directory to write to", written("checkpoint-every"))
	case f.restart == restartAuto && f.checkpoint == "":
		return fmt.Errorf("%s: there is no -checkpoint directory to look in", written("restart"))
	case strings.Contains(f.checkpoint, "%t"):
		return fmt.Errorf("%s: %%t would be another directory in each run", written("checkpoint"))
	case strings.Contains(f.checkpoint, "%j") && job() == "":
		return fmt.Errorf("%s: there is no job whose number could stand for %%j", written("checkpoint"))
	}
	return nil
}

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

// prepareCheckpoint takes over what the flags say about checkpoints, and finds
// the one to go on from. All ranks call it, and get the same error.
func (app *application) prepareCheckpoint() error {
	f := &app.flags
	c := &Checkpoint{
		Dir: strings.NewReplacer("%j", job(), "%p", app.name, "%%", "%").Replace(f.checkpoint), Restart: f.restart,
		Request: &app.request, Parameters: app.parameters(),
		caller: &checkpoint.Caller{
			Program: app.name, Args: os.Args[1:], Job: job(), Procs: "-procs", Parameter: "-",
			NoDirectory: "SIGUSR1 asks for a checkpoint, but there is no -checkpoint directory for it",
		},
	}
	if app.lead {
		c.Tell = os.Stderr
	}
	c.Every, c.EveryStages, _ = parseInterval(f.every)
	app.config.Checkpoint = c
	if c.Restart == "" {
		return nil
	}
	find := func() (string, *checkpoint.Manifest, error) {
		if c.Restart != restartAuto {
			return findCheckpoint(c.Restart)
		}
		path, m, err := checkpoint.Newest(c.Dir)
		if errors.Is(err, checkpoint.ErrNone) {
			err = nil
		}
		return path, m, err
	}
	fit := func(path string, m *checkpoint.Manifest) error { return c.fits(path, m, f.procs) }
	if err := c.open(app.config.Comm, find, fit); err != nil {
		return fmt.Errorf("%s: %w", app.written("restart"), err)
	}
	if c.from != nil {
		app.config.Procs = c.from.m.Procs
	}
	return nil
}

// parameters are the program's own settings.
func (app *application) parameters() []Parameter {
	var list []Parameter
	for _, v := range app.settled() {
		if slices.Contains(app.own, v.Name) {
			list = append(list, Parameter{Name: v.Name, Value: v.Value})
		}
	}
	return list
}

// checkCheckpoint refuses checkpoints of a program that cannot be written or is
// not the one of the checkpoint, and says if the program begins anew.
func (app *application) checkCheckpoint(program *program, cfg *Config) int {
	if err := cfg.checkCheckpoint(program); err != nil {
		name, code := "checkpoint", ExitFailed
		if cfg.Checkpoint.from != nil {
			name, code = "restart", ExitUsage
		}
		return app.refuse(code, fmt.Errorf("%s: %w", app.written(name), err))
	}
	if c := cfg.Checkpoint; c.Restart != "" && c.from == nil && !app.flags.quiet {
		fmt.Fprintf(app.stderr(), "%s: no complete checkpoint in %s: the program begins anew\n", app.name, c.Dir)
	}
	return ExitOK
}

// unusedDirectory is where the record of a program goes that may go on from a
// checkpoint: if that directory has the record of an earlier part, the next with
// a number.
func (app *application) unusedDirectory(dir string) string {
	free := dir
	for n := 2; app.flags.restart != ""; n++ {
		if _, err := os.Stat(filepath.Join(free, ledger.RecordName)); err != nil {
			break
		}
		free = fmt.Sprintf("%s-%d", dir, n)
	}
	return free
}

// afterCheckpoint ends a program whose run a checkpoint has ended, or could not
// begin.
func (app *application) afterCheckpoint(failure *Error) (code int, ended bool) {
	if failure == nil {
		return ExitOK, false
	}
	code = ExitCheckpointed
	text := failure.Text
	if restart, ok := asRestartError(failure); ok {
		code, text = ExitUsage, app.written("restart")+": "+restart.text
		if from := app.config.Checkpoint.from; app.lead {
			if older := checkpoint.Before(from.path, from.m); older != "" {
				text += "; the checkpoint before is " + older
			}
		}
	} else if !errors.Is(failure, ErrCheckpointed) {
		return ExitOK, false
	}
	app.breakRecord(code, text)
	return app.refuse(code, errors.New(text)), true
}
