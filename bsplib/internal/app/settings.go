package app

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"unicode"

	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/bsplib/internal/membership/watch"
	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/internal/loss"
	"github.com/migbsp/migbsp/internal/settings"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell/text"
	"github.com/migbsp/migbsp/mpi"
)

// variables lists the known variables that are not settings: first six that package mpi reads on each
// rank before the ranks are connected; then one for the components of a job, one that module files
// set to the directory of the installation, those of programs in C, and three for losses.
var variables = []string{"MIGBSP_SHM", "MIGBSP_NODE_SIZE", "MIGBSP_WAIT", "MIGBSP_DIRECT", "MIGBSP_ATTACH", "MIGBSP_RADIX", hostfile.ComponentsVariable, "MIGBSP_ROOT", "MIGBSP_CC", "MIGBSP_CXX", "MIGBSP_FC", "MIGBSP_LAUNCHER", "MIGBSP_LIBRARY", "MIGBSP_HEAP", loss.Variable, loss.SurviveVariable, watch.Variable}

// outcome holds rank 0's settings, for all ranks: their own command lines, environments and files may
// differ.
type outcome struct {
	Ended  bool   // the program must not run,
	Code   int    // and this is its exit code
	Hosts  string // the text of the file of hosts
	Values []settings.Value
}

// configure resolves the settings on rank 0 and broadcasts them. If they are not ready to run, all
// ranks end with the same code.
func (conf *configuration) configure(flags *flag.FlagSet, args, environ []string) (code int, ready bool) {
	conf.define(flags)
	o := outcome{Ended: true}
	if conf.say.lead {
		o.Code, o.Ended = conf.settle(flags, args, environ)
		o.Hosts, o.Values = conf.hosts, conf.values
	}
	if conf.plan.Comm != nil {
		if err := conf.share(flags, &o); err != nil {
			return conf.say.refuse(ExitFailed, err), false
		}
	}
	return o.Code, !o.Ended
}

// settle sets all flags. It executes -help, -version and -print-config and reports usage errors;
// ended is then true. -print-config also prints invalid settings, and then the error: migbsp sbatch
// checks the arguments of a job with it.
func (conf *configuration) settle(flags *flag.FlagSet, args, environ []string) (code int, ended bool) {
	f := conf.flags
	var err error
	conf.values, err = settings.Sources{
		Program: conf.say.name, Own: conf.own, Actions: actions, Variables: variables,
		Environ: environ, Files: settings.Files(environ), Warn: conf.say.warn,
	}.Resolve(flags, args)
	if err != nil && conf.values != nil { // to report all errors in a file together
		err = errors.Join(err, conf.chooseBalance())
	}
	if f.version && !errors.Is(err, flag.ErrHelp) {
		conf.printVersion(conf.say.stdout())
		return ExitOK, true
	}
	checks := []func() error{func() error { return conf.surviveLosses(flags) }, func() error { return conf.checkFlags(flags) }, conf.chooseBalance, conf.readProbe, conf.readLeaveDrained}
	if err == nil && f.printConfig {
		if code := conf.printConfig(); code != ExitOK {
			return code, true
		}
		// Files of hosts and Sets are not checked: they may exist only on the machines of the job.
		checks = append(checks, conf.checkOwn)
	} else {
		checks = append(checks, conf.readHosts, conf.readSets, conf.checkStart)
	}
	for _, next := range checks {
		if err == nil {
			err = next()
		}
	}
	if err != nil {
		return conf.usageError(flags, err), true
	}
	return ExitOK, f.printConfig
}

// share broadcasts the outcome. If a rank cannot take it over, all ranks end.
func (conf *configuration) share(flags *flag.FlagSet, o *outcome) error {
	comm := conf.plan.Comm
	if err := control.Broadcast(control.New(comm), 0, o); err != nil {
		return err
	}
	failed := int64(0)
	if !conf.say.lead && !o.Ended {
		if err := conf.takeOver(flags, o); err != nil {
			fmt.Fprintf(os.Stderr, "%s: rank %d: %v\n", conf.say.name, comm.Rank(), err)
			failed = 1
		}
	}
	failed, err := most(comm, failed)
	if failed != 0 {
		o.Ended, o.Code = true, ExitUsage
	}
	return err
}

// most returns the largest x of all ranks. All ranks call it.
func most(comm mpi.Comm, x int64) (int64, error) {
	all := []int64{x}
	if comm == nil {
		return x, nil
	}
	err := mpi.Combine(comm, mpi.Max, all)
	return all[0], err
}

// takeOver applies rank 0's settings on another rank.
func (conf *configuration) takeOver(flags *flag.FlagSet, o *outcome) error {
	conf.values, conf.hosts = o.Values, o.Hosts
	for _, v := range conf.values {
		if err := v.Apply(flags); err != nil {
			return fmt.Errorf("-%s %s, which rank 0 takes: %w", v.Name, v.Value, err)
		}
	}
	err := cmp.Or(conf.chooseTable(), conf.chooseBalance(), conf.readProbe())
	if err != nil || conf.flags.hosts == "" {
		return err
	}
	conf.plan.Platform, err = hostfile.Parse(conf.flags.hosts, strings.NewReader(conf.hosts))
	return err
}

// usageError prints an error in the settings, or help if that was asked for.
func (conf *configuration) usageError(flags *flag.FlagSet, err error) int {
	if errors.Is(err, errBalanceHelp) {
		printStrategies(conf.say.stdout())
		return ExitOK
	}
	if errors.Is(err, flag.ErrHelp) {
		conf.printHelp(conf.say.stdout(), flags)
		return ExitOK
	}
	return conf.say.refuse(ExitUsage, conf.withHelp(err))
}

func (conf *configuration) printVersion(w io.Writer) {
	build := ledger.ThisBuild()
	fmt.Fprintf(w, "%s (migbsp) %s\n", conf.say.name, build.Version)
	if lib := mpi.Library(); lib != "" {
		fmt.Fprintf(w, "MPI: %s\n", lib)
	}
	fmt.Fprintf(w, "%s %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	if commit := build.String(); commit != "" {
		fmt.Fprintln(w, commit)
	}
}

// printConfig prints all settings with their origins.
func (conf *configuration) printConfig() int {
	var rows [][]string
	for _, v := range conf.values {
		if v.Name == "profiles" {
			procs := likelyProcs(conf.flags.procs, conf.flags.ranks, conf.launched())
			rows = append(rows, profileRow(conf.flags.profiles, conf.profileKey(procs))...)
		}
		rows = append(rows, []string{v.Name, printable(v.Shown()), printable(v.Origin)})
	}
	if err := text.WriteRows(conf.say.stdout(), []string{"setting", "value", "origin"}, rows, 0, 1, 2); err != nil {
		return conf.say.refuse(ExitFailed, err)
	}
	return ExitOK
}

// printable quotes a text that would disturb a table.
func printable(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}
