package app

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/checkpoint"
	"github.com/migbsp/migbsp/bsplib/internal/driver"
	"github.com/migbsp/migbsp/internal/profile"
	"github.com/migbsp/migbsp/internal/settings"
	"github.com/migbsp/migbsp/ledger/tell/text"
)

// flagValues holds the flags that every program has.
type flagValues struct {
	procs, ranks int
	hosts        string
	balance      string
	start        string // initial mapping
	shake, why   bool

	sets  string // Sets of hosts
	probe string // share of the time for measuring the machine

	leaveDrained string // interval at which Slurm is asked for hosts to drain

	checkpoint string // directory to write to
	every      string // interval
	restart    string // checkpoint to resume from
	limit      string // time that the program may take

	profiles string // directory, off, or "" for the user's

	table  string          // of the account, as written
	view   *text.TableSpec // and as parsed
	format string
	color  string
	runDir string
	quiet  bool

	version, printConfig bool
}

// formats lists the values of -format.
var formats = []string{"text", "csv", "json"}

// actions lists the flags that are not settings.
var actions = []string{"print-config", "version"}

// shown reports whether an account is printed, and kept whether the run keeps one at all.
func (f *flagValues) shown() bool { return !f.quiet && (f.view.Name != "none" || f.format == "json") }
func (f *flagValues) kept() bool  { return f.shown() || f.runDir != "" || f.streams() }

// streams reports whether supersteps are printed while the program runs.
func (f *flagValues) streams() bool {
	return f.view.Name == "steps" && (f.view.File != "" || !f.quiet && f.format != "json")
}

// configuration holds the program's settings, and the plan that follows from them.
type configuration struct {
	program *Program
	say     *messages
	section bool // for RunSection
	flags   *flagValues
	own     []string         // names of the program's own flags
	values  []settings.Value // of all flags
	hosts   string           // the text of the file of hosts
	plan    *Plan
	earlier earlierParts // on rank 0

	leaveDrained time.Duration // interval at which Slurm is asked for drained nodes, 0 for never
}

func newConfiguration(program *Program, say *messages) *configuration {
	plan := &Plan{Settings: driver.Settings{Checkpoint: new(checkpoint.Settings)}}
	return &configuration{program: program, say: say, flags: &flagValues{view: new(text.TableSpec)}, plan: plan}
}

