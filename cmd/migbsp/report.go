package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/migbsp/migbsp/internal/cli"
	"github.com/migbsp/migbsp/ledger"
	"github.com/migbsp/migbsp/ledger/tell"
	"github.com/migbsp/migbsp/ledger/tell/page"
	"github.com/migbsp/migbsp/ledger/tell/text"
)

// File names of the pages in a record's directory.
const (
	reportName     = "report.html"
	comparisonName = "comparison.html"
)

var reportCommand = cli.Command{
	Name:    "report",
	Summary: "makes a page, or tables, of a run's record; or compares two runs",
	About: `Reads the record that a program has written with -run-dir and makes one HTML file
of it: what limited the run, where its time went, which ranks waited for which,
where processes were, and why they moved. The file needs no network and no
other file. RUN is the run's directory or the record itself, also compressed
with gzip; the run may still be going on.

With RUN2 the page has both runs side by side.

  html   a page in RUN/report.html (of two runs RUN/comparison.html), or -o
  text   the account of the run as the program prints it at its end, with -table
  csv    a table for programs: times in seconds, all columns
  jsonl  the table of supersteps, an object in each line
  json   all figures as one value

-table is as programs have it: verdict, sites, steps, ranks, sets or full. Of steps it
can select, as steps,every=10,imb=1.5,moves,site=panel.go:104,width=120.

-verdict prints one line of at most 80 characters and writes nothing: the time, the
parallel efficiency, what moves brought, and whether the result was verified, with
its checksum. Job scripts make it the job's comment.`,
	Args: []cli.Arg{
		{Name: "RUN", Values: cli.Values{Files: true, Directories: true}},
		{Name: "RUN2", Values: cli.Values{Files: true, Directories: true}, Optional: true},
	},
	Examples: []cli.Example{
		{Line: "migbsp report runs/4711", Does: "writes runs/4711/report.html and prints its verdict"},
		{Line: "migbsp report runs/off runs/auto -o both.html", Does: "two runs side by side"},
		{Line: "migbsp report runs/4711 -format csv -table ranks", Does: "the work of each rank, for a program"},
		{Line: "migbsp report -verdict runs/4711", Does: "one line, for a job's comment or a table of runs"},
	},
	Setup: func(flags *flag.FlagSet) cli.Action {
		r := &reporter{flags: flags}
		r.format = cli.Choice(flags, "format", "what to make", "html", "text", "csv", "jsonl", "json")
		r.table = parsing(flags, "table", "", "which `table`, for -format text, csv and jsonl (default verdict, sites, steps)", text.ParseTable)
		r.output = cli.Path(flags, "o", "write the page to `file`; - is the standard output", cli.File)
		r.verdict = flags.Bool("verdict", false, "print one line of at most 80 characters, and write no page")
		r.open = flags.Bool("open", false, "open the page in the browser")
		return r.run
	},
}

// reporter has the flags of migbsp report.
type reporter struct {
	flags          *flag.FlagSet
	format, output *string
	table          *parsed[text.TableSpec]
	open, verdict  *bool
}

func (r *reporter) run(_ context.Context, streams cli.Streams, args []string) error {
	if err := r.check(args); err != nil {
		return err
	}
	var runs []*tell.View
	for _, name := range args {
		h, err := ledger.Read(name)
		if err != nil {
			return err
		}
		if h.Cut != "" {
			fmt.Fprintf(streams.Err, "migbsp report: note: %s\n", ledger.Printable(h.Cut))
		}
		for _, problem := range h.Problems {
			fmt.Fprintf(streams.Err, "migbsp report: problem: %s\n", ledger.Printable(problem))
		}
		runs = append(runs, tell.OfRecord(h))
	}
	if *r.verdict {
		_, err := fmt.Fprintln(streams.Out, runs[0].Brief())
		return err
	}
	table := r.table.value
	switch table.Name = cmp.Or(table.Name, defaultTables[*r.format]); {
	case table.Name == "steps" && *r.format != "html" && *r.format != "json":
		if *r.format == "text" {
			table.Name = "verdict"
			if err := r.text(streams.Out, runs[0], table); err != nil {
				return err
			}
			fmt.Fprintln(streams.Out)
		}
		return text.WriteSteps(streams.Out, runs[0].Record, table, *r.format, lookOf(streams.Out))
	}
	switch *r.format {
	case "text":
		return r.text(streams.Out, runs[0], table)
	case "csv":
		return text.WriteCSV(streams.Out, runs[0], table.Name)
	case "json":
		return ledger.WriteJSON(streams.Out, runs[0].Summary())
	default:
		return r.page(streams, runs)
	}
}

