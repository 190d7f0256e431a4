package bsplib

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/internal/settings"
	"github.com/migbsp/migbsp/rebalancer"
)

// An Option tells Main about a program.
type Option func(*application)

// About is the text that -help prints above the flags: what the program does.
func About(text string) Option {
	return func(app *application) { app.about = strings.TrimSpace(text) }
}

// Check is called with the number of processes when the flags have been read;
// its error is a usage error.
func Check(f func(procs int) error) Option {
	return func(app *application) { app.check = f }
}

// Memory tells how many bytes all processes need together, so that a run that
// cannot fit is refused before it starts.
func Memory(f func(procs int) int64) Option {
	return func(app *application) { app.need = f }
}

// Table sets which balance table is printed where no setting says it.
func Table(view string) Option {
	return func(app *application) { app.flags.table = view }
}

// flagValues are the flags that every program has.
type flagValues struct {
	procs, ranks int
	hosts        string
	balance      string
	shake, why   bool
	config       string
	clusterFlags
	checkpointFlags
	accountFlags

	version, printConfig bool
}

// define defines the flags that every program has.
func (app *application) define(flags *flag.FlagSet) {
	flags.VisitAll(func(f *flag.Flag) { app.own = append(app.own, f.Name) })
	flags.Init(app.name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	f := &app.flags
	flags.IntVar(&f.procs, "procs", 0, "run `N` logical processes (default: one for each rank)")
	flags.IntVar(&f.ranks, "ranks", 0, "without MPI: run them on `N` ranks (default: one for each core)")
	flags.StringVar(&f.hosts, "hosts", "", "`file` of hosts and Sets; without MPI also how many ranks there are and, where it gives speeds or rates, a platform to emulate")
	flags.StringVar(&f.balance, "balance", "auto", "`strategy`[,key=value...] of moving processes between ranks; off: none; help: list all")
	flags.BoolVar(&f.shake, "shake", false, "move every process after every stage, to test that the program allows it")
	flags.BoolVar(&f.why, "why", false, "print the reasons of each rescheduling call")
	f.clusterFlags.define(flags)
	f.checkpointFlags.define(flags)
	f.accountFlags.define(flags)
	flags.StringVar(&f.config, settings.ConfigFlag, "", "read settings from this `file` and no other")
	flags.BoolVar(&f.printConfig, "print-config", false, "print all settings and where they come from, and exit")
	flags.BoolVar(&f.version, "version", false, "print the version and exit")
}

// actions are the flags that are no settings.
var actions = []string{"print-config", "version"}

// checkFlags finds what the settings cannot mean, each alone and together.
func (app *application) checkFlags(flags *flag.FlagSet) error {
	f, procs, ranks := &app.flags, app.written("procs"), app.written("ranks")
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %q; all arguments are flags", flags.Arg(0))
	case f.balance == "help":
		return errBalanceHelp
	case f.ranks > 0 && f.hosts != "":
		return fmt.Errorf("%s: the slots of %s say how many ranks there are", ranks, app.written("hosts"))
	case f.procs < 0:
		return fmt.Errorf("%s: at least one process is needed", procs)
	case f.ranks < 0:
		return fmt.Errorf("%s: at least one rank is needed", ranks)
	case f.ranks > 0 && app.config.Comm != nil:
		return fmt.Errorf("%s: under MPI the launcher decides how many ranks there are (%d)", ranks, app.config.Comm.Size())
	}
	for _, v := range app.settled() {
		if (v.Name == "procs" || v.Name == "ranks") && v.Value == "0" && v.Origin != settings.Default {
			return fmt.Errorf("%s: at least one is needed", v.Written())
		}
	}
	if err := f.checkpointFlags.check(app.written); err != nil {
		return err
	}
	return f.accountFlags.check(app.written)
}

// errBalanceHelp asks for the list of strategies.
var errBalanceHelp = errors.New("help on -balance")

// readHosts reads the file of hosts, where there is one, and keeps its text for
// the other ranks.
func (app *application) readHosts() error {
	if app.flags.hosts == "" {
		return nil
	}
	file, err := os.Open(app.flags.hosts)
	if err == nil {
		defer file.Close()
		var text bytes.Buffer
		app.config.Platform, err = hostfile.Parse(app.flags.hosts, io.TeeReader(file, &text))
		app.hostsText = text.String()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", app.written("hosts"), err)
	}
	for _, w := range app.config.Platform.Warnings {
		app.warn(w.Error())
	}
	if app.config.Platform.Shared() {
		app.warn(fmt.Sprintf("%s: share= is left out; only migbsp simulate knows what hosts and links give over time", app.flags.hosts))
	}
	return nil
}

// chooseBalance takes over what the settings say about how processes move.
func (app *application) chooseBalance() error {
	f := &app.flags
	if f.shake {
		f.balance = "off"
	}
	spec, err := rebalancer.Parse(f.balance)
	if err != nil {
		return fmt.Errorf("%s: %w", app.written("balance"), err)
	}
	app.config.Balance, app.config.Shake = &spec, f.shake
	return nil
}
