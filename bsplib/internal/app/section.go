package app

import (
	"errors"
	"flag"
	"os"
	"path/filepath"

	"github.com/migbsp/migbsp/internal/settings"
	"github.com/migbsp/migbsp/mpi"
)

// RunSection runs a part of a program of MPI, on the ranks of a communicator: as Run, but it ends neither
// the program nor what else there is of it. Of the settings those count that say how processes move
// and what becomes of the account, which is printed if a table or a format is asked for. Each section of a
// program has a record of its own, whose name gets the next number. What has ended the run the runner
// knows; the error is ErrReported or the engine's.
func RunSection(program *Program, runner Runner, comm mpi.Comm, args []string) error {
	app := newApplication(program, runner, filepath.Base(os.Args[0]))
	conf := app.conf
	conf.section, conf.plan.Comm, conf.say.lead = true, comm, comm.Rank() == 0
	if code, ready := conf.configure(flag.NewFlagSet(conf.say.name, flag.ContinueOnError), args, os.Environ()); !ready && code == ExitOK {
		os.Exit(ExitOK) // it was asked for help
	} else if !ready {
		return ErrReported
	}
	conf.narrow()
	if err := app.prepare(args); err != nil {
		if !errors.Is(err, ErrReported) {
			conf.say.refuse(ExitUsage, err)
		}
		return ErrReported
	}
	if app.perform() != ExitOK {
		return ErrReported
	}
	return nil
}

// narrow leaves of the settings what is for a section.
func (conf *configuration) narrow() {
	f := conf.flags
	f.procs, f.ranks, f.checkpoint, f.every, f.restart = 0, 0, "", "", ""
	asked := func(name string) bool { return conf.setting(name).Origin != settings.Default }
	if !asked("table") && !asked("format") {
		f.quiet = true
	}
	if !asked("balance") {
		conf.plan.Balance = nil
	}
}
