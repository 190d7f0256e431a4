package app

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/migbsp/migbsp/bsplib/internal/placement"
	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/internal/drain"
	"github.com/migbsp/migbsp/internal/settings"
	"github.com/migbsp/migbsp/internal/untrusted"
	"github.com/migbsp/migbsp/ledger/tell/text"
	"github.com/migbsp/migbsp/rebalancer"
)

// errBalanceHelp asks for the list of strategies.
var errBalanceHelp = errors.New("help on -balance")

// checkFlags returns the first error in the settings, alone or in combination.
func (conf *configuration) checkFlags(flags *flag.FlagSet) error {
	if flags.NArg() > 0 && !conf.program.Arguments {
		return fmt.Errorf("unexpected argument %q; all arguments are flags", flags.Arg(0))
	}
	if conf.flags.balance == "help" {
		return errBalanceHelp
	}
	for _, check := range []func() error{conf.checkSize, conf.checkCheckpointFlags, conf.checkAccountFlags} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// checkOwn has the program check its own flags, if the number of processes is set.
func (conf *configuration) checkOwn() error {
	if conf.program.Check == nil || conf.flags.procs == 0 {
		return nil
	}
	return conf.program.Check(conf.flags.procs)
}

// checkSize checks the numbers of processes and ranks.
func (conf *configuration) checkSize() error {
	f, procs, ranks := conf.flags, conf.written("procs"), conf.written("ranks")
	switch {
	case f.ranks > 0 && f.hosts != "":
		return fmt.Errorf("%s: the slots of %s say how many ranks there are", ranks, conf.written("hosts"))
	case f.procs < 0:
		return fmt.Errorf("%s: at least one process is needed", procs)
	case f.ranks < 0:
		return fmt.Errorf("%s: at least one rank is needed", ranks)
	case f.ranks > 0 && conf.plan.Comm != nil:
		return fmt.Errorf("%s: under MPI the launcher decides how many ranks there are (%d)", ranks, conf.plan.Comm.Size())
	}
	for _, v := range conf.values {
		if (v.Name == "procs" || v.Name == "ranks") && v.Value == "0" && v.Origin != settings.Default && v.Given[len(v.Given)-1] != settings.Auto {
			return fmt.Errorf("%s: at least one is needed", v.Written())
		}
	}
	return nil
}

func (conf *configuration) checkCheckpointFlags() error {
	f := conf.flags
	if _, _, err := parseInterval(f.every); err != nil {
		return fmt.Errorf("%s: %w", conf.written("checkpoint-every"), err)
	}
	if limit, err := time.ParseDuration(f.limit); f.limit != "" && (err != nil || limit <= 0) {
		return fmt.Errorf("%s: expected a time such as 2h or 90m", conf.written("time-limit"))
	}
	switch {
	case f.limit != "" && f.checkpoint == "":
		return fmt.Errorf("%s: there is no -checkpoint directory to write to", conf.written("time-limit"))
	case f.every != "" && f.checkpoint == "":
		return fmt.Errorf("%s: there is no -checkpoint directory to write to", conf.written("checkpoint-every"))
	case f.restart == RestartAuto && f.checkpoint == "":
		return fmt.Errorf("%s: there is no -checkpoint directory to look in", conf.written("restart"))
	case strings.Contains(f.checkpoint, "%t"):
		return fmt.Errorf("%s: %%t would be another directory in each run", conf.written("checkpoint"))
	case strings.Contains(f.checkpoint, "%j") && Job() == "":
		return fmt.Errorf("%s: there is no job whose number could stand for %%j", conf.written("checkpoint"))
	}
	return nil
}

func (conf *configuration) checkAccountFlags() error {
	f, written := conf.flags, conf.written
	if err := conf.chooseTable(); err != nil {
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

// chooseTable takes over the settings of the account's table.
func (conf *configuration) chooseTable() (err error) {
	f := conf.flags
	if *f.view, err = text.ParseTable(f.table); err != nil {
		return fmt.Errorf("%s: %w", conf.written("table"), err)
	}
	if f.format == "csv" && conf.setting("table").Origin == settings.Default && (f.view.Name == "verdict" || f.view.Name == "none") {
		f.view.Name = "sites"
	}
	return nil
}

// everyAuto is the interval that follows from the cost of a checkpoint.
const everyAuto = "auto"

// parseInterval reads a duration such as 10m, or a number of stages such as 100stages. Of an empty
// text and of everyAuto both results are 0.
func parseInterval(text string) (time.Duration, int, error) {
	if text == "" || text == everyAuto {
		return 0, 0, nil
	}
	expected := fmt.Errorf("%q, expected a time such as 10m, a number of stages such as 100stages, or auto", text)
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

// Job returns the resource manager's number for this run, "" without a resource manager.
func Job() string {
	for _, name := range []string{"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID"} {
		if id := os.Getenv(name); id != "" {
			return id
		}
	}
	return ""
}

// chooseBalance takes over the settings of moves.
func (conf *configuration) chooseBalance() error {
	f := conf.flags
	if f.shake {
		f.balance = "off"
	}
	spec, err := rebalancer.Parse(f.balance)
	if unknown, is := errors.AsType[*rebalancer.UnknownError](err); is {
		near := cmp.Or(settings.DidYouMean(unknown.Name, "", unknown.Known), ";")
		err = fmt.Errorf("%s%s -balance help lists all", unknown.Problem, near)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", conf.written("balance"), err)
	}
	conf.plan.Balance, conf.plan.Shake = &spec, f.shake
	return nil
}

// checkStart checks that the mapping file of -start exists.
func (conf *configuration) checkStart() error {
	name := conf.flags.start
	if name == "" || slices.Contains(placement.Words, name) {
		return nil
	}
	f, err := untrusted.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: no such file; expected %s, or a mapping file%s", conf.written("start"),
			strings.Join(placement.Words, ", "), settings.DidYouMean(name, "", placement.Words))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", conf.written("start"), settings.OfFile(name, err))
	}
	return f.Close()
}

// readHosts reads the file of hosts, if set, and keeps its text for the other ranks.
func (conf *configuration) readHosts() error {
	if conf.flags.hosts == "" {
		return nil
	}
	file, err := os.Open(conf.flags.hosts)
	if err == nil {
		defer file.Close()
		var text bytes.Buffer
		conf.plan.Platform, err = hostfile.Parse(conf.flags.hosts, io.TeeReader(file, &text))
		conf.hosts = text.String()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", conf.written("hosts"), settings.OfFile(conf.flags.hosts, err))
	}
	for _, w := range conf.plan.Platform.Warnings {
		conf.say.warn(w.Error())
	}
	if conf.plan.Platform.Shared() {
		conf.say.warn(fmt.Sprintf("%s: share= is left out; only migbsp simulate knows what hosts and links give over time", conf.flags.hosts))
	}
	return nil
}

// readSets reads the setting of Sets. The file of hosts overrides MIGBSP_SETS, which is read
// elsewhere: see hostfile.Clues.
func (conf *configuration) readSets() error {
	text := conf.flags.sets
	if text == "" || conf.setting("sets").Origin == hostfile.SetsVariable {
		return nil
	}
	if conf.plan.Comm == nil {
		return fmt.Errorf("%s: without MPI all ranks are on this host; -hosts describes a platform to emulate", conf.written("sets"))
	}
	var err error
	if strings.Contains(text, "=") {
		conf.plan.Sets, err = hostfile.ParseSets("-sets", text)
	} else {
		conf.plan.Sets, err = hostfile.ReadSets(text)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", conf.written("sets"), err)
	}
	return nil
}

// readProbe reads the share of the time that measuring may take.
func (conf *configuration) readProbe() error {
	text := conf.flags.probe
	if text == "off" {
		text = "0"
	}
	number, percent := strings.CutSuffix(text, "%")
	share, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		share /= 100
	}
	if err != nil || !(share >= 0 && share <= 0.5) {
		return fmt.Errorf("%s: expected a part such as 0.5%%, or off", conf.written("probe"))
	}
	if conf.plan.Probe = share; share == 0 {
		conf.plan.Probe = -1
	}
	return nil
}

// readLeaveDrained parses the interval at which Slurm is asked for drained nodes.
func (conf *configuration) readLeaveDrained() error {
	text := conf.flags.leaveDrained
	if text == "off" {
		return nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < drain.LeastSlurm {
		return fmt.Errorf("%s: expected how often to ask, as 1m, at least %v, or off", conf.written("leave-drained"), drain.LeastSlurm)
	}
	conf.leaveDrained = d
	return nil
}