// check refuses flags that have no meaning together.
func (r *reporter) check(args []string) error {
	given := make(map[string]bool)
	r.flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	switch {
	case *r.verdict && len(args) > 1:
		return cli.Usagef("-verdict is of one run; there are two")
	case *r.verdict && (given["format"] || given["table"] || given["o"] || given["open"]):
		return cli.Usagef("-verdict prints one line, and takes no -format, -table, -o or -open")
	case *r.format != "html" && len(args) > 1:
		return cli.Usagef("-format %s is of one run; there are two", *r.format)
	case *r.format != "html" && (given["o"] || given["open"]):
		return cli.Usagef("-o and -open are for -format html; -format %s prints on the standard output", *r.format)
	case given["table"] && (*r.format == "html" || *r.format == "json"):
		return cli.Usagef("-table is for -format text, csv and jsonl")
	case *r.format == "jsonl" && given["table"] && r.table.value.Name != "steps":
		return cli.Usagef("-format jsonl is of -table steps; -format csv prints the others for programs")
	case *r.format == "csv" && given["table"] && !slices.Contains([]string{"sites", "steps", "ranks", "sets"}, r.table.value.Name):
		return cli.Usagef("-table %s is no table for programs; expected sites, steps, ranks or sets", r.table.text)
	case r.table.value.File != "":
		return cli.Usagef("-table %s: what is asked for is printed on the standard output; to= is for programs", r.table.text)
	case *r.open && *r.output == "-":
		return cli.Usagef("-open needs a file, and -o - makes none")
	}
	return nil
}

// page writes the page, and prints its path and its verdict.
func (r *reporter) page(streams cli.Streams, runs []*tell.View) error {
	traffic, err := runs[0].Record.ReadTraffic()
	if err != nil {
		fmt.Fprintf(streams.Err, "migbsp report: the page does not show who talks to whom: %v\n", ledger.Printable(err.Error()))
	}
	write := func(w io.Writer) error { return page.Write(w, runs[0], traffic) }
	verdict, name := runs[0].Verdict(), reportName
	if len(runs) > 1 {
		write = func(w io.Writer) error { return page.WriteComparison(w, runs[0], runs[1]) }
		verdict, name = page.Verdicts(runs[0], runs[1]), comparisonName
	}
	if *r.output == "-" {
		fmt.Fprintln(streams.Err, ledger.Printable(verdict))
		return write(streams.Out)
	}
	file, err := output(streams.Out, *r.output, filepath.Join(filepath.Dir(runs[0].Record.Name), name), write)
	if err == nil {
		_, err = fmt.Fprintf(streams.Out, "%s\n%s\n", file, ledger.Printable(verdict))
	}
	if err == nil && *r.open {
		err = openInBrowser(file)
	}
	return err
}

// defaultTables are the default tables of the formats.
var defaultTables = map[string]string{"text": "verdict", "csv": "sites", "jsonl": "steps"}

// text prints the account of a run.
func (r *reporter) text(w io.Writer, v *tell.View, table text.TableSpec) error {
	look := lookOf(w)
	if err := text.WriteResult(w, v, look, table.Name); err != nil {
		return err
	}
	if _, err := io.WriteString(w, "\n"); err != nil {
		return err
	}
	return text.WriteAccount(w, v, table.Name, "", look)
}

// lookOf returns the display settings for the reader of w.
func lookOf(w io.Writer) text.Display {
	if f, is := w.(*os.File); is {
		return text.DisplayOf(f, "auto")
	}
	return text.Display{}
}
