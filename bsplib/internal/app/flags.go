package app

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/migbsp/migbsp/internal/settings"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell/text"
	"github.com/migbsp/migbsp/mpi"
)

// flagValues are the flags that every program has.
type flagValues struct {
	procs, ranks int
	hosts        string
	balance      string
	shake, why   bool

	sets  string // what is known of the machine,
	probe string // and what may be measured of it

	leaveDrained string // how often Slurm is asked for hosts to leave

	checkpoint string // where and when checkpoints are written,
	every      string
	restart    string // and which the program goes on from

	table  string         // how the account of the run is shown and kept
	view   text.TableSpec // which table says
	format string
	color  string
	runDir string
	quiet  bool

	config               string
	version, printConfig bool
}

// formats are the values of -format.
var formats = []string{"text", "csv", "json"}

// actions are the flags that are no settings.
var actions = []string{"print-config", "version"}

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

	flags.StringVar(&f.sets, "sets", "", "under MPI: `file` that says which host belongs to which Set, or NAME=HOSTS;NAME=HOSTS (default: #@set lines of -hosts, or the batch system)")
	flags.StringVar(&f.probe, "probe", "0.5%", "`part` of the time that measuring the machine may take while the program runs, and under MPI measure speeds and links before; off: neither")

	flags.StringVar(&f.leaveDrained, "leave-drained", "off", "ask Slurm each `time`, as 1m, which nodes are drained, and have processes leave those; off: never")

	flags.StringVar(&f.checkpoint, "checkpoint", "", "write checkpoints into `directory`: after SIGUSR1, and then end with code 75; %j is the job, %p the program")
	flags.StringVar(&f.every, "checkpoint-every", "", "write one also after this `time or number` of stages, as 10m or 100stages, and go on")
	flags.StringVar(&f.restart, "restart", "", "go on from a checkpoint: auto (the newest in the -checkpoint directory, or from the beginning if there is none) or `directory`")

	flags.StringVar(&f.table, "table", cmp.Or(app.Table, "verdict"), "of the account print this `table`: "+text.TableHelp)
	flags.StringVar(&f.format, "format", "text", "of the account: text, csv (the table only) or json (all figures, without the table)")
	flags.StringVar(&f.color, "color", "auto", "use colours: auto (on a terminal), always, never")
	flags.StringVar(&f.runDir, "run-dir", "", "keep the record of the run in `directory`, for migbsp report; %j is the job (the time if there is none), %p the program, %t the time")
	flags.BoolVar(&f.quiet, "quiet", false, "print the program's result only: no account, no banner, no progress")

	flags.StringVar(&f.config, settings.ConfigFlag, "", "read settings from this `file` and no other")
	flags.BoolVar(&f.printConfig, "print-config", false, "print all settings and their origins, and exit")
	flags.BoolVar(&f.version, "version", false, "print the version and exit")
}

// shown reports whether an account is printed, kept whether one is made at all.
func (f *flagValues) shown() bool { return !f.quiet && (f.view.Name != "none" || f.format == "json") }
func (f *flagValues) kept() bool  { return f.shown() || f.runDir != "" || f.streams() }

// streams reports whether supersteps are printed while the program runs.
func (f *flagValues) streams() bool {
	return f.view.Name == "steps" && (f.view.File != "" || !f.quiet && f.format != "json")
}

// errBalanceHelp asks for the list of strategies.
var errBalanceHelp = errors.New("help on -balance")

