package bsplib

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/probe"
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

// Table sets which balance table is printed when the command line does not say.
func Table(view string) Option {
	return func(app *application) { app.flags.table = view }
}

// flagValues are the flags that every program has.
type flagValues struct {
	procs, ranks int
	hosts        string
	balance      string
	shake, why   bool
	version      bool
	accountFlags
}

func (app *application) parse(flags *flag.FlagSet, args []string) error {
	flags.Init(app.name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	f := &app.flags
	flags.IntVar(&f.procs, "procs", 0, "run `N` logical processes (default: one for each rank)")
	flags.IntVar(&f.ranks, "ranks", 0, "without MPI: run them on `N` ranks (default: one for each core)")
	flags.StringVar(&f.hosts, "hosts", "", "`file` of hosts and Sets; without MPI also how many ranks there are and, where it gives speeds or rates, a platform to emulate")
	flags.StringVar(&f.balance, "balance", "auto", "`strategy`[,key=value...] of moving processes between ranks; off: none; help: list all")
	flags.BoolVar(&f.shake, "shake", false, "move every process after every stage, to test that the program allows it")
	flags.BoolVar(&f.why, "why", false, "print the reasons of each rescheduling call")
	f.accountFlags.define(flags)
	flags.BoolVar(&f.version, "version", false, "print the version and exit")
	flags.Usage = func() {}
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %q; all arguments are flags", flags.Arg(0))
	case f.balance == "help":
		return errBalanceHelp
	case f.ranks > 0 && f.hosts != "":
		return fmt.Errorf("-ranks %d: the slots of -hosts %s say how many ranks there are", f.ranks, f.hosts)
	case f.procs < 0:
		return fmt.Errorf("-procs %d: at least one process is needed", f.procs)
	case f.ranks < 0:
		return fmt.Errorf("-ranks %d: at least one rank is needed", f.ranks)
	case f.ranks > 0 && app.config.Comm != nil:
		return fmt.Errorf("-ranks %d: under MPI the launcher decides how many ranks there are (%d)", f.ranks, app.config.Comm.Size())
	}
	var zero error
	flags.Visit(func(g *flag.Flag) {
		if (g.Name == "procs" || g.Name == "ranks") && g.Value.String() == "0" {
			zero = fmt.Errorf("-%s 0: at least one is needed", g.Name)
		}
	})
	if zero != nil {
		return zero
	}
	if err := f.accountFlags.check(); err != nil {
		return err
	}
	return app.parsePlaces()
}

// errBalanceHelp asks for the list of strategies.
var errBalanceHelp = errors.New("help on -balance")

// parsePlaces reads what the command line says about where processes run.
func (app *application) parsePlaces() error {
	f := &app.flags
	if f.shake {
		f.balance = "off"
	}
	spec, err := rebalancer.Parse(f.balance)
	if err != nil {
		return fmt.Errorf("-balance %s: %w", f.balance, err)
	}
	app.config.Balance, app.config.Shake = &spec, f.shake
	if f.hosts == "" {
		return nil
	}
	app.config.Platform, err = hostfile.Read(f.hosts)
	if err != nil {
		return fmt.Errorf("-hosts: %w", err)
	}
	for _, w := range app.config.Platform.Warnings {
		fmt.Fprintf(app.stderr(), "%s: warning: %v\n", app.name, w)
	}
	return nil
}

// usageError prints help on request, or what is wrong with the command line.
func (app *application) usageError(err error) int {
	if errors.Is(err, errBalanceHelp) {
		rebalancer.Help(app.stdout())
		return ExitOK
	}
	if errors.Is(err, flag.ErrHelp) {
		app.printHelp(app.stdout(), flag.CommandLine)
		return ExitOK
	}
	fmt.Fprintf(app.stderr(), "%s: %v\nSee %s -help.\n", app.name, err, app.name)
	return ExitUsage
}

func (app *application) printHelp(w io.Writer, flags *flag.FlagSet) {
	if app.about != "" {
		fmt.Fprintf(w, "%s\n\n", app.about)
	}
	fmt.Fprintf(w, "Usage: %s [flags]        or: mpirun -np N %s [flags]\n\n", app.name, app.name)
	flags.SetOutput(w)
	flags.PrintDefaults()
}

func (app *application) printVersion(w io.Writer) {
	version, commit := "(devel)", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			version = info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				commit = ", commit " + s.Value[:min(12, len(s.Value))]
			}
		}
	}
	fmt.Fprintf(w, "%s (migbsp) %s\n", app.name, version)
	if lib := mpi.Library(); lib != "" {
		fmt.Fprintf(w, "MPI: %s\n", lib)
	}
	fmt.Fprintf(w, "%s %s/%s%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, commit)
}

// prepare makes the ranks and checks what the program needs.
func (app *application) prepare() error {
	app.config.Procs, app.config.Ranks = app.flags.procs, app.flags.ranks
	ranks := inProcessRanks(app.config)
	if app.config.Comm != nil {
		ranks = app.config.Comm.Size()
	}
	procs := app.config.Procs
	if procs == 0 {
		procs = ranks
	}
	app.config.Procs = procs
	if app.check != nil {
		if err := app.check(procs); err != nil {
			return err
		}
	}
	if err := app.checkMemory(procs); err != nil {
		return err
	}
	app.comms = []mpi.Comm{app.config.Comm}
	if app.config.Comm == nil {
		app.comms = mpi.InProcess(ranks)
	}
	return nil
}

// checkMemory compares what the processes of this node need with what it has.
// Under MPI all ranks learn of the node with the least to spare.
func (app *application) checkMemory(procs int) error {
	if app.need == nil {
		return nil
	}
	need, have := app.need(procs), probe.AvailableMemory()
	if c := app.config.Comm; c != nil {
		here := 0
		for rank := range c.Size() {
			if c.Node(rank) == c.Node(c.Rank()) {
				here++
			}
		}
		need = need / int64(c.Size()) * int64(here)
		worst := []int64{have - need, have}
		if err := c.Combine(mpi.Min, worst); err != nil {
			return err
		}
		have, need = worst[1], worst[1]-worst[0]
	}
	if have > 0 && need > have {
		return fmt.Errorf("this run needs %s of memory, but only %s are available on a node; use more nodes or a smaller problem",
			ledger.Bytes(need), ledger.Bytes(have))
	}
	return nil
}
