package app

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"unicode"

	"github.com/migbsp/migbsp/bsplib/internal/control"
	"github.com/migbsp/migbsp/hostfile"
	"github.com/migbsp/migbsp/internal/settings"
	"github.com/migbsp/migbsp/ledger/tell/text"
	"github.com/migbsp/migbsp/mpi"
)

// variables are those that are no settings: package mpi reads five on every rank before the
// ranks know each other, one is about a job's components, and the last is of the module
// files, which say where all of it is installed.
var variables = []string{"MIGBSP_SHM", "MIGBSP_NODE_SIZE", "MIGBSP_WAIT", "MIGBSP_DIRECT", "MIGBSP_ATTACH", "MIGBSP_RADIX", hostfile.ComponentsVariable, "MIGBSP_ROOT", "MIGBSP_CC", "MIGBSP_CXX", "MIGBSP_FC"}

// outcome is what rank 0 has made of the settings, for all ranks: command lines,
// environments and files are not everywhere the same.
type outcome struct {
	Ended  bool   // the program has nothing more to do,
	Code   int    // and this is its exit code
	Hosts  string // the text of the file of hosts
	Values []settings.Value
}

// configure finds out what the program is to do, on rank 0, and tells all ranks.
// Unless they are ready to go on, all end with the same code.
func (app *application) configure(flags *flag.FlagSet, args, environ []string) (code int, ready bool) {
	app.define(flags)
	o := outcome{Ended: true}
	if app.lead {
		o.Code, o.Ended = app.settle(flags, args, environ)
		o.Hosts, o.Values = app.hosts, app.values
	}
	if app.plan.Comm != nil {
		if err := app.share(flags, &o); err != nil {
			return app.refuse(ExitFailed, err), false
		}
	}
	return o.Code, !o.Ended
}

// settle gives all flags their values and does what can be done at once: help,
// the version, the settings, a refusal. It then has ended the program.
func (app *application) settle(flags *flag.FlagSet, args, environ []string) (code int, ended bool) {
	f := &app.flags
	var err error
	app.values, err = settings.Sources{
		Program: app.name, Own: app.own, Actions: actions, Variables: variables,
		Environ: environ, Files: settings.Files(environ), Warn: app.warn,
	}.Resolve(flags, args)
	if err != nil && app.values != nil { // whatever else is wrong in a file is told with it
		err = errors.Join(err, app.chooseBalance())
	}
	if f.version && !errors.Is(err, flag.ErrHelp) {
		app.printVersion(app.stdout())
		return ExitOK, true
	}
	if err == nil && f.printConfig {
		return app.printConfig(), true
	}
	for _, next := range []func() error{
		func() error { return app.checkFlags(flags) }, app.chooseBalance, app.readHosts, app.readSets, app.readProbe, app.readLeaveDrained,
	} {
		if err == nil {
			err = next()
		}
	}
	if err != nil {
		return app.usageError(flags, err), true
	}
	return ExitOK, false
}

// share gives all ranks the outcome. A rank that cannot take it over ends all.
func (app *application) share(flags *flag.FlagSet, o *outcome) error {
	comm := app.plan.Comm
	if err := control.Broadcast(control.New(comm), 0, o); err != nil {
		return err
	}
	failed := []int64{0}
	if !app.lead && !o.Ended {
		if err := app.takeOver(flags, o); err != nil {
			fmt.Fprintf(os.Stderr, "%s: rank %d: %v\n", app.name, comm.Rank(), err)
			failed[0] = 1
		}
	}
	if err := comm.Combine(mpi.Max, failed); err != nil {
		return err
	}
	if failed[0] != 0 {
		o.Ended, o.Code = true, ExitUsage
	}
	return nil
}

// takeOver does on another rank what rank 0 has done to go on.
func (app *application) takeOver(flags *flag.FlagSet, o *outcome) error {
	app.values, app.hosts = o.Values, o.Hosts
	for _, v := range app.values {
		if err := v.Apply(flags); err != nil {
			return fmt.Errorf("-%s %s, which rank 0 takes: %w", v.Name, v.Value, err)
		}
	}
	if err := app.chooseTable(); err != nil {
		return err
	}
	if err := app.chooseBalance(); err != nil {
		return err
	}
	if err := app.readProbe(); err != nil || app.flags.hosts == "" {
		return err
	}
	var err error
	app.plan.Platform, err = hostfile.Parse(app.flags.hosts, strings.NewReader(app.hosts))
	return err
}

// setting is the one of that name, empty if there is none.
func (app *application) setting(name string) settings.Value {
	for _, v := range app.values {
		if v.Name == name {
			return v
		}
	}
	return settings.Value{}
}

// written is a setting in the words of who gave it.
func (app *application) written(name string) string {
	if v := app.setting(name); v.Name != "" {
		return v.Written()
	}
	return "-" + name
}

func (app *application) warn(text string) {
	fmt.Fprintf(app.stderr(), "%s: warning: %s\n", app.name, text)
}

// printConfig prints all settings and where they come from.
func (app *application) printConfig() int {
	var rows [][]string
	for _, v := range app.values {
		rows = append(rows, []string{v.Name, printable(v.Shown()), printable(v.Origin)})
	}
	if err := text.WriteRows(app.stdout(), []string{"setting", "value", "origin"}, rows, 0, 1, 2); err != nil {
		return app.refuse(ExitFailed, err)
	}
	return ExitOK
}

// printable is text in quotes if it would disturb a table.
func printable(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}