// checkFlags finds what the settings cannot mean, each alone and together.
func (app *application) checkFlags(flags *flag.FlagSet) error {
	if flags.NArg() > 0 && !app.Arguments {
		return fmt.Errorf("unexpected argument %q; all arguments are flags", flags.Arg(0))
	}
	if app.flags.balance == "help" {
		return errBalanceHelp
	}
	for _, check := range []func() error{app.checkSize, app.checkCheckpointFlags, app.checkAccountFlags} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// checkSize checks the numbers of processes and ranks.
func (app *application) checkSize() error {
	f, procs, ranks := &app.flags, app.written("procs"), app.written("ranks")
	switch {
	case f.ranks > 0 && f.hosts != "":
		return fmt.Errorf("%s: the slots of %s say how many ranks there are", ranks, app.written("hosts"))
	case f.procs < 0:
		return fmt.Errorf("%s: at least one process is needed", procs)
	case f.ranks < 0:
		return fmt.Errorf("%s: at least one rank is needed", ranks)
	case f.ranks > 0 && app.plan.Comm != nil:
		return fmt.Errorf("%s: under MPI the launcher decides how many ranks there are (%d)", ranks, app.plan.Comm.Size())
	}
	for _, v := range app.values {
		if (v.Name == "procs" || v.Name == "ranks") && v.Value == "0" && v.Origin != settings.Default && v.Given[len(v.Given)-1] != settings.Auto {
			return fmt.Errorf("%s: at least one is needed", v.Written())
		}
	}
	return nil
}

func (app *application) checkCheckpointFlags() error {
	f := &app.flags
	if _, _, err := parseInterval(f.every); err != nil {
		return fmt.Errorf("%s: %w", app.written("checkpoint-every"), err)
	}
	switch {
	case f.every != "" && f.checkpoint == "":
		return fmt.Errorf("%s: there is no -checkpoint directory to write to", app.written("checkpoint-every"))
	case f.restart == RestartAuto && f.checkpoint == "":
		return fmt.Errorf("%s: there is no -checkpoint directory to look in", app.written("restart"))
	case strings.Contains(f.checkpoint, "%t"):
		return fmt.Errorf("%s: %%t would be another directory in each run", app.written("checkpoint"))
	case strings.Contains(f.checkpoint, "%j") && Job() == "":
		return fmt.Errorf("%s: there is no job whose number could stand for %%j", app.written("checkpoint"))
	}
	return nil
}

func (app *application) checkAccountFlags() error {
	f, written := &app.flags, app.written
	if err := app.chooseTable(); err != nil {
		return err
	}
	switch {
	case !slices.Contains(formats, f.format):
		return fmt.Errorf("%s: there is no such format; there are %s", written("format"), strings.Join(formats, ", "))
	case !slices.Contains(text.Colors, f.color):
		return fmt.Errorf("%s: it is %s", written("color"), strings.Join(text.Colors, ", "))
	case f.format == "csv" && !slices.Contains([]string{"sites", "steps", "ranks", "sets"}, f.view.Name):
		return fmt.Errorf("%s: there is no table to print with %s", written("format"), written("table"))
	case f.quiet && f.format != "text":
		return fmt.Errorf("%s: there is no account to print as %s", written("quiet"), f.format)
	}
	return nil
}

// chooseTable takes over what the settings say about the table of the account.
func (app *application) chooseTable() (err error) {
	f := &app.flags
	if f.view, err = text.ParseTable(f.table); err != nil {
		return fmt.Errorf("%s: %w", app.written("table"), err)
	}
	if f.format == "csv" && app.setting("table").Origin == settings.Default && f.view.Name == "verdict" {
		f.view.Name = "sites"
	}
	return nil
}

// usageError prints help on request, or what is wrong with the settings.
func (app *application) usageError(flags *flag.FlagSet, err error) int {
	if errors.Is(err, errBalanceHelp) {
		printStrategies(app.stdout())
		return ExitOK
	}
	if errors.Is(err, flag.ErrHelp) {
		app.printHelp(app.stdout(), flags)
		return ExitOK
	}
	return app.refuse(ExitUsage, app.withHelp(err))
}

// withHelp is an error in what the program was asked for.
func (app *application) withHelp(err error) error {
	return fmt.Errorf("%w (see %s -help)", err, app.name)
}

func (app *application) printVersion(w io.Writer) {
	build := ledger.ThisBuild()
	fmt.Fprintf(w, "%s (migbsp) %s\n", app.name, build.Version)
	if lib := mpi.Library(); lib != "" {
		fmt.Fprintf(w, "MPI: %s\n", lib)
	}
	fmt.Fprintf(w, "%s %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	if commit := build.String(); commit != "" {
		fmt.Fprintln(w, commit)
	}
}

// Flags are those that every program has.
func Flags() *flag.FlagSet {
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	(&application{Program: new(Program)}).define(flags)
	return flags
}
