package bsplib

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/migbsp/migbsp/internal/settings"
	"github.com/migbsp/migbsp/ledger"
)

// variables are those that the engine reads, on every rank before the ranks know
// each other.
var variables = []string{"MIGBSP_SHM", "MIGBSP_NODE_SIZE", "MIGBSP_WAIT"}

// configure finds out what the program is to do, on rank 0, and tells all ranks.
// Unless they are ready to go on, all end with the same code.
func (app *application) configure(flags *flag.FlagSet, args, environ []string) (code int, ready bool) {
	app.define(flags)
	o := outcome{ended: true}
	if app.lead {
		o.code, o.ended = app.settle(flags, args, environ)
	}
	if app.config.Comm != nil {
		if err := app.share(flags, &o); err != nil {
			return app.refuse(ExitFailed, err), false
		}
	}
	return o.code, !o.ended
}

// settle gives all flags their values and does what can be done at once: help,
// the version, the settings, a refusal. It then has ended the program.
func (app *application) settle(flags *flag.FlagSet, args, environ []string) (code int, ended bool) {
	f := &app.flags
	err := app.resolve(flags, args, environ)
	if f.version && !errors.Is(err, flag.ErrHelp) {
		app.printVersion(app.stdout())
		return ExitOK, true
	}
	if err == nil && f.printConfig {
		return app.printConfig(), true
	}
	for _, next := range []func() error{
		func() error { return app.checkFlags(flags) }, app.chooseBalance, app.readHosts, app.readSets, app.readProbe,
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

// resolve reads all that says something about the flags.
func (app *application) resolve(flags *flag.FlagSet, args, environ []string) error {
	var err error
	app.values, err = settings.Sources{
		Program: app.name, Own: app.own, Actions: actions, Variables: variables,
		Environ: environ, Files: settings.Files(environ), Warn: app.warn,
	}.Resolve(flags, args)
	return err
}

// settled are all settings by name, also those that nobody has given a value.
func (app *application) settled() []settings.Value { return app.values }

// setting is the one of that name, empty if there is none.
func (app *application) setting(name string) settings.Value {
	for _, v := range app.settled() {
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
	for _, v := range app.settled() {
		rows = append(rows, []string{v.Name, printable(v.Value), printable(v.Origin)})
	}
	if err := ledger.WriteRows(app.stdout(), []string{"setting", "value", "origin"}, rows, 0, 1, 2); err != nil {
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
