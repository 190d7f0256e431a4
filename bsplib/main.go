package bsplib

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/migbsp/migbsp/bsplib/internal/app"
	"github.com/migbsp/migbsp/bsplib/internal/checkpoint"
	"github.com/migbsp/migbsp/bsplib/internal/driver"
	"github.com/migbsp/migbsp/bsplib/internal/failure"
	"github.com/migbsp/migbsp/bsplib/internal/process"
	"github.com/migbsp/migbsp/ledger"
)

// Main is the main function of a program: it reads its settings, starts the
// ranks (the ranks of mpirun or srun if one of them started it, else
// goroutines), runs the program on all processes, prints the balance table on
// rank 0 and exits.
//
// The program may define flags of its own with package flag before it calls
// Main. Main ends the Go program with ExitOK, ExitFailed, ExitUsage,
// ExitCheckpointed, ExitLost, or 128+n after signal n; a failure is reported once, not by
// each rank. At most one Options may be given.
func Main[S any](program func(*Proc, *S) error, options ...Options) {
	var o Options
	if len(options) > 0 {
		o = options[0]
	}
	app.Main(o.program(), &runner{program: programOf(program)})
}

// Exit codes of programs.
const (
	ExitOK     = app.ExitOK     // 0: the program has ended, and its result was verified if it has a check
	ExitFailed = app.ExitFailed // 1: it has failed, or its result was not verified
	ExitUsage  = app.ExitUsage  // 2: it was not run: invalid command line or settings

	// ExitCheckpointed, 75, is the exit code of a program that was asked for a
	// checkpoint and has written it: run again, the program continues from it.
	ExitCheckpointed = app.ExitCheckpointed

	// ExitLost, 200, is the exit code of ranks that end because another rank was lost: its
	// process was killed, or its host does not answer.
	ExitLost = app.ExitLost
)

// Options describe a program to Main.
type Options struct {
	// Description is the text about the program that -help prints above the flags. Its paragraphs
	// are wrapped, except paragraphs with indented lines.
	Description string
	// HelpBy is the command that prints help on the flags, for usage errors. If it is "", that is
	// the program's name with -help.
	HelpBy string
	// CheckFlags is called with the number of processes after the flags have been parsed.
	// Its error is a usage error.
	CheckFlags func(procs int) error
	// MemoryNeeded returns the number of bytes that all processes need together, so that a run
	// that cannot fit is refused before it starts.
	MemoryNeeded func(procs int) int64
	// WorkNeeded returns the work of all processes together, so that a long run can be announced
	// before it starts. An amount of 0 means unknown. If the work describes the messages, a run
	// starts on one host, or on one cluster, if that is predicted to be faster.
	WorkNeeded func(procs int) Work
	// DefaultTable is the balance table that is printed if no setting selects one; "" means sites.
	DefaultTable string
	// OwnOutput reserves the standard output for the program. The account goes to the standard
	// error instead; if no setting asks for a table, only if that is a terminal.
	OwnOutput bool
	// TakesArguments allows arguments after the program's flags, which flag.Args returns. Under
	// MPI rank 0's arguments count.
	TakesArguments bool
	// RanksWait declares that the ranks mostly wait for other things than cores, for example for
	// commands that sleep. No warning is then printed about more ranks than cores.
	RanksWait bool
	// OnSignal is called when a signal ends the program, on each of its ranks, before the Go
	// program exits. It can clean up, and report to the user.
	OnSignal func()
	// ProcsBy returns the number of processes to run, for programs that choose it themselves. It is
	// called on each rank once the settings are known and before any process runs, with the
	// requested number. All ranks use the number that rank 0 returns. If that is 0, the program
	// ends on all ranks with the largest of the exit codes; otherwise the other ranks must return
	// 0 too. A restarted run has the number of its checkpoint.
	ProcsBy func(rank, procs int) (used, exit int)
	// Build and Inputs identify, with the program's name and flags, runs of similar work, for
	// profiles. Build is a digest of the executable if the name does not identify the program;
	// Inputs are the arguments other than flags.
	Build  string
	Inputs []string
	// ExitCode returns, on each rank, the exit code of a program that has ended without error.
	ExitCode func() int
}

