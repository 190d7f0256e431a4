package app

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/internal/settings"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/mpi"
	"github.com/migbsp/migbsp/probe"
	"github.com/migbsp/migbsp/rebalancer"
)

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
	app.plan.Balance, app.plan.Shake = &spec, f.shake
	return nil
}

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
		app.plan.Platform, err = hostfile.Parse(app.flags.hosts, io.TeeReader(file, &text))
		app.hosts = text.String()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", app.written("hosts"), settings.OfFile(app.flags.hosts, err))
	}
	for _, w := range app.plan.Platform.Warnings {
		app.warn(w.Error())
	}
	if app.plan.Platform.Shared() {
		app.warn(fmt.Sprintf("%s: share= is left out; only migbsp simulate knows what hosts and links give over time", app.flags.hosts))
	}
	return nil
}

// readSets reads what the settings say about Sets. What MIGBSP_SETS says counts
// less than the file of hosts: see hostfile.Clues.
func (app *application) readSets() error {
	text := app.flags.sets
	if text == "" || app.setting("sets").Origin == hostfile.SetsVariable {
		return nil
	}
	if app.plan.Comm == nil {
		return fmt.Errorf("%s: without MPI all ranks are on this host; -hosts describes a platform to emulate", app.written("sets"))
	}
	var err error
	if strings.Contains(text, "=") {
		app.plan.Sets, err = hostfile.ParseSets("-sets", text)
	} else {
		app.plan.Sets, err = hostfile.ReadSets(text)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", app.written("sets"), err)
	}
	return nil
}

// readProbe finds out how much measuring is wanted.
func (app *application) readProbe() error {
	share, err := shareOf(app.flags.probe)
	if err != nil {
		return fmt.Errorf("%s: expected a part such as 0.5%%, or off", app.written("probe"))
	}
	app.plan.Probe = share
	if share == 0 {
		app.plan.Probe = -1
	}
	return nil
}

// shareOf reads a part of a whole: 0.5%, 0.005 or off.
func shareOf(text string) (float64, error) {
	if text == "off" {
		return 0, nil
	}
	number, percent := strings.CutSuffix(text, "%")
	share, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		share /= 100
	}
	if err != nil || !(share >= 0 && share <= 0.5) {
		return 0, errors.New("not a part")
	}
	return share, nil
}

// prepare completes the plan once the settings are known, makes the ranks, and
// checks what the program needs. All ranks call it. The args are the program's.
func (app *application) prepare(args []string) error {
	plan := &app.plan
	plan.Procs, plan.Ranks = app.flags.procs, app.flags.ranks
	plan.Accounted = app.flags.kept()
	if app.lead {
		plan.Result = &app.result
		if app.flags.why {
			plan.Why = &app.console
		}
		if !app.flags.quiet {
			plan.Progress = app.progress()
		}
	}
	if err := app.prepareCheckpoint(args); err != nil {
		return err
	}
	procs, ranks, err := app.runner.Sizes(plan)
	if err != nil {
		return fmt.Errorf("%s: %w", app.sizeSetting(), err)
	}
	plan.Procs = procs
	if err := app.checkProgram(); err != nil {
		return err
	}
	if err := app.firstWrong(app.checkDirectory()); err != nil {
		return err
	}
	if err := app.checkMemory(); err != nil {
		return err
	}
	if err := app.askProcs(); err != nil {
		return err
	}
	app.warnOfJob()
	warned, err := app.warnOfCores()
	if err != nil {
		return err
	}
	plan.Comms = []mpi.Comm{plan.Comm}
	if plan.Comm == nil {
		plan.Comms = mpi.InProcess(ranks)
	}
	if warned {
		return nil
	}
	return app.adviseFewerRanks()
}

// sizeSetting is the setting that says how large the run is.
func (app *application) sizeSetting() string {
	f := &app.flags
	switch {
	case f.procs > 0 && f.procs >= f.ranks:
		return app.written("procs")
	case f.ranks > 0:
		return app.written("ranks")
	case f.hosts != "":
		return app.written("hosts")
	}
	return app.written("procs")
}

// errReported is an error that this rank or another has printed already.
var errReported = errors.New("this has been reported")

// checkProgram has the program look at what it was asked for. An error that begins with a
// flag says where flags are described.
func (app *application) checkProgram() error {
	if app.Check == nil {
		return nil
	}
	wrong := app.Check(app.plan.Procs)
	if wrong != nil && strings.HasPrefix(wrong.Error(), "-") {
		wrong = app.withHelp(wrong)
	}
	return app.firstWrong(wrong)
}

// endedError ends a program that has nothing to run, with an exit code.
type endedError struct{ code int }

func (e *endedError) Error() string { return fmt.Sprintf("exit code %d", e.code) }

// askProcs has the program on rank 0 say how many processes it runs, and all ranks run as many.
func (app *application) askProcs() error {
	plan := &app.plan
	if app.Procs == nil || app.from != nil {
		return nil
	}
	answer := make([]int64, 2)
	if app.lead {
		used, exit := app.Procs(plan.Procs)
		answer[0], answer[1] = int64(used), int64(exit)
	}
	if plan.Comm != nil {
		if err := plan.Comm.Combine(mpi.Max, answer); err != nil {
			return err
		}
	}
	if plan.Procs = int(answer[0]); plan.Procs == 0 {
		return &endedError{int(answer[1])}
	}
	return nil
}

// firstWrong returns what this rank has found wrong. Under MPI each rank looks, as files
// need not be everywhere; the first that finds something wrong says so, and all end.
func (app *application) firstWrong(wrong error) error {
	c := app.plan.Comm
	if c == nil {
		return wrong
	}
	first := []int64{int64(c.Size())}
	if wrong != nil {
		first[0] = int64(c.Rank())
	}
	if err := c.Combine(mpi.Min, first); err != nil {
		return err
	}
	switch first[0] {
	case int64(c.Size()):
		return nil
	case 0:
		app.refuse(ExitUsage, wrong)
	case int64(c.Rank()):
		host, _ := os.Hostname()
		fmt.Fprintf(os.Stderr, "%s: rank %d on %s: %v\n", app.name, c.Rank(), host, wrong)
	}
	// No rank ends before the error is printed: launchers end all with the first.
	if err := c.Combine(mpi.Max, []int64{0}); err != nil {
		return err
	}
	return errReported
}

// checkMemory compares what the processes of this node need with what it has.
// Under MPI all ranks learn of the node with the least to spare.
func (app *application) checkMemory() error {
	if app.Memory == nil {
		return nil
	}
	need, have := app.Memory(app.plan.Procs), probe.AvailableMemory()
	if c := app.plan.Comm; c != nil {
		need = need / int64(c.Size()) * int64(mpi.RanksHere(c))
		worst := []int64{have - need, have}
		if err := c.Combine(mpi.Min, worst); err != nil {
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
