package app

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/migbsp/migbsp/ledger/tell/text"
	"github.com/migbsp/migbsp/rebalancer"
)

// helpWidth is the width of help in columns, as in the tool.
const helpWidth = 79

// helpOnSettings explains how to set flags permanently.
const helpOnSettings = `The flags that all programs have can also be set by variables, -run-dir by
MIGBSP_RUN_DIR. All can be set by files, of which the first to set a flag
counts: migbsp.toml here, ~/.config/migbsp/config.toml,
/etc/migbsp/config.toml; or by the one that -config or MIGBSP_CONFIG names.

  balance = "off"      # for all programs
  %-20s # for this one, its own flags as well
  procs = 16

The command line comes before the environment, and that before files; under MPI
only those of rank 0 count. -print-config shows all settings and their origins.
`

// groups lists the flags that all programs have, in the order of -help.
var groups = []struct{ title, names string }{
	{"Processes, ranks and hosts", "procs ranks hosts sets probe"},
	{"Moving processes", "start balance shake why leave-drained"},
	{"Checkpoints", "checkpoint checkpoint-every restart time-limit"},
	{"What is printed and kept", "table format color quiet run-dir profiles profile"},
	{"Settings", "config print-config version"},
}

// printHelp prints the program's description, its own flags, and then the flags of all programs.
func (conf *configuration) printHelp(w io.Writer, flags *flag.FlagSet) {
	if conf.program.About != "" {
		for paragraph := range strings.SplitSeq(conf.program.About, "\n\n") {
			if !strings.Contains("\n"+paragraph, "\n ") { // indented lines stay as they are
				paragraph = hang(strings.Join(strings.Fields(paragraph), " "))
			}
			fmt.Fprintf(w, "%s\n\n", paragraph)
		}
	}
	fmt.Fprintf(w, "Usage: %s [flags]        or: mpirun -np N %s [flags]\n\n", conf.say.name, conf.say.name)
	printFlags(w, "Flags of "+conf.say.name, flags, conf.own)
	for _, g := range groups {
		printFlags(w, g.title, flags, strings.Fields(g.names))
	}
	fmt.Fprintf(w, helpOnSettings, "["+conf.say.name+"]")
}

// printFlags prints the named flags below a title. It prints nothing if names is empty.
func printFlags(w io.Writer, title string, flags *flag.FlagSet, names []string) {
	if len(names) == 0 {
		return
	}
	var defaults bytes.Buffer
	some := flag.NewFlagSet("", flag.ContinueOnError)
	some.SetOutput(&defaults)
	for _, name := range names {
		f := flags.Lookup(name)
		some.Var(f.Value, f.Name, f.Usage)
		some.Lookup(name).DefValue = f.DefValue
	}
	some.PrintDefaults()
	fmt.Fprintf(w, "%s:\n", title)
	printFolded(w, strings.ReplaceAll(defaults.String(), "\t", "    "))
	fmt.Fprintln(w)
}

// printStrategies prints the values of -balance.
func printStrategies(w io.Writer) {
	var all bytes.Buffer
	rebalancer.Help(&all)
	printFolded(w, all.String())
}

func printFolded(w io.Writer, all string) {
	for line := range strings.Lines(all) {
		fmt.Fprintln(w, hang(strings.TrimRight(line, "\n")))
	}
}

// hang breaks a line that is too long. The rest is indented to the line's last column, which begins
// after two blanks or more.
func hang(line string) string {
	column := strings.LastIndex(line, "  ") + 2
	if column == 1 {
		column = 0
	}
	return strings.Join(text.Wrapped(line[column:], helpWidth, line[:column], strings.Repeat(" ", column)), "\n")
}