// define defines the flags that every program has.
func (conf *configuration) define(flags *flag.FlagSet) {
	flags.VisitAll(func(f *flag.Flag) { conf.own = append(conf.own, f.Name) })
	flags.Init(conf.say.name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	f := conf.flags
	flags.IntVar(&f.procs, "procs", 0, "run `N` logical processes (default: one for each rank)")
	flags.IntVar(&f.ranks, "ranks", 0, "without MPI: run them on `N` ranks (default: one for each core)")
	flags.StringVar(&f.hosts, "hosts", "", "`file` of hosts and Sets; without MPI also how many ranks there are and, where it gives speeds or rates, a platform to emulate")
	flags.StringVar(&f.balance, "balance", "auto", "`strategy`[,key=value...] of moving processes between ranks; off: none; help: list all")
	flags.StringVar(&f.start, "start", "", "initial `mapping` of processes to ranks: blocks, speeds (blocks in proportion to speeds and shares of cores), or the name of a mapping that a run or migbsp simulate has written (default: auto, speeds or a mapping that the program's own description makes faster; blocks with other strategies than auto)")
	flags.BoolVar(&f.shake, "shake", false, "move every process after every stage, to test that the program allows it")
	flags.BoolVar(&f.why, "why", false, "print the reasons of each rescheduling call")

	flags.StringVar(&f.sets, "sets", "", "under MPI: `file` that says which host belongs to which Set, or NAME=HOSTS;NAME=HOSTS (default: #@set lines of -hosts, or the batch system)")
	flags.StringVar(&f.probe, "probe", "0.5%", "`part` of the time that measuring the machine may take while the program runs, and under MPI measure speeds and links before; off: neither")

	flags.StringVar(&f.leaveDrained, "leave-drained", "off", "ask Slurm each `time`, as 1m, which nodes are drained, and have processes leave those; off: never")

	flags.StringVar(&f.checkpoint, "checkpoint", "", "write checkpoints into `directory`: after SIGUSR1, and then end with code 75; %j is the job, %p the program")
	flags.StringVar(&f.every, "checkpoint-every", "", "write one also after this `time or number` of stages, as 10m or 100stages, and go on; auto: at intervals that follow from its cost")
	flags.StringVar(&f.restart, "restart", "", "go on from a checkpoint: auto (the newest in the -checkpoint directory, or from the beginning if there is none) or `directory`")

	flags.StringVar(&f.limit, "time-limit", "", "write a checkpoint before this `time` from the start has passed, as 2h, and then end with code 75 (default: the end of a job of Slurm)")

	flags.StringVar(&f.profiles, "profiles", defaultProfiles(), "read the profile of an earlier run from `directory`, and write one of this run there; off: neither (default: in the user's cache directory)")
	settings.Alias(flags, "profile", "profiles")

	flags.StringVar(&f.table, "table", conf.defaultTable(), "of the account print this `table`: "+text.TableHelp)
	flags.StringVar(&f.format, "format", "text", "of the account: text, csv (the table only) or json (all figures, without the table)")
	flags.StringVar(&f.color, "color", "auto", "use colours: auto (on a terminal), always, never")
	flags.StringVar(&f.runDir, "run-dir", "", "keep the record of the run in `directory`, for migbsp report; %j is the job (the time if there is none), %p the program, %t the time")
	flags.BoolVar(&f.quiet, "quiet", false, "print the program's result only: no account, no banner, no progress")

	flags.String(settings.ConfigFlag, "", "read settings from this `file` and no other")
	flags.BoolVar(&f.printConfig, "print-config", false, "print all settings and their origins, and exit")
	flags.BoolVar(&f.version, "version", false, "print the version and exit")
}

// defaultTable returns the table that is printed by default.
func (conf *configuration) defaultTable() string {
	if conf.program.OwnOutput && text.DisplayOf(os.Stderr, "never").Width == 0 {
		return "none"
	}
	return cmp.Or(conf.program.Table, "verdict")
}

// setting returns the setting of that name, or the zero Value.
func (conf *configuration) setting(name string) settings.Value {
	for _, v := range conf.values {
		if v.Name == name {
			return v
		}
	}
	return settings.Value{}
}

// written returns a setting in the form that the user gave it.
func (conf *configuration) written(name string) string {
	if v := conf.setting(name); v.Name != "" {
		return v.Written()
	}
	return "-" + name
}

// withHelp adds to a usage error where flags are described.
func (conf *configuration) withHelp(err error) error {
	return fmt.Errorf("%w (see %s)", err, cmp.Or(conf.program.Help, conf.say.name+" -help"))
}

// progress returns the writer of progress lines. It is the console if the terminal can show them in
// place and shows no other output meanwhile, else a writer that only appends lines.
func (conf *configuration) progress() io.Writer {
	term := os.Getenv("TERM")
	if term == "" || term == "dumb" || text.DisplayOf(os.Stderr, "never").Width == 0 || conf.flags.why || conf.flags.streams() {
		return struct{ io.Writer }{&conf.say.console}
	}
	return &conf.say.console
}

// parameters returns the program's own settings.
func (conf *configuration) parameters() []checkpoint.Parameter {
	var list []checkpoint.Parameter
	for _, v := range conf.values {
		if slices.Contains(conf.own, v.Name) {
			list = append(list, checkpoint.Parameter{Name: v.Name, Value: v.Value})
		}
	}
	return list
}

// profileKey returns the key of profiles of runs with these settings and number of processes.
func (conf *configuration) profileKey(procs int) profile.Key {
	return profileKey(conf.program, conf.say.name, conf.values, conf.own, procs)
}

// launched returns the number of ranks that a launcher has started, 0 without one.
func (conf *configuration) launched() int {
	if conf.plan.Comm == nil {
		return 0
	}
	return conf.plan.Comm.Size()
}

// sizeSetting returns the setting that decides on the numbers of processes and ranks.
func (conf *configuration) sizeSetting() string {
	f := conf.flags
	switch {
	case f.procs > 0 && f.procs >= f.ranks:
		return conf.written("procs")
	case f.ranks > 0:
		return conf.written("ranks")
	case f.hosts != "":
		return conf.written("hosts")
	}
	return conf.written("procs")
}

// Flags returns the flags that every program has.
func Flags() *flag.FlagSet {
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	newConfiguration(new(Program), new(messages)).define(flags)
	return flags
}