// Work is an amount of work, in a unit, the approximate amount that a typical core does per second, and
// a description of the messages, if the program has one. The description is a hint: decisions during
// the run use measured supersteps.
type Work = app.Work

// program converts the options for package app.
func (o *Options) program() *app.Program {
	return &app.Program{
		About: strings.TrimSpace(o.Description), Help: o.HelpBy, Check: o.CheckFlags, Memory: o.MemoryNeeded, Work: o.WorkNeeded, Table: o.DefaultTable,
		Procs: o.ProcsBy, Code: o.ExitCode, Arguments: o.TakesArguments, RanksWait: o.RanksWait, OwnOutput: o.OwnOutput, OnSignal: o.OnSignal,
		Build: o.Build, Inputs: o.Inputs,
	}
}

// runner runs a program for package app. It implements app.Runner.
type runner struct {
	program *process.Program
	request CheckpointTrigger
	drains  Drains
}

func (r *runner) Request() { r.request.Fire() }

func (r *runner) Drain(hosts []DrainedHost) { r.drains.Set(hosts...) }

func (r *runner) Movable() error {
	if r.program.Here {
		return errHere
	}
	_, err := r.program.Plan()
	return err
}

func (r *runner) Sizes(p *app.Plan) (procs, ranks int, err error) {
	cfg := r.config(p)
	procs, ranks = cfg.sizes()
	if cfg.set.Here && (procs > ranks || ranks > 1 && cfg.Comm == nil) {
		return 0, 0, fmt.Errorf("%w: %s here", errHere, describeSize(procs, ranks))
	}
	return procs, ranks, cfg.checkSize()
}

func (r *runner) Resume(p *app.Plan) (*checkpoint.Source, error) {
	cfg := r.config(p)
	c := cfg.set.Checkpoint
	err := cfg.resume(func() (*checkpoint.Source, error) {
		dir, prefix := c.Dir, ""
		switch {
		case !p.GoBack:
			return checkpoint.Find(p.Restart)
		case p.Restart != app.RestartAuto:
			dir, prefix = checkpoint.Split(p.Restart)
		}
		var passed []error
		newest, err := checkpoint.NewestOf(dir, prefix, func(why error) { passed = append(passed, why) })
		if errors.Is(err, checkpoint.ErrNone) {
			err = nil
		}
		for _, why := range passed {
			fmt.Fprintf(c.Tell, "%s: %s\n", c.Caller.Program, newest.Instead(why.Error()))
		}
		return newest, err
	})
	if err != nil || c.From == nil {
		return nil, err
	}
	return c.From, cfg.checkCheckpoint(r.program)
}

func (r *runner) Run(p *app.Plan, alarm func(*failure.Error)) (e *failure.Error, known bool) {
	return driver.Run(p.Comms, cmp.Or(p.Procs, p.Comms[0].Size()), &p.Settings, r.program, alarm, alarm)
}

func (r *runner) Measure(p *app.Plan, alarm func(*failure.Error)) (machine *ledger.Machine, e *failure.Error, known bool) {
	return measureMachine(p.Comms, p.Comm, p.Account, alarm)
}

// config completes a plan, and returns the Config of its size and checkpoints.
func (r *runner) config(p *app.Plan) Config {
	p.Here, p.Drains, p.Checkpoint.Requests = r.program.Here, &r.drains.hosts, &r.request.count
	if p.Here && p.Comm == nil && p.Platform == nil {
		p.Ranks = max(1, p.Ranks)
	}
	return Config{Procs: p.Procs, Ranks: p.Ranks, Comm: p.Comm, Platform: p.Platform, set: p.Settings}
}

var errHere = errors.New("the program is linked so that each rank of MPI has one process, which stays there")

func describeSize(procs, ranks int) string {
	return fmt.Sprintf("%s on %s", ledger.Count(procs, "process"), ledger.Count(ranks, "rank"))
}
