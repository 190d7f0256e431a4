package app

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/placement"
	"github.com/migbsp/migbsp/bsplib/internal/profiling"
	"github.com/migbsp/migbsp/internal/profile"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/probe"
)

// prepare completes the plan from the settings, creates the ranks, and checks the program's
// requirements. All ranks call it. The args are the program's.
func (app *application) prepare(args []string) error {
	plan := app.conf.plan
	plan.Procs, plan.Ranks = app.conf.flags.procs, app.conf.flags.ranks
	plan.MPI, plan.Measure = plan.Comm != nil, app.conf.flags.kept()
	if app.conf.say.lead {
		plan.Result = &app.record.result
		if app.conf.flags.why {
			plan.Why = &app.conf.say.console
		}
		if !app.conf.flags.quiet {
			plan.Progress = app.conf.progress()
		}
	}
	if err := app.prepareCheckpoint(args); err != nil {
		return err
	}
	procs, ranks, err := app.runner.Sizes(plan)
	if err != nil {
		return fmt.Errorf("%s: %w", app.conf.sizeSetting(), err)
	}
	plan.Procs = procs
	if from := plan.Checkpoint.From; from != nil {
		app.adviseRestart(from.Path, from.Manifest.Written, from.Manifest.Superstep)
	} else {
		app.adviseRestart("", time.Time{}, 0)
	}
	for _, next := range []func() error{app.checkProgram, app.checkMemory, app.askProcs} {
		if err := next(); err != nil {
			return err
		}
	}
	plan.Start = app.conf.program.start(app.conf.flags.start, plan.Procs)
	app.prepareProfile()
	plan.Comms = []mpi.Comm{plan.Comm}
	if app.conf.section {
		return nil
	}
	warnOfJob(app.conf)
	warned, err := warnOfCores(app.conf)
	if err != nil {
		return err
	}
	if plan.Comm == nil {
		plan.Comms = mpi.InProcess(ranks)
	}
	if warned || app.conf.program.Stays {
		return nil
	}
	return adviseFewerRanks(app.conf, app.conf.plan.Checkpoint.From != nil)
}

// prepareProfile finds the profile of an earlier run, and has this run write its own. All ranks call
// it.
func (app *application) prepareProfile() {
	conf, plan := app.conf, app.conf.plan
	if conf.flags.profiles == noProfiles || conf.program.Stays || plan.Procs > profile.MostProcs {
		return
	}
	plan.Profile = new(profiling.Settings)
	if conf.say.lead {
		plan.Profile = openProfile(conf.flags.profiles, conf.profileKey(plan.Procs), func(line string) {
			if !conf.flags.quiet {
				conf.say.advise(line)
			}
		})
		if p := plan.Profile.Earlier; p != nil {
			plan.Start.Profile = &placement.Measured{Profile: p, Exact: p.Key.Equal(conf.profileKey(plan.Procs))}
		}
	}
}

// endedError ends a program that must not run, with an exit code.
type endedError struct{ code int }

func (e *endedError) Error() string { return fmt.Sprintf("exit code %d", e.code) }

// askProcs asks the program for its number of processes. Rank 0's answer counts.
func (app *application) askProcs() error {
	plan := app.conf.plan
	if app.conf.program.Procs == nil || app.conf.plan.Checkpoint.From != nil {
		return nil
	}
	answer := make([]int64, 2)
	rank := 0
	if plan.Comm != nil {
		rank = plan.Comm.Rank()
	}
	used, exit := app.conf.program.Procs(rank, plan.Procs)
	answer[1] = int64(exit)
	if rank == 0 {
		answer[0] = int64(used)
	}
	if plan.Comm != nil {
		if err := mpi.Combine(plan.Comm, mpi.Max, answer); err != nil {
			return err
		}
	}
	if plan.Procs = int(answer[0]); plan.Procs == 0 {
		return &endedError{int(answer[1])}
	}
	if answer[1] != 0 {
		return errors.New("some processes have ended before the others have begun")
	}
	return nil
}

// checkProgram lets the program check its settings. If the error begins with a flag, it adds a
// reference to the description of flags.
func (app *application) checkProgram() error {
	if app.conf.program.Check == nil {
		return nil
	}
	wrong := app.conf.program.Check(app.conf.plan.Procs)
	if wrong != nil && strings.HasPrefix(wrong.Error(), "-") {
		wrong = app.conf.withHelp(wrong)
	}
	return app.firstWrong(wrong)
}

// firstWrong converts an error of one rank to an error of all. Under MPI each rank checks for itself,
// because files may be missing on some hosts; the first rank with an error prints it.
func (app *application) firstWrong(wrong error) error {
	c := app.conf.plan.Comm
	if c == nil {
		return wrong
	}
	first := []int64{int64(c.Size())}
	if wrong != nil {
		first[0] = int64(c.Rank())
	}
	if err := mpi.Combine(c, mpi.Min, first); err != nil {
		return err
	}
	switch first[0] {
	case int64(c.Size()):
		return nil
	case 0:
		app.conf.say.refuse(ExitUsage, wrong)
	case int64(c.Rank()):
		host, _ := os.Hostname()
		fmt.Fprintf(os.Stderr, "%s: rank %d on %s: %v\n", app.conf.say.name, c.Rank(), host, wrong)
	}
	// No rank ends before the error is printed: launchers end all ranks when the first one ends.
	if err := mpi.Combine(c, mpi.Max, []int64{0}); err != nil {
		return err
	}
	return ErrReported
}

// checkMemory compares the memory that this node's processes need with the memory that it has. Under
// MPI all ranks get the figures of the node with the least memory left.
func (app *application) checkMemory() error {
	if app.conf.program.Memory == nil {
		return nil
	}
	need, have := app.conf.program.Memory(app.conf.plan.Procs), probe.AvailableMemory()
	if c := app.conf.plan.Comm; c != nil {
		need = need / int64(c.Size()) * int64(mpi.RanksHere(c))
		worst := []int64{have - need, have}
		if err := mpi.Combine(c, mpi.Min, worst); err != nil {
			return err
		}
		have, need = worst[1], worst[1]-worst[0]
	}
	if have > 0 && need > have {
		more := ""
		if os.Getenv("SLURM_JOB_ID") != "" {
			more = " more memory (--mem, --mem-per-cpu),"
		}
		return fmt.Errorf("this run needs %s of memory, but only %s are available on a node; use%s more nodes or a smaller problem",
			ledger.Bytes(need), ledger.Bytes(have), more)
	}
	return nil
}
