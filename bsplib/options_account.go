package bsplib

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/migbsp/migbsp/ledger"
)

// accountFlags say how the account of a run is shown and kept.
type accountFlags struct {
	table  string
	format string
	color  string
	runDir string
	quiet  bool
}

// formats are the values of -format.
var formats = []string{"text", "csv", "json"}

func (f *accountFlags) define(flags *flag.FlagSet) {
	flags.StringVar(&f.table, "table", cmp.Or(f.table, "sites"), "balance `table` by "+strings.Join(ledger.Views, ", "))
	flags.StringVar(&f.format, "format", "text", "of the account: text, csv (the table only) or json (all figures, without the table)")
	flags.StringVar(&f.color, "color", "auto", "use colours: auto (on a terminal), always, never")
	flags.StringVar(&f.runDir, "run-dir", "", "keep the record of the run in `directory`, for migbsp report; %j is the job (the time if there is none), %p the program, %t the time")
	flags.BoolVar(&f.quiet, "quiet", false, "print the program's result only: no account, no banner, no progress")
}

// check finds what the flags cannot mean; written gives a setting in the words of
// its user.
func (f *accountFlags) check(written func(name string) string) error {
	switch {
	case !slices.Contains(ledger.Views, f.table):
		return fmt.Errorf("%s: there is no such table; there are %s", written("table"), strings.Join(ledger.Views, ", "))
	case !slices.Contains(formats, f.format):
		return fmt.Errorf("%s: there is no such format; there are %s", written("format"), strings.Join(formats, ", "))
	case !slices.Contains(ledger.Colors, f.color):
		return fmt.Errorf("%s: it is %s", written("color"), strings.Join(ledger.Colors, ", "))
	case f.format == "csv" && f.table == "none":
		return fmt.Errorf("%s: there is no table to print with %s", written("format"), written("table"))
	case f.quiet && f.format != "text":
		return fmt.Errorf("%s: there is no account to print as %s", written("quiet"), f.format)
	}
	return nil
}

// shown tells whether an account is printed, kept whether one is made at all.
func (f *accountFlags) shown() bool { return !f.quiet && (f.table != "none" || f.format == "json") }
func (f *accountFlags) kept() bool  { return f.shown() || f.runDir != "" }

// job is the number that the resource manager has given to this run, "" if none
// has.
func job() string {
	for _, name := range []string{"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID"} {
		if id := os.Getenv(name); id != "" {
			return id
		}
	}
	return ""
}

// directory is where the record goes, with what stands for other things
// replaced.
func (f *accountFlags) directory(program string, now time.Time) string {
	stamp := now.UTC().Format("20060102T150405Z")
	return strings.NewReplacer("%j", cmp.Or(job(), stamp), "%p", program, "%t", stamp, "%%", "%").Replace(f.runDir)
}
